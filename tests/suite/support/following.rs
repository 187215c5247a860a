//! A command that goes on, and its lines.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvError, channel};

use super::process::Held;
use super::{DEADLINE, Home};

/// A verb that goes on until it is told to end.
pub(crate) struct Following {
    child: Child,
    lines: Receiver<String>,
}

impl Following {
    pub(crate) fn new(home: &Home, args: &[&str]) -> Self {
        Self::of(home.command(args))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Self { child, lines }
    }

    /// The next line.
    #[track_caller]
    pub(crate) fn next(&self) -> String {
        self.lines.recv_timeout(DEADLINE).expect("nothing came")
    }

    /// The next line, if it has come.
    pub(crate) fn arrived(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }

    /// What comes until the output has ended.
    pub(crate) fn rest(&self) -> Vec<String> {
        self.lines.iter().collect()
    }

    /// Passes over lines up to this one.
    #[track_caller]
    pub(crate) fn until(&self, line: &str) {
        while self.next() != line {}
    }

    /// Checks that no further line comes and the output has ended.
    #[track_caller]
    pub(crate) fn ended(&self) {
        assert_eq!(self.lines.recv(), Err(RecvError));
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The exit code, when it has ended.
    #[track_caller]
    pub(crate) fn code(&mut self) -> Option<i32> {
        let held = Held::new(self.child.id()).unwrap();
        assert!(held.ended(DEADLINE), "it goes on");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
