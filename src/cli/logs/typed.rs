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
    /// All recorded input of a job since `since`. For people, what ends a line is part of its text; JSON has each
    /// write, as it was recorded.
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
            for line in page.lines {
                match lines.back_mut() {
                    Some(before) if !ctx.json && ends(before, &line) => {
                        before.text.push_str(&line.text);
                    }
                    _ => lines.push_back(line),
                }
            }
            if is_last {
                lines.retain(|line| line.at >= since);
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

/// Whether a write is only the end of the line that the one before has begun: a text and Enter are two writes.
fn ends(before: &LogLine, line: &LogLine) -> bool {
    let is_enter = matches!(line.text.as_str(), "\r" | "\n" | "\r\n");
    let is_open = !before.text.is_empty() && !before.text.ends_with(['\r', '\n']);
    is_enter && is_open && (before.kind, &before.by) == (line.kind, &line.by)
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
    use crate::protocol::Scope;

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
    fn enter_ends_the_line_that_its_author_has_typed() {
        let write = |text: &str, by: Option<&str>| LogLine {
            text: text.to_owned(),
            by: by.and_then(Scope::named),
            kind: Some(by.map_or(Role::Human, |_| Role::Agent)),
            ..line(0)
        };
        for (before, next, is_end) in [
            (write("yes", None), write("\r", None), true),
            (write("yes", None), write("\n", None), true),
            (write("", None), write("\r", None), false),
            (write("yes\r", None), write("\r", None), false),
            (write("yes", None), write("no\r", None), false),
            (write("yes", Some("a")), write("\r", None), false),
            (write("yes", Some("a")), write("\r", Some("a")), true),
        ] {
            assert_eq!(ends(&before, &next), is_end, "{before:?} {next:?}");
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
