//! The projects that this view has brought up and that have not settled yet.

use crate::protocol::reply::{ChangeKind, ProjectState};
use crate::term::sanitize::clean;

/// A project on its way up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComingUp {
    /// Its directory.
    pub dir: String,
    /// The jobs that were brought up; `None` for all that are wanted.
    pub jobs: Option<Vec<String>>,
    /// The jobs that a person named; none if it was the whole project.
    pub named: Vec<String>,
    /// Whether the request that waits until these jobs have settled is pending.
    pub is_asked: bool,
}

/// The projects on their way up. What became of them is told once.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Projects {
    /// In the order in which they were brought up.
    pub coming: Vec<ComingUp>,
    /// The project of the directory in which the view was opened, if it was asked for and there is one.
    pub here: Option<Here>,
    /// Whether that was asked for since the list is empty.
    pub here_asked: bool,
}

/// The project of the directory in which the view was opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    /// Its name.
    pub name: String,
    /// The name of its file, without directories.
    pub file: String,
    /// The names of its jobs, in the order of the file.
    pub jobs: Vec<String>,
}

impl Here {
    /// The project that a daemon has found.
    pub fn of(state: &ProjectState) -> Self {
        let file = state.files.first().map_or("", String::as_str);
        Self {
            name: clean(&state.project.name),
            file: clean(file.rsplit('/').next().unwrap_or_default()),
            jobs: state.jobs.iter().map(|job| clean(&job.job)).collect(),
        }
    }
}

impl Projects {
    /// Follows a project until these of its jobs have settled; `named` are those that a person named. Once more for the
    /// same project adds its jobs.
    pub fn follow(&mut self, dir: &str, jobs: Option<Vec<String>>, named: &[String]) {
        let Some(known) = self.coming.iter_mut().find(|known| known.dir == dir) else {
            self.coming.push(ComingUp {
                dir: dir.to_owned(),
                jobs,
                named: named.to_vec(),
                is_asked: false,
            });
            return;
        };
        let before = known.jobs.clone();
        known.jobs = known.jobs.take().zip(jobs).map(|(mut all, more)| {
            add(&mut all, &more);
            all
        });
        if known.named.is_empty() || named.is_empty() {
            known.named.clear();
        } else {
            add(&mut known.named, named);
        }
        if known.jobs != before {
            // The pending request waits for fewer jobs.
            known.is_asked = false;
        }
    }

    /// The project on its way up for which these jobs, and no others, are waited for.
    pub fn waited_for(&mut self, dir: &str, jobs: Option<&[String]>) -> Option<&mut ComingUp> {
        let mut coming = self.coming.iter_mut();
        coming.find(|known| known.dir == dir && known.jobs.as_deref() == jobs)
    }

    /// Takes a project out, since it has settled.
    pub fn settled(&mut self, dir: &str) -> Option<ComingUp> {
        let at = self.coming.iter().position(|known| known.dir == dir)?;
        Some(self.coming.remove(at))
    }

    /// The connection broke, so pending requests will not be answered.
    pub fn disconnected(&mut self) {
        self.here_asked = false;
        for known in &mut self.coming {
            known.is_asked = false;
        }
    }
}

/// Adds names that are not there yet.
fn add(all: &mut Vec<String>, more: &[String]) {
    for name in more {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
}

/// The jobs of a plan that are started, restarted or left as they are.
pub fn planned_jobs(state: &ProjectState) -> Vec<String> {
    let planned = state
        .plan
        .iter()
        .filter(|one| one.change != ChangeKind::Gone);
    planned.map(|one| one.job.clone()).collect()
}
