//! What a session's program does with its input, asked for the daemon: the kernel
//! may tell it to the program's ancestors only.

use super::Keeper;
use crate::protocol::SessionId;
use crate::protocol::keeper::{Probe, ToDaemon};
use crate::protocol::record::Mode;
use crate::sys::probe;

impl Keeper {
    /// Answers [`ToKeeper::Probe`](crate::protocol::keeper::ToKeeper::Probe).
    pub(super) fn probe(&mut self, session: SessionId, ask: u64) {
        let slot = self.table.slot_of(&session);
        let probe = slot.and_then(|slot| self.look_at(slot));
        // What it says before it waits is to be known with that it waits. It writes
        // nothing meanwhile, so there is little.
        if let (
            Some(slot),
            Some(Probe {
                reading: Some(true),
                ..
            }),
        ) = (slot, &probe)
        {
            self.drain(slot);
            self.tell_growth();
        }
        self.tell(
            &ToDaemon::Probed {
                session,
                ask,
                probe,
            },
            vec![],
        );
    }

    fn look_at(&mut self, slot: u32) -> Option<Probe> {
        let entry = self.table.get_mut(slot)?;
        let input = entry.input.as_ref().filter(|_| entry.exit.is_none())?;
        let seen = match entry.spec.mode {
            Mode::Pty => probe::terminal(input, entry.pid),
            Mode::Pipe => probe::pipe(input, entry.pid),
        };
        seen.inspect_err(
            |error| tracing::debug!(session = %entry.id, %error, "cannot be looked at"),
        )
        .ok()
    }
}
