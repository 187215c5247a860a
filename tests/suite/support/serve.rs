//! An agent at `bgproc --serve`.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process::Held;
use super::{DEADLINE, Home};

/// Bytes of what was said that are kept at least.
const TRANSCRIPT: usize = 1 << 20;

/// A running `bgproc --serve`, spoken to line by line.
pub(crate) struct Serve {
    child: Child,
    held: Held,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Messages that came while another was waited for.
    early: VecDeque<Value>,
    /// What was said, for failures.
    transcript: String,
    next_id: u64,
    /// How long a message is waited for.
    pub(crate) patience: Duration,
    pub(crate) hello: Value,
}

impl Serve {
    /// Starts it in `home` and reads the daemon's hello.
    pub(crate) fn new(home: &Home, args: &[&str]) -> Self {
        let mut all = vec!["--serve"];
        all.extend(args);
        Self::spawn(home.command(&all))
    }

    /// Starts a command that was prepared, and reads the daemon's hello.
    pub(crate) fn spawn(command: Command) -> Self {
        let mut serve = Self::open(command);
        let hello = serve.next();
        assert_eq!(hello["event"], "hello", "{}", serve.transcript);
        serve.hello = hello["data"].clone();
        serve
    }

    /// Starts anything that speaks JSON lines.
    pub(super) fn open(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let errors = sender.clone();
        std::thread::spawn(move || forward(out, "", &sender));
        std::thread::spawn(move || forward(err, "stderr: ", &errors));
        Self {
            held: Held::new(child.id()).unwrap(),
            stdin: child.stdin.take(),
            child,
            lines,
            early: VecDeque::new(),
            patience: DEADLINE,
            transcript: String::new(),
            next_id: 1,
            hello: Value::Null,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]);
        let line = format!("> {}", shown.trim_end());
        self.note(&line);
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends a request and returns its id.
    pub(crate) fn send(&mut self, mut request: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        request["id"] = json!(id);
        self.send_raw(format!("{request}\n").as_bytes());
        id
    }

    /// Sends several requests in one piece, so that they reach the daemon together; returns their ids.
    pub(crate) fn send_together(&mut self, requests: impl IntoIterator<Item = Value>) -> Vec<u64> {
        let mut lines = String::new();
        let mut ids = Vec::new();
        for mut request in requests {
            request["id"] = json!(self.next_id);
            ids.push(self.next_id);
            self.next_id += 1;
            lines.push_str(&format!("{request}\n"));
        }
        self.send_raw(lines.as_bytes());
        ids
    }

    /// Asks, expects success, and says whether it came before a wait of `ms` milliseconds that was sent with it was
    /// over. Both clocks are the daemon's, so a busy machine slows both. `quiet` is a session to which nothing
    /// happens.
    #[track_caller]
    pub(crate) fn race(&mut self, ms: u64, quiet: &str, request: Value) -> (Value, bool) {
        let wait = json!({"action": "wait", "sessionId": quiet, "until": [{"pattern": "never"}], "timeoutMs": ms});
        let [wait, request] = self.send_together([wait, request])[..] else {
            unreachable!()
        };
        let mut reply = self.reply(request);
        assert_eq!(reply["ok"], true, "{reply}\n{}", self.transcript);
        let is_first = self.told_reply(wait).is_none();
        if is_first {
            // It may be over by then.
            self.call(json!({"action": "cancel", "requestId": wait}));
        }
        self.reply(wait);
        (reply["result"].take(), is_first)
    }

    /// Asks, and expects success before a wait of `ms` milliseconds is over.
    #[track_caller]
    pub(crate) fn ok_before(&mut self, ms: u64, quiet: &str, request: Value) -> Value {
        let (result, is_first) = self.race(ms, quiet, request);
        assert!(is_first, "after more than {ms} ms: {result}");
        result
    }

    /// Asks and returns the whole reply.
    #[track_caller]
    pub(crate) fn call(&mut self, request: Value) -> Value {
        let id = self.send(request);
        self.reply(id)
    }

    /// Asks, expects success, and returns the result.
    #[track_caller]
    pub(crate) fn ok(&mut self, request: Value) -> Value {
        let mut reply = self.call(request);
        assert_eq!(reply["ok"], true, "{reply}\n{}", self.transcript);
        reply["result"].take()
    }

    /// Asks, expects an error of `code`, and returns it.
    #[track_caller]
    pub(crate) fn err(&mut self, request: Value, code: &str) -> Value {
        let mut reply = self.call(request);
        assert_eq!(reply["error"]["code"], code, "{reply}\n{}", self.transcript);
        reply["error"].take()
    }

    /// The reply to a request.
    #[track_caller]
    pub(crate) fn reply(&mut self, id: u64) -> Value {
        self.find(&format!("the reply to {id}"), |message| message["id"] == id)
    }

    /// The next event of this kind.
    #[track_caller]
    pub(crate) fn event(&mut self, kind: &str) -> Value {
        self.find(&format!("the event {kind}"), |message| {
            message["event"] == kind
        })
    }

    /// Events of this kind that came while something else was waited for.
    pub(crate) fn told(&mut self, kind: &str) -> Vec<Value> {
        let early = std::mem::take(&mut self.early).into_iter();
        let (told, others) = early.partition::<Vec<_>, _>(|one| one["event"] == kind);
        self.early = others.into();
        told
    }

    /// A reply that came while something else was waited for.
    pub(crate) fn told_reply(&self, id: u64) -> Option<&Value> {
        self.early.iter().find(|message| message["id"] == id)
    }

    /// The first message that fits; others are kept for later.
    #[track_caller]
    pub(crate) fn find(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.early.iter().position(&fits) {
            return self.early.remove(place).unwrap();
        }
        let deadline = Instant::now() + self.patience;
        loop {
            match self.read(deadline) {
                Some(message) if fits(&message) => return message,
                Some(message) => self.early.push_back(message),
                None => panic!("{what} did not come\n{}", self.transcript),
            }
        }
    }

    /// The next message of any kind.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Value {
        if let Some(message) = self.early.pop_front() {
            return message;
        }
        let read = self.read(Instant::now() + DEADLINE);
        read.unwrap_or_else(|| panic!("nothing came\n{}", self.transcript))
    }

    /// Says that no more requests follow.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Everything that still comes, once nothing more can.
    #[track_caller]
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let deadline = Instant::now() + DEADLINE;
        let mut rest: Vec<_> = self.early.drain(..).collect();
        while let Some(message) = self.read(deadline) {
            rest.push(message);
        }
        assert!(
            self.held.ended(Duration::ZERO) || Instant::now() < deadline,
            "{}",
            self.transcript
        );
        rest
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        assert!(self.held.ended(DEADLINE), "it goes on\n{}", self.transcript);
        self.child.wait().unwrap().code()
    }

    /// Remembers what was said, the newest of it.
    fn note(&mut self, line: &str) {
        self.transcript.push_str(line);
        self.transcript.push('\n');
        if self.transcript.len() > 2 * TRANSCRIPT {
            let cut = self.transcript.len() - TRANSCRIPT;
            let line = self.transcript.as_bytes()[cut..]
                .iter()
                .position(|byte| *byte == b'\n');
            let cut = cut + line.unwrap() + 1;
            self.transcript.drain(..cut);
        }
    }

    /// The next line on standard output as JSON; `None` at its end or when time is out.
    fn read(&mut self, deadline: Instant) -> Option<Value> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            };
            let shown: String = line.chars().take(2000).collect();
            self.note(&format!("< {shown}"));
            if !line.starts_with("stderr: ") {
                let parsed = serde_json::from_str(&line);
                return Some(parsed.unwrap_or_else(|error| panic!("{error}\n{}", self.transcript)));
            }
        }
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // Its end is tested where it matters; here it only has to be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forward(from: impl Read, mark: &str, to: &std::sync::mpsc::Sender<String>) {
    for line in BufReader::new(from).split(b'\n') {
        let Ok(line) = line else { return };
        let line = String::from_utf8_lossy(&line);
        if to.send(format!("{mark}{line}")).is_err() {
            return;
        }
    }
}
