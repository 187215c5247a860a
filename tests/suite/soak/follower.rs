//! One who reads a counting job with `logs -f`.

use std::path::Path;

use crate::support::Home;
use crate::support::following::Following;

/// `logs -f`, of which each line is looked at.
pub(super) struct Follower {
    logs: Following,
    seen: u64,
}

impl Follower {
    pub(super) fn new(home: &Home, program: &Path, job: &str) -> Self {
        let words = [program.to_str().unwrap(), "logs", "-f", job];
        Self {
            logs: Following::of(home.command_through(&words)),
            seen: 0,
        }
    }

    /// Fails unless what came is what follows; returns how many lines it was in all.
    #[track_caller]
    pub(super) fn check(&mut self) -> u64 {
        while let Some(line) = self.logs.arrived() {
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
        self.logs.code();
        for line in self.logs.rest() {
            // The job is ended in the middle of a line.
            if line.len() == 12 {
                self.look(&line);
            }
        }
        assert!(self.seen > 0);
    }
}
