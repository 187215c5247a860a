//! Asks batch systems for the states of their jobs, while any is open.

pub(crate) mod cancel;

use std::time::Duration;

use crate::daemon::batch_systems::Question;
use crate::daemon::batch_systems::command::{self, Surroundings};
use crate::daemon::clock::{now, sleep_until_boot};
use crate::daemon::hub::Hub;
use crate::daemon::state::State;
use crate::engine::batch::slurm;
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

/// Asks for one job that the batch system does not list any more.
async fn find_again(
    hub: &Hub,
    env: &std::collections::HashMap<String, String>,
    id: &SessionId,
    job: &str,
) {
    let mut found = None;
    for words in slurm::forgotten(job) {
        // Either may not be there, or know nothing.
        if let Ok(printed) = command::run(&words, env, Surroundings::default()).await {
            found = slurm::found_again(&printed);
        }
        if found.is_some() {
            break;
        }
    }
    hub.change(|state| state.batch_forgotten(id, found));
}
