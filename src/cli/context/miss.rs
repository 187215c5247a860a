//! Says why a target means no job, and what to do about it.

use std::env;

use super::target::{self, Miss};
use super::{Context, hosts, own_file};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::client::host;
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::{List, Project, ProjectOp, StatusParams};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{Listed, ProjectJob, ProjectState};
use crate::protocol::{Action, Error, Record, SessionId};
use crate::recall::last_job;

/// Maximum number of names in a hint.
const NAMED: usize = 4;

/// What to do if there is no such job.
const LIST: &str = "bgproc ls lists the jobs";

/// A job of this directory's project that has no session.
pub(super) struct OwnJob {
    /// Its name in the project.
    name: String,
    /// Whether it has ended well, and its record was removed.
    is_done: bool,
}

impl Context {
    /// The job with this name in this directory's project, if it has no session: it was never brought up, it was
    /// removed, or only the file has it. A name may be written with that of the project, as `shop/web`.
    pub(super) fn in_own_file(&mut self, name: &str) -> Option<OwnJob> {
        let dir = env::current_dir().ok()?;
        let status = Action::Project(Project {
            op: Some(ProjectOp::Status),
            dir: Some(dir.display().to_string()),
            ..Project::default()
        });
        let daemon = self.daemon().ok().filter(|_| host::chosen().is_none())?;
        let state: ProjectState = daemon.call_as(status).ok()?;
        let of_project = name.strip_prefix(state.project.name.as_str());
        let bare = of_project.and_then(|rest| rest.strip_prefix('/'));
        // While it is up, the files that `up` was given are meant.
        let project = if state.up {
            own_file::of(&state.project.dir, &state.files)
        } else {
            own_file::here()
        };
        let bare = bare.unwrap_or(name);
        let full = project
            .as_ref()
            .and_then(|project| own_file::named(project, &dir, bare))
            .unwrap_or(bare);
        let is_it = |job: &&ProjectJob| job.job == full || target::is_instance(&job.job, full);
        match state.jobs.iter().find(is_it) {
            Some(job) => job.session_id.is_none().then(|| OwnJob {
                name: job.job.clone(),
                is_done: job.phase == PhaseName::Done,
            }),
            // What is known of a project are its applied jobs.
            None => {
                let jobs = &project.as_ref()?.jobs;
                jobs.contains_key(full).then(|| OwnJob {
                    name: full.to_owned(),
                    is_done: false,
                })
            }
        }
    }

    /// What to do about a job of this directory's project that has no session.
    fn of_file(&mut self, name: &str) -> Option<String> {
        let job = self.in_own_file(name)?;
        Some(if job.is_done {
            format!(
                "{name} has ended well, and its record was removed; bgproc down and bgproc up run it again"
            )
        } else {
            format!("the project file has it: bgproc up {}", job.name)
        })
    }

    /// The error message for a target that means no job.
    pub(super) fn explain(&mut self, miss: Miss) -> Failure {
        match miss {
            Miss::Unknown { target, near } => self.unknown(&target, near),
            Miss::NotInProject {
                target,
                project,
                job,
                near,
            } => match (self.of_file(&target), job) {
                (Some(hint), _) => no_job(format!("there is no job `{target}`"), hint),
                (None, Some(job)) => no_job(
                    format!("project {project} has no job {job}"),
                    did_you_mean(near),
                ),
                (None, None) => {
                    no_job(format!("there is no project {project}"), did_you_mean(near))
                }
            },
            Miss::Ambiguous {
                target,
                candidates,
                is_one_name,
            } => {
                let (count, list) = (candidates.len(), candidates.join("\n  "));
                let message = format!("`{target}` matches {count} jobs:\n  {list}");
                Failure::with_message(Exit::AMBIGUOUS, message).hint(if is_one_name {
                    "choose one by its id, a job of a project also as PROJECT/JOB"
                } else {
                    "write more of the name, or the id"
                })
            }
            Miss::Fewer {
                name,
                count,
                newest,
            } => {
                let are = match count {
                    1 => format!("there is only one job named {name}"),
                    count => format!("there are {count} jobs named {name}"),
                };
                no_job(are, format!("{newest} is the newest"))
            }
            Miss::NoRecent => {
                let why = match (last_job::has_terminal(), host::name()) {
                    (false, _) => "which needs a terminal".to_owned(),
                    (true, Some(host)) => format!("and that is not one of host {host}"),
                    (true, None) => "and no command has used one yet".to_owned(),
                };
                no_job(
                    format!(
                        "no job given: `-`, the default, is the job last used on this terminal, {why}"
                    ),
                    "name a job; bgproc ls lists them".to_owned(),
                )
            }
        }
    }

    /// The error message for a name that no job has. A word in the form of an id may be a removed job, which only the
    /// daemon knows.
    fn unknown(&mut self, target: &str, near: Option<String>) -> Failure {
        let of_file = self.of_file(target);
        if of_file.is_none()
            && SessionId::parse_any(target).is_some()
            && let Err(error) = self.status_of(target)
        {
            return self.in_words(error.into()).hint(LIST);
        }
        if let Some(why) = target::oddity(target) {
            return no_job(
                format!("`{target}` is not a job: {why}"),
                self.advise(target),
            );
        }
        let hint = match (of_file, near) {
            (Some(hint), _) => hint,
            (None, near) => match self.on_hosts(target) {
                Some(hint) => hint,
                None if near.is_some() && target != "all" => did_you_mean(near),
                None => self.advise(target),
            },
        };
        let on = host::name().map_or_else(String::new, |host| format!(" on {host}"));
        no_job(format!("there is no job `{target}`{on}"), hint)
    }

    /// The jobs with this name on hosts, as far as they are known: a name alone means jobs of this machine.
    fn on_hosts(&mut self, target: &str) -> Option<String> {
        if self.only_here || hosts::only_here().ok()?.is_none() || target::is_several(target) {
            return None;
        }
        let list = List {
            limit: Some(ALL_SESSIONS),
            ..List::default()
        };
        let listed: Listed<Record> = self.read(&Action::List(list)).ok()?;
        let is_it = |job: &&Record| {
            let is_elsewhere = job.summary.session_id.host().is_some();
            is_elsewhere && job.summary.label.as_deref() == Some(target)
        };
        let found = listed.sessions.iter().filter(is_it);
        let mut names: Vec<String> = found.map(|job| words::name(&job.summary)).collect();
        names.dedup();
        meant(&names)
    }

    /// What to do about a target that is no job.
    fn advise(&self, target: &str) -> String {
        let all = match target {
            "all" => "write '*' for all jobs, g:GROUP for a group",
            _ => LIST,
        };
        (self.advice)(target).unwrap_or_else(|| all.to_owned())
    }

    fn status_of(&mut self, id: &str) -> Result<(), Error> {
        let status = Action::Status(StatusParams {
            session_id: id.to_owned(),
            detail: None,
            full_env: None,
        });
        match self.daemon() {
            Ok(daemon) => daemon.call(status).map(drop),
            // If the daemon cannot be asked, the caller's own message is used.
            Err(_) => Ok(()),
        }
    }
}

fn no_job(message: String, hint: String) -> Failure {
    Failure::with_message(Exit::NO_JOB, message).hint(hint)
}

/// The hint at the same name on hosts; `None` without any.
fn meant(names: &[String]) -> Option<String> {
    let shown = names.iter().take(NAMED).map(|name| format!("`{name}`"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        1..=NAMED => Some(format!("did you mean {shown}?")),
        _ => Some(format!(
            "did you mean {shown}, …? bgproc ls lists all of them"
        )),
    }
}

/// The hint at a similar name, if there is one.
fn did_you_mean(near: Option<String>) -> String {
    near.map_or_else(|| LIST.to_owned(), |near| format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_other_hosts_is_proposed_with_them() {
        let names = |count: usize| -> Vec<String> {
            (1..=count).map(|host| format!("train@h{host}")).collect()
        };
        assert_eq!(meant(&names(0)), None);
        assert_eq!(
            meant(&names(2)).as_deref(),
            Some("did you mean `train@h1`, `train@h2`?")
        );
        let many = meant(&names(9)).unwrap_or_default();
        assert!(many.contains("`train@h4`, …?"), "{many}");
    }
}
