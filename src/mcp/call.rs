//! One call of a tool on its way, and what comes of it.

use std::cell::RefCell;
use std::rc::Rc;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use super::caller::{Answer, Caller};
use crate::protocol::{Error, SessionId};

/// What a tool was given, checked against its schema.
pub type Arguments = Map<String, Value>;

/// A call on its way.
#[derive(Clone, Debug)]
pub struct Call {
    caller: Caller,
    /// The session that it waits for, once that is known: its progress is shown.
    session: Rc<RefCell<Option<String>>>,
}

impl Call {
    /// A call with the way to the daemon.
    pub fn new(caller: Caller) -> Self {
        Self {
            caller,
            session: Rc::default(),
        }
    }

    /// Asks for an action; `params` is an object. A start without a key gets one, so
    /// that it is asked again where a daemon dies of which nobody knows what it did.
    pub async fn action(&self, action: &str, mut params: Value) -> Answer {
        let is_keyed = action == "start" && params["key"].is_null() && params.is_object();
        if is_keyed {
            params["key"] = format!("mcp-{}", SessionId::fresh()).into();
        }
        if let Some(session) = params.get("sessionId").and_then(Value::as_str) {
            self.session.replace(Some(session.to_owned()));
        }
        let mut answer = self.caller.call(action, params).await?;
        if is_keyed && let Some(result) = answer.as_object_mut() {
            // It is about a key that nobody has given.
            result.remove("reused");
        }
        Ok(answer)
    }

    /// The last line that its session has written; nothing moves by looking.
    pub async fn last_line(&self) -> Option<String> {
        let session = self.session.borrow().clone()?;
        let params = serde_json::json!({ "sessionId": session, "tail": 1 });
        let log = self.caller.call("log", params).await.ok()?;
        let text = log["lines"].get(0)?["text"].as_str()?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// What a tool returns.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    /// For a reader.
    pub text: String,
    /// For a program; must be what the tool's output schema says.
    pub structured: Option<Value>,
    /// Whether it says that something went wrong.
    pub is_error: bool,
}

/// What a tool returns, or an error of an action.
pub type Outcome = Result<Done, Error>;

impl Done {
    /// An object, as a reader sees it and as itself.
    pub fn new(structured: Value, text: String) -> Self {
        Self {
            text,
            structured: Some(structured),
            is_error: false,
        }
    }

    /// An object whose JSON is also the text.
    pub fn json(structured: Value) -> Self {
        let text = structured.to_string();
        Self::new(structured, text)
    }

    /// Words about what went wrong.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            structured: None,
            is_error: true,
        }
    }
}

impl From<Done> for CallToolResult {
    fn from(done: Done) -> Self {
        let content = vec![ContentBlock::text(done.text)];
        let mut result = match done.is_error {
            true => Self::error(content),
            false => Self::success(content),
        };
        result.structured_content = done.structured;
        result
    }
}
