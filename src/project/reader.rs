//! Reads one job from its table, which has the values of `[defaults]` already.

use std::collections::BTreeMap;

use super::draft::{Draft, DraftNeed};
use super::fault::Fault;
use super::job::{EnvFile, Hooks, Job, Program, Variables};
use super::node::{Node, Value};
use super::place::Place;
use super::ready::{Check, Ready};
use super::restart::Restart;
use super::schedule::Schedule;
use super::section::{Section, Text};
use super::stop::Stop;
use super::watch::Watch;
use super::{Places, expand, flags, keys, limits, names, template, variables};

/// What a file says about all of its jobs.
pub(super) struct Common {
    /// `web/`, or nothing for the jobs of the root.
    pub(super) prefix: String,
    pub(super) shell: Option<Vec<String>>,
    pub(super) env: Variables,
    pub(super) env_places: Places,
    pub(super) env_files: Vec<EnvFile>,
    /// Whether the project is in a linked worktree, where ports are not those of the file.
    pub(super) is_linked: bool,
}

/// Which table is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A job.
    Job,
    /// `[defaults]`, which has no command.
    Defaults,
}

/// Reads a job. One with faults is returned too, so that the needs of others find it.
pub(super) fn read(section: &Section<'_>, name: &str, common: &Common, what: What) -> Draft {
    let is_meant = match what {
        What::Job => section.only(keys::JOB, keys::PROGRAMS),
        What::Defaults => defaults_only(section),
    };
    let ports = ports(section);
    let mut texts = Texts {
        section,
        ports: &ports,
        is_linked: common.is_linked,
        places: common.env_places.clone(),
    };
    // A typo in `cmd` is one fault, not two.
    let is_needed = what == What::Job && !is_meant;
    let program = program(section, is_needed, &mut texts);
    let dir = section.place.dir().to_owned();
    let mut job = Job::new(&dir, program.unwrap_or(Program::Line(String::new())));
    if let Some(shell) = &common.shell {
        job.shell.clone_from(shell);
    }
    job.env.clone_from(&common.env);
    job.env_files.clone_from(&common.env_files);
    if let Some(cwd) = cwd(section, &dir) {
        texts.note("cwd", &cwd);
        job.cwd = cwd.text;
    }
    job.ready = ready(section, name, &mut texts);
    if let Some(open) = section.filled("open") {
        texts.note("open", &open);
        job.open = Some(open.text);
    }
    job.places = texts.places;
    if let Some(env) = section.section("env") {
        job.own_env = variables::read(&env, "env", &mut job.places);
    }
    job.own_env_files = variables::files(section, "env_file").unwrap_or_default();
    let numbers = ports.iter();
    job.ports = numbers
        .map(|(name, (port, _))| (name.clone(), *port))
        .collect();
    parts(section, &mut job);
    flags::read(section, &mut job);
    let kind = section.word("kind", &[("service", false), ("task", true)]);
    job.is_task = kind.unwrap_or(job.schedule.is_some());
    Draft {
        name: name.to_owned(),
        place: section.place.clone(),
        has_ready: section.has("ready"),
        is_port_bad: section.has("port") && ports.is_empty(),
        job,
        needs: DraftNeed::read(section),
        group: group(section),
        ports: ports
            .into_iter()
            .map(|(name, (_, place))| (name, place))
            .collect(),
    }
}

/// The texts of a job in which templates may stand.
struct Texts<'a> {
    section: &'a Section<'a>,
    ports: &'a OwnPorts,
    /// Whether the ports of the job are not those of the file.
    is_linked: bool,
    /// Where those with templates stand.
    places: Places,
}

impl Texts<'_> {
    /// Notes where a text with a template stands, and warns of a port in it.
    fn note(&mut self, key: &str, text: &Text) {
        if template::is_template(&text.text) {
            self.places.0.insert(key.to_owned(), text.place.clone());
        }
        if self.is_linked {
            numbers(self.section, key, text, self.ports);
        }
    }
}

/// The check of readiness. That of a port follows the port of the job.
fn ready(section: &Section<'_>, name: &str, texts: &mut Texts<'_>) -> Option<Ready> {
    let (mut ready, mut text) = Ready::read(&section.section("ready")?)?;
    if let (Check::Port(port), Some(text)) = (&mut ready.check, &mut text) {
        follow(port, name, texts.ports);
        text.text.clone_from(port);
    }
    if let (Some((key, _)), Some(text)) = (ready.check.template(), &text) {
        texts.note(&format!("ready.{key}"), text);
    }
    Some(ready)
}

/// The group that a job names.
fn group(section: &Section<'_>) -> Option<Text> {
    let group = section.filled("group")?;
    if names::is_valid(&group.text) {
        return Some(group);
    }
    let must = format!("the name of a group; {}", names::RULE);
    section.wrong(&group.place, "group", &must);
    None
}

/// Reports unknown keys of `[defaults]`, and the keys of a job that cannot have a default.
fn defaults_only(section: &Section<'_>) -> bool {
    for key in keys::NO_DEFAULT {
        if let Some(entry) = section.table.entry(key) {
            let message = format!("\"{key}\" cannot be in [defaults]; it belongs to one job");
            section.faults.add(&entry.place, message);
        }
    }
    section.only(keys::JOB, &[])
}

fn program(section: &Section<'_>, is_needed: bool, texts: &mut Texts<'_>) -> Option<Program> {
    match section.one_of(keys::PROGRAMS, is_needed)? {
        "cmd" => {
            let node = section.get("cmd")?;
            if let Value::String(line) = &node.value {
                let must = format!(
                    "a list such as [\"npm\", \"run\", \"dev\"]; for a shell line write run = {line:?}"
                );
                section.wrong(&node.place, "cmd", &must);
                return None;
            }
            let args = section.texts("cmd")?;
            let is_blank = args.first().is_none_or(|program| program.text.is_empty());
            if is_blank {
                section.wrong(&node.place, "cmd", "a list that starts with a program");
                return None;
            }
            for (n, arg) in args.iter().enumerate() {
                texts.note(&format!("cmd[{n}]"), arg);
                too_long(section, "cmd", arg);
            }
            Some(Program::Argv(
                args.into_iter().map(|arg| arg.text).collect(),
            ))
        }
        _ => {
            let line = section.text("run")?;
            if line.text.trim().is_empty() {
                section.wrong(&line.place, "run", "a shell line, not \"\"");
                return None;
            }
            too_long(section, "run", &line);
            Some(Program::Line(line.text))
        }
    }
}

fn too_long(section: &Section<'_>, key: &str, text: &Text) {
    if let Some(why) = expand::too_long(&text.text) {
        section.wrong(&text.place, key, &why);
    }
}

/// The working directory, relative to the directory of the job if that is possible.
fn cwd(section: &Section<'_>, dir: &std::path::Path) -> Option<Text> {
    let mut cwd = section.filled("cwd")?;
    if cwd.text == "~" || cwd.text.starts_with("~/") {
        let rest = cwd.text.trim_start_matches('~');
        let must = format!("a path; `~` is not expanded, write \"${{HOME}}{rest}\"");
        section.wrong(&cwd.place, "cwd", &must);
    }
    // Another file than the one with the job says it: it is relative to that file.
    if cwd.place.dir() != dir && !cwd.text.starts_with(['/', '$']) {
        cwd.text = format!("{}/{}", cwd.place.dir().display(), cwd.text);
    }
    Some(cwd)
}

/// `port`: a number, or a table of names and numbers.
fn ports(section: &Section<'_>) -> OwnPorts {
    let mut ports = BTreeMap::new();
    let mut add = |name: &str, node: &Node, section: &Section<'_>, key: &str| {
        let number = section.number_of(node, key, 1..=65535);
        if let Some(port) = number.and_then(|number| u16::try_from(number).ok()) {
            ports.insert(name.to_owned(), (port, node.place.clone()));
        }
    };
    match section.get("port") {
        Some(Node {
            value: Value::Table(table),
            ..
        }) => {
            let Some(section) = section.section("port") else {
                return ports;
            };
            for entry in &table.entries {
                if names::is_valid(&entry.key) {
                    add(&entry.key, &entry.node, &section, &entry.key)
                } else {
                    let message = format!("{:?} is not a valid name; {}", entry.key, names::RULE);
                    section.faults.add(&entry.place, message);
                }
            }
        }
        Some(node) => add("", node, section, "port"),
        None => {}
    }
    ports
}

type OwnPorts = BTreeMap<String, (u16, Place)>;

/// Makes a check of a port that is a number follow the port of the job with that number, which is another one in
/// other checkouts.
fn follow(port: &mut String, job: &str, ports: &OwnPorts) {
    let own = ports.iter().find(|(_, (own, _))| own.to_string() == *port);
    let short = job.rsplit('/').next().unwrap_or(job);
    match own {
        Some((name, _)) if name.is_empty() => "${PORT}".clone_into(port),
        Some((name, _)) => *port = format!("${{port.{short}.{name}}}"),
        None => {}
    }
}

/// Warns of a text that has a port of the job as a number, because in this worktree the port is another one.
fn numbers(section: &Section<'_>, key: &str, text: &Text, ports: &OwnPorts) {
    let mut words = text.text.split(|c: char| !c.is_ascii_digit());
    let found = words.find_map(|word| ports.iter().find(|(_, (port, _))| port.to_string() == word));
    if let Some((name, (port, _))) = found {
        let instead = match name.as_str() {
            "" => "${PORT}".to_owned(),
            name => format!("${{port.JOB.{name}}}"),
        };
        let message = format!(
            "\"{key}\"{} has the port {port} as a number, but the job has another one in this worktree; write {instead}",
            section.owner()
        );
        section.faults.warn(Fault::at(&text.place, message));
    }
}

/// The parts that are tables of their own.
fn parts(section: &Section<'_>, job: &mut Job) {
    if let Some(restart) = section.section("restart") {
        job.restart = Restart::read(&restart, job.ready.as_ref());
    }
    if let Some(stop) = section.section("stop") {
        job.stop = Stop::read(&stop);
    }
    if let Some(watch) = section.section("watch") {
        job.watch = Some(Watch::read(&watch, &job.dir));
    }
    if let Some(schedule) = section.section("schedule") {
        job.schedule = Schedule::read(&schedule);
    }
    if let Some(table) = section.section("limits") {
        job.limits = limits::read(&table);
    }
    if let Some(on) = section.section("on") {
        on.only(keys::ON, &[]);
        let line = |key| on.filled(key).map(|line| line.text);
        job.on = Hooks {
            ready: line("ready"),
            failed: line("failed"),
            exit: line("exit"),
            input: line("input"),
        };
    }
}
