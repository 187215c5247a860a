//! A person's connection to the daemon, as command line and dashboard have it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::{DEADLINE, Home, eventually};

/// A person at the socket of a home whose daemon runs.
pub(crate) struct Person {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
}

impl Person {
    pub(crate) fn new(home: &Home) -> Self {
        let stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap());
        let mut person = Self { stream, lines };
        person.send(&json!({"action": "hello", "protocol": 1, "version": "test", "role": "human"}));
        person.next(|line| line["event"] == "hello");
        person
    }

    pub(crate) fn send(&mut self, request: &Value) {
        writeln!(self.stream, "{request}").unwrap();
    }

    /// Sends several requests in one piece, so that they reach the daemon together.
    pub(crate) fn send_together(&mut self, requests: &[Value]) {
        let lines: String = requests
            .iter()
            .map(|request| format!("{request}\n"))
            .collect();
        self.stream.write_all(lines.as_bytes()).unwrap();
    }

    /// The next line that fits; others are passed over.
    pub(crate) fn next(&mut self, mut fits: impl FnMut(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "it hung up");
            let value: Value = serde_json::from_str(&line).unwrap();
            if fits(&value) {
                return value;
            }
        }
    }

    /// Asks, and returns the reply.
    pub(crate) fn call(&mut self, mut request: Value) -> Value {
        request["id"] = json!("person");
        self.send(&request);
        self.next(|line| line["id"] == "person")
    }

    /// Asks, expects success, and returns the result.
    #[track_caller]
    pub(crate) fn ok(&mut self, request: Value) -> Value {
        let mut reply = self.call(request);
        assert_eq!(reply["ok"], true, "{reply}");
        reply["result"].take()
    }

    /// Types as it stands.
    #[track_caller]
    pub(crate) fn types(&mut self, session: &str, data: &str) -> Value {
        self.ok(json!({"action": "write", "sessionId": session, "data": data}))
    }
}

/// Waits until the daemon knows a session of another host without asking there.
pub(crate) fn is_known(person: &mut Person, id: &Value) {
    eventually("the session is known here", || {
        let listed = person.ok(json!({"action": "list", "hostWaitMs": 0}));
        let mut sessions = listed["sessions"].as_array()?.iter();
        sessions
            .find(|session| session["sessionId"] == *id)
            .map(drop)
    });
}
