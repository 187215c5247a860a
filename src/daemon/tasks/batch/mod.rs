//! Asks batch systems for the states of their jobs, while any is open.

pub(crate) mod cancel;

use std::collections::HashMap;
use std::time::Duration;

use crate::daemon::batch_systems::Question;
use crate::daemon::batch_systems::command::{self, Surroundings};
use crate::daemon::clock::{now, sleep_until_boot};
use crate::daemon::hub::Hub;
use crate::daemon::state::State;
use crate::engine::batch::slurm::{self, Found};
use crate::protocol::SessionId;

/// Asks each batch system when it is due; never returns.
pub(crate) async fn run(hub: Hub) {
    let changed = hub.read().batch_systems.changed();
    loop {
        let (due, next) = hub.change(|state| state.batch_systems.due(now().boot));
        for question in due {
            tokio::task::spawn_local(ask(hub.clone(), question));
        }
        tokio::select! {
            () = sleep_until_boot(next) => {}
            () = changed.notified() => {}
        }
    }
}

/// Pause between looks at the logs of sessions that somebody waits for or looks at.
const LOOK: Duration = Duration::from_millis(250);

/// Reads the logs of sessions that run elsewhere, while somebody waits for them or looks at them; never returns. No
/// file system that several machines see tells of changes which another one makes.
pub(crate) async fn follow(hub: Hub) {
    let uses = hub.read().batch_systems.uses();
    loop {
        uses.notified().await;
        // By then the request that asks for it waits.
        tokio::time::sleep(LOOK).await;
        while hub.change(State::follow_batches) {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Asks one batch system for all of its jobs.
async fn ask(hub: Hub, question: Question) {
    let Question { launcher, env } = question;
    let name = launcher.name;
    match command::run(&slurm::states(), &env, Surroundings::default()).await {
        Ok(printed) => {
            let rows = slurm::rows(&printed);
            let missing = hub.change(|state| state.batch_rows(&name, &rows));
            for (id, job) in missing {
                find_again(&hub, &env, &id, &job).await;
            }
        }
        Err(failure) => {
            tracing::warn!(
                launcher = name,
                what = failure.what,
                stderr = failure.stderr,
                "squeue"
            );
            hub.change(|state| state.batch_silent(&name));
        }
    }
    hub.change(|state| {
        let is_open = state.has_open_batch(&name);
        state.batch_systems.answered(&name, is_open, now().boot);
    });
}

/// Asks for one job that the batch system does not list. Only if the batch system says that it does not know the job,
/// the job is lost: the list may be older than the job, and a command may fail because the controller is busy.
async fn find_again(hub: &Hub, env: &HashMap<String, String>, id: &SessionId, job: &str) {
    let shown = match command::run(&slurm::show(job), env, Surroundings::default()).await {
        Ok(printed) => Some(slurm::found(&printed)),
        Err(failure) if slurm::is_unknown_job(&failure.stderr) => Some(Found::Unknown),
        Err(_) => None,
    };
    let found = match shown {
        Some(Found::Alive | Found::Ended(..)) => shown,
        // The accounting may say that a job runs which has vanished with its node.
        Some(Found::Unknown) | None => accounted(env, job).await.or(shown),
    };
    hub.change(|state| match found {
        Some(Found::Ended(ending, exit)) => state.batch_forgotten(id, Some((ending, exit))),
        Some(Found::Unknown) => state.batch_forgotten(id, None),
        Some(Found::Alive) => {}
        None => state.batch_unanswered(id),
    });
}

/// The end of a job, if the accounting of the batch system knows it.
async fn accounted(env: &HashMap<String, String>, job: &str) -> Option<Found> {
    let printed = command::run(&slurm::account(job), env, Surroundings::default()).await;
    let found = printed.ok().map(|printed| slurm::found(&printed));
    found.filter(|found| matches!(found, Found::Ended(..)))
}
