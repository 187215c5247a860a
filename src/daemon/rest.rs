//! Screens that nobody has used for a while are put to rest: what is left of them is a few kilobytes.
//!
//! One timer for all of them, which is set while there is one that may rest, and not at all once all do.

use super::hub::now;
use super::state::State;
use crate::engine::display::Rest;
use crate::engine::timers::Due;
use crate::sys::{failpoint, memory};

/// A screen that was not used from one look to the next is put to rest, so each is
/// after half a minute to a minute. In milliseconds.
const QUIET_MS: u64 = 30_000;

/// Screens put to rest in one turn: about ten milliseconds, which others wait.
const TURN: usize = 4;

/// Others have their turn for so long, in milliseconds.
const PAUSE_MS: u64 = 10;

impl State {
    /// There is a screen that may rest later.
    pub(super) fn rest_later(&mut self) {
        if !self.timers.is_set(&Due::Rest) {
            self.timers.set(Due::Rest, Some(now().boot + quiet_ms()));
        }
    }

    /// Puts screens to rest that nobody has used since the last time. One that is
    /// watched stays, and whoever stops to watch it sees to its rest.
    pub(super) fn rest_screens(&mut self) {
        let (now, quiet) = (now().boot, quiet_ms());
        let (mut begun, mut later) = (0, false);
        let unwatched = self.registry.iter_mut().filter(|s| s.viewers == 0);
        for session in unwatched {
            match session.output.rest(now, quiet) {
                Rest::Begun => begun += 1,
                Rest::Later => later = true,
                Rest::Never => {}
            }
            if begun == TURN {
                return self.timers.set(Due::Rest, Some(now + PAUSE_MS));
            }
        }
        memory::give_back();
        if later {
            self.rest_later();
        }
    }
}

/// [`QUIET_MS`], or what a test wants.
fn quiet_ms() -> u64 {
    failpoint::number("BGPROC_REST_MS").unwrap_or(QUIET_MS)
}
