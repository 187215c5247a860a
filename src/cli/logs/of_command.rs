//! The output of a command that the shell of a job ran.

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::protocol::reply::LogLines;
use crate::protocol::{Action, ErrorCode, SessionId, params::Log};

/// Lines for each request.
const LINES: u64 = 10_000;

/// Prints the output of the `n`th command from the end, counted from 1.
pub fn print(ctx: &mut Context, id: &SessionId, n: usize) -> Result<(), Failure> {
    let mut from = 1;
    loop {
        let read: Result<LogLines, Failure> = ctx.read(&Action::Log(Log {
            session_id: Some(id.to_string()),
            command: Some(n),
            from_line: Some(from),
            lines: Some(LINES),
            ..Log::default()
        }));
        let part = read.map_err(|failure| match failure {
            Failure::Refused(ref error) if error.code == ErrorCode::NoShell => {
                failure.hint("without --command, logs prints the whole output")
            }
            failure => failure,
        })?;
        if ctx.json {
            ctx.out.json(&part)?
        } else {
            let mut lines = part.lines.iter();
            lines.try_for_each(|line| ctx.out.line(&line.text))?;
        }
        // A new command would be the last one from now on.
        if part.next_line <= from || (part.lines.len() as u64) < LINES {
            return Ok(());
        }
        from = part.next_line;
    }
}
