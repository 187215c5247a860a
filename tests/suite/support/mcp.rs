//! An MCP client at `bgproc mcp`.

use std::time::Instant;

use serde_json::{Value, json};

use super::{DEADLINE, Home, Serve};

/// A running `bgproc mcp`, initialized and spoken to in JSON-RPC.
pub(crate) struct Mcp {
    wire: Serve,
    next_id: u64,
    /// What it said of itself.
    pub(crate) info: Value,
}

impl Mcp {
    /// Starts it in `home` with a set of tools, and introduces a client that is a program: results have data.
    pub(crate) fn new(home: &Home, tools: &str, args: &[&str]) -> Self {
        let mut all = vec!["mcp", "--tools", tools, "--structured"];
        all.extend(args);
        Self::open(home, &all)
    }

    /// Starts it in `home`, as the client of a model does.
    pub(crate) fn model(home: &Home, args: &[&str]) -> Self {
        let mut all = vec!["mcp"];
        all.extend(args);
        Self::open(home, &all)
    }

    /// Starts it in `home`, as a client that can show forms to people.
    pub(crate) fn with_forms(home: &Home, args: &[&str]) -> Self {
        let mut all = vec!["mcp"];
        all.extend(args);
        Self::introduce(home, &all, &json!({ "elicitation": {} }))
    }

    fn open(home: &Home, all: &[&str]) -> Self {
        Self::introduce(home, all, &json!({}))
    }

    fn introduce(home: &Home, all: &[&str], capabilities: &Value) -> Self {
        let mut mcp = Self {
            wire: Serve::open(home.command(all)),
            next_id: 1,
            info: Value::Null,
        };
        mcp.info = mcp.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": capabilities,
                "clientInfo": {"name": "tests", "version": "1"},
            }),
        );
        mcp.notify("notifications/initialized", json!({}));
        mcp
    }

    /// Waits longer for replies, for requests that are much work.
    pub(crate) fn be_patient(&mut self) {
        self.wire.patience = 6 * DEADLINE;
    }

    /// Calls a tool, expects success, and returns its structured content.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.result(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that cannot wait until its result fits.
    #[track_caller]
    pub(crate) fn until(
        &mut self,
        tool: &str,
        arguments: &Value,
        mut fits: impl FnMut(&Value) -> bool,
    ) -> Value {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let result = self.call(tool, arguments.clone());
            if fits(&result) {
                return result;
            }
            assert!(Instant::now() < deadline, "{tool}: {result}");
        }
    }

    /// Calls a tool, expects success, and returns what a model reads.
    #[track_caller]
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        words(&result)
    }

    /// Calls a tool, expects that it fails, and returns what a model reads.
    #[track_caller]
    pub(crate) fn fails(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        words(&result)
    }

    /// Calls a tool and returns the whole result.
    #[track_caller]
    pub(crate) fn result(&mut self, tool: &str, arguments: Value) -> Value {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Asks, expects an answer that is no JSON-RPC error, and returns its result.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let mut reply = self.reply(id);
        assert!(reply["error"].is_null(), "{method}: {reply}");
        reply["result"].take()
    }

    /// Sends a request and returns its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.wire.send_raw(format!("{line}\n").as_bytes());
        id
    }

    /// Sends a call of a tool whose progress is to be told, and returns its id.
    pub(crate) fn send_call(&mut self, tool: &str, arguments: Value) -> u64 {
        let token = format!("progress-{}", self.next_id);
        let meta = json!({ "progressToken": token });
        self.send(
            "tools/call",
            json!({ "name": tool, "arguments": arguments, "_meta": meta }),
        )
    }

    /// The reply to a request.
    #[track_caller]
    pub(crate) fn reply(&mut self, id: u64) -> Value {
        self.wire
            .find(&format!("the reply to {id}"), |message| message["id"] == id)
    }

    /// Sends a line that has no id that can be read, and returns the error that answers it.
    #[track_caller]
    pub(crate) fn refused_line(&mut self, line: &str) -> Value {
        self.wire.send_raw(format!("{line}\n").as_bytes());
        let is_error = |message: &Value| message["error"].is_object() && message["id"].is_null();
        self.wire.find("an error without an id", is_error)
    }

    /// The next request of the server of this kind.
    #[track_caller]
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        let what = format!("the request {method}");
        self.wire.find(&what, |message| {
            message["method"] == method && !message["id"].is_null()
        })
    }

    /// Answers a request of the server.
    pub(crate) fn answer(&mut self, request: &Value, result: Value) {
        let line = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.wire.send_raw(format!("{line}\n").as_bytes());
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let line = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.wire.send_raw(format!("{line}\n").as_bytes());
    }

    /// Takes back a request.
    pub(crate) fn cancel(&mut self, id: u64) {
        self.notify("notifications/cancelled", json!({ "requestId": id }));
    }

    /// The parameters of the next notification of this kind.
    #[track_caller]
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        let what = format!("the notification {method}");
        let mut message = self.wire.find(&what, |message| message["method"] == method);
        message["params"].take()
    }

    /// Says that no more requests follow, and returns everything that still comes.
    #[track_caller]
    pub(crate) fn hang_up(&mut self) -> Vec<Value> {
        self.wire.close_stdin();
        self.wire.rest()
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.wire.exit_code()
    }
}

fn words(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
