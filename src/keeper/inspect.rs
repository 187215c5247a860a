//! Inspects what a session's program does with its input, on behalf of the daemon: the kernel may show this
//! only to ancestors of the program.

use super::Keeper;
use crate::protocol::SessionId;
use crate::protocol::keeper::{InputReport, ToDaemon};
use crate::protocol::status::Mode;
use crate::sys::input::{self, Effort};

impl Keeper {
    /// Answers [`ToKeeper::InspectInput`](crate::protocol::keeper::ToKeeper::InspectInput).
    pub(super) fn inspect_input(&mut self, session: SessionId, ask: u64) {
        let slot = self.table.slot_of(&session);
        let report = slot.and_then(|slot| self.input_report(slot));
        // The output before a prompt must be known together with the fact that the program waits. Little is
        // left to move, because a waiting program writes nothing.
        if let (
            Some(slot),
            Some(InputReport {
                reading: Some(true),
                ..
            }),
        ) = (slot, &report)
        {
            self.drain(slot);
            self.tell_growth();
        }
        let answer = ToDaemon::InputInspected {
            session,
            ask,
            report,
        };
        // Send the answer together with those to all pending requests: the daemon asks about all idle jobs
        // at once.
        self.tell_soon(&answer);
    }

    fn input_report(&mut self, slot: u32) -> Option<InputReport> {
        let job = self.table.get_mut(slot)?;
        let fd = job.input.as_ref().filter(|_| job.exit.is_none())?;
        let report = match job.spec.mode {
            Mode::Pty => input::terminal(fd, job.pid, Effort::Thorough),
            Mode::Pipe => input::pipe(fd, job.pid, Effort::Thorough),
        };
        report.inspect_err(
            |error| tracing::debug!(session = %job.id, %error, "cannot tell what the program does with its input"),
        )
        .ok()
    }
}
