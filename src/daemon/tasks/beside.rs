//! Shell lines that run beside a job: in its directory and environment, and not as one of its processes.

use std::process::Stdio;

use tokio::process::Command;

use crate::daemon::programs::program::{SHELL, SHELL_ARGV};
use crate::protocol::keeper::SpawnSpec;
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
