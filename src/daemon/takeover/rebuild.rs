//! Rebuilds lost or unreadable records of sessions, from what the keeper runs and what is in the session's
//! directory.
//!
//! The owner is not known any more, so such a session belongs to people. It is kept until a person removes it.

use std::path::Path;

use crate::daemon::programs::program::SHELL_ARGV;
use crate::daemon::settings::TIMEOUT_GRACE_MS;
use crate::engine::Now;
use crate::engine::meta::{Meta, Spec, TimeLimits};
use crate::engine::retention::Retention;
use crate::engine::session::Session;
use crate::protocol::status::Mode;
use crate::protocol::{Scope, SessionId, Timestamp};
use crate::sys::process;
use crate::term::size::Size;

/// What is known about a session without its record.
pub(crate) struct Remains {
    pub(crate) id: SessionId,
    /// The program and its arguments; empty if unknown.
    pub(crate) argv: Vec<String>,
    /// Its working directory.
    pub(crate) cwd: String,
    pub(crate) mode: Mode,
    /// Rows and columns of its terminal.
    pub(crate) size: Option<(u16, u16)>,
    /// Pid of its first process, if that runs.
    pub(crate) pid: Option<u32>,
    /// Offset at which its log starts.
    pub(crate) first: u64,
}

/// Makes a record from what is known.
pub(crate) fn rebuilt(remains: Remains, dir: &Path, boot_id: &str, now: Now) -> Meta {
    let (command, args) = command(remains.argv);
    let spec = Spec {
        command,
        args,
        cwd: remains.cwd,
        mode: remains.mode,
        description: Some("the record was lost and rebuilt from what was found".to_owned()),
        ..Spec::default()
    };
    let time_limits = TimeLimits {
        timeout_ms: 0,
        timeout_grace_ms: TIMEOUT_GRACE_MS,
        ttl_ms: Retention::default().agents_ms,
        failed_ttl_ms: None,
        until_room: None,
        keep: true,
    };
    let size = remains
        .size
        .map_or_else(Size::default, |(rows, cols)| Size::new(rows, cols));
    let begun = remains.pid.and_then(|pid| begun(pid, now));
    let begun = begun.or_else(|| made(dir, now)).unwrap_or(now);
    let mut session = Session::new(remains.id, Scope::human(), spec, size, time_limits, begun);
    if let Some(pid) = remains.pid {
        session.life.started(pid, remains.first, begun);
    }
    session.meta(boot_id)
}

/// The command and arguments as they were requested: a shell line, or a program and its arguments.
fn command(argv: Vec<String>) -> (String, Option<Vec<String>>) {
    if let [sh, flag, line] = &argv[..]
        && (["sh", "bash"].contains(&sh.as_str()) && flag == SHELL_ARGV[1])
    {
        return (line.clone(), None);
    }
    let mut words = argv.into_iter();
    match words.next() {
        Some(program) => (program, Some(words.collect())),
        None => ("(unknown)".to_owned(), None),
    }
}

/// When a process was started.
pub(super) fn begun(pid: u32, now: Now) -> Option<Now> {
    let boot = process::read(pid)?.started_boot();
    Some(ago(now, now.boot.saturating_sub(boot)))
}

/// When the session's directory was created.
fn made(dir: &Path, now: Now) -> Option<Now> {
    let made = std::fs::metadata(dir).ok()?.created().ok()?;
    let millis = u64::try_from(made.elapsed().ok()?.as_millis()).ok()?;
    Some(ago(now, millis))
}

fn ago(now: Now, millis: u64) -> Now {
    Now {
        boot: now.boot.saturating_sub(millis),
        wall: Timestamp(now.wall.millis() - millis.cast_signed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_a_shell_line_from_a_program() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(command(words("sh -c true")), ("true".to_owned(), None));
        assert_eq!(
            command(words("vim a b")),
            ("vim".to_owned(), Some(words("a b")))
        );
        assert_eq!(command(vec![]).0, "(unknown)");
    }
}
