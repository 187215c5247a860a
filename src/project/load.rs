//! From files to a project: reads, merges and checks everything.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::env_file::Reader;
use super::fault::{Fault, Faults};
use super::files::Files;
use super::group::Group;
use super::job::{Job, is_default};
use super::loader::Loader;
use super::procfile::ProcfileOptions;
use super::{check, find};

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
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its canonical directory, which is its identity.
    pub dir: PathBuf,
    /// Its name, for people.
    pub name: String,
    /// The files that it was loaded from, as in [`Source::paths`], without those that they include: to load them
    /// again gives the same project.
    pub paths: Vec<PathBuf>,
    /// Whether those files were named, and not found from a directory.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_named: bool,
    /// With what its Procfile was read; absent if it has another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procfile: Option<ProcfileOptions>,
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

/// What agents may do with the jobs of a project, from the least to the most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
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

/// Reads the files of a project. All faults are returned at once, at most [`super::fault::MAX_FAULTS`].
pub fn load(files: &dyn Files, source: &Source) -> Result<Project, Vec<Fault>> {
    let faults = Faults::default();
    let mut loader = Loader::new(files, source, &faults);
    let root = loader.root();
    let Loader {
        paths,
        jobs,
        groups,
        is_cut,
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
            "{} jobs are too many; a project has at most {MAX_JOBS}; make several projects of them",
            jobs.len()
        );
        faults.push(Fault::of_file(&first, message));
    }
    env_files(files, source, &jobs, &faults);
    let (order, jobs, groups) = if is_cut {
        Default::default()
    } else {
        check::resolve(jobs, groups, &faults)
    };
    let warnings = faults.finish()?;
    let is_procfile = paths.iter().any(|path| find::is_procfile(path));
    Ok(Project {
        procfile: is_procfile.then(|| source.procfile.clone()),
        name: root.name.unwrap_or_else(|| dir_name(&source.dir)),
        dir: source.dir.clone(),
        paths,
        is_named: false,
        agents: root.agents.unwrap_or_default(),
        jobs,
        order,
        groups,
        warnings,
    })
}

/// Reads every `.env` file once, so that a bad one is known before anything starts.
fn env_files(files: &dyn Files, source: &Source, jobs: &[Draft], faults: &Faults) {
    let reader = Reader::new(files);
    let mut seen: Vec<(&Path, bool)> = Vec::new();
    for Draft { job, .. } in jobs {
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

/// The fault of a path that is a directory or a device. To read a pipe could wait for ever.
pub(super) fn not_a_file(path: &Path) -> Fault {
    Fault::of_file(path, "is not a regular file")
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
