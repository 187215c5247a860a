//! Messages to the person, and the keys named in them.

use super::toast::{Kind, TOAST_MS, Toast};
use super::{Link, Model, Selected};
use crate::protocol::SessionId;
use crate::term::sanitize::clean;
use crate::tui::keymap::NORMAL;

/// Said of a command that changes something, in a view that may only look.
pub const READ_ONLY: &str = "This view is read-only: it looks, and changes nothing.";

impl Model {
    /// Whether the daemon can be asked for something. If not, says so: the connection drops queries that it cannot send.
    /// `otherwise` is what became of it: `Not done`.
    pub fn has_daemon(&mut self, otherwise: &str) -> bool {
        let has = self.daemon.link == Link::Up;
        if !has {
            self.note(format!("{otherwise}: the daemon is restarting."));
        }
        has
    }

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

    /// Shows why an action on one job is impossible: there is none, or a group is selected.
    pub fn note_no_job(&mut self, text: impl AsRef<str>) {
        self.note(self.no_job(text.as_ref()));
    }

    /// Why an action on one job is impossible: `text`, or that a group is selected.
    pub fn no_job(&self, text: &str) -> String {
        match &self.list.selected {
            Selected::Group(_) => {
                format!("A group is selected; {} selects a job.", self.key("j"))
            }
            _ => text.to_owned(),
        }
    }

    /// Shows a toast about what was done, with the equivalent shell command.
    pub fn note_done(&mut self, text: impl AsRef<str>, shell: Option<String>) {
        self.note_for(text, shell, TOAST_MS);
    }

    /// Shows a toast about what was done to one job, with the equivalent shell command. Those about the same `action`
    /// on several jobs in a row become one: `ACTION 12 jobs`.
    pub fn note_each(
        &mut self,
        (action, id): (&str, &SessionId),
        text: impl AsRef<str>,
        shell: Option<String>,
    ) {
        let toast = Toast {
            shell,
            ..Toast::new(
                Kind::Note,
                clean(text.as_ref()),
                Some(self.now.ms + TOAST_MS),
            )
        };
        let several = |count| format!("{action} {count} jobs");
        self.toasts
            .show_counted(self.now.ms, (action, id), toast, several);
        self.dirty = true;
    }

    /// Shows a toast about the state of something, in place of an earlier one about the same.
    pub fn note_state(&mut self, topic: String, text: impl AsRef<str>, shell: Option<String>) {
        let toast = Toast {
            shell,
            topic: Some(topic),
            ..Toast::new(
                Kind::Note,
                clean(text.as_ref()),
                Some(self.now.ms + TOAST_MS),
            )
        };
        self.toasts.show(self.now.ms, toast);
        self.dirty = true;
    }

    /// Shows a toast for `ms` milliseconds.
    pub fn note_for(&mut self, text: impl AsRef<str>, shell: Option<String>, ms: i64) {
        let toast = Toast {
            shell,
            ..Toast::new(Kind::Note, clean(text.as_ref()), Some(self.now.ms + ms))
        };
        self.toasts.show(self.now.ms, toast);
        self.dirty = true;
    }

    /// Shows a toast that stays until Esc, in place of an earlier one about the same.
    pub fn note_until_dismissed(&mut self, topic: &str, text: impl AsRef<str>) {
        self.keep_showing(Kind::Note, topic, text.as_ref());
    }

    /// Shows an error that stays until Esc, or until what it is about is [settled](super::toast::Toasts::settle).
    pub fn fail_until_settled(&mut self, topic: &str, text: impl AsRef<str>) {
        self.keep_showing(Kind::Error, topic, text.as_ref());
    }

    fn keep_showing(&mut self, kind: Kind, topic: &str, text: &str) {
        let toast = Toast {
            topic: Some(topic.to_owned()),
            ..Toast::new(kind, clean(text), None)
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
