//! Bounds of parameters, and which parameters can be combined. The daemon checks them, and the JSON
//! Schema states them.

use serde_json::{Map, Value, json};

/// Longest time a client may wait in one request, in milliseconds: half an hour.
pub const MAX_WAIT_MS: u64 = 1_800_000;

/// How long one request of a client waits that asks again until it has its answer, in milliseconds. Less than
/// [`MAX_WAIT_MS`], because another host may have a daemon of an earlier version, which accepts no longer wait.
pub const TURN_MS: u64 = 600_000;

/// How long a client waits in a request that gives no time, in milliseconds.
pub const DEFAULT_WAIT_MS: u64 = 10_000;

/// Largest `maxChars`.
pub const MAX_CHARS: usize = 262_144;

/// Largest number of bytes in one `log` reply.
pub const MAX_LOG_BYTES: u64 = 1_048_576;

/// A `limit` of `list` that returns all sessions: more than a daemon keeps. Without one, it returns at most 200.
pub const ALL_SESSIONS: usize = 100_000;

/// Largest number of lines in one `log` reply.
pub const MAX_LINES: u64 = 100_000;

/// Largest `maxMatches` of `log`.
pub const MAX_MATCHES: usize = 10_000;

/// Largest `context` of `log`.
pub const MAX_CONTEXT: usize = 1000;

/// Fewest and most rows, and columns, of a terminal.
pub const LEAST_SIDE: u16 = 1;
/// See [`LEAST_SIDE`].
pub const MAX_SIDE: u16 = 1000;

/// Maximum number of lines above the screen in one `capture`.
pub const MAX_SCROLLBACK: u64 = 10_000;

/// Largest `repeat` of `send_keys`.
pub const MAX_REPEAT: u32 = 10_000;

/// Largest `count` of a click, and number of steps of the wheel, in `send_keys`.
pub const MAX_CLICKS: u8 = 3;
/// See [`MAX_CLICKS`].
pub const MAX_WHEEL: i16 = 1000;

/// Largest `maxFps` of `watch`.
pub const MAX_FPS: u32 = 60;

/// Longest time that a question to a person stays open, in milliseconds: one day, because people go home and come
/// back the next day.
pub const MAX_ASK_MS: u64 = 86_400_000;

/// How long a question to a person stays open if the request gives no time, in milliseconds.
pub const DEFAULT_ASK_MS: u64 = 300_000;

/// Longest delay of a start, in milliseconds: a year.
pub const MAX_DELAY_MS: u64 = 365 * 86_400_000;

/// Largest number of sessions that a queue runs at once; more than any machine can use.
pub const MAX_PARALLEL: u32 = 10_000;

/// Longest question, in characters.
pub const MAX_MESSAGE: usize = 2000;

/// Longest timeout of a readiness probe, in milliseconds: one day.
pub const MAX_PROBE_MS: u64 = 24 * 3_600_000;

/// Least `limits.logBytes`: a smaller log could not hold a screen.
pub const LEAST_LOG_BYTES: u64 = 64 * 1024;

/// Least `limits.memoryBytes`: no program starts with less.
pub const LEAST_MEMORY: u64 = 1 << 20;

/// How many sessions may run at once, unless the configuration says otherwise (`max_sessions`).
pub const USUAL_SESSIONS: u32 = 200;

/// An upper bound that no system exceeds. It fits a signed 64-bit integer, as file offsets must.
pub const MAX_SYSTEM: u64 = i64::MAX as u64;

/// The default of `fs.nr_open` on Linux, which is a bound for root as well.
pub const MAX_OPEN_FILES: u64 = 1 << 20;

/// A cursor of a session's output, or `new`.
pub(super) const CURSOR: &str = "^(new|c[0-9]{1,19})$";

/// A command that `exec` has not seen the end of: its name, an offset of the log, a process group.
pub(super) const PENDING: &str = "^[0-9a-z]{8}@[0-9]{1,19}@[0-9]{1,9}$";

/// A text with a visible character.
pub(super) const NOT_BLANK: &str = r"\S";

/// Fulfilled if `name` is given: present and not `null`.
fn given(name: &str) -> Value {
    json!({ "required": [name], "properties": { name: { "not": { "type": "null" } } } })
}

/// Fulfilled if `name` is this value.
fn is(name: &str, value: impl Into<Value>) -> Value {
    json!({ "required": [name], "properties": { name: { "const": value.into() } } })
}

/// Exactly one of these parameters is given.
pub(super) fn one_of(names: &[&str]) -> Value {
    json!({ "oneOf": names.iter().map(|name| given(name)).collect::<Vec<_>>() })
}

/// None of `names` may be combined with any of `others`.
pub(super) fn apart(names: &[&str], others: &[&str]) -> Value {
    let any = |names: &[&str]| json!({ "anyOf": names.iter().map(|name| given(name)).collect::<Vec<_>>() });
    json!({ "not": { "allOf": [any(names), any(others)] } })
}

/// Each of `names` requires `needed`.
pub(super) fn need(names: &[&str], needed: &str) -> Value {
    let any: Vec<Value> = names.iter().map(|name| given(name)).collect();
    json!({ "anyOf": [{ "not": { "anyOf": any } }, given(needed)] })
}

/// The rules of `start`.
pub(super) fn of_start() -> Value {
    let waits = ["until", "fail", "waitMs"].map(given);
    json!([
        apart(&["timeoutSec"], &["timeoutMs"]),
        apart(&["waitMs"], &["yieldMs"]),
        apart(&["shell"], &["args"]),
        { "not": { "allOf": [
            { "anyOf": [is("wait", true), is("background", true)] },
            { "anyOf": waits },
        ] } },
        { "not": { "allOf": [is("wait", true), is("background", true)] } },
    ])
}

/// The rules of `log`.
pub(super) fn of_log() -> Value {
    let lines = ["fromLine", "lines", "tail"];
    let parts_of_output = ["sinceTime", "run", "command"];
    let typed = is("stream", "input");
    let formatted = json!({
        "required": ["format"], "properties": { "format": { "enum": ["raw", "base64"] } },
    });
    let by_lines: Vec<Value> = lines
        .iter()
        .chain(&parts_of_output)
        .chain(&["grep"])
        .map(|name| given(name))
        .collect();
    let extra: Vec<Value> = ["grep", "offset", "limit", "format"]
        .iter()
        .chain(&parts_of_output)
        .map(|name| given(name))
        .collect();
    let places = [
        "fromLine", "offset", "limit", "times", "format", "run", "command",
    ]
    .map(given);
    let parts = ["grep", "tail", "lines"].map(given);
    let several = json!({ "allOf": [
        { "anyOf": parts },
        { "not": { "anyOf": places } },
        { "not": typed },
    ] });
    json!([
        apart(&["sessionId"], &["sessionIds", "group"]),
        apart(&["sessionIds"], &["group"]),
        { "anyOf": [given("sessionId"), several] },
        apart(&["offset", "limit"], &["fromLine", "lines", "tail", "grep", "sinceTime", "run", "command"]),
        apart(&["lines"], &["grep"]),
        apart(&["run"], &["command"]),
        need(&["ignoreCase", "context", "maxMatches", "newest"], "grep"),
        apart(&["times"], &["fromLine", "lines", "tail", "grep", "command"]),
        apart(&["origins"], &["grep"]),
        apart(&["tail"], &["lines", "fromLine"]),
        { "not": { "allOf": [typed, { "anyOf": extra }] } },
        { "not": { "allOf": [
            formatted, { "anyOf": by_lines }, { "not": typed },
        ] } },
    ])
}

/// The rules of `kill`.
pub(super) fn of_kill() -> Value {
    json!([
        one_of(&["sessionId", "sessionIds", "group"]),
        { "not": { "allOf": [is("force", true), given("signal")] } },
    ])
}

/// The rules of `wait`.
pub(super) fn of_wait() -> Value {
    json!([
        one_of(&["sessionId", "sessionIds", "group"]),
        apart(&["waitMs"], &["timeoutMs"]),
    ])
}

/// The rule of the wait after an input.
fn reaction() -> Value {
    apart(&["wait"], &["until", "fail", "waitMs"])
}

/// The rules of `send_keys`.
pub(super) fn of_keys() -> Value {
    json!([reaction()])
}

/// The rules of `write`.
pub(super) fn of_write() -> Value {
    let ends = ["newline", "submit", "eof"].map(|name| is(name, true));
    let [newline, submit, eof] = ends;
    json!([{ "anyOf": [given("data"), newline, submit, eof] }, reaction()])
}

/// The rules of `exec`.
pub(super) fn of_exec() -> Value {
    json!([
        one_of(&["command", "pending"]),
        apart(&["pending"], &["language"])
    ])
}

/// The rules of `capture`.
pub(super) fn of_capture() -> Value {
    json!([
        apart(&["atOffset"], &["atTime"]),
        apart(&["atOffset", "atTime"], &["since", "scrollback"]),
    ])
}

/// The rules of `set`.
pub(super) fn of_set() -> Value {
    let changes = [
        "label",
        "group",
        "addTags",
        "removeTags",
        "ttlMs",
        "timeoutSec",
        "keep",
        "share",
        "restart",
        "notify",
        "command",
        "place",
    ];
    json!([need(&["args"], "command"), { "anyOf": changes.map(given) }])
}

/// The rules of `report`.
pub(super) fn of_report() -> Value {
    json!([
        { "anyOf": [given("state"), is("clear", true), given("resume")] },
        need(&["message"], "state"),
        { "not": { "allOf": [is("clear", true), given("state")] } },
    ])
}

/// The rules of `queue`.
pub(super) fn of_queue() -> Value {
    json!([need(&["parallel", "onFailure", "paused"], "group")])
}

/// The form of `formation`: names of entries with numbers from 0 to 100.
pub const FORMATION: &str =
    r"^[^,=]*[^,=\s][^,=]*=\s*(0*\d\d?|0*100)\s*(,[^,=]*[^,=\s][^,=]*=\s*(0*\d\d?|0*100)\s*)*$";

/// The rules of `project`.
pub(super) fn of_project() -> Value {
    let of_up = json!({ "allOf": [is("op", "plan"), { "not": is("reload", true) }] });
    json!([
        apart(&["dir"], &["files"]),
        { "not": { "allOf": [is("op", "down"), given("jobs")] } },
        { "anyOf": [{ "not": given("except") }, is("op", "up"), of_up] },
    ])
}

/// The parameters of a probe, one of which is given.
pub(super) const PROBES: [&str; 7] = [
    "pattern", "port", "tcp", "http", "command", "file", "quietMs",
];

/// Least time between two attempts of a probe, in milliseconds.
pub const LEAST_EVERY_MS: u64 = 20;

/// The rules of a readiness probe.
pub(super) fn of_probe() -> Value {
    json!([one_of(&PROBES)])
}

/// Adds to each integer without bounds those of its type.
pub(super) fn add_type_bounds(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            type_bounds(fields);
            fields.values_mut().for_each(add_type_bounds);
        }
        Value::Array(items) => items.iter_mut().for_each(add_type_bounds),
        _ => {}
    }
}

fn type_bounds(fields: &mut Map<String, Value>) {
    let (least, most) = match fields.get("format").and_then(Value::as_str) {
        Some("uint64" | "uint") => (json!(0), json!(u64::MAX)),
        Some("uint32") => (json!(0), json!(u32::MAX)),
        Some("uint16") => (json!(0), json!(u16::MAX)),
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        _ => return,
    };
    fields.entry("minimum").or_insert(least);
    fields.entry("maximum").or_insert(most);
}

/// Converts numbers such as `5.0` to integers: JSON Schema, and JSON writers without a type for
/// integers, make no difference.
pub(super) fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|float| float.fract() == 0.0);
            if let Some(number) = whole.and_then(integer) {
                *value = number;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

/// The integer that a float without a fraction stands for, if it fits 64 bits.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float in the range of the type and without a fraction"
)]
fn integer(float: f64) -> Option<Value> {
    /// The bounds of the types: 2 to the power of 64, and of 63.
    const UNSIGNED: f64 = 18_446_744_073_709_551_616.0;
    const LEAST: f64 = -9_223_372_036_854_775_808.0;
    match float {
        0.0..UNSIGNED => Some(Value::from(float as u64)),
        LEAST..0.0 => Some(Value::from(float as i64)),
        _ => None,
    }
}
