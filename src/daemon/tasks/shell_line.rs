//! Shell lines that run beside a job: in its directory and environment, and not as one of its processes.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::last_words::LastWords;
use crate::daemon::programs::line_shell::LineShell;
use crate::protocol::SessionId;
use crate::protocol::keeper::SpawnSpec;
use crate::sys::signal;
use crate::sys::tree::MARK;

/// A command that runs `line` with a shell beside the job that `spec` has started. It is killed when its future is
/// dropped.
pub(super) fn command(shell: &LineShell, line: &str, spec: &SpawnSpec) -> Command {
    // Without the mark it does not count as one of the job's processes.
    with(
        shell,
        line,
        &spec.cwd,
        spec.env.iter().filter(|(name, _)| *name != MARK),
    )
}

/// A command that runs `line` with a shell and these variables. It is killed when its future is dropped.
pub(super) fn with<'a>(
    shell: &LineShell,
    line: &str,
    cwd: &str,
    variables: impl Iterator<Item = (&'a str, &'a str)>,
) -> Command {
    let mut command = Command::new(&shell.program);
    command
        .args(&shell.flags)
        .arg(line)
        .current_dir(cwd)
        .env_clear()
        .envs(variables)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Runs a `command` that runs `line`, for at most this time. What it has started is ended with it then, and when the
/// daemon ends. The error says why it failed; that is in the diagnostics, too, with what it is (`a stop line`) and its
/// session. The line itself is not, because it may have a password in it.
pub(super) async fn run(
    command: Command,
    within: Duration,
    what: &str,
    session: &SessionId,
) -> Result<(), String> {
    let done = finish(command, within).await;
    if let Err(why) = &done {
        tracing::warn!(%session, why, "{what} failed");
    }
    done
}

/// Waits until a command ends, for at most this time. Its process group is killed with it then, and when the future is
/// dropped. The error says how it failed, and what it has said about it.
pub(super) async fn finish(mut command: Command, within: Duration) -> Result<(), String> {
    command.process_group(0);
    let (mut child, mut words) =
        start(command).map_err(|error| format!("it cannot be run: {error}"))?;
    let group = Group(child.id());
    let end = timeout(within, child.wait());
    let ended = match &mut words {
        Some(words) => words.during(end).await,
        None => end.await,
    };
    if child.id().is_none() {
        // It has ended. What it has left in the background is its own affair.
        std::mem::forget(group);
    }
    let how = match ended {
        Ok(Ok(status)) if status.success() => None,
        Ok(Ok(status)) => Some(how(status)),
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("it took too long and was killed".to_owned()),
    };
    let Some(mut words) = words else {
        return how.map_or(Ok(()), Err);
    };
    let done = how.map_or(Ok(()), |how| Err(words.explain(how)));
    // What the line has left in the background may write on.
    tokio::task::spawn_local(async move { words.listen().await });
    done
}

fn start(mut command: Command) -> io::Result<(Child, Option<LastWords>)> {
    let (words, stderr) = match LastWords::open() {
        Ok((words, terminal)) => (Some(words), Stdio::from(terminal)),
        // The line matters more than what it says.
        Err(_) => (None, Stdio::null()),
    };
    let child = command.stderr(stderr).spawn()?;
    Ok((child, words))
}

/// How a line has ended: `exit code 3`, or `SIGKILL`.
fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(number)) => signal::name(number),
        (None, None) => status.to_string(),
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
