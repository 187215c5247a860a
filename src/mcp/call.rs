//! A tool call in progress, and its result.

use std::cell::RefCell;
use std::rc::Rc;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use super::caller::{Answer, Caller};
use super::compat::names::Names;
use crate::protocol::traits::param;
use crate::protocol::{Error, SessionId};

/// The arguments of a tool call, checked against the tool's schema.
pub type Arguments = Map<String, Value>;

/// A tool call in progress.
#[derive(Clone, Debug)]
pub struct Call {
    caller: Caller,
    /// The session that the call works on, once it is known. Progress messages show its output.
    session: Rc<RefCell<Option<String>>>,
    /// The names that its errors use; `None`: those of the protocol.
    names: Option<&'static Names>,
}

impl Call {
    /// A call that sends its actions through `caller`.
    pub fn new(caller: Caller) -> Self {
        Self {
            caller,
            session: Rc::default(),
            names: None,
        }
    }

    /// The same call, with errors in the names of a tool set.
    #[must_use]
    pub fn in_names(mut self, names: &'static Names) -> Self {
        self.names = Some(names);
        self
    }

    /// Runs an action of the protocol; `params` is an object. A `start` without a key gets one, which makes
    /// it idempotent: it can be repeated if the daemon dies while handling it.
    pub async fn action(&self, action: &str, mut params: Value) -> Answer {
        let is_keyed = action == "start" && params["key"].is_null() && params.is_object();
        if is_keyed {
            params["key"] = format!("mcp-{}", SessionId::fresh()).into();
        }
        let session = params.as_object().and_then(|of| param(of, "sessionId"));
        if let Some(session) = session.and_then(Value::as_str) {
            self.session.replace(Some(session.to_owned()));
        }
        let answer = self.caller.call(action, params).await;
        let mut answer = answer.map_err(|error| match self.names {
            Some(names) => names.translate(error),
            None => error,
        })?;
        if is_keyed && let Some(result) = answer.as_object_mut() {
            // The caller did not choose the key, so `reused` means nothing to it.
            result.remove("reused");
        }
        Ok(answer)
    }

    /// The last line that the session has written. Does not advance the `new` cursor of the session.
    pub async fn last_line(&self) -> Option<String> {
        let session = self.session.borrow().clone()?;
        let params = serde_json::json!({ "sessionId": session, "tail": 1 });
        let log = self.caller.call("log", params).await.ok()?;
        let text = log["lines"].get(0)?["text"].as_str()?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// The result of a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    /// Text for a model.
    pub text: String,
    /// Data for a program. Must match the tool's output schema.
    pub structured: Option<Value>,
    /// A PNG picture for a model, in base64.
    pub png: Option<String>,
    /// Whether the result is an error.
    pub is_error: bool,
}

/// The result of a tool, or the error of an action.
pub type Outcome = Result<Done, Error>;

impl Done {
    /// A result with data and its text.
    pub fn new(structured: Value, text: String) -> Self {
        Self {
            text,
            structured: Some(structured),
            png: None,
            is_error: false,
        }
    }

    /// A result whose text is the JSON of its data.
    pub fn json(structured: Value) -> Self {
        let text = structured.to_string();
        Self::new(structured, text)
    }

    /// An error with this text.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            structured: None,
            png: None,
            is_error: true,
        }
    }
}

impl From<Done> for CallToolResult {
    fn from(done: Done) -> Self {
        let mut content = vec![ContentBlock::text(done.text)];
        content.extend(done.png.map(|png| ContentBlock::image(png, "image/png")));
        let mut result = if done.is_error {
            Self::error(content)
        } else {
            Self::success(content)
        };
        result.structured_content = done.structured;
        result
    }
}
