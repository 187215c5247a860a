//! The stop of a job of a project, as its file says.

use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::requests::client::Client;
use crate::daemon::tasks::projects::stop::politely;
use crate::engine::life::Actor;
use crate::project::stop::Stop;
use crate::protocol::SessionId;

/// The stop of a session that runs a job of a project: the job stays stopped until somebody starts it. When this is
/// dropped, the stop is over.
pub(crate) struct JobStop {
    hub: Hub,
    session: SessionId,
    project: ProjectId,
    stop: Stop,
    by: Actor,
    survivors: Vec<u32>,
}

impl JobStop {
    /// Notes the stop in the project. `None` if the session is not part of one.
    pub(crate) fn begin(hub: &Hub, client: &Client, session: &SessionId) -> Option<Self> {
        let by = client.principal.actor();
        let (project, stop) = hub.change(|state| state.hold_job(session, &by.name()))?;
        Some(Self {
            hub: hub.clone(),
            session: session.clone(),
            project,
            stop,
            by,
            survivors: Vec::new(),
        })
    }

    /// Asks the job to end as its file says, unless the request says how. Returns the signal that follows, and the time
    /// until KILL.
    pub(crate) async fn ask(&self, number: Option<i32>, grace: Option<u64>) -> (i32, u64) {
        let stop = Stop {
            grace_ms: grace.unwrap_or(self.stop.grace_ms),
            ..self.stop.clone()
        };
        match number {
            Some(number) => (number, stop.grace_ms),
            None => politely(&self.hub, &self.session, &stop, self.by.clone()).await,
        }
    }

    /// Notes the processes that could not be ended.
    pub(crate) fn left(&mut self, survivors: &[u32]) {
        self.survivors = survivors.to_vec();
    }
}

impl Drop for JobStop {
    fn drop(&mut self) {
        let Self {
            project,
            session,
            survivors,
            ..
        } = self;
        self.hub
            .change(|state| state.job_stopped(project, session, survivors));
    }
}
