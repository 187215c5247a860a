//! The file of a project: the wish and the applied definitions, so that the next daemon goes on.
//!
//! Values of variables that look secret are not stored. After the loss of daemon and keeper they are read from the
//! project file again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ProjectId;
use super::project::Project;
use super::times::JobTimes;
use crate::daemon::programs::env_shown::is_masked;
use crate::engine::life::Actor;
use crate::engine::project::Wish;
use crate::project as file;
use crate::protocol::record::MASKED;
use crate::sys::file::{read_patiently, replace_lazily};
use crate::sys::paths::Home;

/// The version that is written.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    version: u32,
    id: String,
    dir: PathBuf,
    device: u64,
    inode: u64,
    #[serde(default)]
    worktree: String,
    applied: file::Project,
    wish: Wish,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    offset: u16,
    #[serde(default)]
    ports: BTreeMap<String, BTreeMap<String, u16>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    urls: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env_prints: BTreeMap<String, String>,
    #[serde(default)]
    times: BTreeMap<String, JobTimes>,
    #[serde(default)]
    borrowed: BTreeMap<String, ProjectId>,
    /// A person if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked_by: Option<Actor>,
}

/// Reads all projects. A file that makes no sense is put aside (renamed), not removed; one that cannot be read stays where
/// it is, for the next daemon.
pub(super) fn load(home: &Home) -> Vec<Project> {
    let entries = match std::fs::read_dir(home.projects()) {
        Ok(entries) => entries,
        Err(error) => {
            tracing::error!(%error, "the projects cannot be read");
            return Vec::new();
        }
    };
    let files = entries.flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    files.filter_map(|path| read(&path)).collect()
}

fn read(path: &Path) -> Option<Project> {
    let text = read_patiently(path);
    let text = text.inspect_err(
        |error| tracing::error!(path = %path.display(), %error, "the project cannot be read"),
    );
    match parse(&text.ok()?) {
        Ok(project) => Some(project),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "the project is unreadable and is put aside");
            let _ = std::fs::rename(path, path.with_extension("json.bad"));
            None
        }
    }
}

/// Reads what [`save`] writes.
pub(super) fn parse(text: &[u8]) -> Result<Project, String> {
    let stored: Stored = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    match stored.version {
        VERSION => Ok(Project::from(stored)),
        version => Err(format!("it is of version {version}")),
    }
}

/// Writes a project. Returns what the disk has refused: the jobs go on, and the next change tries again.
pub(super) fn save(home: &Home, project: &Project) -> Result<(), Vec<u8>> {
    let stored = Stored {
        version: VERSION,
        id: project.id.clone(),
        dir: project.dir.clone(),
        device: project.device,
        inode: project.inode,
        worktree: project.worktree.clone(),
        applied: without_secrets(&project.applied),
        wish: project.wish.clone(),
        all: project.all,
        offset: project.offset,
        ports: project.ports.clone(),
        urls: project.urls.clone(),
        env_prints: project.env_prints.clone(),
        times: project.times.clone(),
        borrowed: project.borrowed.clone(),
        asked_by: Some(project.asked_by.clone()).filter(|by| *by != Actor::Human),
    };
    let path = home.projects().join(format!("{}.json", project.id));
    let refused = |error: io::Error| {
        tracing::error!(path = %path.display(), %error, "the project cannot be stored");
    };
    match serde_json::to_vec(&stored) {
        Ok(bytes) => replace_lazily(&path, &bytes).map_err(|error| {
            refused(error);
            bytes
        }),
        Err(error) => {
            refused(error.into());
            Ok(())
        }
    }
}

/// The definitions without values of variables that look secret.
fn without_secrets(project: &file::Project) -> file::Project {
    let mut project = project.clone();
    for job in project.jobs.values_mut() {
        for (name, value) in job.env.iter_mut().chain(&mut job.own_env) {
            if value.as_deref().is_some_and(|text| is_masked(name, text)) {
                *value = Some(MASKED.to_owned());
            }
        }
    }
    project
}

impl From<Stored> for Project {
    fn from(stored: Stored) -> Self {
        let identity = (stored.device, stored.inode);
        Self {
            id: stored.id,
            dir: stored.dir,
            wish: stored.wish,
            offset: stored.offset,
            ports: stored.ports,
            urls: stored.urls,
            env_prints: stored.env_prints,
            times: stored.times,
            borrowed: stored.borrowed,
            asked_by: stored.asked_by.unwrap_or(Actor::Human),
            all: stored.all,
            ..Self::new(stored.applied, stored.worktree, identity)
        }
    }
}
