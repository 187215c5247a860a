//! The probe of a session's run: until it holds, and as long as it does.
//!
//! The readiness of a project's job is a level, which jobs that start later look at. So its probe goes on while it
//! holds, if it is about something that can be lost. It is then tried rarely, because a server that is asked writes
//! lines and does work. One failure says little; [`MISSES`] of them in a row do. That stops nobody, unless the restart
//! policy says after what time such a run is ended (`unreadyMs`).

use super::Session;
use crate::engine::life::Probed;
use crate::engine::readiness::{self, Readiness, Refusal};
use crate::protocol::{Probe, Status, duration};

/// Pause between two attempts of a probe that holds, as a multiple of the usual pause: 30 s instead of 500 ms. That is
/// how often other programs check the health of services.
const CALM: u64 = 60;

/// Number of attempts in a row that fail before a run is not ready any more.
const MISSES: u32 = 3;

impl Session {
    /// Starts probing the current run, unless it was already found ready.
    pub fn probe(&mut self) {
        let missing = self.life.status().has_process() && self.life.probed() != Some(Probed::Ready);
        let offset = self.life.runs().last().map(|run| run.offset);
        let probe = self.probed().filter(|_| missing).zip(offset);
        self.readiness = probe.and_then(|(probe, at)| Readiness::new(probe, &self.output, at));
        self.misses = 0;
        self.refusal = None;
    }

    /// What is probed: its file may have put secret values into it.
    fn probed(&self) -> Option<&Probe> {
        self.plain_probe.as_deref().or(self.spec.ready.as_ref())
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

    /// The probe, if it is one for which the driver makes attempts now, and the run that it probes.
    pub fn attempted_probe(&self) -> Option<(&Probe, u32)> {
        let probe = self.probed()?;
        let run = self.life.runs().last()?.run;
        let is_sought = self.is_probing() && probe.condition().is_none();
        (is_sought || self.may_lose(probe)).then_some((probe, run))
    }

    /// Records that an attempt of the probe has succeeded in this run. Returns true if that makes it ready.
    pub fn attempt_succeeded(&mut self, run: u32) -> bool {
        let is_meant = self.attempted_probe().is_some_and(|(_, now)| now == run);
        if is_meant {
            self.misses = 0;
        }
        let holds = is_meant && self.is_probing();
        self.found_ready(holds)
    }

    /// Records that an attempt of the probe has failed in this run at `boot` (boot-time milliseconds). Returns true if
    /// the run is not ready any more; the probe begins again then. `told` is what it was told, if anything.
    pub fn attempt_failed(&mut self, run: u32, told: Option<Refusal>, boot: u64) -> bool {
        let is_meant = self.attempted_probe().is_some_and(|(_, now)| now == run);
        if is_meant {
            self.refusal.clone_from(&told);
        }
        if !is_meant || self.is_probing() {
            return false;
        }
        self.misses += 1;
        let is_lost = self.misses >= MISSES;
        if is_lost {
            self.life.lost_readiness(boot);
            self.probe();
            self.refusal = told;
        }
        is_lost
    }

    /// The pause before the next attempt of its probe, in milliseconds.
    pub fn attempt_pause_ms(&self) -> u64 {
        let every = self.spec.ready.as_ref().map_or(0, Probe::every_ms);
        if self.is_probing() || self.misses > 0 {
            every
        } else {
            every.saturating_mul(CALM)
        }
    }

    /// Whether it is ready by a probe that goes on, because the readiness can be lost and somebody looks at it.
    fn may_lose(&self, probe: &Probe) -> bool {
        let matters = self.spec.project.is_some() || self.unready_limit_ms().is_some();
        matters && probe.can_fail_later() && self.ready() == Some(true)
    }

    /// How long its policy lets it run without being ready any more, in milliseconds.
    fn unready_limit_ms(&self) -> Option<u64> {
        self.spec.restart?.unready_ms
    }

    /// Why its policy ends this run, because it is not ready any more for too long at `boot` (boot-time milliseconds).
    /// A program that is paused cannot be ready, and one that is being ended need not be.
    pub fn unready_too_long(&self, boot: u64) -> Option<String> {
        let limit = self.unready_limit_ms()?;
        let since = self.life.unready_since()?;
        let is_over = boot >= since.saturating_add(limit);
        if !is_over || self.life.status() != Status::Running {
            return None;
        }
        let missing = readiness::missing(self.spec.ready.as_ref()?, self.refusal.as_ref());
        let limit = duration::exact_span(limit);
        Some(format!("not ready any more for {limit}: {missing}"))
    }

    fn is_probing(&self) -> bool {
        self.readiness.is_some() && self.life.status().has_process()
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
        Some(self.life.status().has_process() && self.life.probed() == Some(Probed::Ready))
    }

    /// Whether its program runs and nobody needs to wait until it is ready: its probe has taken longer than it may, or
    /// does not hold any more.
    pub fn is_late(&self) -> bool {
        matches!(self.life.probed(), Some(Probed::Late | Probed::Lost))
    }

    /// Why it is not ready after the time limit of its probe, or not any more.
    pub fn late_reason(&self) -> Option<String> {
        let probe = self.spec.ready.as_ref().filter(|_| self.is_probing())?;
        let missing = readiness::missing(probe, self.refusal.as_ref());
        match self.life.probed()? {
            Probed::Late => {
                let limit = duration::exact_span(probe.patience_ms());
                Some(format!("not ready after {limit}: {missing}"))
            }
            Probed::Lost => Some(format!("not ready any more: {missing}")),
            Probed::Ready => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::engine::Now;
    use crate::engine::life::Actor;
    use crate::engine::meta::{ProjectJob, Spec, TimeLimits};
    use crate::protocol::policy::RestartWhen;
    use crate::protocol::{RestartPolicy, Scope, SessionId, Timestamp};
    use crate::term::size::Size;

    fn session(probe: Probe, of_project: bool) -> Session {
        let now = Now {
            boot: 0,
            wall: Timestamp(0),
        };
        let project = ProjectJob {
            id: "p".to_owned(),
            job: "api".to_owned(),
        };
        let spec = Spec {
            ready: Some(probe),
            project: of_project.then_some(project),
            ..Spec::default()
        };
        let (id, scope) = (SessionId::fresh(), Scope::human());
        let limits = TimeLimits {
            timeout_ms: 0,
            timeout_grace_ms: 0,
            ttl_ms: 0,
            failed_ttl_ms: None,
            until_room: None,
            keep: true,
        };
        let mut session = Session::new(id, scope, spec, Size::default(), limits, now);
        session.life.started(7, 0, now);
        session.probe();
        session
    }

    fn http() -> Probe {
        Probe {
            http: Some("http://localhost:1/".to_owned()),
            ..Probe::default()
        }
    }

    #[test]
    fn readiness_is_lost_after_three_failures_and_can_come_back() {
        let mut api = session(http(), true);
        assert!(!api.attempt_failed(1, None, 0), "it was not ready");
        assert_eq!(api.attempt_pause_ms(), 500);
        assert!(api.attempt_succeeded(1));
        assert_eq!(api.attempt_pause_ms(), 30_000);
        assert!(!api.attempt_succeeded(1), "nothing new");
        assert!(!api.attempt_failed(1, None, 0));
        assert_eq!(api.attempt_pause_ms(), 500, "it is looked at soon");
        assert!(!api.attempt_failed(1, None, 0));
        assert!(!api.attempt_succeeded(1));
        for fails in [false, false, true] {
            assert_eq!(api.ready(), Some(true));
            assert_eq!(api.attempt_failed(1, Some(Refusal::Status(503)), 0), fails);
        }
        assert_eq!(api.ready(), Some(false));
        let why = api.late_reason().unwrap();
        assert_eq!(
            why,
            "not ready any more: http://localhost:1/ answered 503, not 200"
        );
        assert!(api.is_late());
        assert!(!api.attempt_succeeded(2), "that is another run");
        assert!(api.attempt_succeeded(1));
        assert_eq!((api.ready(), api.late_reason()), (Some(true), None));
    }

    #[test]
    fn a_run_that_is_not_ready_any_more_is_ended_if_its_policy_says_so() {
        let mut api = session(http(), false);
        api.spec.restart = Some(RestartPolicy {
            policy: RestartWhen::OnFailure,
            unready_ms: Some(30_000),
            ..RestartPolicy::default()
        });
        let lose = |api: &mut Session, at| {
            api.attempt_succeeded(1);
            let lost = [(); MISSES as usize].map(|()| api.attempt_failed(1, None, at));
            assert_eq!(lost, [false, false, true]);
        };
        assert_eq!(api.unready_too_long(99_000), None, "it was never ready");
        lose(&mut api, 1000);
        assert_eq!(api.unready_too_long(30_999), None);
        let why = api.unready_too_long(31_000).unwrap();
        assert_eq!(
            why,
            "not ready any more for 30s: http://localhost:1/ does not answer"
        );
        assert!(api.attempt_succeeded(1));
        assert_eq!(api.unready_too_long(99_000), None, "it is ready again");
        lose(&mut api, 40_000);
        assert!(api.life.set_paused(true));
        assert_eq!(api.unready_too_long(99_000), None, "it is paused");
        assert!(api.life.set_paused(false));
        api.life.forgive_unready(90_000);
        assert_eq!(api.unready_too_long(99_000), None);
        assert!(api.unready_too_long(120_000).is_some());
        api.life.ask_to_end(Actor::Human);
        assert_eq!(api.unready_too_long(120_000), None, "it is being ended");
    }

    #[test]
    fn only_jobs_of_projects_are_probed_on_and_only_what_can_be_lost() {
        let mut plain = session(http(), false);
        assert!(plain.attempt_succeeded(1));
        assert_eq!(plain.attempted_probe(), None);
        let mut quiet = session(
            Probe {
                quiet_ms: Some(10),
                ..Probe::default()
            },
            true,
        );
        assert!(quiet.attempt_succeeded(1));
        assert_eq!(quiet.attempted_probe(), None);
        let port = Probe {
            port: Some(1),
            ..Probe::default()
        };
        let mut port = session(port, true);
        assert_eq!(port.attempted_probe(), None, "the ports are polled");
        assert!(port.probe_ports(&[1]));
        assert!(port.attempted_probe().is_some());
    }
}
