//! Screens that nobody has used for a while are put to rest: what is left of them is a few kilobytes.
//!
//! One timer for all of them, which is set while there is one that may rest, and not at all once all do. With it
//! goes the memory that is not needed any more for other reasons: what removed sessions had.

use super::State;
use crate::daemon::clock::now;
use crate::engine::display::Rest;
use crate::engine::timers::Due;
use crate::protocol::SessionId;
use crate::sys::{failpoint, memory};

/// A screen that was not used from one look to the next is put to rest, so each is
/// after half a minute to a minute. In milliseconds.
const QUIET_MS: u64 = 30_000;

/// The same of a session that has ended, which only those who look wake.
const ENDED_QUIET_MS: u64 = 1000;

/// Screens put to rest in one turn: about ten milliseconds, which others wait.
const TURN: usize = 4;

/// Others have their turn for so long, in milliseconds.
const PAUSE_MS: u64 = 10;

impl State {
    /// There is a screen that may rest later.
    pub(crate) fn rest_later(&mut self) {
        // Asked after each piece of output: nothing is ever set for later than that.
        if self.timers.due(&Due::Rest).is_none() {
            self.rest_within(quiet_ms());
        }
    }

    /// A session may have ended, and all that it wrote is on its screen.
    pub(crate) fn rest_ended(&mut self, id: &SessionId) {
        let session = self.sessions.get_mut(id);
        let ended =
            session.filter(|session| session.life.status().is_finished() && session.viewers == 0);
        if ended.is_some_and(|session| !session.output.rest_easily()) {
            self.rest_within(ENDED_QUIET_MS);
        }
    }

    /// Something large is not needed any more: what it had is given back in a while, with that of others.
    pub(crate) fn give_back_later(&mut self) {
        self.rest_within(ENDED_QUIET_MS);
    }

    fn rest_within(&mut self, ms: u64) {
        let at = now().boot + ms;
        if self.timers.due(&Due::Rest).is_none_or(|due| due > at) {
            self.timers.set(Due::Rest, Some(at));
        }
    }

    /// Puts screens to rest that nobody has used since the last time. One that is
    /// watched stays, and whoever stops to watch it sees to its rest.
    pub(crate) fn rest_screens(&mut self) {
        let now = now().boot;
        let (mut begun, mut later) = (0, None::<u64>);
        let unwatched = self.sessions.registry.iter_mut().filter(|s| s.viewers == 0);
        for session in unwatched {
            let quiet = match session.life.status().is_finished() {
                true => quiet_ms().min(ENDED_QUIET_MS),
                false => quiet_ms(),
            };
            match session.output.rest(now, quiet) {
                Rest::Begun => begun += 1,
                Rest::Later => later = Some(later.map_or(quiet, |later| later.min(quiet))),
                Rest::Never => {}
            }
            if begun == TURN {
                return self.timers.set(Due::Rest, Some(now + PAUSE_MS));
            }
        }
        memory::give_back();
        if let Some(quiet) = later {
            self.rest_within(quiet);
        }
    }
}

/// [`QUIET_MS`], or what a test wants.
fn quiet_ms() -> u64 {
    failpoint::number("BGPROC_REST_MS").unwrap_or(QUIET_MS)
}
