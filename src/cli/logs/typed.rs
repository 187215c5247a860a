//! Places typed input between the lines that a job wrote, by time.

use std::collections::VecDeque;

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::cli::output::words;
use crate::protocol::params::{Log, Stream};
use crate::protocol::reply::{LogLine, LogLines};
use crate::protocol::{Action, Role, SessionId, Timestamp};
use crate::term::sanitize::clean;

/// Inputs per request.
const PAGE: u64 = 10_000;

/// Inputs that were not shown yet, oldest first.
pub(crate) struct Typed(VecDeque<LogLine>);

impl Typed {
    /// All recorded input of a job since `since`.
    pub(crate) fn of(
        ctx: &mut Context,
        id: &SessionId,
        since: Option<Timestamp>,
    ) -> Result<Self, Failure> {
        let (mut lines, mut next) = (VecDeque::new(), 1);
        loop {
            let page: LogLines = ctx.daemon()?.call_as(Action::Log(Log {
                session_id: Some(id.to_string()),
                stream: Some(Stream::Input),
                from_line: Some(next),
                lines: Some(PAGE),
                ..Log::default()
            }))?;
            let is_last = page.next_line <= next || page.lines.is_empty();
            lines.extend(page.lines.into_iter().filter(|line| line.at >= since));
            if is_last {
                return Ok(Self(lines));
            }
            next = page.next_line;
        }
    }

    /// Skips input that was typed before `line`, the first line to be shown.
    pub(crate) fn skip_to(&mut self, line: &LogLine) {
        while self.0.front().is_some_and(|typed| typed.at < line.at) {
            self.0.pop_front();
        }
    }

    /// The next input, if it was typed before `line`. Without `line`, the next of the remaining inputs.
    pub(crate) fn before(&mut self, line: Option<&LogLine>) -> Option<LogLine> {
        let next = self.0.front()?;
        let is_due = line.is_none_or(|line| line.at.is_some() && next.at < line.at);
        if is_due { self.0.pop_front() } else { None }
    }
}

/// Formats an input as `[2026-11-21 20:00:00 a person] yes`.
pub(crate) fn shown(line: &LogLine) -> String {
    let who = match (line.kind, &line.by) {
        (Some(Role::Agent), Some(scope)) => format!("agent {scope}"),
        _ => "a person".to_owned(),
    };
    let at = words::local(line.at.unwrap_or_default());
    // Most inputs end with Enter, which has no visible form.
    format!(
        "[{at} {who}] {}",
        clean(line.text.trim_end_matches(['\r', '\n']))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at: i64) -> LogLine {
        LogLine {
            n: 1,
            at: Some(Timestamp(at)),
            stream: "input".to_owned(),
            text: "\u{1b}[31mx\r".to_owned(),
            by: None,
            kind: Some(Role::Human),
            offset: None,
            goes_on: false,
        }
    }

    #[test]
    fn it_comes_before_the_lines_that_were_written_after_it() {
        let mut typed = Typed([10, 20, 30, 40].map(line).into());
        typed.skip_to(&line(15));
        assert_eq!(
            typed.before(Some(&line(20))),
            None,
            "typed at the same time as the line: an answer to it"
        );
        assert_eq!(typed.before(Some(&line(35))), Some(line(20)));
        assert_eq!(typed.before(Some(&line(35))), Some(line(30)));
        assert_eq!(typed.before(Some(&line(35))), None);
        assert_eq!(typed.before(None), Some(line(40)));
        assert!(shown(&line(0)).ends_with(" a person] x"));
    }
}
