//! A daemon played by the test, for what a real one does only by accident.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

use super::{DEADLINE, Home};

/// The socket of a home, with the test behind it.
pub(crate) struct FakeDaemon {
    listener: UnixListener,
}

/// One connection to it, greeted.
pub(crate) struct Client {
    pub(crate) greeting: Value,
    reader: BufReader<UnixStream>,
    stream: UnixStream,
}

impl FakeDaemon {
    pub(crate) fn new(home: &Home) -> Self {
        let listener = UnixListener::bind(home.path().join("daemon.sock")).unwrap();
        Self { listener }
    }

    /// Whether somebody connects within this time.
    pub(crate) fn is_called(&self, within: Duration) -> bool {
        let mut fds = [PollFd::new(&self.listener, PollFlags::IN)];
        let timeout = Timespec::try_from(within).unwrap();
        poll(&mut fds, Some(&timeout)).unwrap() > 0
    }

    /// Takes the next client and greets it as a daemon of `protocol` that puts it into `scope`.
    pub(crate) fn accept(&self, protocol: u32, scope: &str) -> Client {
        assert!(self.is_called(DEADLINE), "nobody connects");
        let (stream, _) = self.listener.accept().unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        let mut client = Client {
            greeting: Value::Null,
            reader,
            stream,
        };
        client.greeting = client.line();
        let limits = json!({"maxSessions": 1, "maxSessionsTotal": 1, "maxFinished": 1,
            "maxLineBytes": 1, "maxInFlight": 1, "maxChars": 1, "logBytes": 1, "totalLogBytes": 1});
        let data = json!({"protocol": protocol, "version": "9.9.9", "scope": scope, "pid": 1,
            "limits": limits, "actions": ["start"], "fromTheFuture": true});
        client.say(&json!({"event": "hello", "data": data}));
        client
    }
}

impl Client {
    /// The next line that the client sends.
    #[track_caller]
    pub(crate) fn line(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "no whole line: {line:?}");
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) fn say(&mut self, value: &Value) {
        self.say_raw(format!("{value}\n").as_bytes());
    }

    pub(crate) fn say_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Everything until the client has nothing more to say.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest).unwrap();
        rest
    }
}
