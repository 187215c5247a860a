//! Readiness of a session: its probe, and what has become of it.

use super::Session;
use crate::engine::life::Probed;
use crate::engine::readiness::{self, Readiness};
use crate::protocol::Probe;

impl Session {
    /// Starts probing the current run, unless it was already found ready.
    pub fn probe(&mut self) {
        let missing = self.life.status().is_alive() && self.life.probed() != Some(Probed::Ready);
        let offset = self.life.runs().last().map(|run| run.offset);
        let probe = self.spec.ready.as_ref().filter(|_| missing).zip(offset);
        self.readiness = probe.and_then(|(probe, at)| Readiness::new(probe, &self.output, at));
    }

    /// Feeds output to the probe. Returns true if it makes the run ready.
    pub fn probe_output(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let probe = self.readiness.as_mut();
        let holds = probe.is_some_and(|probe| probe.output(offset, bytes));
        self.found_ready(holds)
    }

    /// Feeds the ports on which the process tree listens to the probe. Returns true if they make
    /// the run ready.
    pub fn probe_ports(&mut self, ports: &[u16]) -> bool {
        let probe = self.readiness.as_mut();
        let holds = probe.is_some_and(|probe| probe.listens(&mut self.output, ports));
        self.found_ready(holds)
    }

    fn found_ready(&mut self, holds: bool) -> bool {
        if holds {
            self.readiness = None;
            self.life.set_probed(Probed::Ready);
        }
        holds
    }

    /// Whether output can still make it ready.
    pub fn probes_output(&self) -> bool {
        let by_pattern = self
            .spec
            .ready
            .as_ref()
            .is_some_and(|p| p.pattern.is_some());
        by_pattern && self.readiness.is_some()
    }

    /// The port that the probe waits for.
    pub fn probed_port(&self) -> Option<u16> {
        let probe = self.spec.ready.as_ref()?;
        probe.port.filter(|_| self.is_probing())
    }

    /// The probe, if it is one for which the driver makes attempts, and the run that it probes.
    pub fn attempted_probe(&self) -> Option<(&Probe, u32)> {
        let probe = self.spec.ready.as_ref()?;
        let run = self.life.runs().last()?.run;
        let is_attempted = self.is_probing() && probe.condition().is_none();
        is_attempted.then_some((probe, run))
    }

    /// Records that an attempt of the probe has succeeded in this run. Returns true if that makes it ready.
    pub fn attempt_succeeded(&mut self, run: u32) -> bool {
        let holds = self.attempted_probe().is_some_and(|(_, now)| now == run);
        self.found_ready(holds)
    }

    fn is_probing(&self) -> bool {
        self.readiness.is_some() && self.life.status().is_alive()
    }

    /// When the probe is late, in boot-time milliseconds.
    pub fn late_at(&self) -> Option<u64> {
        let probe = self.spec.ready.as_ref()?;
        let open = self.is_probing() && self.life.probed().is_none();
        open.then(|| self.life.started_boot().saturating_add(probe.patience_ms()))
    }

    /// Whether it is ready: `None` without a probe; false once it has ended.
    pub fn ready(&self) -> Option<bool> {
        self.spec.ready.as_ref()?;
        Some(self.life.status().is_alive() && self.life.probed() == Some(Probed::Ready))
    }

    /// Why it is not ready after the time limit of its probe.
    pub fn late_reason(&self) -> Option<String> {
        let probe = self.spec.ready.as_ref()?;
        let late = self.is_probing() && self.life.probed() == Some(Probed::Late);
        late.then(|| {
            let ms = probe.patience_ms();
            format!("not ready after {ms} ms: {}", readiness::missing(probe))
        })
    }
}
