//! Whether a run is ready: its probe, held against what happens.

use std::rc::Rc;

use super::matcher::{Conditions, Decision, Matcher};
use super::output::Output;
use super::wait_inputs::WaitInputs;
use crate::protocol::condition::View;
use crate::protocol::{Error, Probe, Status};
use crate::term::plain::Checkpoint;

/// A probe of one run that has not held yet.
pub struct Readiness {
    matcher: Matcher,
}

impl Readiness {
    /// Whether a probe makes sense.
    pub fn check(probe: &Probe) -> Result<(), Error> {
        conditions(probe).map(|_| ())
    }

    /// Begins to look at the run whose output begins at `offset`.
    pub fn new(probe: &Probe, output: &Output, offset: u64) -> Option<Self> {
        // It was checked when the session was started.
        let conditions = Rc::new(conditions(probe).ok()?);
        let at = Checkpoint::at(offset);
        Some(Self {
            matcher: Matcher::new(conditions, output.layout(), at, 0),
        })
    }

    /// Output of this run; true if that makes it ready.
    pub fn output(&mut self, offset: u64, bytes: &[u8]) -> bool {
        matches!(
            self.matcher.output(offset, bytes),
            Some(Decision::Matched(_))
        )
    }

    /// Its tree listens on `ports`; true if that makes it ready.
    pub fn listens(&mut self, output: &mut Output, ports: &[u16]) -> bool {
        let facts = WaitInputs {
            ports: Some(ports),
            ..WaitInputs::of(Status::Running)
        };
        matches!(
            self.matcher.look(output, facts, 0),
            Some(Decision::Matched(_))
        )
    }
}

fn conditions(probe: &Probe) -> Result<Conditions, Error> {
    Conditions::new(Some(&[probe.condition()]), None, View::Plain)
}

/// What has not come true, in words.
pub fn missing(probe: &Probe) -> String {
    match (&probe.pattern, probe.port) {
        (Some(pattern), _) => format!("no line matches `{pattern}`"),
        (None, port) => format!("nothing of it listens on port {}", port.unwrap_or_default()),
    }
}
