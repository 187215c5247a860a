//! The envelope of a request, and how a line becomes an [`Action`].

use std::borrow::Cow;
use std::collections::HashMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::bounds::whole_numbers;
use super::explain::{explain, quoted};
use super::fault::Node;
use super::params::*;
use super::suggest::nearest;
use super::{Error, ErrorCode, strict};

/// A JSON value chosen by the client; echoed unchanged.
pub type RequestId = Value;

/// A request.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// Echoed in the reply; `null` if absent.
    pub id: RequestId,
    /// The action, with its parameters.
    pub action: Action,
}

/// Defines the actions: the enum, their names, and how they are parsed.
macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident($params:ty) = $name:literal,)*) => {
        /// An action that a client can request.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(clippy::large_enum_variant, reason = "moved once, from the line to its handler")]
        pub enum Action {
            $($(#[$doc])* $variant($params),)*
        }

        impl Action {
            /// Names of the actions, in the order in which `hello` lists them.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Its name on the wire.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            fn from_params(name: &str, params: Map<String, Value>) -> Result<Self, Error> {
                match name {
                    $($name => Ok(Self::$variant(typed(name, params)?)),)*
                    other => Err(unknown_action(other)),
                }
            }

            /// The schema of each action's parameters, with the action's name.
            pub(super) fn schemas(schemas: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                // Inlined and not referenced, because a request holds its action and parameters in
                // one object.
                vec![$(($name, <$params>::json_schema(schemas))),*]
            }

            /// Its parameters, as they are sent.
            pub fn params(&self) -> Value {
                match self {
                    $(Self::$variant(params) => serde_json::to_value(params).unwrap_or_default(),)*
                }
            }
        }
    };
}

actions! {
    /// Runs a command.
    Start(Start) = "start",
    /// Lists the sessions that the client may see.
    List(List) = "list",
    /// Returns the hosts.
    Hosts(Hosts) = "hosts",
    /// Connects a host.
    Connect(Connect) = "connect",
    /// Disconnects a host.
    Disconnect(Disconnect) = "disconnect",
    /// Returns one session's record.
    Status(StatusParams) = "status",
    /// Returns status and output.
    Poll(Poll) = "poll",
    /// Returns stored output.
    Log(Log) = "log",
    /// Waits for conditions.
    Wait(Wait) = "wait",
    /// Writes bytes to the program's input.
    Write(Write) = "write",
    /// Types keys.
    SendKeys(SendKeys) = "send_keys",
    /// Runs a command in a session's shell.
    Exec(Exec) = "exec",
    /// Returns the current screen.
    Capture(Capture) = "capture",
    /// Exports the whole log.
    Export(Export) = "export",
    /// Sets the terminal's size.
    Resize(Resize) = "resize",
    /// Sends a signal.
    Signal(SignalParams) = "signal",
    /// Ends the process tree.
    Kill(Kill) = "kill",
    /// Drops the output so far.
    Clear(Clear) = "clear",
    /// Removes the session.
    Remove(Remove) = "remove",
    /// Starts a new run.
    Restart(Restart) = "restart",
    /// Changes properties of a session.
    Set(Set) = "set",
    /// Says how the program is doing.
    Report(Report) = "report",
    /// Asks a person.
    AskHuman(AskHuman) = "ask_human",
    /// Declines the questions of agents.
    Decline(Decline) = "decline",
    /// Holds the keyboard, or releases it.
    Hold(Hold) = "hold",
    /// Subscribes to events.
    Subscribe(Subscribe) = "subscribe",
    /// Ends a subscription.
    Unsubscribe(Unsubscribe) = "unsubscribe",
    /// Returns past events.
    Events(Events) = "events",
    /// Sends the changes of a screen.
    Watch(Watch) = "watch",
    /// Stops sending the changes of a screen.
    Unwatch(Unwatch) = "unwatch",
    /// Brings the jobs of a project file up or down.
    Project(Project) = "project",
    /// Shows queues, or changes one.
    Queue(Queue) = "queue",
    /// Returns which other processes listen on ports.
    Listeners(Listeners) = "listeners",
    /// Cancels a request in flight.
    Cancel(Cancel) = "cancel",
    /// Returns statistics of the daemon.
    Stats(Stats) = "stats",
    /// Ends the daemon.
    Shutdown(Shutdown) = "shutdown",
}

impl Request {
    /// Parses one line. On failure, returns the error with the request's id, as far as it could be
    /// read.
    pub fn parse(line: &[u8]) -> Result<Self, (RequestId, Error)> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let (value, twice) =
            strict::parse(line).map_err(|error| (id_of(line), not_parsed(&error)))?;
        let Value::Object(mut map) = value else {
            let error = Error::new(
                ErrorCode::InvalidRequest,
                "A request must be one JSON object",
            )
            .hint(r#"for example {"id":1,"action":"list"}"#);
            return Err((Value::Null, error));
        };
        let id = map.remove("id").unwrap_or(Value::Null);
        if !matches!(&id, Value::Null | Value::String(_)) && !id.is_i64() && !id.is_u64() {
            let error = Error::new(
                ErrorCode::InvalidRequest,
                "`id` must be a string or an integer",
            );
            return Err((id, error));
        }
        if let Some(key) = twice {
            return Err((id, given_twice(&key)));
        }
        let name = match map.remove("action") {
            Some(Value::String(name)) => name,
            Some(other) if !other.is_null() => {
                return Err((id, Error::invalid("`action` must be a string")));
            }
            _ => {
                let error = Error::new(ErrorCode::InvalidRequest, "The request has no `action`")
                    .hint(r#"for example {"id":1,"action":"list"}"#);
                return Err((id, error));
            }
        };
        map.values_mut().for_each(whole_numbers);
        let action = camel_case(map).and_then(|params| Action::from_params(&name, params));
        match action {
            Ok(action) => Ok(Self { id, action }),
            Err(error) => Err((id, error)),
        }
    }

    /// The request as one line, including the newline.
    pub fn to_line(&self) -> Vec<u8> {
        let mut map = match self.action.params() {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        map.insert("id".to_owned(), self.id.clone());
        map.insert("action".to_owned(), Value::from(self.action.name()));
        let mut line = Value::Object(map).to_string().into_bytes();
        line.push(b'\n');
        line
    }
}

/// The top-level fields of a line that is a JSON object; empty for any other line. The values are
/// not parsed, so they may be nested to any depth.
pub fn fields(line: &[u8]) -> HashMap<Cow<'_, str>, &RawValue> {
    serde_json::from_slice(line).unwrap_or_default()
}

/// The id of a line that cannot be parsed, as far as it can be read.
fn id_of(line: &[u8]) -> RequestId {
    let id = fields(line).get("id").map(|raw| raw.get());
    id.and_then(|raw| serde_json::from_str(raw).ok())
        .unwrap_or_default()
}

fn not_parsed(error: &serde_json::Error) -> Error {
    let why = error.to_string();
    // serde_json has no kind for this.
    if why.starts_with("recursion limit exceeded") {
        Error::new(
            ErrorCode::ParseError,
            "The request is nested too deep: at most 127 arrays and objects in one another",
        )
    } else {
        Error::new(
            ErrorCode::ParseError,
            format!("The line is not JSON: {why}"),
        )
    }
}

/// Converts keys to camelCase, so that `session_id` is accepted as `sessionId`. Both at once are an
/// error, because they are two values of one parameter. Keys inside `env` are names of variables
/// and stay unchanged.
fn camel_case(map: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    if !map.iter().any(has_snake) {
        return Ok(map);
    }
    let mut out = Map::new();
    for (key, value) in map {
        let value = match value {
            Value::Object(inner) if key != "env" => Value::Object(camel_case(inner)?),
            Value::Array(items) => Value::Array(
                items
                    .into_iter()
                    .map(camel_item)
                    .collect::<Result<_, _>>()?,
            ),
            other => other,
        };
        let key = camel_word(key);
        if out.contains_key(&key) {
            return Err(given_twice(&key));
        }
        out.insert(key, value);
    }
    Ok(out)
}

/// Whether an entry contains a key to convert.
fn has_snake((key, value): (&String, &Value)) -> bool {
    key.contains('_')
        || match value {
            Value::Object(inner) if key != "env" => inner.iter().any(has_snake),
            Value::Array(items) => items
                .iter()
                .filter_map(Value::as_object)
                .any(|item| item.iter().any(has_snake)),
            _ => false,
        }
}

fn camel_item(item: Value) -> Result<Value, Error> {
    match item {
        Value::Object(inner) => camel_case(inner).map(Value::Object),
        other => Ok(other),
    }
}

fn camel_word(key: String) -> String {
    if !key.contains('_') {
        return key;
    }
    let mut out = String::with_capacity(key.len());
    let mut upper = false;
    for c in key.chars() {
        match c {
            '_' if !out.is_empty() => upper = true,
            c if upper => {
                out.extend(c.to_uppercase());
                upper = false;
            }
            c => out.push(c),
        }
    }
    out
}

fn typed<T: DeserializeOwned>(action: &str, params: Map<String, Value>) -> Result<T, Error> {
    let params = Value::Object(params);
    // The slower path takes other forms as well, and finds the position of an error.
    if let Ok(params) = T::deserialize(&params) {
        return Ok(params);
    }
    serde_path_to_error::deserialize(Node(&params)).map_err(|error| {
        let path = error.path().to_string();
        explain(action, &path, error.into_inner())
    })
}

fn given_twice(key: &str) -> Error {
    let message = format!("`{}` is given twice", quoted(key));
    Error::new(ErrorCode::InvalidRequest, message).hint("give each parameter once")
}

fn unknown_action(name: &str) -> Error {
    let error = Error::new(
        ErrorCode::UnknownAction,
        format!("Unknown action `{}`", quoted(name)),
    );
    match nearest(name, Action::NAMES.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("known: {}", Action::NAMES.join(", "))),
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
