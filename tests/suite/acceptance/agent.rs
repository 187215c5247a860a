//! An agent, whichever way it speaks.

use serde_json::{Value, json};

use crate::support::{Mcp, Serve};

/// How long a program may take for what is asked of it, in milliseconds.
pub(super) const PATIENCE_MS: u64 = 18_000;

/// Speaks the actions of the protocol.
pub(super) trait Agent {
    /// Does something; the result, or the error in words with its code.
    fn act(&mut self, action: &str, params: Value) -> Result<Value, String>;
}

impl Agent for Serve {
    fn act(&mut self, action: &str, mut params: Value) -> Result<Value, String> {
        params["action"] = json!(action);
        let reply = self.call(params);
        if reply["ok"] == true {
            Ok(reply["result"].clone())
        } else {
            Err(reply["error"].to_string())
        }
    }
}

impl Agent for Mcp {
    fn act(&mut self, action: &str, mut params: Value) -> Result<Value, String> {
        let tools = [
            "start",
            "list",
            "poll",
            "log",
            "wait",
            "write",
            "send_keys",
            "capture",
            "kill",
        ];
        let tool = if tools.contains(&action) {
            action
        } else {
            params["action"] = json!(action);
            "session"
        };
        let mut result = self.result(tool, params);
        if result["isError"] == false {
            Ok(result["structuredContent"].take())
        } else {
            Err(result["content"].to_string())
        }
    }
}

/// Runs a transcript once for each way to speak.
macro_rules! transcripts {
    ($($(#[$attr:meta])* fn $name:ident($agent:ident, $home:ident) $body:block)*) => {$(
        $(#[$attr])*
        mod $name {
            use super::*;

            fn transcript($agent: &mut dyn Agent, $home: &Home) $body

            #[test]
            fn through_serve() {
                let home = Home::new();
                let mut agent = Serve::new(&home, &[]);
                transcript(&mut agent, &home);
            }

            #[test]
            fn through_mcp() {
                let home = Home::new();
                let mut agent = Mcp::new(&home, "own", &[]);
                transcript(&mut agent, &home);
            }
        }
    )*};
}
pub(super) use transcripts;

/// A job of the agent.
pub(super) struct Job(pub(super) String);

impl Job {
    /// Starts it in the background.
    #[track_caller]
    pub(super) fn start(agent: &mut dyn Agent, mut params: Value) -> Self {
        params["background"] = json!(true);
        let started = agent.act("start", params).unwrap();
        Self(started["sessionId"].as_str().unwrap().to_owned())
    }

    /// Does something with it that has to succeed.
    #[track_caller]
    pub(super) fn act(&self, agent: &mut dyn Agent, action: &str, mut params: Value) -> Value {
        params["sessionId"] = json!(self.0);
        agent.act(action, params).unwrap()
    }

    /// Waits for a condition that has to come true.
    #[track_caller]
    pub(super) fn wait(&self, agent: &mut dyn Agent, mut params: Value) -> Value {
        params["timeoutMs"] = json!(PATIENCE_MS);
        let waited = self.act(agent, "wait", params);
        assert_eq!(waited["outcome"], "matched", "{waited}");
        waited
    }

    /// Types a line and waits until the program waits for the next one.
    #[track_caller]
    pub(super) fn say(&self, agent: &mut dyn Agent, line: &str) -> Value {
        let wait = json!({"until": [{"input": true}], "timeoutMs": PATIENCE_MS});
        let said = self.act(
            agent,
            "write",
            json!({"data": line, "submit": true, "wait": wait}),
        );
        assert_eq!(said["outcome"], "matched", "{said}");
        said
    }

    /// Presses keys and waits until something is on the screen.
    #[track_caller]
    pub(super) fn press(&self, agent: &mut dyn Agent, keys: Value, pattern: &str) -> Value {
        let until = json!([{"pattern": pattern}]);
        let wait = json!({"until": until, "view": "screen", "timeoutMs": PATIENCE_MS});
        let pressed = self.act(agent, "send_keys", json!({"keys": keys, "wait": wait}));
        assert_eq!(
            pressed["outcome"],
            "matched",
            "{pressed}\n{}",
            self.screen(agent)
        );
        pressed
    }

    /// What is on its screen.
    #[track_caller]
    pub(super) fn screen(&self, agent: &mut dyn Agent) -> String {
        let shot = self.act(agent, "capture", json!({}));
        shot["text"].as_str().unwrap().to_owned()
    }
}

/// The text of a field.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("no `{field}`: {value}"))
}
