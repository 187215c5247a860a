//! The actions of an agent, each the whole way.

mod exec;
mod input;
mod life;
mod log;
mod screen;
mod shell_marks;
mod start;
mod wait;

use serde_json::{Value, json};

use crate::support::{Home, Serve};

/// A home, and an agent in it.
fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

/// Starts something that stays, and returns its id.
fn background(serve: &mut Serve, command: &str) -> String {
    let started = serve.ok(json!({"action": "start", "command": command, "background": true}));
    assert_eq!(started["status"], "running");
    started["sessionId"].as_str().unwrap().to_owned()
}

/// Runs something to its end, and returns its id.
fn ended(serve: &mut Serve, command: &str) -> String {
    let started = serve.ok(json!({"action": "start", "command": command, "wait": true}));
    started["sessionId"].as_str().unwrap().to_owned()
}

/// Waits for a line of what comes from now on.
fn wait_for(serve: &mut Serve, id: &str, pattern: &str) -> Value {
    let until = json!([{"pattern": pattern}]);
    let waited = serve.ok(json!({"action": "wait", "sessionId": id, "until": until}));
    assert_eq!(waited["outcome"], "matched", "{waited}");
    waited
}

/// Waits for a line of all that there is.
fn wait_for_since_start(serve: &mut Serve, id: &str, pattern: &str) {
    let until = json!([{"pattern": pattern}]);
    let wait = json!({"action": "wait", "sessionId": id, "until": until, "since": "c0"});
    assert_eq!(serve.ok(wait)["outcome"], "matched");
}
