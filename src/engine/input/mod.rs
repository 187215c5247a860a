//! The input state of a session: whether its program waits for input, as the kernel says when the daemon asks.
//!
//! [`InputWatch`] has the last answer and what it means. `checks` says when to ask again, `told` who knows that the
//! program needs input, and `line` has the line that is being typed.

mod checks;
mod line;
mod told;

use crate::protocol::Scope;
use crate::protocol::keeper::InputReport;
use crate::protocol::status::InputState;
use checks::Checks;
use line::TypedLine;
pub use line::{ENDS_LINE, is_part};
use told::Told;

/// Maximum age, in milliseconds, at which an answer counts as new.
const FRESH_MS: u64 = 2;

/// Age, in milliseconds, from which an answer is refreshed when many sessions are listed.
const OLD_MS: u64 = 1000;

/// The session's state that the input state also depends on.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Its first process exists.
    pub alive: bool,
    /// Its standard input was closed.
    pub closed: bool,
    /// A full-screen program uses the alternate screen.
    pub alt_screen: bool,
}

/// The last known input state of a session's program, and when to check again.
#[derive(Debug, Default)]
pub struct InputWatch {
    report: Option<InputReport>,
    /// When `report` was recorded, in boot-time milliseconds.
    reported_at: u64,
    /// When the first of the last answers was recorded that all say that a program waits in a read, in boot-time
    /// milliseconds.
    reads_since: Option<u64>,
    /// Answers to questions up to this number are out of date, because they were asked before
    /// something was typed.
    stale_up_to: u64,
    /// When something was last typed in this run, in boot-time milliseconds.
    typed_at: Option<u64>,
    line: TypedLine,
    checks: Checks,
    told: Told,
}

impl InputWatch {
    /// Starts a new run with an unknown state.
    pub fn begin(&mut self, now: u64) {
        *self = Self {
            checks: Checks::begun(now),
            ..Self::default()
        };
    }

    /// The program has ended.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// The program wrote something. `eager` is whether a client waits for the input state. Returns
    /// true if the time of the next check has changed.
    pub fn on_activity(&mut self, now: u64, eager: bool) -> bool {
        self.checks.on_activity(now, eager)
    }

    /// Something was typed. The known state becomes invalid, and so do the answers to questions up
    /// to number `asked`. `is_part` is whether these bytes have ended no line: see [`is_part`].
    pub fn typed(&mut self, now: u64, eager: bool, asked: u64, is_part: bool) {
        self.told.typed(is_part);
        self.typed_at = Some(now);
        self.forget(now, eager, asked);
    }

    /// Notes bytes that are typed into a terminal that collects lines. Returns the length of the longest line to which
    /// they belong, which an earlier write may have begun.
    pub fn type_lines(&mut self, bytes: &[u8]) -> usize {
        self.line.add(bytes)
    }

    /// Notes that the terminal does not collect lines now.
    pub fn collects_no_lines(&mut self) {
        self.line.clear();
    }

    /// The program was stopped or continued. The known state becomes invalid, and so do the answers
    /// to questions up to number `asked`.
    pub fn forget(&mut self, now: u64, eager: bool, asked: u64) {
        self.stale_up_to = asked;
        self.report = None;
        self.reads_since = None;
        self.checks.begin_again(now, eager);
    }

    /// Time of the next check, in boot-time milliseconds.
    pub fn next(&self) -> Option<u64> {
        self.checks.next()
    }

    /// Returns whether to check now, and schedules the next check. Returns false if the session is
    /// not quiet yet.
    pub fn take_due(&mut self, now: u64, eager: bool) -> bool {
        self.checks.take_due(now, eager)
    }

    /// A client waits for the state from now on.
    pub fn hurry(&mut self, now: u64) {
        self.checks.hurry(now);
    }

    /// Whether the last answer counts as new.
    pub fn is_fresh(&self, now: u64) -> bool {
        self.report.is_some()
            && self.checks.active_at() < self.reported_at
            && now < self.reported_at + FRESH_MS
    }

    /// Whether the state may have changed since the last answer.
    pub fn is_old(&self, now: u64) -> bool {
        self.report.is_none()
            || self.reported_at <= self.checks.active_at()
            || now > self.reported_at + OLD_MS
    }

    /// Whether question number `ask` was asked before something was typed.
    pub fn is_stale(&self, ask: u64) -> bool {
        ask <= self.stale_up_to
    }

    /// The kernel's last answer.
    pub fn report(&self) -> Option<InputReport> {
        self.report
    }

    /// Records the kernel's answer; `None` if there was none.
    pub fn record(&mut self, report: Option<InputReport>, now: u64) {
        self.report = report;
        self.reported_at = now;
        let reads = report.is_some_and(|report| is_waiting(report) && report.in_read);
        self.reads_since = reads.then(|| self.reads_since.unwrap_or(now));
    }

    /// Since when each check has found a program in a read that waits for input, in boot-time milliseconds. `None` if it
    /// waits in another way: an event loop, or a call with a time limit, has something else to do.
    pub fn reads_since(&self) -> Option<u64> {
        self.reads_since
    }

    /// Whether the program has just written something or something was just typed. Then a check
    /// that finds it busy should be repeated soon, because it may be about to wait.
    pub fn is_active(&self, now: u64) -> bool {
        now <= self.checks.active_at() + FRESH_MS
    }

    /// When something was last typed in this run, in boot-time milliseconds.
    pub fn typed_at(&self) -> Option<u64> {
        self.typed_at
    }

    /// Whether the terminal was in raw mode at the last check: the program draws what it reads.
    pub fn is_raw(&self) -> bool {
        let line = self.report.and_then(|report| report.line);
        line.is_some_and(|line| !line.canonical)
    }

    /// Unread input bytes at the last check; `None` if unknown.
    pub fn unread(&self) -> Option<u64> {
        self.report?.unread
    }

    /// The program's input state.
    pub fn state(&self, situation: Situation) -> InputState {
        if situation.closed || !situation.alive {
            return InputState::Closed;
        }
        let Some(report) = self.report else {
            return InputState::Unknown;
        };
        let password = report.line.is_some_and(|line| line.canonical && !line.echo);
        match (report.reading, report.line) {
            (Some(true), _) if !is_waiting(report) => InputState::None,
            (Some(false), _) => InputState::None,
            // Programs that read whole lines turn echo off only for passwords. So the modes of the
            // terminal are enough, even for programs that may not be inspected (such as sudo).
            (_, Some(_)) if password => InputState::Password,
            (None, _) => InputState::Unknown,
            (Some(true), Some(line)) if line.canonical => InputState::Line,
            (Some(true), Some(_)) if situation.alt_screen => InputState::Tui,
            (Some(true), Some(_)) => InputState::Raw,
            (Some(true), None) => InputState::Line,
        }
    }

    /// Whether a scope has not yet been shown that the program needs input.
    pub fn is_news_to(&self, scope: &Scope, state: InputState) -> bool {
        self.told.is_news_to(scope, state)
    }

    /// Records that a scope has been shown the state.
    pub fn show(&mut self, scope: &Scope, state: InputState) {
        self.told.show(scope, state);
    }

    /// Records that an earlier daemon has notified people of a state.
    pub fn was_notified(&mut self, state: InputState) {
        self.told.was_notified(state);
    }

    /// The state of which people should be notified, after a check that gave `state`.
    pub fn news(&mut self, state: InputState, now: u64) -> Option<InputState> {
        let is_quiet = self.checks.is_quiet(now);
        self.told.news(state, is_quiet)
    }
}

/// Whether a program waits for input. A program that has not read its pending input does not wait.
pub fn is_waiting(report: InputReport) -> bool {
    report.reading == Some(true) && report.unread.is_none_or(|bytes| bytes == 0)
}

/// Whether the program waits for input, as defined by `wait {"input":true}`.
pub fn waits(state: InputState) -> bool {
    use InputState::{Line, Password, Raw, Tui};
    matches!(state, Line | Password | Raw | Tui)
}

/// Whether the program needs input that only a person or agent can give. A shell or an editor at
/// rest does not.
pub fn needs(state: InputState) -> bool {
    matches!(state, InputState::Line | InputState::Password)
}

#[cfg(test)]
mod tests;
