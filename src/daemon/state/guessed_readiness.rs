//! Readiness that is guessed: a service without a probe counts as ready when it listens on a port.
//!
//! It is only told, when a client asks for ports anyway. Nothing waits for it, because nothing would end a wait for a
//! program that never listens.

use super::State;
use crate::daemon::projects::project::Project;
use crate::engine::project::Phase;
use crate::protocol::Summary;
use crate::protocol::project::{GUESSED, PhaseName};

/// Whether readiness is guessed for a job: it is a service that runs and has no probe.
pub(crate) fn is_guessed(project: &Project, job: &str) -> bool {
    let defined = project.applied.jobs.get(job);
    let is_plain = defined.is_some_and(|defined| !defined.is_task && defined.ready.is_none());
    is_plain && project.decision.phases.get(job) == Some(&Phase::Running)
}

/// What is told of a job that listens on these ports: `guessed :3000`.
pub(crate) fn told(ports: &[u16]) -> Option<String> {
    let port = ports.first()?;
    Some(format!("{GUESSED}:{port}"))
}

impl State {
    /// Says in a record that its job is ready, as far as its ports tell.
    pub(crate) fn guess_ready(&self, summary: &mut Summary, ports: &[u16]) {
        let session = self.sessions.get(&summary.session_id);
        let Some(of) = session.and_then(|session| session.spec.project.as_ref()) else {
            return;
        };
        let project = self.projects.get(&of.id);
        let is_plain = project.is_some_and(|project| is_guessed(project, &of.job));
        if let (true, Some(role), Some(why)) = (is_plain, &mut summary.project, told(ports)) {
            role.phase = PhaseName::Ready;
            role.why = Some(why);
        }
    }
}
