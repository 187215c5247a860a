//! The echo of what a request has typed, which its patterns must not match.
//!
//! A terminal, or the program's line editor, writes typed text to the output. A request that types
//! `make test` and waits for `test` means the output of the command, not the command. So the text
//! is cut from the end of the line on which it appears, once for each typed line.

use std::collections::VecDeque;

/// Typed lines that are kept for a later request.
const KEPT_LINES: usize = 64;

/// Characters of the shortest of them: what is as short as the answer to a question may end any line.
const SHORTEST: usize = 3;

/// The typed lines whose echo has not been seen yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Echo {
    typed: VecDeque<String>,
    /// Number of the line that ends with one of them, and which.
    seen_on: Option<(u64, usize)>,
    /// Whether earlier requests have typed them: then the echo is complete, or there is none.
    is_earlier: bool,
}

impl Echo {
    /// The echo of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let text = without_sequences(&String::from_utf8_lossy(bytes));
        let lines = text.split(['\r', '\n']).map(|line| {
            let plain = line
                .chars()
                .filter(|char| !char.is_control() || *char == '\t');
            plain.collect::<String>()
        });
        Self {
            typed: lines.filter(|line| !line.trim().is_empty()).collect(),
            ..Self::default()
        }
    }

    /// Adds what a request has typed, for those that come later.
    pub fn keep(&mut self, bytes: &[u8]) {
        self.is_earlier = true;
        let typed = Self::of(bytes).typed.into_iter();
        let is_kept = |line: &String| line.trim().chars().count() >= SHORTEST;
        self.typed.extend(typed.filter(is_kept));
        self.typed
            .drain(..self.typed.len().saturating_sub(KEPT_LINES));
    }

    /// Whether the echo of a line is still expected.
    pub fn is_expected(&self) -> bool {
        !self.typed.is_empty()
    }

    /// The part of line `n` that is not echo. A line may be passed several times while it grows.
    pub fn without<'t>(&mut self, n: u64, text: &'t str) -> &'t str {
        if let Some((_, place)) = self.seen_on.filter(|(seen, _)| n > *seen) {
            self.typed.drain(..=place);
            self.seen_on = None;
        }
        let expected = if self.is_earlier { self.typed.len() } else { 1 };
        let trimmed = text.trim_end();
        for (place, typed) in self.typed.iter().take(expected).enumerate() {
            if let Some(before) = trimmed.strip_suffix(typed.trim_end()) {
                self.seen_on = Some((n, place));
                return before;
            }
        }
        let Some(typed) = self.typed.front().filter(|_| !self.is_earlier) else {
            return text;
        };
        // The beginning of the text, which is echoed piece by piece.
        let ends = typed.char_indices().map(|(at, _)| &typed[..at]).rev();
        let begun = ends.filter(|begun| !begun.is_empty());
        begun
            .filter_map(|begun| text.strip_suffix(begun))
            .next()
            .unwrap_or(text)
    }
}

/// What was typed without the sequences of keys and around a paste, which nothing echoes.
fn without_sequences(typed: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    let mut chars = typed.chars();
    while let Some(char) = chars.next() {
        if char != '\x1b' {
            text.push(char);
            continue;
        }
        match chars.next() {
            Some('[') => drop(chars.find(|end| ('@'..='~').contains(end))),
            Some('O') => drop(chars.next()),
            // With Alt.
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_echo_is_cut_once_and_the_output_stays() {
        let mut echo = Echo::of(b"make test\r");
        assert_eq!(echo.without(3, "$ make te"), "$ ");
        assert_eq!(echo.without(3, "$ make test"), "$ ");
        assert_eq!(echo.without(4, "make test: ok"), "make test: ok");
        assert_eq!(echo.without(5, "make test"), "make test");
        assert!(!echo.is_expected());
    }

    #[test]
    fn each_typed_line_has_its_echo() {
        let mut echo = Echo::of(b"a=1\nprint(a)\n\x04");
        assert_eq!(echo.without(1, ">>> a=1"), ">>> ");
        assert_eq!(echo.without(2, ">>> print(a)"), ">>> ");
        assert_eq!(echo.without(3, "1"), "1");
    }

    #[test]
    fn a_paste_and_keys_are_echoed_as_their_text() {
        let mut echo = Echo::of(b"\x1b[200~x=1\n\techo $x\x1b[201~\x1b[A\x1bOB\x1bx\r");
        assert_eq!(echo.without(1, "$ x=1"), "$ ");
        assert_eq!(echo.without(2, "\techo $x"), "");
        assert_eq!(echo.without(3, "1"), "1");
        assert!(!echo.is_expected());
    }

    #[test]
    fn what_earlier_requests_have_typed_is_cut_as_whole_lines() {
        let mut echo = Echo::default();
        echo.keep(b"y");
        echo.keep(b"unseen\r");
        echo.keep(b"(make; echo DONE) &\r");
        assert_eq!(echo.without(1, "ready"), "ready");
        assert_eq!(echo.without(2, "$ (make; echo DONE) &"), "$ ");
        assert_eq!(echo.without(3, "(ma"), "(ma");
        assert_eq!(echo.without(4, "DONE"), "DONE");
        assert!(!echo.is_expected());
    }

    #[test]
    fn nothing_is_cut_where_nothing_was_typed() {
        assert_eq!(Echo::of(b"\r").without(1, "done"), "done");
    }
}
