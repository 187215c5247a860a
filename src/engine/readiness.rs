//! Decides whether a run is ready, by comparing its probe with its output and ports.

use std::rc::Rc;

use super::matcher::{Conditions, Decision, Matcher};
use super::output::Output;
use super::wait_inputs::WaitInputs;
use crate::protocol::condition::View;
use crate::protocol::{Error, Probe, Status};
use crate::term::plain::Checkpoint;

/// The probe of a run that is not ready yet.
pub struct Readiness {
    matcher: Matcher,
}

impl Readiness {
    /// Checks that a probe is valid.
    pub fn check(probe: &Probe) -> Result<(), Error> {
        conditions(probe).map(|_| ())
    }

    /// Starts probing the run whose output begins at `offset`.
    pub fn new(probe: &Probe, output: &Output, offset: u64) -> Option<Self> {
        // The probe was checked when the session was started.
        let conditions = Rc::new(conditions(probe).ok()?);
        let at = Checkpoint::at(offset);
        Some(Self {
            matcher: Matcher::new(conditions, output.layout(), at, 0),
        })
    }

    /// Processes output of this run. Returns true if it makes the run ready.
    pub fn output(&mut self, offset: u64, bytes: &[u8]) -> bool {
        matches!(
            self.matcher.output(offset, bytes),
            Some(Decision::Matched(_))
        )
    }

    /// Processes the ports on which the process tree listens. Returns true if they make the run
    /// ready.
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

/// Text that says what the probe is still waiting for.
pub fn missing(probe: &Probe) -> String {
    match (&probe.pattern, probe.port) {
        (Some(pattern), _) => format!("no line matches `{pattern}`"),
        (None, port) => format!(
            "no process of it listens on port {}",
            port.unwrap_or_default()
        ),
    }
}
