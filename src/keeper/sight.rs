//! Looks at what a session's program does with its input, on behalf of the daemon: the kernel may show this
//! to the program's ancestors only.

use super::Keeper;
use crate::protocol::SessionId;
use crate::protocol::keeper::{Sight, ToDaemon};
use crate::protocol::record::Mode;
use crate::sys::input::{self, Effort};

impl Keeper {
    /// Answers [`ToKeeper::Look`](crate::protocol::keeper::ToKeeper::Look).
    pub(super) fn look(&mut self, session: SessionId, ask: u64) {
        let slot = self.table.slot_of(&session);
        let sight = slot.and_then(|slot| self.look_at(slot));
        // The output before a prompt must be known together with the fact that the program waits. Little is
        // left to move, because a waiting program writes nothing.
        if let (
            Some(slot),
            Some(Sight {
                reading: Some(true),
                ..
            }),
        ) = (slot, &sight)
        {
            self.drain(slot);
            self.tell_growth();
        }
        let seen = ToDaemon::Seen {
            session,
            ask,
            sight,
        };
        // Send the answer together with those to all pending requests: the daemon asks about all idle jobs
        // at once.
        self.tell_soon(&seen);
    }

    fn look_at(&mut self, slot: u32) -> Option<Sight> {
        let entry = self.table.get_mut(slot)?;
        let fd = entry.input.as_ref().filter(|_| entry.exit.is_none())?;
        let seen = match entry.spec.mode {
            Mode::Pty => input::terminal(fd, entry.pid, Effort::Thorough),
            Mode::Pipe => input::pipe(fd, entry.pid, Effort::Thorough),
        };
        seen.inspect_err(
            |error| tracing::debug!(session = %entry.id, %error, "cannot tell what the program does with its input"),
        )
        .ok()
    }
}
