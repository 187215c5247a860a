//! Keeping a daemon running.

use std::time::{Duration, Instant};

/// A daemon that ran so long was well; its death is answered at once.
const HEALTHY: Duration = Duration::from_secs(5);

/// Pause after the second early death; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Longest pause: a person who asks for something meanwhile waits as long.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// When the next daemon is to be started.
#[derive(Debug)]
pub(super) struct Supervisor {
    /// The daemon that runs.
    pub(super) pid: Option<u32>,
    started: Instant,
    due: Due,
    /// Deaths in a row of daemons that had not run for long.
    early_deaths: u32,
}

#[derive(Clone, Copy, Debug)]
enum Due {
    At(Instant),
    /// When a client knocks.
    OnKnock,
}

impl Default for Supervisor {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            pid: None,
            started: now,
            due: Due::At(now),
            early_deaths: 0,
        }
    }
}

impl Supervisor {
    /// A daemon was started.
    pub(super) fn started(&mut self, pid: u32) {
        self.pid = Some(pid);
        self.started = Instant::now();
    }

    /// It said that it is up.
    pub(super) fn is_up(&mut self) {
        self.early_deaths = 0;
    }

    /// It is gone, or could not be started.
    pub(super) fn ended(&mut self) {
        self.pid = None;
        if self.started.elapsed() >= HEALTHY {
            self.early_deaths = 0;
        }
        if let Due::At(_) = self.due {
            let pause = match self.early_deaths {
                0 => Duration::ZERO,
                n => (FIRST_PAUSE * 2u32.saturating_pow(n.min(16) - 1)).min(LAST_PAUSE),
            };
            self.due = Due::At(Instant::now() + pause);
        }
        self.early_deaths = self.early_deaths.saturating_add(1);
    }

    /// The daemon ends on purpose: the next one starts when a client knocks.
    pub(super) fn rest(&mut self) {
        self.due = Due::OnKnock;
        self.early_deaths = 0;
    }

    /// Whether a knock is what the next daemon waits for.
    pub(super) fn is_resting(&self) -> bool {
        matches!(self.due, Due::OnKnock) && self.pid.is_none()
    }

    /// A client knocked.
    pub(super) fn wake(&mut self) {
        self.due = Due::At(Instant::now());
    }

    /// Whether a daemon is to be started now.
    pub(super) fn is_due(&self) -> bool {
        self.pid.is_none() && matches!(self.due, Due::At(at) if at <= Instant::now())
    }

    /// How long until one is to be started, if the clock decides that.
    pub(super) fn pause(&self) -> Option<Duration> {
        match self.due {
            Due::At(at) if self.pid.is_none() => Some(at.saturating_duration_since(Instant::now())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_death_is_answered_at_once_and_early_ones_with_pauses() {
        let mut supervisor = Supervisor::default();
        supervisor.started(7);
        supervisor.ended();
        assert!(supervisor.is_due());
        supervisor.started(8);
        supervisor.ended();
        assert!(!supervisor.is_due());
        assert!(supervisor.pause().is_some());
    }

    #[test]
    fn a_resting_daemon_waits_for_a_knock() {
        let mut supervisor = Supervisor::default();
        supervisor.started(7);
        supervisor.rest();
        supervisor.ended();
        assert!(supervisor.is_resting() && supervisor.pause().is_none());
        supervisor.wake();
        assert!(supervisor.is_due());
    }
}
