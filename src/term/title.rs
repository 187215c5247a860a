//! The window title that a program sets, and its stack of titles (XTWINOPS 22 and 23).

use super::sanitize;

/// Maximum length of a title, in characters.
const MAX_CHARS: usize = 256;
/// Maximum number of titles on the stack, as in xterm.
const MAX_STACK: usize = 10;

/// A window title.
#[derive(Clone, Default, Debug)]
pub struct Title {
    text: String,
    stack: Vec<String>,
    changed: bool,
}

impl Title {
    /// The title: no control characters, at most 256 characters.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sets the title to the bytes that a program sent.
    pub fn set(&mut self, bytes: &[u8]) {
        let clean = sanitize::clean(&String::from_utf8_lossy(bytes));
        self.become_text(clean.chars().take(MAX_CHARS).collect());
    }

    /// Pushes the title on the stack. If the stack is full, the oldest title is dropped.
    pub fn push(&mut self) {
        if self.stack.len() == MAX_STACK {
            self.stack.remove(0);
        }
        self.stack.push(self.text.clone());
    }

    /// Restores the last title from the stack, if there is one.
    pub fn pop(&mut self) {
        if let Some(text) = self.stack.pop() {
            self.become_text(text);
        }
    }

    /// Whether the title has changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    fn become_text(&mut self, text: String) {
        self.changed |= text != self.text;
        self.text = text;
    }
}

#[cfg(test)]
mod tests {
    use super::Title;

    #[test]
    fn titles_are_clean_bounded_and_restored() {
        let mut title = Title::default();
        title.set(b"vi\x07m \xff");
        assert_eq!(title.text(), "vim \u{fffd}");
        assert!(title.take_changed() && !title.take_changed());
        title.push();
        title.set("é".repeat(999).as_bytes());
        assert_eq!(title.text().chars().count(), 256);
        title.pop();
        title.pop();
        assert_eq!(title.text(), "vim \u{fffd}");
    }
}
