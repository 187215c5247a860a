//! The input state of a session: when the daemon asks the kernel for it, and what the answer means.
//!
//! No event reports that a program begins to wait for input. The daemon therefore checks when the
//! program has written nothing for a moment, and then at doubling intervals, so that idle sessions
//! cost almost nothing. All sessions are checked at the same moments, so that the processor wakes
//! up rarely. While a client waits for the input state, the daemon checks more often.

use std::collections::HashSet;

use crate::protocol::Scope;
use crate::protocol::keeper::InputReport;
use crate::protocol::status::InputState;

/// Time without output or typing before the first check, in milliseconds. People are notified only
/// of a program that waits for input after this time.
const QUIET_MS: u64 = 100;

/// [`QUIET_MS`] while a client waits for the input state.
const EAGER_QUIET_MS: u64 = 2;

/// Longest interval between checks while a client waits, in milliseconds.
const EAGER_PAUSE_MS: u64 = 500;

/// A session that is never quiet is checked after this multiple of the quiet time.
const RESTLESS: u64 = 10;

/// Maximum age, in milliseconds, at which an answer counts as new.
const FRESH_MS: u64 = 2;

/// Age, in milliseconds, from which an answer is refreshed when many sessions are listed.
const OLD_MS: u64 = 1000;

/// Characters after which no partial line is left in a terminal that collects lines, by default (termios(3)): line feed,
/// Enter and `^D`, which submit it, and `^C`, `^\\`, `^Z` and `^U`, which discard it.
pub const ENDS_LINE: [u8; 7] = [b'\n', b'\r', 0x04, 0x03, 0x1c, 0x1a, 0x15];

/// Maximum number of scopes in `InputWatch::shown`.
const SHOWN: usize = 64;

/// The kill character (`^U`) discards a line, but the read goes on.
const KILL: u8 = 0x15;

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
    /// When `report` was recorded. This and the next four are in boot-time milliseconds.
    reported_at: u64,
    /// When the first of the last answers was recorded that all say that a program waits in a read.
    reads_since: Option<u64>,
    /// When the program last wrote something, or something was typed.
    active_at: u64,
    /// When the last check took place.
    checked_at: u64,
    /// When the next check takes place.
    next: Option<u64>,
    /// Interval to the next check, in milliseconds.
    pause: u64,
    /// The state that people were notified of; cleared when the program stops waiting.
    notified: Option<InputState>,
    /// Scopes that know that the program waits; cleared when something is typed.
    shown: HashSet<Scope>,
    /// When something was last typed in this run, in boot-time milliseconds.
    typed_at: Option<u64>,
    /// Answers to questions up to this number are out of date, because they were asked before
    /// something was typed.
    stale_up_to: u64,
    /// Bytes that were typed since the last line was ended. See [`Self::type_lines`].
    line_bytes: usize,
}

impl InputWatch {
    /// Starts a new run with an unknown state.
    pub fn begin(&mut self, now: u64) {
        *self = Self {
            checked_at: now,
            ..Self::default()
        };
        self.on_activity(now, false);
    }

    /// Notes bytes that are typed into a terminal that collects lines. Returns the length of the longest line to which
    /// they belong, which an earlier write may have begun.
    pub fn type_lines(&mut self, bytes: &[u8]) -> usize {
        let mut longest = 0;
        for byte in bytes {
            self.line_bytes = match byte {
                byte if ENDS_LINE.contains(byte) => 0,
                // The erase character.
                0x08 | 0x7f => self.line_bytes.saturating_sub(1),
                _ => self.line_bytes + 1,
            };
            longest = longest.max(self.line_bytes);
        }
        longest
    }

    /// Whether bytes end no line, and raise no signal, in a terminal that collects lines.
    pub fn is_part(bytes: &[u8]) -> bool {
        let ends = |byte: &u8| ENDS_LINE.contains(byte) && *byte != KILL;
        !bytes.iter().any(ends)
    }

    /// Notes that the terminal does not collect lines now.
    pub fn collects_no_lines(&mut self) {
        self.line_bytes = 0;
    }

    /// The program has ended.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// The program wrote something. `eager` is whether a client waits for the input state. Returns
    /// true if the time of the next check has changed.
    pub fn on_activity(&mut self, now: u64, eager: bool) -> bool {
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

    /// Something was typed. The known state becomes invalid, and so do the answers to questions up
    /// to number `asked`. Until a line that the terminal collects is ended, the program goes on waiting for the line
    /// of which people were notified: `is_part` is whether these bytes have ended none.
    pub fn typed(&mut self, now: u64, eager: bool, asked: u64, is_part: bool) {
        if !is_part {
            self.notified = None;
        }
        self.shown.clear();
        self.typed_at = Some(now);
        self.forget(now, eager, asked);
    }

    /// The program was stopped or continued. The known state becomes invalid, and so do the answers
    /// to questions up to number `asked`.
    pub fn forget(&mut self, now: u64, eager: bool, asked: u64) {
        self.stale_up_to = asked;
        self.report = None;
        self.reads_since = None;
        self.next = None;
        self.on_activity(now, eager);
    }

    /// Time of the next check, in boot-time milliseconds.
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Returns whether to check now, and schedules the next check. Returns false if the session is
    /// not quiet yet.
    pub fn take_due(&mut self, now: u64, eager: bool) -> bool {
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

    /// The time one pause after `moment`, in boot-time milliseconds.
    fn after(&self, moment: u64, eager: bool) -> u64 {
        if eager {
            moment + self.pause
        } else {
            // Rounded up so that all sessions share the same moments; a hundred sessions that were
            // started one after the other do not cause a hundred wake-ups.
            (moment + self.pause).next_multiple_of(self.pause)
        }
    }

    /// A client waits for the state from now on.
    pub fn hurry(&mut self, now: u64) {
        self.pause = EAGER_QUIET_MS;
        self.next = Some(now + self.pause);
    }

    /// Whether the last answer counts as new.
    pub fn is_fresh(&self, now: u64) -> bool {
        self.report.is_some()
            && self.active_at < self.reported_at
            && now < self.reported_at + FRESH_MS
    }

    /// Whether the state may have changed since the last answer.
    pub fn is_old(&self, now: u64) -> bool {
        self.report.is_none()
            || self.reported_at <= self.active_at
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
        now <= self.active_at + FRESH_MS
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
        needs(state) && !self.shown.contains(scope)
    }

    /// Records that a scope has been shown the state.
    pub fn show(&mut self, scope: &Scope, state: InputState) {
        if needs(state) && !self.shown.contains(scope) {
            if self.shown.len() >= SHOWN {
                self.shown.clear();
            }
            self.shown.insert(scope.clone());
        }
    }

    /// Records that an earlier daemon has notified people of a state.
    pub fn was_notified(&mut self, state: InputState) {
        self.notified = Some(state);
    }

    /// The state of which people should be notified, after a check that gave `state`. There is one
    /// notification each time the program begins to wait for a line or a password, and none if it
    /// waits only for a moment.
    pub fn news(&mut self, state: InputState, now: u64) -> Option<InputState> {
        match state {
            state if needs(state) => {
                let stays = now >= self.active_at + QUIET_MS;
                if !stays || self.notified == Some(state) {
                    return None;
                }
                self.notified = Some(state);
                self.notified
            }
            InputState::Unknown => None,
            _ => {
                self.notified = None;
                None
            }
        }
    }
}

/// Whether a program waits for input. A program that has not read its pending input does not wait.
pub fn is_waiting(report: InputReport) -> bool {
    report.reading == Some(true) && report.unread.is_none_or(|bytes| bytes == 0)
}

fn quiet(eager: bool) -> u64 {
    if eager { EAGER_QUIET_MS } else { QUIET_MS }
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
mod tests {
    use super::*;
    use crate::protocol::keeper::LineModes;

    const ALIVE: Situation = Situation {
        alive: true,
        closed: false,
        alt_screen: false,
    };

    fn report(reading: Option<bool>, canonical: bool, echo: bool) -> InputReport {
        InputReport {
            reading,
            in_event_loop: false,
            in_read: false,
            line: Some(LineModes { canonical, echo }),
            unread: Some(0),
        }
    }

    #[test]
    fn a_line_grows_over_several_writes_until_it_is_ended() {
        let mut watch = InputWatch::default();
        assert_eq!(watch.type_lines(&[b'x'; 3000]), 3000);
        assert_eq!(watch.type_lines(b"yy\nz"), 3002);
        assert_eq!(watch.type_lines(b"\x7fab"), 2, "one was erased");
        assert_eq!(watch.type_lines(b"\x15abc\x04"), 3);
        for end in ENDS_LINE {
            watch.type_lines(&[b'x'; 3000]);
            assert_eq!(watch.type_lines(&[end, b'a']), 1, "{end:#x} ends a line");
            watch.type_lines(b"\n");
        }
        watch.type_lines(b"abc");
        watch.collects_no_lines();
        assert_eq!(watch.type_lines(b"a"), 1);
    }

    fn state(report: InputReport, situation: Situation) -> InputState {
        let mut watch = InputWatch::default();
        watch.record(Some(report), 0);
        watch.state(situation)
    }

    #[test]
    fn terminal_modes_decide_the_input_state() {
        let alt = Situation {
            alt_screen: true,
            ..ALIVE
        };
        assert_eq!(
            state(report(Some(true), true, true), ALIVE),
            InputState::Line
        );
        assert_eq!(
            state(report(Some(true), true, false), ALIVE),
            InputState::Password
        );
        assert_eq!(
            state(report(Some(true), false, false), ALIVE),
            InputState::Raw
        );
        assert_eq!(
            state(report(Some(true), false, false), alt),
            InputState::Tui
        );
        assert_eq!(
            state(report(Some(false), true, true), ALIVE),
            InputState::None
        );
    }

    #[test]
    fn a_program_that_may_not_be_inspected_is_unknown_except_for_passwords() {
        assert_eq!(state(report(None, true, true), ALIVE), InputState::Unknown);
        assert_eq!(
            state(report(None, true, false), ALIVE),
            InputState::Password
        );
        assert_eq!(
            state(report(Some(false), true, false), ALIVE),
            InputState::None
        );
    }

    #[test]
    fn a_program_with_unread_input_does_not_wait() {
        let unread = InputReport {
            unread: Some(3),
            ..report(Some(true), true, true)
        };
        assert_eq!(state(unread, ALIVE), InputState::None);
        let closed = Situation {
            closed: true,
            ..ALIVE
        };
        assert_eq!(state(unread, closed), InputState::Closed);
    }

    #[test]
    fn a_read_lasts_until_a_check_finds_none_or_something_is_typed() {
        let polls = report(Some(true), true, true);
        let works = report(Some(false), true, true);
        let reads = InputReport {
            in_read: true,
            ..polls
        };
        let mut watch = InputWatch::default();
        for (now, report, since) in [
            (1000, reads, Some(1000)),
            (1500, reads, Some(1000)),
            (1600, works, None),
            (1700, reads, Some(1700)),
        ] {
            watch.record(Some(report), now);
            assert_eq!(watch.reads_since(), since, "{now}");
        }
        watch.typed(1800, true, 0, false);
        assert_eq!(watch.reads_since(), None);
        watch.record(Some(polls), 1900);
        assert_eq!(watch.reads_since(), None);
    }

    #[test]
    fn checks_start_after_quiet_and_become_rarer() {
        let mut watch = InputWatch::default();
        watch.begin(1000);
        assert_eq!(watch.next(), Some(1100));
        assert!(
            !watch.on_activity(1060, false),
            "output must not move the next check"
        );
        assert!(!watch.take_due(1100, false));
        assert_eq!(watch.next(), Some(1200));
        let mut checks = 0;
        let mut now = 1200;
        while now < 3_600_000 {
            assert!(watch.take_due(now, false));
            checks += 1;
            now = watch.next().unwrap_or(u64::MAX);
        }
        assert!(checks < 20, "{checks} in an hour");
    }

    #[test]
    fn idle_sessions_are_checked_together() {
        let mut moments = std::collections::BTreeSet::new();
        for started in (1000..2000).step_by(10) {
            let mut watch = InputWatch::default();
            watch.begin(started);
            while let Some(now) = watch.next().filter(|now| *now < 3_600_000) {
                assert!(watch.take_due(now, false));
                moments.insert(now);
            }
        }
        // One second of starts, and then fewer and fewer checks.
        assert!(moments.len() < 40, "{moments:?}");
    }

    #[test]
    fn a_session_that_is_never_quiet_is_still_checked() {
        let mut watch = InputWatch::default();
        watch.begin(0);
        let mut checks = 0;
        for now in 0..10_000 {
            watch.on_activity(now, false);
            checks += u32::from(watch.next() == Some(now) && watch.take_due(now, false));
        }
        assert!((5..=12).contains(&checks), "{checks} in ten seconds");
    }

    #[test]
    fn answers_to_questions_before_typing_are_stale() {
        let mut watch = InputWatch::default();
        watch.begin(0);
        assert!(!watch.is_stale(1));
        watch.typed(10, false, 3, false);
        assert!(watch.is_stale(3));
        assert!(!watch.is_stale(4));
    }

    #[test]
    fn people_are_notified_once_until_something_is_typed() {
        let mut watch = InputWatch::default();
        watch.begin(0);
        assert_eq!(
            watch.news(InputState::Line, 50),
            None,
            "a short wait needs no notification"
        );
        assert_eq!(watch.news(InputState::Line, 100), Some(InputState::Line));
        assert_eq!(watch.news(InputState::Line, 200), None);
        watch.on_activity(300, false);
        assert_eq!(watch.news(InputState::Line, 500), None, "it only wrote");
        watch.typed(520, false, 6, true);
        assert_eq!(watch.news(InputState::Line, 620), None, "half a line");
        watch.typed(630, false, 7, false);
        assert_eq!(watch.news(InputState::Line, 730), Some(InputState::Line));
        watch.typed(740, false, 8, true);
        assert_eq!(watch.news(InputState::Raw, 800), None);
        watch.typed(810, false, 9, true);
        assert_eq!(
            watch.news(InputState::Line, 910),
            Some(InputState::Line),
            "it has waited for something else"
        );
    }

    #[test]
    fn people_whom_an_earlier_daemon_has_notified_are_not_notified_again() {
        let mut watch = InputWatch::default();
        watch.was_notified(InputState::Line);
        assert_eq!(watch.news(InputState::Unknown, 500), None);
        assert_eq!(watch.news(InputState::Line, 600), None);
        let password = InputState::Password;
        assert_eq!(watch.news(password, 700), Some(password));
    }
}
