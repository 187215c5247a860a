//! Toasts at the top right, and a history of the last hundred messages.

use std::collections::{BTreeSet, VecDeque};

use crate::protocol::SessionId;

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

impl Toast {
    /// A message that is shown until then; until Esc if that is `None`.
    pub fn new(kind: Kind, text: impl Into<String>, until: Option<i64>) -> Self {
        Self {
            kind,
            text: text.into(),
            shell: None,
            until,
            count: 1,
            is_alert: false,
            topic: None,
        }
    }
}

/// The last message about an action on one of several jobs, which may be followed by more of them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Tally {
    action: String,
    /// The jobs.
    of: BTreeSet<SessionId>,
    /// The message that counts them now.
    text: String,
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
    tally: Option<Tally>,
}

impl Toasts {
    /// Shows a message. If it is already shown, increments its count.
    pub fn say(&mut self, now: i64, kind: Kind, text: impl Into<String>) {
        let until = (kind == Kind::Note).then_some(now + TOAST_MS);
        self.show(now, Toast::new(kind, text, until));
    }

    /// Shows a toast that an action on the job `id` was done. If the last message is about the same action on another job
    /// and is still shown, both become one, with the text that `several` makes of their number.
    pub fn show_counted(
        &mut self,
        now: i64,
        (action, id): (&str, &SessionId),
        toast: Toast,
        several: impl FnOnce(usize) -> String,
    ) {
        let is_last = |tally: &Tally| {
            let said = self.said.back().is_some_and(|last| last.text == tally.text);
            said && self.list.iter().any(|toast| toast.text == tally.text)
        };
        let before = self.tally.take();
        let before = before.filter(|tally| tally.action == action && is_last(tally));
        let (of, toast) = match before.filter(|tally| !tally.of.contains(id)) {
            Some(mut before) => {
                self.retract(&before.text);
                before.of.insert(id.clone());
                let (text, shell) = (several(before.of.len()), None);
                let toast = Toast {
                    text,
                    shell,
                    ..toast
                };
                (before.of, toast)
            }
            None => (BTreeSet::from([id.clone()]), toast),
        };
        self.tally = Some(Tally {
            action: action.to_owned(),
            of,
            text: toast.text.clone(),
        });
        self.show(now, toast);
    }

    /// Shows a toast. If the same text is already shown, increments its count; with another command, it is another act with
    /// the same words, and takes its place.
    pub fn show(&mut self, now: i64, toast: Toast) {
        self.keep(now, toast.kind, &toast.text);
        if toast.topic.is_some() {
            let is_outdated = |one: &Toast| one.topic == toast.topic && one.text != toast.text;
            self.list.retain(|one| !is_outdated(one));
        }
        if let Some(same) = self.list.iter_mut().find(|one| one.text == toast.text) {
            same.count = if same.shell == toast.shell {
                same.count + 1
            } else {
                1
            };
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
#[allow(clippy::unwrap_used)]
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
    fn messages_about_one_action_on_many_jobs_become_one() {
        let shown = Toast::new(Kind::Note, "", Some(TOAST_MS));
        let mut toasts = Toasts::default();
        let mut sent = |at: i64, action: &str, name: &str| {
            let toast = Toast {
                text: format!("{action} {name}"),
                shell: Some(name.to_owned()),
                until: Some(at + TOAST_MS),
                ..shown.clone()
            };
            let id = SessionId::parse(&format!("{name:0>12}")).unwrap();
            let several = |count| format!("{action} {count} jobs");
            toasts.show_counted(at, (action, &id), toast, several);
            let said: Vec<&str> = toasts.said().map(|said| &*said.text).collect();
            said.join(", ")
        };
        assert_eq!(sent(0, "TERM to", "a"), "TERM to a");
        assert_eq!(sent(1, "TERM to", "b"), "TERM to 2 jobs");
        assert_eq!(sent(2, "TERM to", "c"), "TERM to 3 jobs");
        assert_eq!(sent(3, "HUP to", "a"), "TERM to 3 jobs, HUP to a");
        assert_eq!(toasts.shown().len(), 2);
        assert_eq!(toasts.shown()[0].shell, None);
        let mut toasts = Toasts::default();
        let mut twice = |text: &str| {
            let id = SessionId::parse("00000000000a").unwrap();
            let toast = Toast {
                text: text.to_owned(),
                ..shown.clone()
            };
            toasts.show_counted(9, ("INT to", &id), toast, |count| format!("{count} jobs"));
            toasts.shown()[0].text.clone()
        };
        assert_eq!(
            (twice("INT to a"), twice("INT to a")),
            ("INT to a".into(), "INT to a".into())
        );
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
