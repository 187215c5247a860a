//! The JSON Schema of the protocol (draft 2020-12), generated from the wire types.
//!
//! In `$defs`, each action has `NAME.request` and `NAME.result`, and each kind of event has
//! `NAME.event`; `Request`, `Reply` and `Event` are unions of these. The schema is stored as
//! `assets/schema.json`, and a test checks that the file is up to date.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::bounds::add_type_bounds;
use super::event::{Completion, ScreenUpdate};
use super::project::{ProjectRole, Waiting};
use super::record::Record;
use super::reply::*;
use super::{Action, Error, EventKind, Hello, PROTOCOL, SessionId, Timestamp};

/// The kinds of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Lines that clients send.
    Requests,
    /// Replies to requests.
    Replies,
    /// Events, which are sent without a request.
    Events,
}

impl Part {
    /// Name of its definition.
    fn name(self) -> &'static str {
        match self {
            Self::Requests => "Request",
            Self::Replies => "Reply",
            Self::Events => "Event",
        }
    }
}

/// The schema of every line.
pub fn document() -> Value {
    let any = [Part::Requests, Part::Replies, Part::Events].map(|part| reference(part.name()));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("bgproc protocol {PROTOCOL}: one JSON object a line"),
        "anyOf": any,
        "$defs": definitions(),
    })
}

/// The schema of one kind of line, with the definitions that it needs.
pub fn part(part: Part) -> Value {
    let all = definitions();
    let mut needed = Map::new();
    let mut wanted = vec![part.name().to_owned()];
    while let Some(name) = wanted.pop() {
        if let Some(schema) = all.get(&name).filter(|_| !needed.contains_key(&name)) {
            references(schema, &mut wanted);
            needed.insert(name, schema.clone());
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("bgproc protocol {PROTOCOL}: {}", part.name()),
        "$ref": format!("#/$defs/{}", part.name()),
        "$defs": needed,
    })
}

fn definitions() -> Map<String, Value> {
    let mut all = Map::new();
    requests(&mut all);
    replies(&mut all);
    events(&mut all);
    all
}

fn requests(all: &mut Map<String, Value>) {
    // Describes what is parsed, not what is written: optional parameters may be absent or `null`.
    let mut schemas = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator();
    let mut any = Vec::new();
    for (name, schema) in Action::schemas(&mut schemas) {
        let mut schema = schema.to_value();
        add_type_bounds(&mut schema);
        schema["properties"]["action"] = json!({ "const": name });
        schema["properties"]["id"] = json!({ "description": "Echoed in the reply." });
        match schema["required"].as_array_mut() {
            Some(required) => required.insert(0, json!("action")),
            None => schema["required"] = json!(["action"]),
        }
        any.push(define(all, &format!("{name}.request"), schema));
    }
    let mut shared = Value::Object(schemas.take_definitions(true));
    add_type_bounds(&mut shared);
    if let Value::Object(shared) = shared {
        all.extend(shared);
    }
    let about = "A line that a client sends. Keys may also be written in snake_case.";
    define(
        all,
        "Request",
        json!({ "description": about, "oneOf": any }),
    );
}

/// The result types of the actions. Some actions have several, depending on the request.
macro_rules! results {
    ($schemas:ident; $($name:literal: $($type:ty),+;)*) => {
        [$(($name, vec![$($schemas.subschema_for::<$type>()),+]),)*]
    };
}

fn replies(all: &mut Map<String, Value>) {
    let mut schemas = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let results = results! { schemas;
        "start": Started;
        "list": Listed, Listed<Record>;
        "hosts": HostList;
        "connect": HostList;
        "disconnect": Done;
        "status": Record;
        "poll": Polled;
        "log": LogBytes, LogLines, LogMatches, LogsOfSeveral;
        "wait": Waited, WaitedAll;
        "write": Written;
        "send_keys": Written;
        "exec": Executed;
        "capture": Captured;
        "export": Exported;
        "resize": Resized;
        "signal": Signalled;
        "kill": Killed, KilledAll;
        "clear": Cleared;
        "remove": Removed;
        "restart": Record, Started;
        "set": Record;
        "report": Record;
        "ask_human": HumanAnswered;
        "decline": Declined;
        "hold": Done;
        "subscribe": Subscribed;
        "unsubscribe": Done;
        "events": Happened;
        "watch": Done;
        "unwatch": Done;
        "project": ProjectState, Restored;
        "queue": Queues;
        "listeners": PortListeners;
        "cancel": Cancelled;
        "stats": StatsReply;
        "shutdown": ShutDown;
    };
    let mut any = Vec::new();
    for (name, mut types) in results {
        let schema = match types.len() {
            1 => types.remove(0).to_value(),
            _ => json!({ "anyOf": types }),
        };
        any.push(define(all, &format!("{name}.result"), schema));
    }
    let error = schemas.subschema_for::<Error>();
    share(all, schemas.take_definitions(true));
    let id = json!({ "description": "Id of the request." });
    let done = json!({
        "type": "object",
        "properties": { "id": id, "ok": { "const": true }, "result": { "anyOf": any } },
        "required": ["id", "ok", "result"],
    });
    let refused = json!({
        "type": "object",
        "properties": { "id": id, "ok": { "const": false }, "error": error },
        "required": ["id", "ok", "error"],
    });
    let about = "The answer to a request. The type of the result depends on the action.";
    define(
        all,
        "Reply",
        json!({ "description": about, "oneOf": [done, refused] }),
    );
}

fn events(all: &mut Map<String, Value>) {
    let mut schemas = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let kinds = EventKind::json_schema(&mut schemas).to_value();
    let mut any = Vec::new();
    for kind in kinds["oneOf"].as_array().into_iter().flatten() {
        let Ok(event) = serde_json::from_value::<EventKind>(kind["const"].clone()) else {
            continue;
        };
        let schema = event_schema(event, kind, &mut schemas);
        let name = kind["const"].as_str().unwrap_or_default();
        any.push(define(all, &format!("{name}.event"), schema));
    }
    share(all, schemas.take_definitions(true));
    let about = "An event. Lifecycle events have a number and are stored; live events have none.";
    define(all, "Event", json!({ "description": about, "oneOf": any }));
}

fn event_schema(event: EventKind, kind: &Value, schemas: &mut SchemaGenerator) -> Value {
    let data: Schema = match event {
        EventKind::Hello => schemas.subschema_for::<Hello>(),
        EventKind::Phase => schemars::json_schema!({ "anyOf": [
            schemas.subschema_for::<Option<ProjectRole>>(), schemas.subschema_for::<Waiting>(),
        ] }),
        EventKind::Screen => schemas.subschema_for::<ScreenUpdate>(),
        EventKind::Exited | EventKind::Lost => schemas.subschema_for::<Completion>(),
        _ => schemars::json_schema!({ "type": "object" }),
    };
    let mut required = vec!["event", "data"];
    if event.is_lifecycle() {
        required.extend(["seq", "at"]);
    }
    if event.is_lifecycle() && event.is_of_session() {
        required.push("sessionId");
    }
    json!({
        "description": kind["description"],
        "type": "object",
        "properties": {
            "event": { "const": kind["const"] },
            "seq": { "type": "integer", "minimum": 0 },
            "at": schemas.subschema_for::<Timestamp>(),
            "sessionId": schemas.subschema_for::<SessionId>(),
            "data": data,
        },
        "required": required,
    })
}

/// Adds the definitions of types. A type that requests have as well keeps the definition from there,
/// because some of its fields may be absent in a request, although a reply always has them.
fn share(all: &mut Map<String, Value>, types: Map<String, Value>) {
    for (name, schema) in types {
        all.entry(name).or_insert(schema);
    }
}

/// Adds a definition and returns a reference to it.
fn define(all: &mut Map<String, Value>, name: &str, schema: Value) -> Value {
    all.insert(name.to_owned(), schema);
    reference(name)
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Collects the names of the definitions that a schema refers to.
fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str);
            found.extend(
                name.and_then(|name| name.strip_prefix("#/$defs/"))
                    .map(str::to_owned),
            );
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::panic)]
mod tests {
    use super::*;
    use crate::protocol::tests::golden;

    /// The schema as stored, and as printed by `bgproc schema`.
    fn text() -> String {
        serde_json::to_string_pretty(&document()).unwrap() + "\n"
    }

    #[test]
    fn the_stored_schema_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/schema.json");
        if golden::blesses() {
            std::fs::write(path, text()).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == text(),
            "run: BGPROC_BLESS=1 cargo test --lib schema"
        );
    }

    #[test]
    fn every_action_has_a_request_and_a_result_and_no_reference_is_missing() {
        let all = definitions();
        for name in Action::NAMES {
            for what in ["request", "result"] {
                assert!(all.contains_key(&format!("{name}.{what}")), "{name}.{what}");
            }
        }
        let mut found = Vec::new();
        references(&json!(all), &mut found);
        for name in found {
            assert!(all.contains_key(&name), "{name}");
        }
    }

    #[test]
    fn a_part_has_the_definitions_that_it_needs_and_no_more() {
        let requests = part(Part::Requests);
        assert!(requests["$defs"]["start.request"].is_object());
        assert!(requests["$defs"]["Condition"].is_object());
        assert!(requests["$defs"]["start.result"].is_null());
    }

    /// Checks each line of a golden file against the schema.
    #[track_caller]
    fn fits(name: &str, what: Part) {
        let mut schema = part(what);
        // The golden requests have all parameters of an action, also those that exclude each other.
        for (_, action) in schema["$defs"].as_object_mut().unwrap() {
            action.as_object_mut().unwrap().remove("allOf");
        }
        let schema = jsonschema::validator_for(&schema).unwrap();
        let kept = golden::kept(name);
        for line in kept
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let value: Value = serde_json::from_slice(line).unwrap();
            let errors: Vec<String> = schema
                .iter_errors(&value)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{value}\n{errors:#?}");
        }
    }

    #[test]
    fn requests_and_replies_of_version_1_are_valid() {
        fits("wire/requests.jsonl", Part::Requests);
        fits("wire/replies.jsonl", Part::Replies);
        fits("wire/errors.jsonl", Part::Replies);
    }

    #[test]
    fn invalid_requests_are_refused() {
        let schema = jsonschema::validator_for(&part(Part::Requests)).unwrap();
        for wrong in [
            json!({}),
            json!({"action": "poll"}),
            json!({"action": "pol", "sessionId": "x"}),
            json!({"action": "poll", "sessionId": "x", "wait": 1}),
            json!({"action": "wait", "sessionId": "x", "until": [{"exit": true, "port": 1}]}),
            json!({"action": "start", "command": "x", "rows": -1}),
            json!({"action": "start", "command": "x", "timeoutSec": 1, "timeoutMs": 1}),
            json!({"action": "poll", "sessionId": "x", "waitMs": 1_800_001}),
            json!({"action": "poll", "sessionId": "x", "stream": "input"}),
            json!({"action": "wait", "sessionId": "x", "group": "g"}),
            json!({"action": "log", "sessionId": "x", "newest": true}),
            json!({"action": "log", "sessionId": "x", "offset": 0, "tail": 1}),
            json!({"action": "write", "sessionId": "x", "newline": false}),
        ] {
            assert!(!schema.is_valid(&wrong), "{wrong}");
        }
        for right in [
            json!({"action": "poll", "sessionId": "x", "since": null}),
            json!({"action": "poll", "sessionId": "x", "waitMs": 5.0}),
            json!({"action": "wait", "sessionId": "x", "group": null}),
            json!({"action": "wait", "sessionId": "x", "until": [{"exit": true, "port": null}]}),
            json!({"action": "start", "command": "x", "restart": {}}),
        ] {
            assert!(schema.is_valid(&right), "{right}");
        }
    }
}
