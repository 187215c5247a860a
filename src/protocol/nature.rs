//! What each action is, in one table: whether it changes anything, whether it waits, whether it may be asked
//! again when nobody has answered, and who may ask for it.

use super::Action;

/// What an action is. What depends on a parameter says on which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nature {
    /// Nothing is changed by it, so a connection that may only read may ask for it.
    pub reads: When,
    /// Its answer may take long because something is waited for; nothing is lost if it is cancelled.
    pub waits: When,
    /// Asked twice, it has done what it does once: whoever has no answer may ask again.
    pub may_repeat: When,
    /// What only people may do, in words that follow "only people may".
    pub people: Option<&'static str>,
}

/// When something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// For every request.
    Always,
    /// For none.
    Never,
    /// If it has this parameter.
    With(&'static str),
    /// If it does not have this parameter.
    Without(&'static str),
}

use When::{Always, Never, With, Without};

const READS: Nature = Nature {
    reads: Always,
    waits: Never,
    may_repeat: Always,
    people: None,
};

const CHANGES: Nature = Nature {
    reads: Never,
    waits: Never,
    may_repeat: Never,
    people: None,
};

/// By the names of the wire.
const NATURES: &[(&str, Nature)] = &[
    // The key finds the session that was made.
    ("start", CHANGES.repeatable(With("key"))),
    ("list", READS),
    ("status", READS),
    ("poll", READS.waiting(With("waitMs"))),
    ("log", READS),
    ("wait", READS.waiting(Always)),
    ("write", CHANGES.waiting(With("wait"))),
    ("send_keys", CHANGES.waiting(With("wait"))),
    ("capture", READS),
    // A file is written as a whole, and the same one again.
    (
        "export",
        Nature {
            reads: Without("path"),
            ..READS
        },
    ),
    ("resize", CHANGES),
    ("signal", CHANGES),
    ("kill", CHANGES),
    ("clear", CHANGES),
    ("remove", CHANGES),
    ("restart", CHANGES),
    ("set", CHANGES),
    // A person is asked for it, which is no reading; the next daemon asks the same once more.
    ("ask_human", CHANGES.waiting(Always).repeatable(Always)),
    (
        "decline",
        CHANGES.for_people("decline what an agent has asked"),
    ),
    ("hold", CHANGES.for_people("take the keyboard from agents")),
    // What was replayed before would be replayed again.
    ("subscribe", READS.repeatable(Without("fromSeq"))),
    ("unsubscribe", READS),
    ("events", READS.waiting(With("waitMs"))),
    ("watch", READS),
    ("unwatch", READS),
    ("cancel", READS),
    ("stats", READS),
    ("shutdown", CHANGES.for_people("shut the daemon down")),
];

impl Nature {
    /// Of the action of this name, if there is one.
    pub fn of(action: &str) -> Option<Self> {
        let found = NATURES.iter().find(|(name, _)| *name == action);
        found.map(|(_, nature)| *nature)
    }

    const fn waiting(self, waits: When) -> Self {
        Self { waits, ..self }
    }

    const fn repeatable(self, may_repeat: When) -> Self {
        Self { may_repeat, ..self }
    }

    const fn for_people(self, what: &'static str) -> Self {
        Self {
            people: Some(what),
            ..self
        }
    }
}

impl When {
    /// Whether it holds of a request; `has` says whether that has a parameter.
    pub fn holds(self, has: impl FnOnce(&str) -> bool) -> bool {
        match self {
            Always => true,
            Never => false,
            With(name) => has(name),
            Without(name) => !has(name),
        }
    }
}

impl Action {
    /// What it is.
    pub fn nature(&self) -> Nature {
        // Every action is in the table, as a test holds.
        Nature::of(self.name()).unwrap_or(CHANGES)
    }

    /// Whether it changes nothing.
    pub fn reads(&self) -> bool {
        self.nature().reads.holds(|name| self.has(name))
    }

    /// Whether its answer may take long, and nothing is lost if it is cancelled.
    pub fn waits(&self) -> bool {
        self.nature().waits.holds(|name| self.has(name))
    }

    /// Whether it may be asked again when nobody has answered.
    pub fn may_repeat(&self) -> bool {
        self.nature().may_repeat.holds(|name| self.has(name))
    }

    /// Whether it has a parameter that the table names.
    fn has(&self, name: &str) -> bool {
        match (self, name) {
            (Self::Start(start), "key") => start.key.is_some(),
            (Self::Poll(poll), "waitMs") => poll.wait_ms.is_some(),
            (Self::Events(events), "waitMs") => events.wait_ms.is_some(),
            (Self::Write(write), "wait") => write.wait.is_some(),
            (Self::SendKeys(keys), "wait") => keys.wait.is_some(),
            (Self::Export(export), "path") => export.path.is_some(),
            (Self::Subscribe(subscribe), "fromSeq") => subscribe.from_seq.is_some(),
            _ => false,
        }
    }
}

/// A parameter's name in both ways in which it may be written.
pub fn spellings(name: &str) -> [String; 2] {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    [name.to_owned(), snake]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Request;

    fn action(line: &str) -> Action {
        Request::parse(line.as_bytes()).unwrap().action
    }

    #[test]
    fn every_action_is_in_the_table_once() {
        let names: Vec<&str> = NATURES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, Action::NAMES);
    }

    #[test]
    fn what_depends_on_a_parameter() {
        for (line, found) in [
            (r#"{"action":"start","command":"x"}"#, (false, false, false)),
            (
                r#"{"action":"start","command":"x","key":"k"}"#,
                (false, false, true),
            ),
            (r#"{"action":"poll","sessionId":"x"}"#, (true, false, true)),
            (
                r#"{"action":"poll","sessionId":"x","waitMs":5}"#,
                (true, true, true),
            ),
            (
                r#"{"action":"export","sessionId":"x"}"#,
                (true, false, true),
            ),
            (
                r#"{"action":"export","sessionId":"x","path":"y"}"#,
                (false, false, true),
            ),
            (
                r#"{"action":"subscribe","fromSeq":0}"#,
                (true, false, false),
            ),
            (
                r#"{"action":"kill","sessionId":"x"}"#,
                (false, false, false),
            ),
        ] {
            let action = action(line);
            let is = (action.reads(), action.waits(), action.may_repeat());
            assert_eq!(is, found, "{line}");
        }
    }
}
