//! A line editor for one line of text, with readline's keys.

pub mod draw;
mod keys;

use unicode_segmentation::UnicodeSegmentation;

pub use self::keys::Action;
use super::keymap::{KeyPress, Keymap};
use crate::term::keyparse::KeyCode;

/// A line of text and its cursor.
///
/// The cursor moves by grapheme clusters, such as an emoji of several code points or a letter with
/// a combining accent. `tui-input` does so too, but its Ctrl-W stops at punctuation within a word,
/// and a shell's does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    /// Byte offset of the cursor.
    cursor: usize,
    killed: String,
    /// Whether all of the text is selected: what is typed next replaces it.
    is_selected: bool,
}

/// What a key does to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// It performs an action.
    Do(Action),
    /// It inserts a character.
    Insert(char),
}

impl Edit {
    /// What this key does; `None` if it has no meaning in a line.
    pub fn of(keymap: &Keymap, press: &KeyPress) -> Option<Self> {
        if let Some(action) = keymap.action(&press.name) {
            return Some(Self::Do(action));
        }
        match press.key.code {
            KeyCode::Char(c) if !press.key.ctrl && !press.key.alt => Some(Self::Insert(c)),
            _ => None,
        }
    }
}

impl Line {
    /// A line with this text and the cursor at its end.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cursor: text.len(),
            killed: String::new(),
            is_selected: false,
        }
    }

    /// Selects the text, so that what is typed next replaces it. A key that moves the cursor keeps it.
    pub fn select(&mut self) {
        self.cursor = self.text.len();
        self.is_selected = !self.text.is_empty();
    }

    /// Whether the text is selected.
    pub fn is_selected(&self) -> bool {
        self.is_selected
    }

    /// The text.
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// The text before the cursor, from which the cursor's column is computed.
    pub fn before_cursor(&self) -> String {
        self.before().to_owned()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Inserts `text` at the cursor, or in the place of a selected text. Newlines and tabs become spaces, other control
    /// characters are dropped.
    pub fn insert(&mut self, text: &str) {
        if self.is_selected {
            self.edit(Action::DeleteBack);
        }
        let text = text
            .replace(['\n', '\r', '\t'], " ")
            .replace(char::is_control, "");
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Applies what a key does. Returns whether the key had a meaning.
    pub fn apply(&mut self, edit: Option<Edit>) -> bool {
        match edit {
            Some(Edit::Do(action)) => self.edit(action),
            Some(Edit::Insert(c)) => self.insert(c.encode_utf8(&mut [0; 4])),
            None => return false,
        }
        true
    }

    /// Inserts pasted bytes at the cursor.
    pub fn paste(&mut self, bytes: &[u8]) {
        self.insert(&String::from_utf8_lossy(bytes));
    }

    /// Performs an editing action.
    pub fn edit(&mut self, action: Action) {
        let (start, end) = (0, self.text.len());
        match action {
            Action::Yank => {}
            Action::DeleteBack | Action::DeleteHere if self.is_selected => {
                self.is_selected = false;
                return self.cut(start, end, true);
            }
            _ => self.is_selected = false,
        }
        match action {
            Action::LineStart => self.cursor = start,
            Action::LineEnd => self.cursor = end,
            Action::CharLeft => self.cursor = self.previous(),
            Action::CharRight => self.cursor = self.next(),
            Action::WordLeft => self.cursor = self.word_start(),
            Action::WordRight => self.cursor = self.word_end(),
            Action::DeleteBack => self.cut(self.previous(), self.cursor, false),
            Action::DeleteHere => self.cut(self.cursor, self.next(), false),
            Action::DeleteWord => self.cut(self.word_start(), self.cursor, true),
            Action::DeleteToStart => self.cut(start, self.cursor, true),
            Action::DeleteToEnd => self.cut(self.cursor, end, true),
            Action::Yank => self.insert(&self.killed.clone()),
        }
    }

    fn cut(&mut self, from: usize, to: usize, keep: bool) {
        let cut: String = self.text.drain(from..to).collect();
        self.cursor = from;
        if keep && !cut.is_empty() {
            self.killed = cut;
        }
    }

    fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Byte offset of the character before the cursor.
    fn previous(&self) -> usize {
        let last = self.before().grapheme_indices(true).next_back();
        last.map_or(0, |(at, _)| at)
    }

    /// Byte offset of the end of the character at the cursor.
    fn next(&self) -> usize {
        let here = self.text[self.cursor..].graphemes(true).next();
        self.cursor + here.map_or(0, str::len)
    }

    /// Byte offset of the start of the word before the cursor; words are separated by whitespace.
    fn word_start(&self) -> usize {
        let word = self.before().trim_end();
        let blank = word.char_indices().rev().find(|(_, c)| c.is_whitespace());
        blank.map_or(0, |(at, c)| at + c.len_utf8())
    }

    /// Byte offset of the end of the word at or after the cursor.
    fn word_end(&self) -> usize {
        let word = self.text[self.cursor..].trim_start();
        let blank = word.find(char::is_whitespace);
        self.text.len() - word.len() + blank.unwrap_or(word.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readline_keys_work() {
        let mut line = Line::new("npm run dev");
        line.edit(Action::DeleteWord);
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
    }

    #[test]
    fn the_cursor_moves_by_grapheme_clusters() {
        // A family, a flag, a thumb with a skin tone, an `e` with a combining accent, a coloured
        // heart.
        for one in ["👨‍👩‍👧", "🇩🇪", "👍🏽", "e\u{301}", "❤\u{fe0f}", "각", "नि"]
        {
            let mut line = Line::new(&format!("a{one}{one}b"));
            line.edit(Action::CharLeft);
            line.edit(Action::CharLeft);
            assert_eq!(line.before_cursor(), format!("a{one}"), "{one}");
            line.edit(Action::DeleteBack);
            assert_eq!(line.text(), format!("a{one}b"), "{one}");
            line.edit(Action::DeleteHere);
            assert_eq!(
                (line.text(), line.before_cursor()),
                ("ab".into(), "a".into()),
                "{one}"
            );
            line.insert(one);
            line.edit(Action::CharRight);
            assert_eq!(line.before_cursor(), format!("a{one}b"), "{one}");
        }
    }

    #[test]
    fn a_character_typed_in_parts_is_one_cluster() {
        let mut line = Line::default();
        for part in "👩\u{200d}💻e\u{301}".chars() {
            line.insert(part.encode_utf8(&mut [0; 4]));
        }
        line.edit(Action::DeleteBack);
        assert_eq!(line.text(), "👩\u{200d}💻");
        line.edit(Action::DeleteBack);
        assert!(line.is_empty());
        // A combining accent inserted alone joins the character before it.
        let mut line = Line::new("xb");
        line.edit(Action::CharLeft);
        line.insert("\u{301}");
        line.edit(Action::CharLeft);
        assert_eq!(line.before_cursor(), "");
    }

    #[test]
    fn words_end_only_at_whitespace() {
        let mut line = Line::new("cat  src/été.rs 👨‍👩‍👧");
        line.edit(Action::WordLeft);
        assert_eq!(line.before_cursor(), "cat  src/été.rs ");
        line.edit(Action::DeleteWord);
        assert_eq!(line.text(), "cat  👨‍👩‍👧");
        line.edit(Action::LineStart);
        line.edit(Action::WordRight);
        assert_eq!(line.before_cursor(), "cat");
        line.edit(Action::WordRight);
        assert_eq!(line.before_cursor(), "cat  👨‍👩‍👧");
        line.edit(Action::Yank);
        assert_eq!(line.text(), "cat  👨‍👩‍👧src/été.rs ");
        line.edit(Action::DeleteToStart);
        assert!(line.is_empty());
        line.edit(Action::Yank);
        assert_eq!(line.before_cursor(), "cat  👨‍👩‍👧src/été.rs ");
    }

    #[test]
    fn a_pasted_newline_does_not_break_the_line() {
        let mut line = Line::default();
        line.insert("a\nb\u{1b}[31m");
        assert_eq!(line.text(), "a b[31m");
    }

    #[test]
    fn what_is_typed_replaces_a_selected_text() {
        let selected = || {
            let mut line = Line::new("old text");
            line.select();
            line
        };
        let mut line = selected();
        line.insert("n");
        line.insert("ew");
        assert_eq!(line.text(), "new");
        // It can be brought back.
        line.edit(Action::Yank);
        assert_eq!(line.text(), "newold text");
        for (action, left) in [
            (Action::DeleteBack, "x"),
            (Action::CharRight, "old textx"),
            (Action::LineStart, "xold text"),
            (Action::DeleteWord, "old x"),
        ] {
            let mut line = selected();
            line.edit(action);
            assert!(!line.is_selected());
            line.insert("x");
            assert_eq!(line.text(), left, "{action:?}");
        }
        let mut empty = Line::default();
        empty.select();
        assert!(!empty.is_selected());
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
            line.edit(action);
        }
        assert!(line.is_empty());
    }
}
