//! Sessions whose record is gone or makes no sense, from what else is known of
//! them: what the keeper runs, and what is in their directory.
//!
//! Whose they were is not known any more, so they are people's; and they are
//! kept until a person has looked at them and removes them.

use std::path::Path;

use crate::daemon::programs::program::SHELL_ARGV;
use crate::daemon::settings::TIMEOUT_GRACE_MS;
use crate::engine::Now;
use crate::engine::meta::{Meta, Spec, TimeLimits};
use crate::engine::retention::Retention;
use crate::engine::session::Session;
use crate::protocol::record::Mode;
use crate::protocol::{Scope, SessionId, Timestamp};
use crate::sys::process;
use crate::term::size::Size;

/// What is known of a session without its record.
pub(crate) struct Remains {
    /// Its name.
    pub(crate) id: SessionId,
    /// What it runs; empty if nobody knows.
    pub(crate) argv: Vec<String>,
    /// Where it runs.
    pub(crate) cwd: String,
    /// PTY or pipes.
    pub(crate) mode: Mode,
    /// Rows and columns of its terminal.
    pub(crate) size: Option<(u16, u16)>,
    /// Its first process, if that runs.
    pub(crate) pid: Option<u32>,
    /// Where its log begins.
    pub(crate) first: u64,
}

/// A record to go on with.
pub(crate) fn rebuilt(remains: Remains, dir: &Path, boot_id: &str, now: Now) -> Meta {
    let (command, args) = command(remains.argv);
    let spec = Spec {
        command,
        args,
        cwd: remains.cwd,
        mode: remains.mode,
        description: Some("its record was lost; this is what could be found".to_owned()),
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

/// A shell line as it was asked for, or a program and its arguments.
fn command(argv: Vec<String>) -> (String, Option<Vec<String>>) {
    if let [sh, flag, line] = &argv[..]
        && [sh.as_str(), flag] == SHELL_ARGV
    {
        return (line.clone(), None);
    }
    let mut words = argv.into_iter();
    match words.next() {
        Some(program) => (program, Some(words.collect())),
        None => ("(unknown)".to_owned(), None),
    }
}

/// When a process began.
fn begun(pid: u32, now: Now) -> Option<Now> {
    let boot = process::read(pid)?.started_boot();
    Some(ago(now, now.boot.saturating_sub(boot)))
}

/// When its directory was made.
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
    fn a_shell_line_is_told_from_a_program() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(command(words("sh -c true")), ("true".to_owned(), None));
        assert_eq!(
            command(words("vim a b")),
            ("vim".to_owned(), Some(words("a b")))
        );
        assert_eq!(command(vec![]).0, "(unknown)");
    }
}
