//! The steps that end a session for good, also one that waits for its next run, its turn or a node.

use super::batch::cancel::cancel;
use super::client::Client;
use super::ending::{end, end_strays, grace_left};
use super::job_stop::JobStop;
use crate::daemon::hub::Hub;
use crate::daemon::tasks::restart;
use crate::daemon::tasks::tree_kill::{Ended, GRACE_MS};
use crate::protocol::{Error, SessionId};
use crate::sys::signal;

/// How a client wants a session to end.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Manner {
    /// The first signal, instead of TERM or what the file of its project says.
    pub(crate) number: Option<i32>,
    /// The time until KILL in milliseconds, instead of the usual one.
    pub(crate) grace: Option<u64>,
    /// Whether a job of a project may run again without somebody who starts it: at its next time, or by `up`.
    pub(crate) may_run_again: bool,
}

/// A session that does not run again, and whose processes may still be there.
pub(crate) struct Stopping {
    /// A job of a project stays stopped, and counts as being stopped until this is dropped.
    job: Option<JobStop>,
    /// Whether the first process has ended.
    is_over: bool,
    /// The first signal.
    number: i32,
    /// The time until KILL, in milliseconds.
    grace: u64,
}

impl Stopping {
    /// Takes the session out of every queue, ends its restarts, and asks a job of a project to end as its file says.
    ///
    /// # Errors
    ///
    /// `launcher_refused` if a batch system runs the session and did not cancel it.
    pub(crate) async fn begin(
        hub: &Hub,
        client: &Client,
        id: &SessionId,
        manner: Manner,
    ) -> Result<Self, Error> {
        let by = client.principal.actor();
        let cancels = hub.read().is_open_batch(id);
        if cancels {
            cancel(hub, id, by.clone()).await?;
        }
        let job = if manner.may_run_again {
            None
        } else {
            JobStop::begin(hub, client, id)
        };
        let waited =
            restart::stop(hub, id, &by).await | hub.change(|state| state.leave_queue(id, &by));
        let (number, usual) = match &job {
            Some(job) => job.ask(manner.number, manner.grace).await,
            None => {
                let number = manner.number.unwrap_or(signal::TERM);
                (number, manner.grace.unwrap_or(GRACE_MS))
            }
        };
        let grace = match manner.grace {
            Some(_) => usual,
            None => grace_left(hub, id, usual),
        };
        Ok(Self {
            job,
            is_over: cancels || waited || hub.read().sessions.is_over(id),
            number,
            grace,
        })
    }

    /// Whether the first process has ended, so that [`Self::end`] ends only what it has left behind.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Ends the processes, and waits until the end is known.
    pub(crate) async fn end(mut self, hub: &Hub, client: &Client, id: &SessionId) -> Ended {
        let ended = if self.is_over {
            end_strays(hub, id, self.number, self.grace).await
        } else {
            end(hub, client, id, self.number, self.grace).await
        };
        if let Some(job) = &mut self.job {
            job.left(&ended.survivors);
        }
        ended
    }
}
