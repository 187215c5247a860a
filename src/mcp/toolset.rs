//! The sets of tools that a server can be started with, one module each.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::call::{Arguments, Call, Done, Outcome};
use super::compat::names::Names;
use super::compat::{deepchat, dotnet, duragent, macos_shell};
use super::completions::Completions;
use super::own;
use super::own::screens::Screens;
use crate::protocol::hello::Replies;
use crate::protocol::{Error, ErrorCode, Greeting};

/// The tools that a client is offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ToolSet {
    /// bgproc's own.
    #[default]
    Own,
    /// DeepChat's `execute_command` and `process`.
    Deepchat,
    /// The `process_*` tools of the .NET agent.
    Dotnet,
    /// Duragent's `spawn_process` and `process`.
    Duragent,
    /// The tools of the macOS Shell MCP server.
    MacosShell,
}

impl ToolSet {
    /// The names of the sets on the command line.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("own", Self::Own),
        ("deepchat", Self::Deepchat),
        ("dotnet", Self::Dotnet),
        ("duragent", Self::Duragent),
        ("macos-shell", Self::MacosShell),
    ];

    /// The set with this name, or `None`.
    pub fn parse(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, set)| *set)
    }

    /// The form in which the daemon answers the tools of this set. Those of other systems need all fields.
    pub fn replies(self) -> Replies {
        match self {
            Self::Own => Replies::Lean,
            _ => Replies::Full,
        }
    }

    /// Whether a result has data beside its text. Of the tools of other systems the text is the data, as
    /// there; of bgproc's own only if `asked`, because several clients show a model only the data.
    pub fn has_data(self, asked: bool) -> bool {
        asked || self != Self::Own
    }

    /// Adds the defaults of the set to what the person who started the server has not configured.
    pub fn greeting(self, mut greeting: Greeting) -> Greeting {
        if self == Self::MacosShell && greeting.policy.max_sessions.is_none() {
            // Each session of the original has a limit of its own, which its tools check.
            greeting.policy.max_sessions = u32::try_from(macos_shell::IN_ALL).ok();
        }
        if self == Self::Dotnet && greeting.policy.allow.is_none() {
            let allowed = dotnet::catalog::ALLOWED.map(str::to_owned);
            greeting.policy.allow = Some(allowed.into());
        }
        greeting
    }

    /// The tools, in the order in which clients see them.
    pub fn tools(self) -> Vec<Tool> {
        match self {
            Self::Own => own::catalog::tools(),
            Self::Deepchat => deepchat::catalog::tools(),
            Self::Dotnet => dotnet::catalog::tools(),
            Self::Duragent => duragent::catalog::tools(),
            Self::MacosShell => macos_shell::catalog::tools(),
        }
    }

    /// The instructions for the model.
    pub fn instructions(self) -> &'static str {
        match self {
            Self::Own => own::catalog::INSTRUCTIONS,
            Self::Deepchat => deepchat::catalog::INSTRUCTIONS,
            Self::Dotnet => dotnet::catalog::INSTRUCTIONS,
            Self::Duragent => duragent::catalog::INSTRUCTIONS,
            Self::MacosShell => macos_shell::catalog::INSTRUCTIONS,
        }
    }

    /// The names of the set in errors; `None`: those of the protocol.
    fn names(self) -> Option<&'static Names> {
        match self {
            Self::Own => None,
            Self::Deepchat => Some(&deepchat::NAMES),
            Self::Dotnet => Some(&dotnet::NAMES),
            Self::Duragent => Some(&duragent::NAMES),
            Self::MacosShell => Some(&macos_shell::NAMES),
        }
    }

    /// Runs a tool.
    pub async fn call(
        self,
        call: &Call,
        completions: &Completions,
        shared: &macos_shell::Shared,
        screens: &Screens,
        tool: &str,
        arguments: Arguments,
    ) -> Outcome {
        let named = self.names().map(|names| call.clone().in_names(names));
        let call = named.as_ref().unwrap_or(call);
        match self {
            Self::Own => own::call(call, screens, tool, arguments).await,
            Self::Deepchat => deepchat::call(call, tool, arguments).await,
            Self::Dotnet => dotnet::call(call, tool, arguments).await,
            Self::Duragent => duragent::call(call, completions, tool, arguments).await,
            Self::MacosShell => macos_shell::call(call, shared, tool, arguments).await,
        }
    }

    /// An error in the form of this set.
    pub fn failed(self, error: &Error) -> Done {
        match self {
            Self::Own => own::failed(error),
            Self::Dotnet => dotnet::failed(&words(error)),
            Self::Deepchat | Self::Duragent | Self::MacosShell => Done::error(words(error)),
        }
    }
}

/// An error in the words of the originals. They do not distinguish removed sessions from unknown ones, and
/// have no hints for their own errors; other errors include their hint.
fn words(error: &Error) -> String {
    let removed = || error.message.split_once(" was removed at ");
    match (error.code, removed(), &error.hint) {
        (ErrorCode::SessionRemoved, Some((session, _)), _) => format!("{session} not found"),
        (
            ErrorCode::SessionNotFound
            | ErrorCode::SessionNotRunning
            | ErrorCode::StdinNotAvailable,
            ..,
        )
        | (_, _, None) => error.message.clone(),
        (_, _, Some(hint)) => format!("{}\nhint: {hint}", error.message),
    }
}

/// What a tool may do. Clients show this to people who approve calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It only reads.
    Reads,
    /// It runs or types something, which may have any effect.
    Acts,
    /// It ends or removes something, and is idempotent.
    Ends,
}

/// The schema of a tool's arguments: these properties and no others.
pub fn takes(properties: Value, required: Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Creates a tool; both schemas must be objects.
pub fn tool(
    name: &'static str,
    about: &'static str,
    effect: Effect,
    input: Value,
    output: Value,
) -> Tool {
    let object = |schema: Value| match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    };
    // Defaults of the MCP specification are omitted: a tool that is not read-only may be destructive, and
    // is not idempotent.
    let hints = ToolAnnotations::new().read_only(effect == Effect::Reads);
    let hints = match effect {
        Effect::Reads => hints.open_world(false),
        Effect::Acts => hints,
        Effect::Ends => hints.destructive(true).idempotent(true).open_world(false),
    };
    Tool::new(name, about, object(input))
        .with_raw_output_schema(object(output))
        .with_annotations(hints)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::{SessionId, Status, Timestamp};

    /// Bytes of all own tools as a model reads them: as JSON without output schemas. They are 12,000 with a blank after
    /// each comma and colon, as Python's `json` writes them.
    const OWN_BYTES: usize = 11_060;

    #[test]
    fn the_own_set_is_small() {
        let mut tools = ToolSet::Own.tools();
        for tool in &mut tools {
            tool.output_schema = None;
        }
        let bytes = serde_json::to_string(&tools).unwrap().len();
        assert!(tools.len() <= 11, "{} tools", tools.len());
        assert!(bytes <= OWN_BYTES, "{bytes} bytes");
    }

    #[test]
    fn errors_have_the_words_of_the_originals_or_a_hint() {
        let id = SessionId::fresh();
        let not_found = format!("Session {id} not found");
        let at = Timestamp(0);
        let removed = Error::session_removed(&id, Status::Done, Some(0), None, at);
        for error in [removed, Error::session_not_found(id.as_str())] {
            assert_eq!(ToolSet::Deepchat.failed(&error).text, not_found);
            let dotnet = ToolSet::Dotnet.failed(&error).structured.unwrap();
            assert_eq!(dotnet["error"], not_found);
        }
        let other = Error::internal("It went away").hint("look first");
        let text = ToolSet::Duragent.failed(&other).text;
        assert_eq!(text, "It went away\nhint: look first");
    }

    #[test]
    fn every_tool_has_schemas_and_annotations() {
        for (_, set) in ToolSet::NAMES {
            for tool in set.tools() {
                let name = &tool.name;
                assert!(!tool.description.unwrap().is_empty(), "{name}");
                assert_eq!(tool.input_schema["type"], "object", "{name}");
                assert_eq!(tool.output_schema.unwrap()["type"], "object", "{name}");
                let hints = tool.annotations.unwrap();
                assert!(hints.read_only_hint.is_some(), "{name}");
                let known = tool.input_schema["properties"].as_object().unwrap();
                let required = tool.input_schema.get("required").and_then(Value::as_array);
                for required in required.into_iter().flatten() {
                    assert!(
                        known.contains_key(required.as_str().unwrap()),
                        "{name}: {required}"
                    );
                }
            }
            assert!(!set.instructions().is_empty());
        }
    }
}
