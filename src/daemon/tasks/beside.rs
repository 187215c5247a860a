//! Shell lines that run beside a job: in its directory and environment, and not as one of its processes.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use crate::daemon::programs::program::{SHELL, SHELL_ARGV};
use crate::protocol::SessionId;
use crate::protocol::keeper::SpawnSpec;
use crate::sys::signal;
use crate::sys::tree::MARK;

/// A command that runs `line` beside the job that `spec` has started. It is killed when its future is dropped.
pub(super) fn command(line: &str, spec: &SpawnSpec) -> Command {
    // Without the mark it does not count as one of the job's processes.
    shell(
        line,
        &spec.cwd,
        spec.env.iter().filter(|(name, _)| *name != MARK),
    )
}

/// A command that runs `line` with these variables. It is killed when its future is dropped.
pub(super) fn shell<'a>(
    line: &str,
    cwd: &str,
    variables: impl Iterator<Item = (&'a str, &'a str)>,
) -> Command {
    let mut command = Command::new(SHELL);
    command
        .args([SHELL_ARGV[1], line])
        .current_dir(cwd)
        .env_clear()
        .envs(variables)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Runs a `command` that runs `line`, for at most this time. What it has started is ended with it then, and when the
/// daemon ends. `what` it is (`a stop line`), its session and its failures are in the diagnostics.
pub(super) async fn run(
    mut command: Command,
    within: Duration,
    what: &str,
    session: &SessionId,
    line: &str,
) {
    command.process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return tracing::warn!(%session, line, %error, "{what} cannot be run"),
    };
    let group = Group(child.id());
    match timeout(within, child.wait()).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => tracing::warn!(%session, line, %status, "{what} failed"),
        Ok(Err(error)) => tracing::warn!(%session, line, %error, "{what} failed"),
        Err(_) => tracing::warn!(%session, line, "{what} took too long and is killed"),
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
