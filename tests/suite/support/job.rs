//! A job of an agent: a program that is typed to and looked at through `bgproc --serve`.

use serde_json::{Value, json};

use super::Serve;

/// How long a job may take to show something, in milliseconds: as [`super::DEADLINE`].
const PATIENCE_MS: u64 = 18_000;

/// A session, by its id.
pub(crate) struct Job {
    pub(crate) id: String,
    /// Its process; none if it had ended before its start was told.
    pub(crate) pid: Option<u32>,
}

impl Job {
    /// Starts a shell line in the background.
    #[track_caller]
    pub(crate) fn start(serve: &mut Serve, command: &str) -> Self {
        Self::request(serve, json!({"command": command}))
    }

    /// Starts what a request describes in the background.
    #[track_caller]
    pub(crate) fn request(serve: &mut Serve, mut request: Value) -> Self {
        request["action"] = json!("start");
        request["background"] = json!(true);
        let started = serve.ok(request);
        Self {
            id: started["sessionId"].as_str().unwrap().to_owned(),
            pid: started["pid"]
                .as_u64()
                .map(|pid| u32::try_from(pid).unwrap()),
        }
    }

    /// Asks something about this session and expects success.
    #[track_caller]
    pub(crate) fn ask(&self, serve: &mut Serve, action: &str, mut request: Value) -> Value {
        request["action"] = json!(action);
        request["sessionId"] = json!(self.id);
        serve.ok(request)
    }

    /// Its record, with all details.
    #[track_caller]
    pub(crate) fn record(&self, serve: &mut Serve) -> Value {
        self.ask(serve, "status", json!({"detail": true}))
    }

    /// Waits until a line of the output since its start matches.
    #[track_caller]
    pub(crate) fn wait_for(&self, serve: &mut Serve, pattern: &str) -> Value {
        self.wait_until(
            serve,
            json!({"until": [{"pattern": pattern}], "since": "c0"}),
        )
    }

    /// Waits until a line of the screen matches.
    #[track_caller]
    pub(crate) fn wait_screen(&self, serve: &mut Serve, pattern: &str) {
        let until = json!([{"pattern": pattern}]);
        let wait = json!({"until": until, "view": "screen", "timeoutMs": PATIENCE_MS});
        let waited = self.ask(serve, "wait", wait);
        if waited["outcome"] != "matched" {
            panic!("no /{pattern}/: {waited}\n{}", self.screen(serve));
        }
    }

    /// Waits for conditions that have to come true.
    #[track_caller]
    pub(crate) fn wait_until(&self, serve: &mut Serve, mut wait: Value) -> Value {
        wait["timeoutMs"] = json!(PATIENCE_MS);
        let waited = self.ask(serve, "wait", wait);
        assert_eq!(waited["outcome"], "matched", "{waited}");
        waited
    }

    /// Waits for its end and returns how it came.
    #[track_caller]
    pub(crate) fn end(&self, serve: &mut Serve) -> Value {
        self.wait_until(serve, json!({"until": [{"exit": true}]}))
    }

    /// Types a line and waits until a line of what follows matches.
    #[track_caller]
    pub(crate) fn say(&self, serve: &mut Serve, line: &str, pattern: &str) -> Value {
        let wait = json!({"until": [{"pattern": pattern}], "timeoutMs": PATIENCE_MS});
        let write = json!({"data": line, "newline": true, "wait": wait});
        let said = self.ask(serve, "write", write);
        assert_eq!(said["outcome"], "matched", "no /{pattern}/: {said}");
        said
    }

    /// Presses keys.
    #[track_caller]
    pub(crate) fn press(&self, serve: &mut Serve, keys: Value) {
        self.ask(serve, "send_keys", json!({"keys": keys}));
    }

    /// The screen as text.
    #[track_caller]
    pub(crate) fn screen(&self, serve: &mut Serve) -> String {
        let shot = self.ask(serve, "capture", json!({}));
        shot["text"].as_str().unwrap().to_owned()
    }

    /// Everything that can be read of its output.
    #[track_caller]
    pub(crate) fn output(&self, serve: &mut Serve) -> String {
        let poll = self.ask(serve, "poll", json!({"since": "c0", "maxChars": 262_144}));
        poll["output"].as_str().unwrap().to_owned()
    }
}
