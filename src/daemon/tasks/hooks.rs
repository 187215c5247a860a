//! Runs the shell lines that wait for their turn. They hold nothing up.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::beside;
use crate::daemon::hub::Hub;
use crate::daemon::state::hooks::HookRun;
use crate::sys::signal;

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
        tokio::task::spawn_local(async move {
            perform(next).await;
            drop(turn);
        });
    }
}

async fn perform(hook: HookRun) {
    let HookRun {
        session,
        line,
        cwd,
        env,
    } = hook;
    let variables = env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let mut command = beside::shell(&line, &cwd, variables);
    // What it starts is ended with it.
    command.process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return tracing::warn!(%session, line, %error, "a shell line cannot be run"),
    };
    let group = Group(child.id());
    match timeout(WITHIN, child.wait()).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => tracing::warn!(%session, line, %status, "a shell line failed"),
        Ok(Err(error)) => tracing::warn!(%session, line, %error, "a shell line failed"),
        Err(_) => tracing::warn!(%session, line, "a shell line took too long and is killed"),
    }
    if child.id().is_none() {
        // It has ended. What it has left in the background is its own affair.
        std::mem::forget(group);
    }
}

/// The process group of a line, which is killed with it, also when the daemon ends.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            signal::send_group(leader, signal::KILL);
        }
    }
}
