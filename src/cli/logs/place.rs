//! Where in a log to begin.

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::protocol::params::Log;
use crate::protocol::reply::LogLines;
use crate::protocol::run::Run;
use crate::protocol::{Action, Record, SessionId, Timestamp};
use crate::term::plain::{Checkpoint, Layout, LayoutKind};
use crate::term::size::Size;

/// A position in a log: the start of a line, or the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Raw offset.
    pub offset: u64,
    /// The line number.
    pub line: u64,
}

impl Place {
    /// The oldest line that is kept.
    pub const BEGINNING: Self = Self { offset: 0, line: 1 };

    /// The position of the last `lines` lines among those written since `since`, and the number of the line after them.
    pub fn find(
        ctx: &mut Context,
        id: &SessionId,
        lines: Option<u64>,
        since: Option<Timestamp>,
    ) -> Result<(Self, u64), Failure> {
        let last = one_line(ctx, id, None, None)?;
        let beyond = last.total_lines + 1;
        let mut line = last.first_line;
        if since.is_some() {
            let found = one_line(ctx, id, Some(1), since)?;
            line = found.lines.first().map_or(beyond, |line| line.n);
        }
        if let Some(lines) = lines {
            line = line.max(beyond.saturating_sub(lines));
        }
        // A very long line is stored as several; go back to its first part.
        while line > last.first_line && line < beyond {
            let before = one_line(ctx, id, Some(line - 1), None)?;
            match before.lines.first() {
                Some(before) if before.goes_on => line = before.n,
                _ => break,
            }
        }
        let place = if line < beyond {
            Self::at_line(ctx, id, line)?
        } else {
            Self {
                offset: end(ctx, id)?,
                line,
            }
        };
        Ok((place, beyond))
    }

    /// The offset of line `line`, or of the end of the log while there is no such line.
    pub fn offset_of(ctx: &mut Context, id: &SessionId, line: u64) -> Result<u64, Failure> {
        // The end is asked for first: it must not be behind a line that is written meanwhile.
        let end = end(ctx, id)?;
        let found = one_line(ctx, id, Some(line), None)?;
        let offset = found.lines.first().and_then(|line| line.offset);
        Ok(offset.unwrap_or(end))
    }

    /// The position of a line; the end of the log if there is no such line.
    fn at_line(ctx: &mut Context, id: &SessionId, line: u64) -> Result<Self, Failure> {
        let found = one_line(ctx, id, Some(line), None)?;
        let found = found.lines.into_iter().next();
        let offset = match found.and_then(|line| line.offset) {
            Some(offset) => offset,
            None => end(ctx, id)?,
        };
        Ok(Self { offset, line })
    }

    /// The position of the last `count` lines among those written between `since` and `until`.
    pub fn before(
        ctx: &mut Context,
        id: &SessionId,
        count: u64,
        (since, until): (Option<Timestamp>, Timestamp),
    ) -> Result<Self, Failure> {
        let (first, _) = Self::find(ctx, id, None, since)?;
        let after = Timestamp(until.millis().saturating_add(1));
        let found = one_line(ctx, id, Some(1), Some(after))?;
        let beyond = match found.lines.first() {
            Some(line) => line.n,
            None => one_line(ctx, id, None, None)?.total_lines + 1,
        };
        let line = beyond.saturating_sub(count);
        if line <= first.line {
            return Ok(first);
        }
        Self::at_line(ctx, id, line)
    }

    /// The position of the last `lines` lines of a run, of all its lines by default. `next` is the run after it.
    pub fn of_run(
        ctx: &mut Context,
        id: &SessionId,
        (run, next): (&Run, Option<&Run>),
        lines: Option<u64>,
    ) -> Result<Self, Failure> {
        let beginning = Self {
            offset: run.offset,
            line: run.first_line.unwrap_or(1),
        };
        let (Some(first), Some(lines)) = (run.first_line, lines) else {
            return Ok(beginning);
        };
        let end = match next.and_then(|next| next.first_line) {
            Some(end) => end,
            None => one_line(ctx, id, None, None)?.total_lines + 1,
        };
        let line = end.saturating_sub(lines);
        if line <= first {
            return Ok(beginning);
        }
        let found = one_line(ctx, id, Some(line), None)?
            .lines
            .into_iter()
            .next();
        let offset = match found.and_then(|line| line.offset) {
            Some(offset) => offset,
            None => end_of(ctx, id, next)?,
        };
        Ok(Self { offset, line })
    }

    /// The checkpoint from which the output is rendered.
    pub fn checkpoint(self, job: &Record) -> Checkpoint {
        match self.offset {
            0 => Checkpoint {
                exact: true,
                ..Checkpoint::at(0)
            },
            offset => Checkpoint::scrolled(layout(job).size, offset, self.line),
        }
    }
}

/// The terminal size and kind that the job's lines are laid out for.
pub fn layout(job: &Record) -> Layout {
    let job = &job.summary;
    Layout {
        size: Size::new(job.rows, job.cols),
        kind: match job.mode {
            crate::protocol::Mode::Pty => LayoutKind::Terminal,
            crate::protocol::Mode::Pipe => LayoutKind::Pipe,
        },
    }
}

/// One line written since `since`. Without `line`, the last one.
fn one_line(
    ctx: &mut Context,
    id: &SessionId,
    line: Option<u64>,
    since: Option<Timestamp>,
) -> Result<LogLines, Failure> {
    ctx.read(&Action::Log(Log {
        session_id: Some(id.to_string()),
        from_line: line,
        lines: line.map(|_| 1),
        tail: line.is_none().then_some(1),
        since_time: since.map(|at| at.to_string()),
        origins: Some(true),
        ..Log::default()
    }))
}

/// The offset of the end of a run, before the run `next`.
fn end_of(ctx: &mut Context, id: &SessionId, next: Option<&Run>) -> Result<u64, Failure> {
    next.map_or_else(|| end(ctx, id), |next| Ok(next.offset))
}

/// The offset of the end of the log.
fn end(ctx: &mut Context, id: &SessionId) -> Result<u64, Failure> {
    let bytes: crate::protocol::reply::LogBytes = ctx.read(&Action::Log(Log {
        session_id: Some(id.to_string()),
        offset: Some(u64::MAX),
        limit: Some(1),
        ..Log::default()
    }))?;
    Ok(bytes.total_bytes)
}
