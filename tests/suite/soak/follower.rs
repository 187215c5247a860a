//! One who reads a counting job with `logs -f`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use crate::support::process::Held;
use crate::support::{DEADLINE, Home};

/// `logs -f`, of which each line is looked at.
pub(super) struct Follower {
    child: Child,
    lines: Receiver<String>,
    seen: u64,
}

impl Follower {
    pub(super) fn new(home: &Home, program: &Path, job: &str) -> Self {
        let words = [program.to_str().unwrap(), "logs", "-f", job];
        let mut command = home.command_through(&words);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Self {
            child,
            lines,
            seen: 0,
        }
    }

    /// Fails unless what came is what follows; returns how many lines it was in all.
    #[track_caller]
    pub(super) fn check(&mut self) -> u64 {
        while let Ok(line) = self.lines.try_recv() {
            self.look(&line);
        }
        self.seen
    }

    fn look(&mut self, line: &str) {
        assert_eq!(line, format!("{:012}", self.seen));
        self.seen += 1;
    }

    /// The same of what still comes before the job's end, which ends it.
    #[track_caller]
    pub(super) fn end(&mut self) {
        let held = Held::new(self.child.id()).unwrap();
        assert!(held.ended(DEADLINE), "it goes on");
        while let Ok(line) = self.lines.recv() {
            // The job is ended in the middle of a line.
            if line.len() == 12 {
                self.look(&line);
            }
        }
        assert!(self.seen > 0);
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
