//! The envelope of a request, and how a line becomes an [`Action`].

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::explain::{explain, quoted};
use super::params::*;
use super::suggest::nearest;
use super::{Error, ErrorCode, strict};

/// Whatever JSON value the client chose; echoed unchanged.
pub type RequestId = Value;

/// One request.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// Echoed in the reply; `null` if absent.
    pub id: RequestId,
    /// What to do.
    pub action: Action,
}

/// Defines the actions: the enum, their names and how parameters become one.
macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident($params:ty) = $name:literal,)*) => {
        /// What a client can ask for.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(clippy::large_enum_variant, reason = "moved once, from the line to its handler")]
        pub enum Action {
            $($(#[$doc])* $variant($params),)*
        }

        impl Action {
            /// Names of the actions, as `hello` lists them.
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

            /// The schema of each action's parameters, by its name.
            pub(super) fn schemas(schemas: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                // Not by reference: a request is its action and its parameters in one.
                vec![$(($name, <$params>::json_schema(schemas))),*]
            }

            fn params(&self) -> Value {
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
    /// The sessions one can see.
    List(List) = "list",
    /// One session's record.
    Status(StatusParams) = "status",
    /// Status and output.
    Poll(Poll) = "poll",
    /// The output again.
    Log(Log) = "log",
    /// Until something holds.
    Wait(Wait) = "wait",
    /// Bytes to the program.
    Write(Write) = "write",
    /// Keys to the program.
    SendKeys(SendKeys) = "send_keys",
    /// The screen now.
    Capture(Capture) = "capture",
    /// The whole log.
    Export(Export) = "export",
    /// The terminal's size.
    Resize(Resize) = "resize",
    /// A signal.
    Signal(SignalParams) = "signal",
    /// Ends the tree.
    Kill(Kill) = "kill",
    /// Forgets output.
    Clear(Clear) = "clear",
    /// Forgets the session.
    Remove(Remove) = "remove",
    /// A new run.
    Restart(Restart) = "restart",
    /// Changes what can be changed.
    Set(Set) = "set",
    /// Asks a person.
    AskHuman(AskHuman) = "ask_human",
    /// A person's no.
    Decline(Decline) = "decline",
    /// Takes the keyboard from agents, or gives it back.
    Hold(Hold) = "hold",
    /// Tells what happens.
    Subscribe(Subscribe) = "subscribe",
    /// Stops telling.
    Unsubscribe(Unsubscribe) = "unsubscribe",
    /// What has happened.
    Events(Events) = "events",
    /// Tells what changes on a screen.
    Watch(Watch) = "watch",
    /// Stops telling.
    Unwatch(Unwatch) = "unwatch",
    /// Ends a request in flight.
    Cancel(Cancel) = "cancel",
    /// The daemon itself.
    Stats(Stats) = "stats",
    /// Ends the daemon.
    Shutdown(Shutdown) = "shutdown",
}

impl Request {
    /// Reads one line. On failure the id, as far as it could be read, comes with the error.
    pub fn parse(line: &[u8]) -> Result<Self, (RequestId, Error)> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let (value, twice) = strict::parse(line).map_err(|error| {
            let message = format!("The line is not JSON: {error}");
            (Value::Null, Error::new(ErrorCode::ParseError, message))
        })?;
        let Value::Object(mut map) = value else {
            let error = Error::new(ErrorCode::InvalidRequest, "A request is one JSON object")
                .hint(r#"for example {"id":1,"action":"list"}"#);
            return Err((Value::Null, error));
        };
        let id = map.remove("id").unwrap_or(Value::Null);
        if !matches!(&id, Value::Null | Value::String(_)) && !id.is_i64() && !id.is_u64() {
            let error = Error::new(ErrorCode::InvalidRequest, "`id` is a string or an integer");
            return Err((id, error));
        }
        if let Some(key) = twice {
            return Err((id, given_twice(&key)));
        }
        let name = match map.remove("action") {
            Some(Value::String(name)) => name,
            Some(other) if !other.is_null() => {
                return Err((id, Error::invalid("`action` is a string")));
            }
            _ => {
                let error = Error::new(ErrorCode::InvalidRequest, "The request has no `action`")
                    .hint(r#"for example {"id":1,"action":"list"}"#);
                return Err((id, error));
            }
        };
        let action = camel_case(map).and_then(|params| Action::from_params(&name, params));
        match action {
            Ok(action) => Ok(Self { id, action }),
            Err(error) => Err((id, error)),
        }
    }

    /// The request as one line, newline included.
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

/// `session_id` is taken as `sessionId`; both at once would be two values of one
/// parameter. What is inside `env` are names of variables, not of parameters, so
/// it stays as it is.
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

/// Whether a name in it is to be written in another way.
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
    // Where it went wrong is looked for only if it did.
    if let Ok(params) = T::deserialize(&params) {
        return Ok(params);
    }
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        explain(action, &path, &error.into_inner().to_string())
    })
}

fn given_twice(key: &str) -> Error {
    let message = format!("`{}` is there twice", quoted(key));
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
