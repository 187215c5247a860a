//! What is said to the person, and by which keys.

use super::Model;
use super::toast::{Kind, TOAST_MS, Toast};
use crate::term::sanitize::clean;
use crate::tui::keymap::Place;

impl Model {
    /// The key that does now what `key` does in NORMAL unless bound anew, for messages.
    pub fn key<'a>(&'a self, key: &'a str) -> &'a str {
        self.keymap.instead_of(Place::Normal, key)
    }

    /// Says something at the top right.
    pub fn note(&mut self, text: impl AsRef<str>) {
        self.toasts
            .say(self.now.ms, Kind::Note, clean(text.as_ref()));
        self.dirty = true;
    }

    /// Says what was done, and how the shell says it.
    pub fn note_done(&mut self, text: impl AsRef<str>, shell: Option<String>) {
        self.note_for(text, shell, TOAST_MS);
    }

    /// Says something for `ms` milliseconds.
    pub fn note_for(&mut self, text: impl AsRef<str>, shell: Option<String>, ms: i64) {
        let toast = Toast {
            kind: Kind::Note,
            text: clean(text.as_ref()),
            shell,
            until: Some(self.now.ms + ms),
            count: 1,
        };
        self.toasts.show(self.now.ms, toast);
        self.dirty = true;
    }

    /// Says what failed, until Esc.
    pub fn fail(&mut self, text: impl AsRef<str>) {
        self.toasts
            .say(self.now.ms, Kind::Error, clean(text.as_ref()));
        self.dirty = true;
    }
}
