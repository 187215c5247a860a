//! Jobs of projects that only people may stop (`confirm = true`).

use super::client::Client;
use crate::daemon::projects::project::Project;
use crate::daemon::state::State;
use crate::protocol::{Error, ErrorCode, Role, SessionId};

/// Refuses an agent the end of a session that only people may end.
pub(crate) fn may_end(state: &State, client: &Client, id: &SessionId) -> Result<(), Error> {
    let of = state
        .sessions
        .get(id)
        .and_then(|session| session.spec.project.as_ref());
    let Some(of) = of else { return Ok(()) };
    let project = state.projects.get(&of.id);
    project.map_or(Ok(()), |project| may_end_job(project, client, &of.job))
}

/// Refuses an agent the end of a job, known by its name, that only people may end.
pub(crate) fn may_end_job(project: &Project, client: &Client, job: &str) -> Result<(), Error> {
    let defined = project.applied.jobs.get(job);
    let is_guarded = defined.is_some_and(|defined| defined.confirm);
    let runs = project
        .seen
        .get(job)
        .is_some_and(|seen| seen.state.is_alive());
    if client.principal.role == Role::Human || !is_guarded || !runs {
        return Ok(());
    }
    let message = format!("only people may stop {job}: its project file has `confirm = true`");
    Err(Error::new(ErrorCode::PermissionDenied, message).hint("`ask_human` asks a person to do it"))
}
