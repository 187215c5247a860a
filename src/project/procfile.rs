//! Procfiles: `name: command` lines, as foreman and its like read them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::dotenv::Piece;
use super::draft::Draft;
use super::env_file::Reader;
use super::fault::{Fault, Faults};
use super::files::Files;
use super::job::{EnvFile, Job, PortBusy, Program};
use super::place::{Lines, Place};
use super::stop::{Stop, StopHow};
use super::{expand, names, variables};

/// The base port if nothing else says one.
pub(super) const BASE_PORT: u16 = 5000;

/// The step between the ports of two entries. It is also the most instances that an entry can have.
pub(super) const STEP: u16 = 100;

/// The time between TERM and KILL, as foreman has it.
const GRACE_MS: u64 = 5000;

/// What the command line and the environment say about a Procfile.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProcfileOptions {
    /// `--port`: the base port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// `PORT` of the caller's environment: the base port if neither `--port` nor `.env` says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherited_port: Option<u16>,
    /// `-m`: numbers of instances by name; `all` is every entry that is not named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub formation: BTreeMap<String, u16>,
}

impl ProcfileOptions {
    /// Reads the value of `-m`, such as `all=1,worker=2`. The error says what is wrong.
    pub fn parse_formation(text: &str) -> Result<BTreeMap<String, u16>, String> {
        let mut formation = BTreeMap::new();
        for part in text.split(',') {
            let pair = part.split_once('=').and_then(|(name, count)| {
                let count = count.trim().parse::<u16>().ok()?;
                (!name.trim().is_empty() && count <= STEP).then(|| (name.trim().to_owned(), count))
            });
            let Some((name, count)) = pair else {
                return Err(format!(
                    "`{part}` is not NAME=COUNT with a count from 0 to {STEP}, as in all=1,worker=2"
                ));
            };
            formation.insert(name, count);
        }
        Ok(formation)
    }

    /// Whether the command line says something.
    pub fn is_asked(&self) -> bool {
        self.port.is_some() || !self.formation.is_empty()
    }

    /// These, and for what they do not say, those of `before`. The environment counts for an `up` only (`is_up`): another
    /// caller's does not count.
    #[must_use]
    pub fn over(self, before: &Self, is_up: bool) -> Self {
        let inherited_port = self.inherited_port.filter(|_| is_up);
        let mut formation = before.formation.clone();
        if self.formation.contains_key("all") {
            formation.clear();
        }
        formation.extend(self.formation);
        Self {
            port: self.port.or(before.port),
            inherited_port: inherited_port.or(before.inherited_port),
            formation,
        }
    }

    fn count(&self, name: &str) -> u16 {
        let count = self
            .formation
            .get(name)
            .or_else(|| self.formation.get("all"));
        count.copied().unwrap_or(1)
    }
}

/// Reads a Procfile.
///
/// Every instance is a job, named after its entry (`web`), or with a number if there are several (`web.1`). An
/// entry with no instance is a job that `up` does not start.
pub(super) fn read(
    files: &dyn Files,
    path: &Path,
    content: &[u8],
    options: &ProcfileOptions,
    faults: &Faults,
) -> Vec<Draft> {
    let entries = entries(path, content, faults);
    check_formation(&entries, path, options, faults);
    if entries.is_empty() {
        return Vec::new();
    }
    let env_file = variables::usual_file(path);
    let base = base_port(files, &env_file, options, faults);
    let mut drafts = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let count = options.count(entry.name).min(STEP);
        for instance in 1..=count.max(1) {
            let Some(port) = port(base, at, instance) else {
                let message = format!("the port of \"{}\" would be above 65535", entry.name);
                faults.add(&entry.place, message);
                break;
            };
            let mut job = job(entry, instance, port, &env_file);
            job.autostart = count > 0;
            let name = match count {
                0 | 1 => entry.name.to_owned(),
                _ => format!("{}.{instance}", entry.name),
            };
            drafts.push(draft(name, entry, job));
        }
    }
    drafts
}

/// Reports names in `-m` that the file does not have.
fn check_formation(entries: &[Entry<'_>], path: &Path, options: &ProcfileOptions, faults: &Faults) {
    for name in options.formation.keys() {
        let is_known = name == "all" || entries.iter().any(|entry| entry.name == name);
        if !is_known {
            let message = format!("-m names \"{name}\", which is not in the file");
            faults.push(Fault::of_file(path, message));
        }
    }
}

/// The port of an instance of the entry at an index; `None` if it would be too high.
fn port(base: u16, at: usize, instance: u16) -> Option<u16> {
    let number = at * usize::from(STEP) + usize::from(instance - 1);
    base.checked_add(u16::try_from(number).ok()?)
}

/// The job of one instance of an entry.
fn job(entry: &Entry<'_>, instance: u16, port: u16, env_file: &EnvFile) -> Job {
    let mut job = Job::new(entry.place.dir(), Program::Line(entry.line.to_owned()));
    job.env_files = vec![env_file.clone()];
    job.own_env = vec![("PS".to_owned(), Some(format!("{}.{instance}", entry.name)))];
    job.ports = BTreeMap::from([(String::new(), port)]);
    // The port is an offer, which most entries do not use: a taken one is no reason not to start.
    job.port_busy = PortBusy::Next;
    job.stop = Stop {
        how: StopHow::Signal("TERM".to_owned()),
        grace_ms: GRACE_MS,
    };
    job
}

/// A job as other files have it, of which a Procfile says little.
fn draft(name: String, entry: &Entry<'_>, job: Job) -> Draft {
    Draft {
        name,
        place: entry.place.clone(),
        job,
        has_ready: false,
        is_port_bad: false,
        needs: Vec::new(),
        group: None,
        ports: BTreeMap::new(),
    }
}

/// The base port: `--port`, `PORT` in `.env`, `PORT` of the caller, 5000.
fn base_port(
    files: &dyn Files,
    env_file: &EnvFile,
    options: &ProcfileOptions,
    faults: &Faults,
) -> u16 {
    if let Some(port) = options.port {
        return port;
    }
    // What is wrong with the file is reported when all of them are read.
    let unseen = Faults::default();
    let pairs = Reader::new(files).read(env_file, env_file.written.dir(), &unseen);
    let last = pairs.iter().rev().find(|pair| pair.name == "PORT");
    let Some(pair) = last else {
        return options.inherited_port.unwrap_or(BASE_PORT);
    };
    let port = match &pair.value[..] {
        [Piece::Text(text)] => text.parse::<u16>().ok().filter(|port| *port > 0),
        _ => None,
    };
    if port.is_none() {
        faults.add(
            &pair.place,
            "PORT must be a number from 1 to 65535: it is the base of the Procfile's ports",
        );
    }
    port.unwrap_or(BASE_PORT)
}

pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) line: &'a str,
    pub(super) place: Place,
}

/// The entries of a Procfile. Other lines are warnings, duplicates are faults.
pub(super) fn entries<'a>(path: &Path, content: &'a [u8], faults: &Faults) -> Vec<Entry<'a>> {
    let text = match std::str::from_utf8(content) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let valid = content.get(..error.valid_up_to()).unwrap_or_default();
            let valid = String::from_utf8_lossy(valid);
            let place = Lines::new(path, &valid).place(valid.len());
            faults.add(&place, "the file is not valid UTF-8 from here on");
            return Vec::new();
        }
    };
    let lines = Lines::new(path, text);
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let place = lines.place(offset);
        offset += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let Some((name, line)) = entry(line) else {
            let message = "this line is ignored: it is not of the form \"name: command\"";
            faults.warn(Fault::at(&place, message));
            continue;
        };
        if line.contains('\0') {
            faults.add(&place, "the line contains a NUL character");
        } else if !names::is_valid(name) {
            faults.add(
                &place,
                format!("{name:?} is not a valid name of a job; {}", names::RULE),
            );
        } else if let Some(why) = expand::too_long(line) {
            faults.add(&place, format!("the command must be {why}"));
        } else if let Some(first) = entries.iter().find(|entry| entry.name == name) {
            let mut fault = Fault::at(&place, format!("\"{name}\" is there twice"));
            fault.also = vec![Fault::at(&first.place, "is the other place")];
            faults.push(fault);
        } else {
            entries.push(Entry { name, line, place });
        }
    }
    entries
}

/// Name and command of a line: `^[A-Za-z0-9_-]+:\s*(.+)$`.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (name, command) = line.split_once(':')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let command = command.trim_start();
    (!name.is_empty() && name.chars().all(is_name) && !command.is_empty())
        .then_some((name, command))
}
