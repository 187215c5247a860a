//! `daemon start`: starts the daemon, and after a reboot the projects that were up and the jobs that are to run always.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::verb::daemon::stats;
use crate::cli::verb::resume;
use crate::protocol::Action;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::reply::{Restored, RestoredProject};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub(crate) struct DaemonStart {
    /// After a reboot: also start the jobs of the projects that were up, and lost jobs with the policy `always`, in the
    /// environment of this command
    #[arg(long)]
    restore: bool,
}

impl DaemonStart {
    pub(crate) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        ctx.daemon_with_surroundings()?;
        let mut exit = Exit::OK;
        if self.restore {
            let restore = Action::Project(Project {
                op: Some(ProjectOp::Restore),
                ..Project::default()
            });
            let restored: Restored = ctx.daemon()?.call_as(restore)?;
            for project in &restored.projects {
                note(&said(project));
                if project.error.is_some() {
                    exit = Exit::FAILED;
                }
            }
            exit = exit.or(resume::always(ctx)?);
        }
        ctx.hang_up();
        if let Some((value, stats)) = stats(ctx)? {
            if ctx.json {
                ctx.out.json(&value)?
            } else {
                ctx.out
                    .line(&format!("daemon running (pid {})", stats.daemon_pid))?
            }
        }
        Ok(exit)
    }
}

/// What has come of a project.
fn said(project: &RestoredProject) -> String {
    let name = clean(&project.project.name);
    match (&project.error, project.jobs.as_slice()) {
        (Some(error), _) => format!(
            "{name} is not brought up: {}; run bgproc up in {}",
            clean(error),
            clean(&project.project.dir)
        ),
        (None, []) if project.not_started.is_empty() => format!("{name}: nothing is started"),
        (None, jobs) => {
            let started = (!jobs.is_empty()).then(|| jobs.join(", "));
            let others = project.not_started.iter();
            let others = others.map(|(job, why)| format!("{job} {why}"));
            let all: Vec<String> = started.into_iter().chain(others).collect();
            format!("{name} is brought up: {}", clean(&all.join("; ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::protocol::project::ProjectName;

    #[test]
    fn each_project_is_one_line() {
        let mut project = RestoredProject {
            project: ProjectName {
                name: "shop".to_owned(),
                dir: "/srv/shop".to_owned(),
            },
            jobs: vec!["api".to_owned(), "web".to_owned()],
            not_started: BTreeMap::new(),
            error: None,
        };
        assert_eq!(said(&project), "shop is brought up: api, web");
        let skipped = ("docs".to_owned(), "skipped: needs site ok".to_owned());
        project.not_started.extend([skipped]);
        assert_eq!(
            said(&project),
            "shop is brought up: api, web; docs skipped: needs site ok"
        );
        project.error = Some("no such file".to_owned());
        assert_eq!(
            said(&project),
            "shop is not brought up: no such file; run bgproc up in /srv/shop"
        );
    }
}
