//! Runs that were started while no daemon saved them.

use super::rebuild;
use crate::engine::Now;
use crate::engine::session::Session;
use crate::protocol::keeper::Exit;
use crate::protocol::{EventKind, Status};

/// A run that the record knows nothing of: it was started, but the daemon died before it saved the pid. The run before may
/// stand there as one that goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    /// Somebody has asked for it.
    Start,
    /// The restart policy has started it, or the session had waited for its turn.
    Retry,
}

impl Unseen {
    /// Whether its start was published. `is_first`: it is the first run of its session, whose last event is `last`.
    pub(super) fn is_published(self, is_first: bool, last: Option<&EventKind>) -> bool {
        if self == Self::Retry && !is_first {
            return false;
        }
        // The last event is never the end of a run that the restart policy repeats: such an end is not published.
        // Before the first run it can only be of that run, which may have ended since.
        match last {
            Some(EventKind::Started | EventKind::Restarted) => true,
            Some(_) => is_first,
            None => false,
        }
    }
}

/// Notes that the keeper has started a run which the record does not know.
pub(super) fn begin_unseen(
    session: &mut Session,
    pid: u32,
    exit: Option<&Exit>,
    end: u64,
    now: Now,
) -> Option<Unseen> {
    let is_first = session.life.runs().is_empty();
    let ended = session.life.last_process().map(|(pid, _)| pid);
    let last = session.life.pid().or(ended);
    // Also the first run of a session that waited for its turn.
    let waits = matches!(session.life.status(), Status::Retrying | Status::Queued);
    let has_no_run = session.life.pid().is_none() && exit.is_none();
    let is_another = last.is_some_and(|last| last != pid);
    let is_first_of_all = is_first && session.life.status().has_process();
    let unseen = if waits && last != Some(pid) {
        Unseen::Retry
    } else if has_no_run || is_another || is_first_of_all {
        Unseen::Start
    } else {
        return None;
    };
    // A run that nobody saw end was short.
    let ended = exit.map(|exit| Now {
        boot: 0,
        wall: exit.ended_at,
    });
    let seen = ended.map_or(now, |ended| ended.carried_over(now));
    let begun = rebuild::begun(pid, now).unwrap_or(seen);
    let offset = if is_first { 0 } else { end };
    session.life.started(pid, offset, begun);
    session.life.set_definition(session.spec.definition());
    if is_first {
        session.life.set_first_line(1);
    }
    Some(unseen)
}
