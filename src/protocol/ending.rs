//! How a run has ended, in the words that all parts of the program use for it.

use std::fmt;

use super::event::Completion;
use super::reply::{Killed, Polled, ProjectJob};
use super::run::Run;
use super::{Status, Summary};

/// The end of a run. Its text is `exit 3` or `SIGTERM`; if neither is known, the status: `timed out`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending<'a> {
    /// Exit code; `None` after a signal.
    pub code: Option<i32>,
    /// The signal that it died of.
    pub signal: Option<&'a str>,
    /// Status of the session since then, if it belongs to this run.
    pub status: Option<Status>,
}

impl Ending<'_> {
    /// Its exit code or signal: `exit 3`, `SIGTERM`.
    pub fn known(&self) -> Option<String> {
        let code = self.code.map(|code| format!("exit {code}"));
        code.or_else(|| self.signal.map(str::to_owned))
    }
}

impl fmt::Display for Ending<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.known(), self.status) {
            (Some(known), _) => f.write_str(&known),
            (None, Some(status)) => f.write_str(&status.words()),
            (None, None) => f.write_str("ended"),
        }
    }
}

/// Makes an ending from a type that has the status of its session.
macro_rules! with_status {
    ($($type:ty)*) => {$(
        impl<'a> From<&'a $type> for Ending<'a> {
            fn from(of: &'a $type) -> Self {
                Self {
                    code: of.exit_code,
                    signal: of.signal.as_deref(),
                    status: Some(of.status),
                }
            }
        }
    )*};
}

with_status!(Summary Polled Killed Completion);

impl<'a> From<&'a Run> for Ending<'a> {
    fn from(run: &'a Run) -> Self {
        Self {
            code: run.exit_code,
            signal: run.signal.as_deref(),
            status: run.lost.then_some(Status::Lost),
        }
    }
}

impl<'a> From<&'a ProjectJob> for Ending<'a> {
    fn from(job: &'a ProjectJob) -> Self {
        Self {
            code: job.exit_code,
            signal: job.signal.as_deref(),
            status: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_counts_then_the_signal_then_the_status() {
        let words = |code, signal, status| {
            let ending = Ending {
                code,
                signal,
                status,
            };
            ending.to_string()
        };
        let error = Some(Status::Error);
        assert_eq!(words(Some(3), Some("SIGTERM"), error), "exit 3");
        assert_eq!(words(None, Some("SIGTERM"), error), "SIGTERM");
        assert_eq!(words(None, None, Some(Status::TimedOut)), "timed out");
        assert_eq!(words(None, None, None), "ended");
    }
}
