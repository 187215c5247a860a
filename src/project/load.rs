//! From files to a project: reads, merges and checks everything.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::draft::{Draft, DraftGroup};
use super::environment::Reader;
use super::fault::{Fault, Faults};
use super::files::Files;
use super::job::{Job, is_default};
use super::merge::{self, Kind};
use super::node::{self, Table};
use super::procfile::{self, ProcfileOptions};
use super::reader::Common;
use super::trust::Trust;
use super::{check, document, find, include, names};

/// Maximum size of a project file, in bytes.
pub const MAX_FILE: u64 = 4 << 20;

/// Maximum number of jobs of a project.
pub const MAX_JOBS: usize = 2000;

/// Which files are loaded, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The canonical directory of the project.
    pub dir: PathBuf,
    /// The files; a later one is laid over those before it. Relative paths are relative to `dir`.
    pub paths: Vec<PathBuf>,
    /// What a Procfile does not say itself.
    pub procfile: ProcfileOptions,
}

/// What the files of a project mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its canonical directory, which is its identity.
    pub dir: PathBuf,
    /// Its name, for people.
    pub name: String,
    /// All files that it was read from, `.env` files excepted.
    pub paths: Vec<PathBuf>,
    /// What agents may do with its jobs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub agents: AgentAccess,
    /// The jobs.
    pub jobs: BTreeMap<String, Job>,
    /// The names of the jobs in the order of the files.
    pub order: Vec<String>,
    /// The groups.
    #[serde(default, skip_serializing_if = "is_default")]
    pub groups: BTreeMap<String, Group>,
    /// What should be looked at.
    #[serde(skip)]
    pub warnings: Vec<Fault>,
}

/// What agents may do with the jobs of a project.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AgentAccess {
    /// Nothing.
    None,
    /// See them.
    #[default]
    Read,
    /// Start, stop and type into them.
    Write,
}

/// A group of jobs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Its jobs, in order.
    pub jobs: Vec<String>,
    /// How many of them run at once, which makes it a queue; 0: all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parallel: u32,
    /// What a failed job does to the queue.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_failure: OnFailure,
}

/// What a failed job does to its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnFailure {
    /// The next one starts.
    #[default]
    Continue,
    /// The queue stops until a person resumes it.
    Pause,
}

/// Reads the files of a project. All faults are returned at once, at most [`super::fault::MAX_FAULTS`].
pub fn load(files: &dyn Files, source: &Source) -> Result<Project, Vec<Fault>> {
    let faults = Faults::default();
    let mut loader = Loader {
        files,
        source,
        trust: Trust::new(files),
        faults: &faults,
        paths: Vec::new(),
        jobs: Vec::new(),
        groups: Vec::new(),
    };
    let root = loader.root();
    let Loader {
        paths,
        jobs,
        groups,
        ..
    } = loader;
    let first = paths.first().cloned().unwrap_or_else(|| source.dir.clone());
    // What cannot be stored as JSON cannot be a project.
    if source.dir.to_str().is_none() {
        faults.push(Fault::of_file(&source.dir, "the path is not valid UTF-8"));
    }
    if jobs.is_empty() && faults.is_empty() {
        faults.push(no_job(&first));
    }
    if jobs.len() > MAX_JOBS {
        let message = format!(
            "{} jobs are too many; a project has at most {MAX_JOBS}",
            jobs.len()
        );
        faults.push(Fault::of_file(&first, message));
    }
    let (order, jobs, groups) = check::resolve(jobs, groups, &faults);
    env_files(files, source, &jobs, &faults);
    let warnings = faults.finish()?;
    Ok(Project {
        name: root.name.unwrap_or_else(|| dir_name(&source.dir)),
        dir: source.dir.clone(),
        paths,
        agents: root.agents.unwrap_or_default(),
        jobs,
        order,
        groups,
        warnings,
    })
}

/// Reads every `.env` file once, so that a bad one is known before anything starts.
fn env_files(files: &dyn Files, source: &Source, jobs: &BTreeMap<String, Job>, faults: &Faults) {
    let reader = Reader::new(files);
    let mut seen: Vec<(&Path, bool)> = Vec::new();
    for job in jobs.values() {
        for file in job.env_files.iter().chain(&job.own_env_files) {
            let key = (file.path.as_path(), file.may_be_missing);
            if !seen.contains(&key) {
                seen.push(key);
                reader.read(file, &source.dir, faults);
            }
        }
    }
}

/// The fault of a file without any job: editors truncate files before they write them.
pub(super) fn no_job(path: &Path) -> Fault {
    let mut fault = Fault::of_file(path, "the file has no job; add [jobs.NAME] with cmd or run");
    if find::is_procfile(path) {
        fault.message = "the file has no job; add a line such as \"web: npm start\"".to_owned();
    }
    (fault.line, fault.col) = (1, 1);
    fault
}

/// The fault of a file that cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error, max: u64) -> Fault {
    let message = match error.kind() {
        io::ErrorKind::FileTooLarge => {
            format!("the file is too large; the limit is {} KiB", max / 1024)
        }
        io::ErrorKind::NotFound => "the file does not exist".to_owned(),
        io::ErrorKind::Interrupted => "the file is being written; try again".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    Fault::of_file(path, message)
}

/// The name of a directory as the name of a project.
fn dir_name(dir: &Path) -> String {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let visible = name.chars().filter(|c| !c.is_control());
    let name: String = visible.take(64).collect();
    if name.is_empty() {
        "root".to_owned()
    } else {
        name
    }
}

/// What only the root file says.
#[derive(Default)]
struct Root {
    name: Option<String>,
    agents: Option<AgentAccess>,
}

/// A file that is being read, and where it is included.
pub(super) struct Open {
    /// The canonical path.
    pub(super) path: PathBuf,
    /// Where it is included; the file itself for the root.
    pub(super) place: super::Place,
}

struct Loader<'a> {
    files: &'a dyn Files,
    source: &'a Source,
    trust: Trust<'a>,
    faults: &'a Faults,
    paths: Vec<PathBuf>,
    jobs: Vec<Draft>,
    groups: Vec<DraftGroup>,
}

impl Loader<'_> {
    fn root(&mut self) -> Root {
        let dir = &self.source.dir;
        let paths = self.source.paths.iter();
        let paths: Vec<PathBuf> = paths.map(|path| names::normal(&dir.join(path))).collect();
        let Some(first) = paths.first() else {
            self.faults.push(Fault::of_file(dir, "no file was given"));
            return Root::default();
        };
        if let Some(procfile) = paths.iter().find(|path| find::is_procfile(path)) {
            if paths.len() > 1 {
                let message = "a Procfile cannot be merged with other files";
                self.faults.push(Fault::of_file(procfile, message));
                return Root::default();
            }
            return self.procfile(&procfile.clone());
        }
        let outer = Common {
            prefix: String::new(),
            shell: None,
            env: Vec::new(),
            env_places: super::Places::default(),
            env_files: Vec::new(),
        };
        let root = Open {
            path: self
                .files
                .canonical(first)
                .unwrap_or_else(|_| first.clone()),
            place: super::Place::of_file(first),
        };
        self.tree(&paths, &outer, &mut vec![root])
    }

    fn procfile(&mut self, path: &Path) -> Root {
        if let Some(content) = self.read(path) {
            let options = &self.source.procfile;
            self.jobs = procfile::read(self.files, path, &content, options, self.faults);
        }
        Root::default()
    }

    /// The content of a file that is trusted.
    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        self.paths.push(path.to_owned());
        if let Some(why) = self.trust.refusal(path) {
            self.faults.push(Fault::of_file(path, why));
            return None;
        }
        let content = self.files.read(path, MAX_FILE);
        content
            .map_err(|error| self.faults.push(unreadable(path, &error, MAX_FILE)))
            .ok()
    }

    /// Reads files that are laid over each other, and all that they include. `open` are the files from the root
    /// to this one.
    fn tree(&mut self, paths: &[PathBuf], outer: &Common, open: &mut Vec<Open>) -> Root {
        let mut table = Table::default();
        let before = self.faults.len();
        for path in paths {
            let Some(content) = self.read(path) else {
                continue;
            };
            let above = node::parse(path, &content, self.faults);
            merge::lay(&mut table, above, Kind::Document);
        }
        // What could not be read would be missing, which is not another fault.
        let Some(path) = paths.first().filter(|_| self.faults.len() == before) else {
            return Root::default();
        };
        let document = document::read(path, &table, outer, self.faults);
        let is_empty = document.jobs.is_empty() && document.include.is_empty();
        if is_empty && self.faults.len() == before {
            self.faults.push(no_job(path));
        }
        self.jobs.extend(document.jobs);
        self.groups.extend(document.groups);
        let finder = include::Finder {
            files: self.files,
            dir: &self.source.dir,
            faults: self.faults,
        };
        let mut prefixes: Vec<(String, PathBuf)> = Vec::new();
        for included in finder.all(&document.include, open) {
            let prefix = &included.name;
            if let Some((_, other)) = prefixes.iter().find(|(name, _)| name == prefix) {
                let message = format!(
                    "the jobs of {} and {} would have the same names; one of the two directories needs another name",
                    other.display(),
                    included.path.display()
                );
                self.faults.add(&included.place, message);
                continue;
            }
            prefixes.push((prefix.clone(), included.path.clone()));
            let inner = Common {
                prefix: format!("{}{prefix}/", outer.prefix),
                shell: None,
                env: document.common.env.clone(),
                env_places: document.common.env_places.clone(),
                env_files: document.common.env_files.clone(),
            };
            let mut paths = vec![included.path.clone()];
            paths.extend(find::local(self.files, &included.path));
            open.push(Open {
                path: included.canonical,
                place: included.place,
            });
            self.tree(&paths, &inner, open);
            open.pop();
        }
        Root {
            name: document.project,
            agents: document.agents,
        }
    }
}
