//! One line of text being edited, with readline's keys.

use crate::tui::keymap::Action;

/// A line and where its cursor is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    text: Vec<char>,
    cursor: usize,
    killed: Vec<char>,
}

impl Line {
    /// A line that begins as `text`, the cursor at its end.
    pub fn new(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self {
            cursor: text.len(),
            text,
            killed: Vec::new(),
        }
    }

    /// The text.
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// The text before the cursor, for placing it.
    pub fn before_cursor(&self) -> String {
        self.text[..self.cursor].iter().collect()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Types `text` at the cursor; a newline becomes a space, other control characters are dropped.
    pub fn insert(&mut self, text: &str) {
        for c in text.chars() {
            let c = if matches!(c, '\n' | '\r' | '\t') {
                ' '
            } else {
                c
            };
            if !c.is_control() {
                self.text.insert(self.cursor, c);
                self.cursor += 1;
            }
        }
    }

    /// Carries out an editing action; `false` if it is none.
    pub fn edit(&mut self, action: Action) -> bool {
        let (start, end) = (0, self.text.len());
        match action {
            Action::LineStart => self.cursor = start,
            Action::LineEnd => self.cursor = end,
            Action::CharLeft => self.cursor = self.cursor.saturating_sub(1),
            Action::CharRight => self.cursor = (self.cursor + 1).min(end),
            Action::WordLeft => self.cursor = self.word_start(),
            Action::WordRight => self.cursor = self.word_end(),
            Action::DeleteBack => self.cut(self.cursor.saturating_sub(1), self.cursor, false),
            Action::DeleteHere => self.cut(self.cursor, (self.cursor + 1).min(end), false),
            Action::DeleteWord => self.cut(self.word_start(), self.cursor, true),
            Action::DeleteToStart => self.cut(start, self.cursor, true),
            Action::DeleteToEnd => self.cut(self.cursor, end, true),
            Action::Yank => {
                let killed: String = self.killed.iter().collect();
                self.insert(&killed);
            }
            _ => return false,
        }
        true
    }

    fn cut(&mut self, from: usize, to: usize, keep: bool) {
        let cut: Vec<char> = self.text.drain(from..to).collect();
        self.cursor = from;
        if keep && !cut.is_empty() {
            self.killed = cut;
        }
    }

    fn word_start(&self) -> usize {
        let mut at = self.cursor;
        while at > 0 && self.text[at - 1].is_whitespace() {
            at -= 1;
        }
        while at > 0 && !self.text[at - 1].is_whitespace() {
            at -= 1;
        }
        at
    }

    fn word_end(&self) -> usize {
        let mut at = self.cursor;
        while at < self.text.len() && self.text[at].is_whitespace() {
            at += 1;
        }
        while at < self.text.len() && !self.text[at].is_whitespace() {
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readline_habits_work() {
        let mut line = Line::new("npm run dev");
        assert!(line.edit(Action::DeleteWord));
        assert_eq!(line.text(), "npm run ");
        line.edit(Action::LineStart);
        line.edit(Action::Yank);
        assert_eq!(line.text(), "devnpm run ");
        assert_eq!(line.before_cursor(), "dev");
        line.edit(Action::DeleteToEnd);
        assert_eq!(line.text(), "dev");
        line.edit(Action::WordLeft);
        line.edit(Action::DeleteHere);
        assert_eq!(line.text(), "ev");
        assert!(!line.edit(Action::Quit));
    }

    #[test]
    fn a_pasted_newline_does_not_break_the_line() {
        let mut line = Line::default();
        line.insert("a\nb\u{1b}[31m");
        assert_eq!(line.text(), "a b[31m");
    }

    #[test]
    fn deleting_in_an_empty_line_is_harmless() {
        let mut line = Line::default();
        for action in [
            Action::DeleteBack,
            Action::DeleteHere,
            Action::DeleteWord,
            Action::CharLeft,
        ] {
            assert!(line.edit(action));
        }
        assert!(line.is_empty());
    }
}
