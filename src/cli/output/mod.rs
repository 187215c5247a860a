//! The only place that writes: data to standard output, messages to standard error.
//!
//! Standard output holds nothing but data, for the next program. Messages go to standard error after
//! `bgproc: `. They are cleaned, because a message may contain a name or command that somebody else chose.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(in crate::cli) mod fixture;
pub mod hosts;
pub mod names;
pub mod state;
pub mod style;
pub mod table;
pub mod words;

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use clap::CommandFactory;
use serde::Serialize;

use crate::cli::Cli;
use crate::cli::exit::Failure;
use crate::client::host;
use crate::term::sanitize::clean;
use crate::term::size::Size;
use style::{ColorChoice, Paint, Tone};

/// Columns assumed if the terminal does not report its size.
const DEFAULT_WIDTH: usize = 80;

/// Standard output, and what is known of the terminal.
#[derive(Debug)]
pub struct Output {
    out: BufWriter<Stdout>,
    /// Whether standard output is coloured.
    pub paint: Paint,
    /// Whether standard error is coloured.
    error_paint: Paint,
    /// Whether the terminal only prints (`TERM=dumb`).
    is_dumb: bool,
    /// Columns of the terminal when the command began, for what is printed once; [`size`](Self::size) has those of now.
    /// `None` if standard output is not a terminal.
    pub width: Option<usize>,
}

/// One of the two output streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sink {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// The kind of terminal that a stream is connected to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Not a terminal.
    None,
    /// A terminal that only prints (`TERM=dumb`).
    Dumb,
    /// A terminal that supports cursor movement.
    Obeys,
}

impl Output {
    /// Standard output, with the properties of the terminal.
    pub fn new(choice: ColorChoice) -> Self {
        let paint = |tty| style::paint(choice, tty, style::environment);
        Self {
            out: BufWriter::with_capacity(64 * 1024, io::stdout()),
            paint: paint(stdout_is_terminal()),
            error_paint: paint(io::stderr().is_terminal()),
            is_dumb: style::is_dumb(style::environment),
            width: terminal_width(),
        }
    }

    /// Rows and columns of the terminal now. `None` if it does not report them.
    pub fn size(&self) -> Option<Size> {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_row > 0 && size.ws_col > 0).then(|| Size::new(size.ws_row, size.ws_col))
    }

    /// Columns that a table may have: those of the terminal, else those that `COLUMNS` says, as `watch` sets it.
    pub fn table_width(&self) -> Option<usize> {
        let told = || std::env::var("COLUMNS").ok()?.parse().ok();
        self.width.or_else(told).filter(|width| *width > 0)
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.width.is_some()
    }

    /// Writes one line.
    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes).map_err(Failure::Output)
    }

    /// Writes bytes of a job's standard error to standard error.
    pub fn errors(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if bytes.is_empty() {
            return Ok(());
        }
        // Both streams may be the same terminal, so keep their order.
        self.flush()?;
        io::stderr().write_all(bytes).map_err(Failure::Output)
    }

    /// Whether text on this stream is coloured.
    pub fn paint(&self, sink: Sink) -> Paint {
        match sink {
            Sink::Out => self.paint,
            Sink::Err => self.error_paint,
        }
    }

    /// The kind of terminal that this stream is connected to.
    pub fn terminal(&self, sink: Sink) -> Kind {
        let is_there = match sink {
            Sink::Out => self.is_terminal(),
            Sink::Err => io::stderr().is_terminal(),
        };
        match (is_there, self.is_dumb) {
            (false, _) => Kind::None,
            (true, true) => Kind::Dumb,
            (true, false) => Kind::Obeys,
        }
    }

    /// Writes one object as one line.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| Failure::Output(error.into()))?;
        self.line(&without_raw_controls(&text))
    }

    /// Flushes standard output.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::Output)
    }

    /// `text` in the colour of `tone`.
    pub fn tint(&self, tone: Tone, text: &str) -> String {
        self.paint.apply(tone, text)
    }
}

/// Whether standard output is a terminal.
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard output is a terminal that supports cursor movement.
pub fn obeys() -> bool {
    stdout_is_terminal() && !style::is_dumb(style::environment)
}

/// Whether a program can fill the screen and read keys here: standard input and output are a terminal that supports
/// cursor movement.
pub fn takes_screens() -> bool {
    io::stdin().is_terminal() && obeys()
}

/// Prints a message on standard error, each line after `bgproc: `.
pub fn note(text: &str) {
    let mut said = String::new();
    for line in text.lines() {
        said.push_str("bgproc: ");
        said.push_str(clean(line).trim_end());
        said.push('\n');
    }
    // If standard error fails too, the message cannot be shown anywhere.
    let _ = io::stderr().write_all(said.as_bytes());
}

fn terminal_width() -> Option<usize> {
    if !stdout_is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(io::stdout());
    match size.map(|size| usize::from(size.ws_col)) {
        Ok(0) | Err(_) => Some(DEFAULT_WIDTH),
        Ok(width) => Some(width),
    }
}

/// Escapes DEL and the C1 controls. JSON escapes only the ASCII controls, but terminals obey these too.
fn without_raw_controls(json: &str) -> String {
    if !json.contains(is_late_control) {
        return json.to_owned();
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_late_control(c) {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    safe
}

fn is_late_control(c: char) -> bool {
    ('\u{7f}'..='\u{9f}').contains(&c)
}

/// Prints a failure and its hint.
pub fn complain(failure: &Failure) {
    if let Failure::Output(error) = failure
        && error.kind() == io::ErrorKind::BrokenPipe
    {
        return;
    }
    note(&failure.to_string());
    if let Some(hint) = failure.hint_text() {
        note(&format!("hint: {}", advised(hint)));
    }
}

/// Verbs that are about this machine, also with `-H`.
pub(super) const OF_HERE: [&str; 6] = ["hosts", "help", "completions", "schema", "man", "init"];

/// A hint or a message whose commands are to be run with `-H HOST`, if this command is.
pub fn advised(hint: &str) -> String {
    there(hint, host::name())
}

/// As [`advised`], for this host.
fn there(hint: &str, host: Option<&str>) -> String {
    let Some(host) = host else {
        return hint.to_owned();
    };
    let grammar = Cli::command();
    let mut parts = hint.split("bgproc ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let verb = part.split([' ', '`', ';', ',']).next().unwrap_or_default();
        // Not "the newer bgproc of that host".
        let is_verb = grammar.find_subcommand(verb).is_some();
        out.push_str("bgproc ");
        if is_verb && !OF_HERE.contains(&verb) {
            out.push_str(&format!("-H {host} "));
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_host_that_was_chosen() {
        let hint = "bgproc stop web ends it, `bgproc rm -f web` does both; see bgproc hosts ls";
        assert_eq!(there(hint, None), hint);
        assert_eq!(
            there(hint, Some("gpu1")),
            "bgproc -H gpu1 stop web ends it, `bgproc -H gpu1 rm -f web` does both; see bgproc hosts ls"
        );
        let own = "bgproc -H gpu1 ls; the bgproc of that host";
        assert_eq!(there(own, Some("gpu1")), own);
    }

    #[test]
    fn json_carries_no_control_that_a_terminal_obeys() {
        let text = serde_json::to_string("a\u{9b}31mb\u{7f}\u{1b}").unwrap();
        let safe = without_raw_controls(&text);
        assert!(safe.chars().all(|c| !c.is_control()), "{safe}");
        let back: String = serde_json::from_str(&safe).unwrap();
        assert_eq!(back, "a\u{9b}31mb\u{7f}\u{1b}");
    }
}
