//! Saves how sessions have ended, for a daemon that comes later. If the disk is full, it is tried again until it is
//! written.

use std::io;
use std::time::{Duration, Instant};

use super::Keeper;
use super::log::RETRY_MS;
use crate::protocol::disk::EXIT;
use crate::sys::exit_file;

impl Keeper {
    /// Saves the exit of a session.
    pub(super) fn save_exit(&mut self, slot: u32) {
        let Some(job) = self.table.get_mut(slot) else {
            return;
        };
        let session = job.id.clone();
        // Without an exit, the session runs again.
        let written = job.exit.as_ref().map_or(Ok(()), |exit| {
            exit_file::write(&self.home.session(&session), exit)
        });
        let is_known = self.table.unsaved_exits().contains(&slot);
        match &written {
            Err(error) if !is_known => {
                tracing::error!(%session, %error, "{EXIT} cannot be written; it is tried again");
            }
            Ok(()) if is_known => tracing::info!(%session, "{EXIT} is written"),
            _ => {}
        }
        // Nobody reads the exit of a session whose directory was removed.
        let is_wanted = written.is_err_and(|error| error.kind() != io::ErrorKind::NotFound);
        self.table.set_exit_unsaved(slot, is_wanted);
    }

    /// Tries again to save the exits that could not be saved.
    pub(super) fn retry_exits(&mut self) {
        if self.table.unsaved_exits().is_empty() || Instant::now() < self.exits_again {
            return;
        }
        self.exits_again = Instant::now() + Duration::from_millis(RETRY_MS);
        for slot in self.table.unsaved_exits().clone() {
            self.save_exit(slot);
        }
    }
}
