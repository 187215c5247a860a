//! The echo of what a request has typed, which its patterns must not match.
//!
//! A terminal, or the program's line editor, writes typed text to the output. A request that types
//! `make test` and waits for `test` means the output of the command, not the command. So the text
//! is cut from the end of the line on which it appears, once for each typed line.

use std::collections::VecDeque;

/// The typed lines whose echo has not been seen yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Echo {
    typed: VecDeque<String>,
    /// Number of the line that ends with the first of them.
    seen_on: Option<u64>,
}

impl Echo {
    /// The echo of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.split(['\r', '\n']).map(|line| {
            let plain = line.chars().filter(|char| !char.is_control());
            plain.collect::<String>()
        });
        Self {
            typed: lines.filter(|line| !line.trim().is_empty()).collect(),
            seen_on: None,
        }
    }

    /// Whether the echo of a line is still expected.
    pub fn is_expected(&self) -> bool {
        !self.typed.is_empty()
    }

    /// The part of line `n` that is not echo. A line may be passed several times while it grows.
    pub fn without<'t>(&mut self, n: u64, text: &'t str) -> &'t str {
        if self.seen_on.is_some_and(|seen| n > seen) {
            self.typed.pop_front();
            self.seen_on = None;
        }
        let Some(typed) = self.typed.front() else {
            return text;
        };
        if let Some(before) = text.trim_end().strip_suffix(typed.trim_end()) {
            self.seen_on = Some(n);
            return before;
        }
        // The beginning of the text, which is echoed piece by piece.
        let ends = typed.char_indices().map(|(at, _)| &typed[..at]).rev();
        let begun = ends.filter(|begun| !begun.is_empty());
        begun
            .filter_map(|begun| text.strip_suffix(begun))
            .next()
            .unwrap_or(text)
    }
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
    fn nothing_is_cut_where_nothing_was_typed() {
        assert_eq!(Echo::of(b"\r").without(1, "done"), "done");
    }
}
