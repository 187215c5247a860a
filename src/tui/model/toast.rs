//! Short messages that come and go at the top right.

/// How long a toast stays, in milliseconds; errors stay until Esc.
pub const TOAST_MS: i64 = 5000;

/// Toasts shown at once; the oldest goes first.
pub const MAX_TOASTS: usize = 3;

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
    /// When it goes, in milliseconds since the epoch; `None`: at Esc.
    pub until: Option<i64>,
    /// How often it was said.
    pub count: u32,
}

/// The messages on the screen.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Toasts {
    list: Vec<Toast>,
}

impl Toasts {
    /// Says something. What is there already is counted, not repeated.
    pub fn say(&mut self, now: i64, kind: Kind, text: impl Into<String>) {
        let text = text.into();
        let until = (kind == Kind::Note).then_some(now + TOAST_MS);
        if let Some(same) = self.list.iter_mut().find(|toast| toast.text == text) {
            same.count += 1;
            same.until = until;
            return;
        }
        if self.list.len() == MAX_TOASTS {
            self.list.remove(0);
        }
        self.list.push(Toast {
            kind,
            text,
            until,
            count: 1,
        });
    }

    /// Says something that stays until then, in milliseconds since the epoch.
    pub fn say_until(&mut self, until: i64, text: impl Into<String>) {
        self.say(until - TOAST_MS, Kind::Note, text);
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
    fn three_at_most_and_errors_stay_until_dismissed() {
        let mut toasts = Toasts::default();
        for text in ["a", "b", "c", "d"] {
            toasts.say(0, Kind::Note, text);
        }
        toasts.say(0, Kind::Error, "e");
        assert_eq!(toasts.shown().len(), MAX_TOASTS);
        assert!(toasts.expire(1_000_000));
        assert_eq!(toasts.shown().len(), 1);
        assert!(toasts.dismiss());
        assert_eq!(toasts.next_due(), None);
    }
}
