//! Decides whether a run is ready, by comparing its probe with its output and ports.

use std::rc::Rc;

use super::conditions::Conditions;
use super::matcher::{Decision, Matcher};
use super::output::Output;
use super::wait_inputs::WaitInputs;
use crate::protocol::condition::View;
use crate::protocol::probe::Check;
use crate::protocol::{Error, Probe, Status, duration};
use crate::term::plain::Checkpoint;

/// The probe of a run that is not ready yet.
pub struct Readiness {
    /// What looks at output and ports; `None` if the driver makes attempts.
    matcher: Option<Matcher>,
}

impl Readiness {
    /// Checks that a probe is valid.
    pub fn check(probe: &Probe) -> Result<(), Error> {
        match probe.check() {
            Check::Tcp(place) if !is_place(place) => Err(Error::invalid(format!(
                "`ready.tcp`: `{place}` is not of the form HOST:PORT"
            ))),
            _ => conditions(probe).map(|_| ()),
        }
    }

    /// Starts probing the run whose output begins at `offset`.
    pub fn new(probe: &Probe, output: &Output, offset: u64) -> Option<Self> {
        // The probe was checked when the session was started.
        let conditions = conditions(probe).ok()?.map(Rc::new);
        let at = Checkpoint::at(offset);
        Some(Self {
            matcher: conditions
                .map(|conditions| Matcher::new(conditions, output.layout_at(offset), at, 0)),
        })
    }

    /// Processes output of this run. Returns true if it makes the run ready.
    pub fn output(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let matcher = self.matcher.as_mut();
        let decision = matcher.and_then(|matcher| matcher.output(offset, bytes));
        matches!(decision, Some(Decision::Matched(_)))
    }

    /// Processes the ports on which the process tree listens. Returns true if they make the run
    /// ready.
    pub fn listens(&mut self, output: &mut Output, ports: &[u16]) -> bool {
        let facts = WaitInputs {
            ports: Some(ports),
            ..WaitInputs::of(Status::Running)
        };
        let matcher = self.matcher.as_mut();
        let decision = matcher.and_then(|matcher| matcher.look(output, facts, 0));
        matches!(decision, Some(Decision::Matched(_)))
    }
}

fn conditions(probe: &Probe) -> Result<Option<Conditions>, Error> {
    let condition = probe.condition();
    let conditions = |condition| Conditions::new(Some(&[condition]), None, View::Plain);
    condition.map(conditions).transpose()
}

/// Whether text has the form `HOST:PORT`.
fn is_place(text: &str) -> bool {
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    port.is_some_and(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// What the last attempt of a probe was told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A request was answered with this status.
    Status(u16),
    /// The shell line failed like this: `exit code 2: no response`.
    Line(String),
}

/// Text that says what the probe is still waiting for. `told` is what its last attempt was told, if anything.
pub fn missing(probe: &Probe, told: Option<&Refusal>) -> String {
    match probe.check() {
        Check::Pattern(pattern) => format!("no line matches `{pattern}`"),
        Check::Port(port) => format!("no process of it listens on port {port}"),
        Check::Tcp(place) => format!("{place} accepts no connection"),
        Check::Http(url, wanted) => match told {
            Some(Refusal::Status(status)) => {
                let wanted: Vec<String> = wanted.iter().map(u16::to_string).collect();
                format!("{url} answered {status}, not {}", wanted.join(" or "))
            }
            _ => format!("{url} does not answer"),
        },
        Check::Command(text) => {
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let first = lines.next().unwrap_or_default();
            let rest = lines.next().map_or("", |_| " ...");
            match told {
                Some(Refusal::Line(how)) => format!("`{first}{rest}` fails: {how}"),
                _ => format!("`{first}{rest}` fails"),
            }
        }
        Check::File(path) => format!("{path} does not exist"),
        Check::Quiet(ms) => format!("it was never quiet for {}", duration::exact_span(ms)),
    }
}
