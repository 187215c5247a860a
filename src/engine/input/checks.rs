//! When the daemon asks the kernel whether a program waits for input.
//!
//! No event reports that a program begins to wait. The daemon therefore checks when the program has written nothing for
//! a moment, and then at doubling intervals, so that idle sessions cost almost nothing. All sessions are checked at the
//! same moments, so that the processor wakes up rarely. While a client waits for the input state (`eager`), the daemon
//! checks more often.

/// Time without output or typing before the first check, in milliseconds. People are notified only
/// of a program that waits for input after this time.
pub(super) const QUIET_MS: u64 = 100;

/// [`QUIET_MS`] while a client waits for the input state.
const EAGER_QUIET_MS: u64 = 2;

/// Longest interval between checks while a client waits, in milliseconds.
const EAGER_PAUSE_MS: u64 = 500;

/// A session that is never quiet is checked after this multiple of the quiet time.
const RESTLESS: u64 = 10;

/// When a session was checked and is checked next. Times are in boot-time milliseconds.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// When the program last wrote something, or something was typed.
    active_at: u64,
    /// When the last check took place.
    checked_at: u64,
    /// When the next check takes place.
    next: Option<u64>,
    /// Interval to the next check, in milliseconds.
    pause: u64,
}

impl Checks {
    /// The checks of a new run.
    pub(super) fn begun(now: u64) -> Self {
        let mut checks = Self {
            checked_at: now,
            ..Self::default()
        };
        checks.on_activity(now, false);
        checks
    }

    /// The program wrote something, or something was typed. Returns true if the time of the next check has changed.
    pub(super) fn on_activity(&mut self, now: u64, eager: bool) -> bool {
        self.active_at = now;
        self.pause = quiet(eager);
        let next = self.after(now, eager);
        // If a check is scheduled earlier, leave it: it finds that the session is not quiet yet and
        // schedules the next one. Moving the timer with each piece of output would cost more.
        let sooner = self.next.is_none_or(|there| there > next);
        if sooner {
            self.next = Some(next);
        }
        sooner
    }

    /// Begins again as after activity, whatever was scheduled.
    pub(super) fn begin_again(&mut self, now: u64, eager: bool) {
        self.next = None;
        self.on_activity(now, eager);
    }

    /// A client waits for the state from now on.
    pub(super) fn hurry(&mut self, now: u64) {
        self.pause = EAGER_QUIET_MS;
        self.next = Some(now + self.pause);
    }

    /// Returns whether to check now, and schedules the next check. Returns false if the session is
    /// not quiet yet.
    pub(super) fn take_due(&mut self, now: u64, eager: bool) -> bool {
        let quiet = quiet(eager);
        if now < self.active_at + quiet && now < self.checked_at + quiet * RESTLESS {
            self.pause = quiet;
            self.next = Some(self.after(self.active_at, eager));
            return false;
        }
        self.checked_at = now;
        self.pause = if eager {
            (self.pause.max(EAGER_QUIET_MS) * 2).min(EAGER_PAUSE_MS)
        } else {
            self.pause.max(QUIET_MS) * 2
        };
        self.next = Some(self.after(now, eager));
        true
    }

    /// The time one pause after `moment`.
    fn after(&self, moment: u64, eager: bool) -> u64 {
        if eager {
            moment + self.pause
        } else {
            // Rounded up so that all sessions share the same moments; a hundred sessions that were
            // started one after the other do not cause a hundred wake-ups.
            (moment + self.pause).next_multiple_of(self.pause)
        }
    }

    /// When the next check takes place.
    pub(super) fn next(&self) -> Option<u64> {
        self.next
    }

    /// When the program last wrote something, or something was typed.
    pub(super) fn active_at(&self) -> u64 {
        self.active_at
    }

    /// Whether nothing was written or typed for so long that people are notified of what the program waits for.
    pub(super) fn is_quiet(&self, now: u64) -> bool {
        now >= self.active_at + QUIET_MS
    }
}

fn quiet(eager: bool) -> u64 {
    if eager { EAGER_QUIET_MS } else { QUIET_MS }
}
