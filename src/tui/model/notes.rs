//! Messages to the person, and the keys named in them.

use super::Model;
use super::toast::{Kind, TOAST_MS, Toast};
use crate::term::sanitize::clean;
use crate::tui::keymap::NORMAL;

impl Model {
    /// The key now bound to the action that `key` performs in NORMAL by default; used in messages.
    pub fn key<'a>(&'a self, key: &'a str) -> &'a str {
        self.keymap.instead_of(NORMAL, key)
    }

    /// Shows a toast.
    pub fn note(&mut self, text: impl AsRef<str>) {
        self.toasts
            .say(self.now.ms, Kind::Note, clean(text.as_ref()));
        self.dirty = true;
    }

    /// Shows a toast about what was done, with the equivalent shell command.
    pub fn note_done(&mut self, text: impl AsRef<str>, shell: Option<String>) {
        self.note_for(text, shell, TOAST_MS);
    }

    /// Shows a toast for `ms` milliseconds.
    pub fn note_for(&mut self, text: impl AsRef<str>, shell: Option<String>, ms: i64) {
        let toast = Toast {
            kind: Kind::Note,
            text: clean(text.as_ref()),
            shell,
            until: Some(self.now.ms + ms),
            count: 1,
            is_alert: false,
        };
        self.toasts.show(self.now.ms, toast);
        self.dirty = true;
    }

    /// Shows a toast that stays until Esc.
    pub fn note_until_dismissed(&mut self, text: impl AsRef<str>) {
        let toast = Toast {
            kind: Kind::Note,
            text: clean(text.as_ref()),
            shell: None,
            until: None,
            count: 1,
            is_alert: false,
        };
        self.toasts.show(self.now.ms, toast);
        self.dirty = true;
    }

    /// Shows an error that stays until Esc.
    pub fn fail(&mut self, text: impl AsRef<str>) {
        self.toasts
            .say(self.now.ms, Kind::Error, clean(text.as_ref()));
        self.dirty = true;
    }
}
