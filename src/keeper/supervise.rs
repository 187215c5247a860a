//! Restarting the daemon when it ends.

use std::fmt;
use std::time::{Duration, Instant};

use crate::sys::signal;

/// A daemon that ran this long counts as healthy; when it dies it is restarted at once.
const HEALTHY: Duration = Duration::from_secs(5);

/// How long a daemon of another program may take until it has received the greeting. Clients wait for 30 s, and there are three attempts.
const READY_WITHIN: Duration = Duration::from_secs(5);

/// How long it may take to restore the sessions once it has greeted. With 11,000 sessions that took 3 s.
const RESTORED_WITHIN: Duration = Duration::from_secs(30);

/// Pause after the second failure in a row; it doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Longest pause. A client that connects during a pause waits until it is over.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// After this many failures in a row, clients get the reason as an error instead of waiting for the
/// next attempt.
const TROUBLE: u32 = 3;

/// Least time from the first of these failures to the first such error.
const TROUBLE_AFTER: Duration = Duration::from_millis(400);

/// How a daemon ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// The status cannot be known, because it was not our child.
    Unknown,
    /// It did not report `Ready` in time, and was killed.
    Late,
    /// It could not be started; the text says why.
    NotStarted(String),
}

/// Decides when the next daemon is started.
#[derive(Debug)]
pub(super) struct Supervisor {
    running: Option<Running>,
    due: Due,
    /// Number of daemons in a row that failed.
    failures: u32,
    /// Those of them that failed by themselves, that is, were not ended from outside.
    own_failures: Option<Streak>,
    /// How the last daemon ended.
    last: Ended,
}

/// The daemon that runs.
#[derive(Debug)]
struct Running {
    pid: u32,
    started: Instant,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// It has not reported `Ready`, and is killed at this time; `None` if it has time.
    Starting(Option<Instant>),
    /// It was killed for that.
    Late,
    /// It has reported `Ready`.
    Up,
}

/// Failures in a row.
#[derive(Debug)]
struct Streak {
    count: u32,
    /// Time of the first.
    since: Instant,
}

#[derive(Clone, Copy, Debug)]
enum Due {
    At(Instant),
    /// When the next client connects.
    OnConnect,
}

impl Default for Supervisor {
    fn default() -> Self {
        Self {
            running: None,
            due: Due::At(Instant::now()),
            failures: 0,
            own_failures: None,
            last: Ended::Unknown,
        }
    }
}

impl Running {
    /// When it is killed unless it has reported `Ready`.
    fn ready_by(&self) -> Option<Instant> {
        match self.stage {
            Stage::Starting(by) => by,
            Stage::Late | Stage::Up => None,
        }
    }
}

impl Supervisor {
    /// Records that a daemon was started.
    pub(super) fn started(&mut self, pid: u32) {
        self.running = Some(Running {
            pid,
            started: Instant::now(),
            stage: Stage::Starting(None),
        });
    }

    /// The daemon that was just started, which is of a program that may hang, has to report `Ready` in time.
    pub(super) fn expect_ready(&mut self) {
        if let Some(running) = &mut self.running {
            running.stage = Stage::Starting(Some(running.started + READY_WITHIN));
        }
    }

    /// The daemon has received everything, and restores the sessions.
    pub(super) fn greeted(&mut self) {
        if let Some(Stage::Starting(Some(by))) =
            self.running.as_mut().map(|running| &mut running.stage)
        {
            *by = Instant::now() + RESTORED_WITHIN;
        }
    }

    /// The pid of a daemon that has not reported `Ready` in time and is to be killed; only once.
    pub(super) fn take_late(&mut self) -> Option<u32> {
        let running = self.running.as_mut()?;
        running.ready_by().filter(|by| *by <= Instant::now())?;
        running.stage = Stage::Late;
        Some(running.pid)
    }

    /// Records that the daemon is up. One that was killed because it was late stays so.
    pub(super) fn mark_up(&mut self) {
        let running = self.running.as_mut();
        if let Some(running) = running.filter(|running| running.stage != Stage::Late) {
            running.stage = Stage::Up;
        }
    }

    /// Pid of the running daemon.
    pub(super) fn pid(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.pid)
    }

    /// Records that the daemon ended or could not be started. Returns whether to log it: only the first,
    /// second, fourth, eighth … failure in a row is logged.
    pub(super) fn ended(&mut self, how: Ended) -> bool {
        let was_running = self.running.take();
        let how = match &was_running {
            Some(running) if running.stage == Stage::Late => Ended::Late,
            _ => how,
        };
        let was_well = was_running.is_some_and(|running| {
            let is_healthy = running.started.elapsed() >= HEALTHY || how.is_from_outside();
            running.stage == Stage::Up && is_healthy
        });
        self.failures = if was_well {
            0
        } else {
            self.failures.saturating_add(1)
        };
        if was_well || how.is_from_outside() {
            self.own_failures = None;
        } else {
            let failures = self.own_failures.get_or_insert_with(|| Streak {
                count: 0,
                since: Instant::now(),
            });
            failures.count = failures.count.saturating_add(1);
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

    /// Number of daemons in a row that failed.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// Why daemons keep failing, for a person to read; `None` while they do not.
    pub(super) fn trouble(&self) -> Option<String> {
        let Streak { count, since } = self.own_failures.as_ref()?;
        let is_trouble = *count >= TROUBLE && since.elapsed() >= TROUBLE_AFTER;
        is_trouble.then(|| format!("{} ({count} times in a row)", self.last))
    }

    /// Records that daemons of another program are started from now on.
    pub(super) fn begins_anew(&mut self) {
        self.failures = 0;
        self.own_failures = None;
    }

    /// Records that the daemon ends on purpose; the next one starts when a client connects.
    pub(super) fn rest(&mut self) {
        self.due = Due::OnConnect;
        self.begins_anew();
    }

    /// Whether the next daemon starts when a client connects.
    pub(super) fn is_resting(&self) -> bool {
        matches!(self.due, Due::OnConnect) && self.running.is_none()
    }

    /// Pid of the running daemon; `None` if it is ending on purpose, because it serves no more clients.
    pub(super) fn serving(&self) -> Option<u32> {
        self.pid().filter(|_| matches!(self.due, Due::At(_)))
    }

    /// A client connected: start the next daemon now.
    pub(super) fn wake(&mut self) {
        self.due = Due::At(Instant::now());
    }

    /// Whether a daemon should be started now.
    pub(super) fn is_due(&self) -> bool {
        self.running.is_none() && matches!(self.due, Due::At(at) if at <= Instant::now())
    }

    /// Time until the next start, or until the running daemon is late; `None` if neither is scheduled.
    pub(super) fn pause(&self) -> Option<Duration> {
        let next = match self.due {
            Due::At(at) if self.running.is_none() => Some(at),
            _ => self.running.as_ref().and_then(Running::ready_by),
        };
        next.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// How the last daemon ended.
    pub(super) fn last(&self) -> &Ended {
        &self.last
    }
}

impl Ended {
    /// Whether the daemon was ended from outside. Then the next one is not expected to fail.
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
            Self::Late | Self::NotStarted(_) => false,
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "it ended with exit code {code}"),
            Self::Signal(number) => write!(f, "it was ended by {}", signal::name(*number)),
            Self::Unknown => write!(f, "it ended"),
            Self::Late => write!(f, "it was not up in time, and was killed"),
            Self::NotStarted(why) => write!(f, "{why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if the daemon had been started long ago.
    fn age(supervisor: &mut Supervisor) {
        if let Some(running) = &mut supervisor.running {
            running.started -= 2 * READY_WITHIN;
        }
    }

    #[test]
    fn restarts_at_once_after_the_first_failure_and_then_with_pauses() {
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
    fn start_failures_are_retried_with_pauses_and_logged_rarely() {
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
        if let Some(failures) = &mut supervisor.own_failures {
            failures.since -= TROUBLE_AFTER;
        }
        assert_eq!(
            supervisor.trouble().as_deref(),
            Some("no such file (100 times in a row)")
        );
    }

    #[test]
    fn an_exit_code_is_a_failure_and_a_kill_is_not() {
        let mut supervisor = Supervisor::default();
        for _ in 0..10 {
            supervisor.started(7);
            supervisor.mark_up();
            supervisor.ended(Ended::Signal(signal::KILL));
            assert!(supervisor.is_due());
        }
        assert_eq!(supervisor.failures(), 0);
        for _ in 0..2 {
            supervisor.started(7);
            supervisor.mark_up();
            supervisor.ended(Ended::Code(1));
        }
        assert!(!supervisor.is_due());
    }

    #[test]
    fn a_daemon_that_never_comes_up_is_a_failure_however_long_it_runs() {
        let mut supervisor = Supervisor::default();
        for failures in 1..=3 {
            supervisor.started(7);
            supervisor.expect_ready();
            assert_eq!(supervisor.take_late(), None);
            assert!(supervisor.pause().is_some());
            age(&mut supervisor);
            supervisor.expect_ready();
            assert_eq!(supervisor.take_late(), Some(7));
            assert_eq!((supervisor.take_late(), supervisor.pause()), (None, None));
            supervisor.ended(Ended::Signal(signal::KILL));
            assert_eq!(supervisor.failures(), failures);
            assert_eq!(*supervisor.last(), Ended::Late);
        }
    }

    #[test]
    fn a_daemon_that_restores_sessions_has_more_time() {
        let mut supervisor = Supervisor::default();
        supervisor.started(7);
        supervisor.expect_ready();
        age(&mut supervisor);
        supervisor.expect_ready();
        supervisor.greeted();
        assert_eq!(supervisor.take_late(), None);
        if let Some(Running {
            stage: Stage::Starting(Some(by)),
            ..
        }) = &mut supervisor.running
        {
            *by -= 2 * RESTORED_WITHIN;
        }
        assert_eq!(supervisor.take_late(), Some(7));
    }

    #[test]
    fn a_daemon_that_is_up_in_time_stays() {
        let mut supervisor = Supervisor::default();
        supervisor.started(7);
        supervisor.expect_ready();
        supervisor.mark_up();
        age(&mut supervisor);
        assert_eq!((supervisor.take_late(), supervisor.pause()), (None, None));
        supervisor.ended(Ended::Code(1));
        assert_eq!(supervisor.failures(), 0);
    }

    #[test]
    fn a_daemon_that_reports_after_it_was_killed_has_failed() {
        let mut supervisor = Supervisor::default();
        supervisor.started(7);
        age(&mut supervisor);
        supervisor.expect_ready();
        assert_eq!(supervisor.take_late(), Some(7));
        supervisor.mark_up();
        supervisor.ended(Ended::Signal(signal::KILL));
        assert_eq!(supervisor.failures(), 1);
        assert_eq!(*supervisor.last(), Ended::Late);
    }

    #[test]
    fn a_resting_supervisor_waits_for_a_client() {
        let mut supervisor = Supervisor::default();
        supervisor.started(7);
        supervisor.rest();
        supervisor.ended(Ended::Code(0));
        assert!(supervisor.is_resting() && supervisor.pause().is_none());
        supervisor.wake();
        assert!(supervisor.is_due());
    }
}
