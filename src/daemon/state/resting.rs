//! Puts unused screens to rest, which leaves a few kilobytes of each.
//!
//! One timer serves all screens. It is set only while there is a screen that may rest. When it expires, memory
//! that is unused for other reasons, such as that of removed sessions, is given back as well.

use super::State;
use crate::daemon::clock::now;
use crate::engine::display::{Quiet, Rest};
use crate::engine::timers::Due;
use crate::protocol::SessionId;
use crate::sys::{failpoint, memory};

/// Intervals between two passes, in milliseconds. A screen that was not used between two passes is put to rest.
/// Most sessions write some output and then nothing for long, so they rest soon.
const QUIET: Quiet = Quiet {
    first_ms: 300,
    longest_ms: 30_000,
};

/// Longest interval for sessions that have ended, whose screens are woken only by clients that look at them.
const ENDED_QUIET_MS: u64 = 1000;

/// Screens put to rest in one turn: about ten milliseconds, during which other tasks wait.
const TURN: usize = 4;

/// Milliseconds left to other tasks between two turns.
const PAUSE_MS: u64 = 10;

impl State {
    /// Makes sure that the timer is set, because the session has a screen that may rest later.
    pub(crate) fn rest_later(&mut self, id: &SessionId) {
        if let Some(session) = self.sessions.get(id) {
            self.rest_within(session.output.rests_after(quiet()));
        }
    }

    /// Lets a session's screen rest soon if the session has ended. Called when all its output is rendered.
    pub(crate) fn rest_ended(&mut self, id: &SessionId) {
        let session = self.sessions.get_mut(id);
        let ended =
            session.filter(|session| session.life.status().is_finished() && session.viewers == 0);
        if ended.is_some_and(|session| !session.output.rest_easily()) {
            self.rest_within(ENDED_QUIET_MS);
        }
    }

    /// Schedules the release of memory, because something large was freed.
    pub(crate) fn give_back_later(&mut self) {
        self.has_freed = true;
        self.rest_within(ENDED_QUIET_MS);
    }

    fn rest_within(&mut self, ms: u64) {
        let at = now().boot + ms;
        if self.timers.due(&Due::Rest).is_none_or(|due| due > at) {
            self.timers.set(Due::Rest, Some(at));
        }
    }

    /// Puts screens to rest that were not used since the last pass. A watched screen stays awake; the
    /// timer is set again when the last client stops watching.
    pub(crate) fn rest_screens(&mut self) {
        let now = now().boot;
        let (mut begun, mut later) = (0, None::<u64>);
        let unwatched = self.sessions.registry.iter_mut().filter(|s| s.viewers == 0);
        for session in unwatched {
            let mut quiet = quiet();
            if session.life.status().is_finished() {
                quiet.longest_ms = quiet.longest_ms.min(ENDED_QUIET_MS);
            }
            match session.output.rest(now, quiet) {
                Rest::Begun => begun += 1,
                Rest::Later(ms) => later = Some(later.map_or(ms, |later| later.min(ms))),
                Rest::Never => {}
            }
            if begun == TURN {
                self.has_freed = true;
                return self.timers.set(Due::Rest, Some(now + PAUSE_MS));
            }
        }
        if std::mem::take(&mut self.has_freed) || begun > 0 {
            memory::give_back();
        }
        if let Some(ms) = later {
            self.rest_within(ms);
        }
    }
}

/// [`QUIET`], or the value that a test sets.
fn quiet() -> Quiet {
    match failpoint::number("BGPROC_REST_MS") {
        Some(ms) => Quiet {
            first_ms: ms,
            longest_ms: ms,
        },
        None => QUIET,
    }
}
