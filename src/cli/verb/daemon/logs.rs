//! `daemon logs`: the diagnostics of daemon and keeper.

use clap::Args;
use serde::Serialize;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::output::note;
use crate::cli::output::style::Tone;
use crate::cli::value::number;
use crate::client;
use crate::diag::reader::{Diagnostics, ProcessRole};
use crate::term::sanitize::clean;

/// The options of `daemon logs`.
#[derive(Args, Debug)]
pub(crate) struct DaemonLogs {
    /// Continue with new lines until Ctrl-C
    #[arg(short, long)]
    follow: bool,
    /// Print only the last N lines
    #[arg(short = 'n', long = "lines", value_name = "N", value_parser = number::from::<usize>(0))]
    lines: Option<usize>,
    /// Print the diagnostics of the keeper instead of the daemon
    #[arg(long)]
    keeper: bool,
}

/// One line: time, level, text.
#[derive(Serialize, PartialEq, Eq, Debug)]
struct Line<'a> {
    at: Option<&'a str>,
    level: Option<&'a str>,
    text: &'a str,
}

impl DaemonLogs {
    pub(crate) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if self.follow {
            interrupt::leave_with_reader();
        }
        let process = if self.keeper {
            ProcessRole::Keeper
        } else {
            ProcessRole::Daemon
        };
        let mut log = Diagnostics::of(&client::home()?, process);
        let path = log.path().display().to_string();
        let unreadable =
            |error| Failure::with_message(Exit::FAILED, format!("cannot read {path}: {error}"));
        match log.read().map_err(unreadable)? {
            Some(kept) => print(ctx, last_lines(&kept, self.lines))?,
            None => note(&format!("nothing has been written to {path} yet")),
        }
        if !self.follow {
            return Ok(Exit::OK);
        }
        loop {
            ctx.out.flush()?;
            let more = log.read_on().map_err(unreadable)?;
            print(ctx, &more)?;
        }
    }
}

fn print(ctx: &mut Context, bytes: &[u8]) -> Result<(), Failure> {
    for text in String::from_utf8_lossy(bytes).lines() {
        let line = Line::parse(text);
        if ctx.json {
            ctx.out.json(&line)?;
            continue;
        }
        let text = clean(line.text);
        let (Some(at), Some(level)) = (line.at, line.level) else {
            ctx.out.line(&text)?;
            continue;
        };
        let at = ctx.out.tint(Tone::Faint, at);
        let level = ctx.out.tint(tone(level), &format!("{level:>5}"));
        ctx.out.line(&format!("{at} {level} {text}"))?;
    }
    Ok(())
}

fn tone(level: &str) -> Tone {
    match level {
        "ERROR" => Tone::Bad,
        "WARN" => Tone::Wants,
        _ => Tone::Normal,
    }
}

impl<'a> Line<'a> {
    /// Splits a line. A line that does not begin with a time and a level belongs to the line before it.
    fn parse(text: &'a str) -> Self {
        let parts = text.split_once(' ').and_then(|(at, rest)| {
            let (level, text) = rest.trim_start().split_once(' ')?;
            let known = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"].contains(&level);
            known.then_some((at, level, text))
        });
        match parts {
            Some((at, level, text)) => Self {
                at: Some(at),
                level: Some(level),
                text,
            },
            None => Self {
                at: None,
                level: None,
                text,
            },
        }
    }
}

/// The last `count` lines of `text`; all of it without `count`.
fn last_lines(text: &[u8], count: Option<usize>) -> &[u8] {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    match count {
        None => text,
        Some(0) => &[],
        Some(count) => {
            let newlines = (0..body.len()).rev().filter(|&place| body[place] == b'\n');
            let start = newlines.take(count).nth(count - 1);
            &text[start.map_or(0, |newline| newline + 1)..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_found() {
        assert_eq!(last_lines(b"a\nb\nc\n", Some(2)), b"b\nc\n");
        assert_eq!(last_lines(b"a\nb\nc", Some(1)), b"c");
        assert_eq!(last_lines(b"a\nb\n", Some(5)), b"a\nb\n");
        assert_eq!(last_lines(b"a\n", Some(0)), b"");
        assert_eq!(last_lines(b"", Some(3)), b"");
        assert_eq!(last_lines(b"a\nb\n", None), b"a\nb\n");
    }

    #[test]
    fn a_line_has_time_level_and_text() {
        let line = Line::parse("2026-11-21T20:00:00.123Z  INFO started pid=7");
        assert_eq!(line.at, Some("2026-11-21T20:00:00.123Z"));
        assert_eq!((line.level, line.text), (Some("INFO"), "started pid=7"));
        assert_eq!(Line::parse("   2: core::panicking").level, None);
    }
}
