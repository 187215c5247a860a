//! Keeping a daemon running.

use std::fmt;
use std::time::{Duration, Instant};

use crate::sys::signal;

/// A daemon that ran so long was well; its death is answered at once.
const HEALTHY: Duration = Duration::from_secs(5);

/// Pause after the second failure in a row; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Longest pause: a person who asks for something meanwhile waits as long.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// So many failures in a row, and for so long, are told to clients: they need not wait for the next attempt.
const TROUBLE: u32 = 3;
const TROUBLE_AFTER: Duration = Duration::from_millis(400);

/// How a daemon ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// With an exit code of its own.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Nobody can know: it was no child of ours.
    Unknown,
    /// It could not be started at all.
    NotStarted(String),
}

/// When the next daemon is to be started.
#[derive(Debug)]
pub(super) struct Supervisor {
    /// The daemon that runs.
    pub(super) pid: Option<u32>,
    started: Instant,
    /// Whether it has said so.
    is_up: bool,
    due: Due,
    /// Daemons in a row that did not stay, and those of them that nobody else ended.
    failures: u32,
    own_failures: u32,
    /// Since when none of them stays by itself, and what became of the last one.
    failing_since: Instant,
    last: Ended,
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
            is_up: false,
            due: Due::At(now),
            failures: 0,
            own_failures: 0,
            failing_since: now,
            last: Ended::Unknown,
        }
    }
}

impl Supervisor {
    /// A daemon was started.
    pub(super) fn started(&mut self, pid: u32) {
        self.pid = Some(pid);
        self.started = Instant::now();
        self.is_up = false;
    }

    /// It said that it is up.
    pub(super) fn is_up(&mut self) {
        self.is_up = true;
    }

    /// It is gone, or could not be started. Returns whether that is worth a line in the log: of a long row of
    /// failures the first, second, fourth, eighth … one is.
    pub(super) fn ended(&mut self, how: Ended) -> bool {
        let was_started = self.pid.take().is_some();
        let was_well = was_started
            && (self.started.elapsed() >= HEALTHY || self.is_up && how.is_from_outside());
        self.failures = match was_well {
            true => 0,
            false => self.failures.saturating_add(1),
        };
        if was_well || how.is_from_outside() {
            self.own_failures = 0;
        } else {
            if self.own_failures == 0 {
                self.failing_since = Instant::now();
            }
            self.own_failures = self.own_failures.saturating_add(1);
        }
        self.last = how;
        if let Due::At(_) = self.due {
            let pause = match self.failures {
                0 | 1 => Duration::ZERO,
                n => (FIRST_PAUSE * 2u32.saturating_pow(n.min(16) - 2)).min(LAST_PAUSE),
            };
            self.due = Due::At(Instant::now() + pause);
        }
        self.failures.is_power_of_two() || self.failures == 0
    }

    /// Daemons in a row that did not stay.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// Why no daemon stays, in words, once that is so.
    pub(super) fn trouble(&self) -> Option<String> {
        let is_trouble =
            self.own_failures >= TROUBLE && self.failing_since.elapsed() >= TROUBLE_AFTER;
        is_trouble.then(|| format!("{} ({} times in a row)", self.last, self.own_failures))
    }

    /// The daemon ends on purpose: the next one starts when a client knocks.
    pub(super) fn rest(&mut self) {
        self.due = Due::OnKnock;
        self.failures = 0;
        self.own_failures = 0;
    }

    /// Whether a knock is what the next daemon waits for.
    pub(super) fn is_resting(&self) -> bool {
        matches!(self.due, Due::OnKnock) && self.pid.is_none()
    }

    /// The daemon that runs and goes on: one that ends on purpose serves nobody any more.
    pub(super) fn serving(&self) -> Option<u32> {
        self.pid.filter(|_| matches!(self.due, Due::At(_)))
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

impl Ended {
    /// Whether somebody else ended it: that says nothing about the next one.
    fn is_from_outside(&self) -> bool {
        match self {
            Self::Code(code) => *code == 0,
            Self::Signal(number) => [
                signal::KILL,
                signal::TERM,
                signal::HUP,
                signal::INT,
                signal::QUIT,
            ]
            .contains(number),
            Self::Unknown => true,
            Self::NotStarted(_) => false,
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "it ended with exit code {code}"),
            Self::Signal(number) => write!(f, "it was ended by {}", signal::name(*number)),
            Self::Unknown => write!(f, "it ended"),
            Self::NotStarted(why) => write!(f, "{why}"),
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
        assert!(supervisor.ended(Ended::Code(1)));
        assert!(supervisor.is_due());
        supervisor.started(8);
        assert!(supervisor.ended(Ended::Code(1)));
        assert!(!supervisor.is_due());
        assert!(supervisor.pause().is_some());
    }

    #[test]
    fn one_that_cannot_be_started_is_tried_with_pauses_and_said_now_and_then() {
        let mut supervisor = Supervisor::default();
        let mut said = 0;
        for _ in 0..100 {
            said += u32::from(supervisor.ended(Ended::NotStarted("no such file".into())));
        }
        assert_eq!(said, 7, "1, 2, 4, … 64");
        assert!(
            supervisor
                .pause()
                .is_some_and(|pause| pause > LAST_PAUSE / 2)
        );
        supervisor.failing_since -= TROUBLE_AFTER;
        assert_eq!(
            supervisor.trouble().as_deref(),
            Some("no such file (100 times in a row)")
        );
    }

    #[test]
    fn one_that_fails_after_it_was_up_is_a_failure_and_one_that_was_killed_is_none() {
        let mut supervisor = Supervisor::default();
        for _ in 0..10 {
            supervisor.started(7);
            supervisor.is_up();
            supervisor.ended(Ended::Signal(signal::KILL));
            assert!(supervisor.is_due());
        }
        assert_eq!(supervisor.failures(), 0);
        for _ in 0..2 {
            supervisor.started(7);
            supervisor.is_up();
            supervisor.ended(Ended::Code(1));
        }
        assert!(!supervisor.is_due());
    }

    #[test]
    fn a_resting_daemon_waits_for_a_knock() {
        let mut supervisor = Supervisor::default();
        supervisor.started(7);
        supervisor.rest();
        supervisor.ended(Ended::Code(0));
        assert!(supervisor.is_resting() && supervisor.pause().is_none());
        supervisor.wake();
        assert!(supervisor.is_due());
    }
}
