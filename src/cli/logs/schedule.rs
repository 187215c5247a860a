//! The runs of a job that its schedule starts: who follows the job follows all of them.

use super::told::Told;
use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::protocol::project::ProjectRole;
use crate::protocol::{EventKind, Record, SessionId};

/// Waits for the runs of one job.
pub(crate) struct Schedule {
    job: SessionId,
    /// `None` if the job has no schedule.
    told: Option<Told>,
}

impl Schedule {
    /// The schedule of a job, from now on.
    pub(crate) fn of(job: &Record) -> Result<Self, Failure> {
        let project = job.summary.project.as_ref();
        let has_one = project.is_some_and(ProjectRole::has_next_run);
        let kinds = &[EventKind::Started, EventKind::Restarted, EventKind::Phase];
        Ok(Self {
            job: job.summary.session_id.clone(),
            told: has_one.then(|| Told::of(kinds)).transpose()?,
        })
    }

    /// Whether the job has a schedule.
    pub(crate) fn is_on(&self) -> bool {
        self.told.is_some()
    }

    /// Waits, after the end of a run, until the next one has begun. False if the schedule starts none.
    pub(crate) fn runs_again(&mut self, ctx: &mut Context) -> Result<bool, Failure> {
        let Some(told) = &mut self.told else {
            return Ok(false);
        };
        loop {
            let job = ctx.record(&self.job, false)?.summary;
            if !job.status.is_finished() {
                return Ok(true);
            }
            if job.project.is_none_or(|project| !project.has_next_run()) {
                return Ok(false);
            }
            let begins = told.next()?.is_none_or(|event| {
                event.session_id.as_ref() == Some(&self.job) && event.event != EventKind::Phase
            });
            if begins {
                return Ok(true);
            }
        }
    }
}
