//! Asks a batch system to cancel the job of a session.

use crate::daemon::batch_systems::command::{self, Surroundings};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::engine::batch::slurm;
use crate::engine::life::Actor;
use crate::protocol::{Error, ErrorCode, SessionId};

/// Asks the batch system to cancel the job of a session.
///
/// # Errors
///
/// `launcher_refused` if it does not, or has not taken the job yet.
pub(crate) async fn begin(hub: &Hub, id: &SessionId, by: Actor) -> Result<(), Error> {
    let known = hub.change(|state| {
        let session = state.sessions.get_mut(id)?;
        let batch = session.batch.as_mut()?;
        let launcher = batch.launcher.clone();
        let job = batch.job.job_id.clone();
        if job.is_some() {
            // A request goes before a time limit.
            if matches!(batch.cancelled_by, None | Some(Actor::TimeLimit(_))) {
                batch.cancelled_by = Some(by.clone());
            }
            session.life.ask_to_end(by);
            state.persist(id);
        }
        let env = state.batch_systems.env(&launcher.name);
        Some((launcher, job, env))
    });
    let Some((launcher, job, env)) = known else {
        return Ok(());
    };
    let Some(job) = job else {
        return Err(Error::new(
            ErrorCode::LauncherRefused,
            format!(
                "session {id} is being submitted; its batch system has not said its number yet"
            ),
        )
        .hint("try again in a moment"));
    };
    let done = command::run(&slurm::cancel(&job), &env, Surroundings::default()).await;
    hub.change(|state| state.batch_systems.ending(&launcher.name, now().boot));
    match done {
        Ok(_) => Ok(()),
        // It is over, which its list says.
        Err(failure) if failure.stderr.contains("Invalid job id") => Ok(()),
        Err(failure) => {
            hub.change(|state| state.batch_not_cancelled(id));
            Err(failure.refused(launcher.kind.name(), "scancel"))
        }
    }
}
