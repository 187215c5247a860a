//! `bgproc.toml` from what a directory has: the files of other process managers, of package managers and of build
//! tools.
//!
//! [`look`] finds the files and chooses; [`import`] reads them and returns the text of the new file, with comments
//! that say what came from where and what could not be taken over. The text is read by [`super::load()`] before it is
//! returned, so what `bgproc init` writes can be brought up.
//!
//! `source` is a file that jobs are taken from. Each kind of file has a reader, which makes a `sketch::Part` of it;
//! `yaml` is their language, and `toml_tree` and `json_tree` bring other languages into its form. `verify` leaves out what the reader of project
//! files refuses, `sketch` writes the rest with `toml_text`.

mod cargo;
mod compose;
mod json_tree;
mod mprocs;
mod package;
mod pitchfork;
mod process_compose;
mod procfile;
mod sketch;
mod source;
mod targets;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
mod toml_text;
mod toml_tree;
mod verify;
mod vscode;
mod yaml;

use std::path::Path;

use super::fault::Fault;
use super::files::{FileKind, Files};
use super::load::{MAX_FILE, unreadable};
use sketch::Part;
use source::Source;
use toml_text::Toml;

/// Kinds of files from which jobs can be taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `process-compose.yaml`
    ProcessCompose,
    /// `mprocs.yaml`, or `dekit.yaml` as its newer versions call it
    Mprocs,
    /// `pitchfork.toml`
    Pitchfork,
    /// `Procfile`
    Procfile,
    /// `package.json`
    Package,
    /// `Cargo.toml`
    Cargo,
    /// `compose.yaml`
    Compose,
    /// `Makefile`
    Make,
    /// `justfile`
    Just,
    /// `.vscode/tasks.json`
    Vscode,
}

/// The names of files, the first one of a kind is taken.
const NAMES: &[(&str, Kind)] = &[
    ("process-compose.yaml", Kind::ProcessCompose),
    ("process-compose.yml", Kind::ProcessCompose),
    ("mprocs.yaml", Kind::Mprocs),
    ("mprocs.yml", Kind::Mprocs),
    ("dekit.yaml", Kind::Mprocs),
    ("dekit.yml", Kind::Mprocs),
    ("pitchfork.toml", Kind::Pitchfork),
    ("Procfile.dev", Kind::Procfile),
    ("Procfile", Kind::Procfile),
    ("package.json", Kind::Package),
    ("Cargo.toml", Kind::Cargo),
    ("compose.yaml", Kind::Compose),
    ("compose.yml", Kind::Compose),
    ("docker-compose.yaml", Kind::Compose),
    ("docker-compose.yml", Kind::Compose),
    (".vscode/tasks.json", Kind::Vscode),
    ("justfile", Kind::Just),
    ("Justfile", Kind::Just),
    (".justfile", Kind::Just),
    ("GNUmakefile", Kind::Make),
    ("makefile", Kind::Make),
    ("Makefile", Kind::Make),
];

impl Kind {
    /// Whether the file is a list of what runs, which is everything that is needed.
    fn is_list(self) -> bool {
        matches!(
            self,
            Self::ProcessCompose | Self::Mprocs | Self::Pitchfork | Self::Procfile
        )
    }

    /// Whether the file is taken only if there is nothing else.
    fn is_last_resort(self) -> bool {
        matches!(self, Self::Vscode | Self::Make | Self::Just)
    }
}

/// A file that has jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Its path, as it is shown.
    pub name: String,
    /// The number of its jobs.
    pub jobs: usize,
    /// Whether it is taken if nobody says otherwise.
    pub is_chosen: bool,
}

/// The text of a new file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The content of `bgproc.toml`.
    pub text: String,
    /// The names of its jobs, in its order.
    pub jobs: Vec<String>,
}

/// The files of a directory from which jobs can be taken.
///
/// One list of processes is enough. Without one, the scripts, binaries and services of the project are taken
/// together, and targets of build tools if there is nothing else. A file that cannot be read is a fault.
pub fn look(files: &dyn Files, dir: &Path) -> Result<Vec<Seen>, Vec<Fault>> {
    let mut found: Vec<(Kind, &str, usize)> = Vec::new();
    for (name, _) in NAMES {
        let path = dir.join(name);
        let is_file = matches!(files.look(&path), Ok(Some(look)) if look.kind == FileKind::File);
        // A file system that ignores case has one file under two names.
        let is_same = |other: &str| {
            let identity = |name: &str| {
                let look = files.look(&dir.join(name)).ok().flatten();
                look.map(|look| (look.device, look.inode))
            };
            other.eq_ignore_ascii_case(name) && identity(other) == identity(name)
        };
        if !is_file || found.iter().any(|(_, other, _)| is_same(other)) {
            continue;
        }
        let (kind, part) = part(files, dir, name)?;
        if !part.jobs.is_empty() {
            found.push((kind, name, part.jobs.len()));
        }
    }
    let list = found.iter().position(|(kind, ..)| kind.is_list());
    let is_any = found.iter().any(|(kind, ..)| !kind.is_last_resort());
    let mut chosen: Vec<Kind> = Vec::new();
    let seen = found.iter().enumerate().map(|(at, (kind, name, jobs))| {
        let is_chosen = match list {
            Some(list) => at == list,
            // Of two names for the same thing the first one, as the programs themselves do it.
            None => kind.is_last_resort() != is_any && !chosen.contains(kind),
        };
        // Editors, make and just mostly say the same.
        let is_chosen = is_chosen && (chosen.is_empty() || !kind.is_last_resort());
        if is_chosen {
            chosen.push(*kind);
        }
        Seen {
            name: (*name).to_owned(),
            jobs: *jobs,
            is_chosen,
        }
    });
    Ok(seen.collect())
}

/// Takes the jobs of the files `names` for a new file in `dir`. The names are paths relative to it.
pub fn import(files: &dyn Files, dir: &Path, names: &[String]) -> Result<Imported, Vec<Fault>> {
    let mut parts = Vec::new();
    for name in names {
        let (_, mut part) = part(files, dir, name)?;
        verify::mend(&mut part);
        if part.jobs.is_empty() {
            let mut message = "the file has nothing that bgproc could run".to_owned();
            for note in &part.notes {
                message.push_str(&format!("; {note}"));
            }
            return Err(vec![Fault::of_file(&dir.join(name), message)]);
        }
        parts.push(part);
    }
    let (text, jobs) = sketch::document(parts);
    match verify::read(&text) {
        Ok(_) => Ok(Imported { text, jobs }),
        Err(faults) => {
            // The new file does not exist, so its lines say nothing.
            let path = dir.join(names.first().map_or("", String::as_str));
            let faults = faults.into_iter();
            Err(faults
                .map(|fault| Fault::of_file(&path, fault.message))
                .collect())
        }
    }
}

/// Whether jobs can be taken from a file of this name, which is not a project file itself.
pub fn is_known(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    let is_named = NAMES.iter().any(|(known, _)| path.ends_with(known));
    (is_yaml || is_named) && !super::find::is_procfile(path)
}

/// Reads a file. Its kind is that of its content: process-compose also takes `compose.yaml`.
fn part(files: &dyn Files, dir: &Path, name: &str) -> Result<(Kind, Part), Vec<Fault>> {
    let path = super::names::without_dots(&dir.join(name));
    let fault = |fault: Fault| vec![fault];
    let content = files
        .read(&path, MAX_FILE)
        .map_err(|error| fault(unreadable(&path, &error, MAX_FILE)))?;
    let text = std::str::from_utf8(&content)
        .map_err(|_| fault(Fault::of_file(&path, "is not valid UTF-8")))?;
    let kind = kind(&path, text).map_err(fault)?;
    let of = Path::new(name).parent().unwrap_or(Path::new(""));
    let of = of.strip_prefix(".").unwrap_or(of);
    let of = match kind {
        Kind::Vscode => vscode::project(of, &path),
        _ => of,
    };
    let source = Source {
        files,
        path: &path,
        shown: name,
        dir: &of.display().to_string(),
        text,
    };
    let part = match kind {
        Kind::ProcessCompose => process_compose::read(&source).map_err(fault)?,
        Kind::Mprocs => mprocs::read(&source).map_err(fault)?,
        Kind::Pitchfork => pitchfork::read(&source).map_err(fault)?,
        Kind::Procfile => procfile::read(&source)?,
        Kind::Package => package::read(&source).map_err(fault)?,
        Kind::Cargo => cargo::read(&source).map_err(fault)?,
        Kind::Compose => compose::read(&source).map_err(fault)?,
        Kind::Make => targets::read(&source, "make"),
        Kind::Just => targets::read(&source, "just"),
        Kind::Vscode => vscode::read(&source).map_err(fault)?,
    };
    Ok((kind, part))
}

/// The kind of a file, by its name; YAML with another name, by what is in it.
fn kind(path: &Path, text: &str) -> Result<Kind, Fault> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if is_yaml {
        let root = yaml::parse(path, text)?;
        let keys = [
            ("processes", Kind::ProcessCompose),
            ("procs", Kind::Mprocs),
            ("services", Kind::Compose),
        ];
        if let Some((_, kind)) = keys.iter().find(|(key, _)| root.get(key).is_some()) {
            return Ok(*kind);
        }
    }
    let known = NAMES.iter().find(|(known, _)| path.ends_with(known));
    match known {
        Some((_, kind)) => Ok(*kind),
        None if super::find::is_procfile(path) => Ok(Kind::Procfile),
        None => {
            let message = "is of no kind that bgproc init knows: process-compose.yaml, mprocs.yaml, \
                           dekit.yaml, pitchfork.toml, Procfile, package.json, Cargo.toml, compose.yaml, \
                           .vscode/tasks.json, justfile or Makefile";
            Err(Fault::of_file(path, message))
        }
    }
}

/// Adds a variable. Of two with the same name, the last one is meant.
fn variable(env: &mut Vec<(String, Toml)>, name: &str, value: Toml) {
    env.retain(|(known, _)| known != name);
    env.push((name.to_owned(), value));
}
