//! Toasts at the top right, and a history of the last hundred messages.

use std::collections::VecDeque;

/// How long a toast is shown, in milliseconds; errors and the summary at the start stay until Esc.
pub const TOAST_MS: i64 = 5000;

/// Maximum number of toasts shown; the oldest is dropped first.
pub const MAX_TOASTS: usize = 3;

/// Length of the message history.
pub const MAX_SAID: usize = 100;

/// Severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Information.
    Note,
    /// A failure.
    Error,
}

/// A toast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toast {
    /// Its severity.
    pub kind: Kind,
    /// What happened, why, and what to do.
    pub text: String,
    /// The equivalent shell command.
    pub shell: Option<String>,
    /// When it disappears, in milliseconds since the epoch; `None` if it stays until Esc.
    pub until: Option<i64>,
    /// How often it was repeated.
    pub count: u32,
    /// Whether it is about jobs that a key goes to.
    pub is_alert: bool,
    /// What it tells the state of; it replaces an earlier one about the same.
    pub topic: Option<String>,
}

/// A message of the history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Time of its last occurrence, in milliseconds since the epoch.
    pub at: i64,
    /// Its severity.
    pub kind: Kind,
    /// Its text.
    pub text: String,
    /// How often it occurred in a row.
    pub count: u32,
}

/// The toasts on the screen, and the message history.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Toasts {
    list: Vec<Toast>,
    said: VecDeque<Said>,
}

impl Toasts {
    /// Shows a message. If it is already shown, increments its count.
    pub fn say(&mut self, now: i64, kind: Kind, text: impl Into<String>) {
        let until = (kind == Kind::Note).then_some(now + TOAST_MS);
        self.show(
            now,
            Toast {
                kind,
                text: text.into(),
                shell: None,
                until,
                count: 1,
                is_alert: false,
                topic: None,
            },
        );
    }

    /// Shows a toast. If the same text is already shown, increments its count and shows the newer command.
    pub fn show(&mut self, now: i64, toast: Toast) {
        self.keep(now, toast.kind, &toast.text);
        if toast.topic.is_some() {
            let is_outdated = |one: &Toast| one.topic == toast.topic && one.text != toast.text;
            self.list.retain(|one| !is_outdated(one));
        }
        if let Some(same) = self.list.iter_mut().find(|one| one.text == toast.text) {
            same.count += 1;
            same.until = toast.until;
            same.shell = toast.shell;
            return;
        }
        if self.list.len() == MAX_TOASTS {
            // Drop one that expires before one that stays.
            let note = self.list.iter().position(|one| one.until.is_some());
            self.list.remove(note.unwrap_or(0));
        }
        self.list.push(toast);
    }

    /// Removes the toasts about something that has been settled; returns whether there were any.
    pub fn settle(&mut self, topic: &str) -> bool {
        let before = self.list.len();
        self.list
            .retain(|toast| toast.topic.as_deref() != Some(topic));
        self.list.len() != before
    }

    /// Removes the toast with this text.
    pub fn withdraw(&mut self, text: &str) {
        self.list.retain(|toast| toast.text != text);
    }

    /// Removes the toast with this text, and the message from the history if it is the last one.
    pub fn retract(&mut self, text: &str) {
        self.withdraw(text);
        if self.said.back().is_some_and(|last| last.text == text) {
            self.said.pop_back();
        }
    }

    /// The message history, oldest first.
    pub fn said(&self) -> impl DoubleEndedIterator<Item = &Said> + ExactSizeIterator {
        self.said.iter()
    }

    fn keep(&mut self, at: i64, kind: Kind, text: &str) {
        if let Some(last) = self.said.back_mut().filter(|last| last.text == text) {
            last.at = at;
            last.count += 1;
            return;
        }
        if self.said.len() == MAX_SAID {
            self.said.pop_front();
        }
        self.said.push_back(Said {
            at,
            kind,
            text: text.to_owned(),
            count: 1,
        });
    }

    /// Removes expired toasts; returns whether there were any.
    pub fn expire(&mut self, now: i64) -> bool {
        let before = self.list.len();
        self.list
            .retain(|toast| toast.until.is_none_or(|at| at > now));
        self.list.len() != before
    }

    /// Removes the toasts that stay, such as errors; returns whether there were any.
    pub fn dismiss(&mut self) -> bool {
        let before = self.list.len();
        self.list.retain(|toast| toast.until.is_some());
        self.list.len() != before
    }

    /// When the next toast expires.
    pub fn next_due(&self) -> Option<i64> {
        self.list.iter().filter_map(|toast| toast.until).min()
    }

    /// The visible toasts, oldest first.
    pub fn shown(&self) -> &[Toast] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_repeated_messages_and_extends_them() {
        let mut toasts = Toasts::default();
        toasts.say(0, Kind::Note, "a");
        toasts.say(4000, Kind::Note, "a");
        assert_eq!(toasts.shown()[0].count, 2);
        assert!(!toasts.expire(5000));
        assert!(toasts.expire(9000));
        assert!(toasts.shown().is_empty());
    }

    #[test]
    fn a_repeated_message_shows_the_newest_command() {
        let mut toasts = Toasts::default();
        for shell in ["bgproc send inst /tmp/inst", "bgproc send inst y"] {
            toasts.say(0, Kind::Note, "answered inst");
            let toast = toasts.shown()[0].clone();
            let shell = Some(shell.to_owned());
            toasts.show(0, Toast { shell, ..toast });
        }
        let shown = toasts.shown()[0].shell.as_deref();
        assert_eq!(shown, Some("bgproc send inst y"));
    }

    #[test]
    fn keeps_the_last_hundred_messages() {
        let mut toasts = Toasts::default();
        for n in 0..150 {
            toasts.say(n, Kind::Note, format!("message {n}"));
            toasts.say(n, Kind::Note, format!("message {n}"));
        }
        assert_eq!(toasts.said().len(), MAX_SAID);
        let last = toasts
            .said()
            .next_back()
            .map(|said| (&*said.text, said.count));
        assert_eq!(last, Some(("message 149", 2)));
    }

    #[test]
    fn shows_three_toasts_and_keeps_errors_until_dismissed() {
        let mut toasts = Toasts::default();
        for text in ["a", "b", "c", "d"] {
            toasts.say(0, Kind::Note, text);
        }
        toasts.say(0, Kind::Error, "e");
        assert_eq!(toasts.shown().len(), MAX_TOASTS);
        for text in ["f", "g", "h"] {
            toasts.say(0, Kind::Note, text);
        }
        assert_eq!(toasts.shown()[0].text, "e");
        assert!(toasts.expire(1_000_000));
        assert_eq!(toasts.shown().len(), 1);
        assert!(toasts.dismiss());
        assert_eq!(toasts.next_due(), None);
    }
}
