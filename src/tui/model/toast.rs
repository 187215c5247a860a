//! Short messages that come and go at the top right, and the last hundred of them, to be read again.

use std::collections::VecDeque;

/// How long a toast stays, in milliseconds; errors stay until Esc.
pub const TOAST_MS: i64 = 5000;

/// Toasts shown at once; the oldest goes first.
pub const MAX_TOASTS: usize = 3;

/// Messages that are kept to be read again.
pub const MAX_SAID: usize = 100;

/// Whether it is good or bad news.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Something to know.
    Note,
    /// Something that failed.
    Error,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toast {
    /// Whether it is good or bad news.
    pub kind: Kind,
    /// What happened, why, what to do.
    pub text: String,
    /// The same thing in the shell.
    pub shell: Option<String>,
    /// When it goes, in milliseconds since the epoch; `None`: at Esc.
    pub until: Option<i64>,
    /// How often it was said.
    pub count: u32,
}

/// A message that was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// When, for the last time, in milliseconds since the epoch.
    pub at: i64,
    /// Whether it was good or bad news.
    pub kind: Kind,
    /// What was said.
    pub text: String,
    /// How often in a row.
    pub count: u32,
}

/// The messages on the screen, and those before.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Toasts {
    list: Vec<Toast>,
    said: VecDeque<Said>,
}

impl Toasts {
    /// Says something. What is there already is counted, not repeated.
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
            },
        );
    }

    /// Shows a toast. What is there already is counted, not repeated.
    pub fn show(&mut self, now: i64, toast: Toast) {
        self.keep(now, toast.kind, &toast.text);
        if let Some(same) = self.list.iter_mut().find(|one| one.text == toast.text) {
            same.count += 1;
            same.until = toast.until;
            return;
        }
        if self.list.len() == MAX_TOASTS {
            // An error stays for as long as there is something else to let go.
            let note = self.list.iter().position(|one| one.until.is_some());
            self.list.remove(note.unwrap_or(0));
        }
        self.list.push(toast);
    }

    /// Takes away what says this.
    pub fn withdraw(&mut self, text: &str) {
        self.list.retain(|toast| toast.text != text);
    }

    /// What was said, the oldest first.
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

    /// Takes away what is due; whether anything went.
    pub fn expire(&mut self, now: i64) -> bool {
        let before = self.list.len();
        self.list
            .retain(|toast| toast.until.is_none_or(|at| at > now));
        self.list.len() != before
    }

    /// Takes away the errors, which stay until then; whether there were any.
    pub fn dismiss(&mut self) -> bool {
        let before = self.list.len();
        self.list.retain(|toast| toast.until.is_some());
        self.list.len() != before
    }

    /// When the next one goes.
    pub fn next_due(&self) -> Option<i64> {
        self.list.iter().filter_map(|toast| toast.until).min()
    }

    /// What is shown, oldest first.
    pub fn shown(&self) -> &[Toast] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_words_are_counted_and_live_on() {
        let mut toasts = Toasts::default();
        toasts.say(0, Kind::Note, "a");
        toasts.say(4000, Kind::Note, "a");
        assert_eq!(toasts.shown()[0].count, 2);
        assert!(!toasts.expire(5000));
        assert!(toasts.expire(9000));
        assert!(toasts.shown().is_empty());
    }

    #[test]
    fn what_was_said_can_be_read_again_up_to_a_hundred() {
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
    fn three_at_most_and_errors_stay_until_dismissed() {
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
