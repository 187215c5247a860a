//! Properties of each action, in one table: whether it changes anything, whether it waits, whether
//! it may be repeated if there was no answer, and who may use it.

use serde_json::{Map, Value};

use super::Action;
use super::bounds::{DEFAULT_ASK_MS, DEFAULT_WAIT_MS};

/// Properties of an action. A property that depends on a parameter names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionTraits {
    /// The action changes nothing, so a read-only connection may use it.
    pub reads: When,
    /// The action waits for something, so that its answer may take long. A request that waits can
    /// be cancelled without losing anything.
    pub waits: When,
    /// The action is idempotent: a client that got no answer may send it again.
    pub may_repeat: When,
    /// Set if only people may use the action: a phrase that follows "only people may".
    pub people: Option<&'static str>,
    /// How long it waits. A client that sends a request again reduces this by the time that has passed.
    pub times: &'static [Time],
}

/// A parameter in milliseconds that says how long an action waits. Of several, the first that is given counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time {
    /// Its name in camelCase.
    pub param: &'static str,
    /// How long the action waits if no time is given; `None` if that is not at all, or only briefly.
    pub default: Option<u64>,
}

/// The requests to which a property applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// All requests.
    Always,
    /// No request.
    Never,
    /// Requests with any of these parameters.
    With(&'static [&'static str]),
    /// Requests with none of these parameters.
    Without(&'static [&'static str]),
    /// Requests in which this parameter is absent or has one of these values.
    Among(&'static str, &'static [&'static str]),
}

use When::{Always, Among, Never, With, Without};

const READS: ActionTraits = ActionTraits {
    reads: Always,
    waits: Never,
    may_repeat: Always,
    people: None,
    times: &[],
};

const CHANGES: ActionTraits = ActionTraits {
    reads: Never,
    waits: Never,
    may_repeat: Never,
    people: None,
    times: &[],
};

/// The parameters with which input waits for its effect.
const REACTION: &[&str] = &["wait", "until", "fail", "waitMs", "view"];

/// A time that has no default, or a short one.
const fn given(param: &'static str) -> Time {
    Time {
        param,
        default: None,
    }
}

/// A time with a default in milliseconds.
const fn or_else(param: &'static str, default: u64) -> Time {
    Time {
        param,
        default: Some(default),
    }
}

/// The properties of each action, by its name on the wire.
const ACTIONS: &[(&str, ActionTraits)] = &[
    // The key finds the session that the first attempt created.
    (
        "start",
        CHANGES
            .repeatable(With(&["key"]))
            .timed(&[given("waitMs"), given("yieldMs")]),
    ),
    ("list", READS),
    ("hosts", READS),
    (
        "connect",
        CHANGES
            .waiting(Always)
            .repeatable(Always)
            .for_people("connect hosts"),
    ),
    (
        "disconnect",
        CHANGES.repeatable(Always).for_people("disconnect hosts"),
    ),
    ("status", READS),
    (
        "poll",
        READS.waiting(With(&["waitMs"])).timed(&[given("waitMs")]),
    ),
    ("log", READS),
    (
        "wait",
        READS
            .waiting(Always)
            .timed(&[given("waitMs"), or_else("timeoutMs", DEFAULT_WAIT_MS)]),
    ),
    (
        "write",
        CHANGES.waiting(With(REACTION)).timed(&[given("waitMs")]),
    ),
    (
        "send_keys",
        CHANGES.waiting(With(REACTION)).timed(&[given("waitMs")]),
    ),
    // With `pending` it types nothing.
    (
        "exec",
        ActionTraits {
            reads: With(&["pending"]),
            may_repeat: With(&["pending"]),
            ..CHANGES
                .waiting(Always)
                .timed(&[or_else("waitMs", DEFAULT_WAIT_MS)])
        },
    ),
    ("capture", READS),
    // The file is written as a whole, and a repetition writes the same content.
    (
        "export",
        ActionTraits {
            reads: Without(&["path"]),
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
    ("report", CHANGES.repeatable(Always)),
    // It shows a question to a person, so it is not read-only. It may be repeated: the next daemon
    // then asks the same question.
    (
        "ask_human",
        CHANGES
            .waiting(Always)
            .repeatable(Always)
            .timed(&[or_else("timeoutMs", DEFAULT_ASK_MS)]),
    ),
    ("decline", CHANGES.for_people("decline an agent's question")),
    ("hold", CHANGES.for_people("take the keyboard from agents")),
    // With `fromSeq`, a repetition would send earlier events a second time.
    ("subscribe", READS.repeatable(Without(&["fromSeq"]))),
    ("unsubscribe", READS),
    (
        "events",
        READS.waiting(With(&["waitMs"])).timed(&[given("waitMs")]),
    ),
    ("watch", READS),
    ("unwatch", READS),
    // Each `op` says what shall be, so a repetition changes nothing. With `waitMs` it is no wait that may be cancelled:
    // the files may not have been read yet.
    (
        "project",
        ActionTraits {
            reads: Among("op", &["status", "plan", "env"]),
            may_repeat: Always,
            ..CHANGES.timed(&[given("waitMs")])
        },
    ),
    // It says what the queue shall be. The handler checks that only people change one.
    (
        "queue",
        ActionTraits {
            reads: Without(&["parallel", "onFailure", "paused"]),
            may_repeat: Always,
            ..CHANGES
        },
    ),
    ("listeners", READS),
    ("cancel", READS),
    ("stats", READS),
    ("shutdown", CHANGES.for_people("shut the daemon down")),
];

impl ActionTraits {
    /// The properties of an action; `None` if there is no action of this name.
    pub fn of(action: &str) -> Option<Self> {
        let found = ACTIONS.iter().find(|(name, _)| *name == action);
        found.map(|(_, traits)| *traits)
    }

    /// The parameter that says how long a request waits, as it is written there, and its value in milliseconds; with
    /// its default if the request has none. `None` if the request does not wait, or only briefly.
    pub fn time(&self, params: &Map<String, Value>) -> Option<(String, u64)> {
        let mut names = self.times.iter().flat_map(|time| spellings(time.param));
        let given = names.find_map(|name| Some((params.get(&name)?.as_u64()?, name)));
        if let Some((ms, name)) = given {
            return Some((name, ms));
        }
        let default = |time: &Time| Some((time.param, time.default?));
        let (param, ms) = self.times.iter().find_map(default)?;
        // It may be there as `null`.
        let mut written = spellings(param).into_iter();
        let name = written.find(|name| params.contains_key(name));
        Some((name.unwrap_or_else(|| param.to_owned()), ms))
    }

    const fn waiting(self, waits: When) -> Self {
        Self { waits, ..self }
    }

    const fn repeatable(self, may_repeat: When) -> Self {
        Self { may_repeat, ..self }
    }

    const fn timed(self, times: &'static [Time]) -> Self {
        Self { times, ..self }
    }

    const fn for_people(self, what: &'static str) -> Self {
        Self {
            people: Some(what),
            ..self
        }
    }
}

impl When {
    /// Whether the property applies to a request. `find` returns the value of a parameter by its name in camelCase.
    pub fn holds(self, find: impl Fn(&str) -> Option<Value>) -> bool {
        let has = |name: &&str| find(name).is_some_and(|value| !value.is_null());
        match self {
            Always => true,
            Never => false,
            With(names) => names.iter().any(has),
            Without(names) => !names.iter().any(has),
            Among(name, values) => match find(name) {
                None | Some(Value::Null) => true,
                Some(value) => value.as_str().is_some_and(|value| values.contains(&value)),
            },
        }
    }
}

impl Action {
    /// The properties of this action.
    pub fn traits(&self) -> ActionTraits {
        // A test checks that every action is in the table.
        ActionTraits::of(self.name()).unwrap_or(CHANGES)
    }

    /// Whether it changes nothing.
    pub fn reads(&self) -> bool {
        self.has(self.traits().reads)
    }

    /// Whether its answer may take long and cancelling it loses nothing.
    pub fn waits(&self) -> bool {
        self.has(self.traits().waits)
    }

    /// Whether it may be sent again if there was no answer.
    pub fn may_repeat(&self) -> bool {
        self.has(self.traits().may_repeat)
    }

    /// Whether it has a property.
    fn has(&self, property: When) -> bool {
        match property {
            Always => true,
            Never => false,
            _ => {
                let params = self.params();
                property.holds(|name| params.get(name).cloned())
            }
        }
    }
}

/// A parameter of a request by its name in camelCase. Clients may also write it in snake_case.
pub fn param<'a>(params: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let mut spellings = spellings(name).into_iter();
    spellings.find_map(|name| params.get(&name))
}

/// Both accepted spellings of a parameter: camelCase and snake_case.
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
        let names: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, Action::NAMES);
    }

    /// Otherwise a property that depends on it would never be noticed.
    #[test]
    fn every_parameter_in_the_table_is_one_of_its_action() {
        let schemas = Action::schemas(&mut schemars::SchemaGenerator::default());
        let schemas: std::collections::HashMap<_, _> = schemas.into_iter().collect();
        for (action, traits) in ACTIONS {
            for when in [traits.reads, traits.waits, traits.may_repeat] {
                let names = match when {
                    Always | Never => &[],
                    With(names) | Without(names) => names,
                    Among(name, _) => &[name][..],
                };
                let times = traits.times.iter().map(|time| &time.param);
                for name in names.iter().chain(times) {
                    let known = schemas[action].get("properties");
                    let known = known.and_then(|known| known.get(name));
                    assert!(known.is_some(), "{action} has no parameter {name}");
                }
            }
        }
    }

    /// Otherwise a repetition would wait its full time again.
    #[test]
    fn every_repeatable_action_that_waits_has_a_time() {
        for (action, traits) in ACTIONS {
            // How long the connection to a host may take follows from the host.
            let is_timed = !traits.times.is_empty() || *action == "connect";
            let waits = traits.waits != Never && traits.may_repeat != Never;
            assert!(is_timed || !waits, "{action} has no time");
        }
    }

    #[test]
    fn properties_that_depend_on_a_parameter() {
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
            (r#"{"action":"project"}"#, (true, false, true)),
            (r#"{"action":"project","op":"plan"}"#, (true, false, true)),
            (
                r#"{"action":"project","op":"up","waitMs":5}"#,
                (false, false, true),
            ),
            (r#"{"action":"project","op":"down"}"#, (false, false, true)),
            (r#"{"action":"queue","group":"x"}"#, (true, false, true)),
            (
                r#"{"action":"queue","group":"x","on_failure":"pause"}"#,
                (false, false, true),
            ),
            (
                r#"{"action":"write","sessionId":"x","data":"y"}"#,
                (false, false, false),
            ),
            (
                r#"{"action":"write","sessionId":"x","data":"y","wait":{"until":[]}}"#,
                (false, true, false),
            ),
        ] {
            let action = action(line);
            let is = (action.reads(), action.waits(), action.may_repeat());
            assert_eq!(is, found, "{line}");
        }
    }
}
