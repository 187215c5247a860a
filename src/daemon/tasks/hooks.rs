//! Runs the shell lines that wait for their turn. They hold nothing up.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::shell_line;
use crate::daemon::hub::Hub;
use crate::daemon::state::hooks::HookRun;

/// Maximum number of lines that run at once, as of `onExit` commands.
const AT_ONCE: usize = 16;

/// Time after which a line is killed, as an `onExit` command.
const WITHIN: Duration = Duration::from_secs(60);

/// Runs lines as they come; never returns.
pub(crate) async fn run(hub: Hub) {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let Ok(turn) = room.clone().acquire_owned().await else {
            return;
        };
        let next = loop {
            if let Some(next) = hub.change(|state| state.hooks.take()) {
                break next;
            }
            hub.hooks_due().await;
        };
        let hub = hub.clone();
        tokio::task::spawn_local(async move {
            perform(&hub, next).await;
            drop(turn);
        });
    }
}

async fn perform(hub: &Hub, hook: HookRun) {
    let HookRun {
        session,
        what,
        shell,
        line,
        cwd,
        env,
    } = hook;
    let variables = env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let command = shell_line::with(&shell, &line, &cwd, variables);
    if let Err(why) = shell_line::run(command, WITHIN, &what, &session).await {
        hub.change(|state| state.hook_failed(&session, &what, &why));
    }
}
