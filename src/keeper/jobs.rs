//! What jobs write, and how they end.

use std::io;
use std::path::Path;

use rustix::process::{WaitOptions, WaitStatus, wait};

use super::Keeper;
use super::entry::Entry;
use super::log::{Grew, Log};
use crate::protocol::disk::EXIT;
use crate::protocol::keeper::{Exit, ToDaemon};
use crate::sys::{clock, file};

/// Chunks moved for one session before an exit is told, in case a process that
/// outlives the first one keeps writing.
const LAST_CHUNKS: usize = 64;

impl Keeper {
    /// Moves one chunk that a job has written.
    pub(super) fn move_output(&mut self, slot: u32, stream: u8) {
        let Some(entry) = self.table.get_mut(slot) else {
            return;
        };
        let Some(output) = entry
            .outputs
            .get(usize::from(stream))
            .and_then(Option::as_ref)
        else {
            return;
        };
        let Some(log) = &mut entry.log else { return };
        let id = entry.id.clone();
        match log.take(&self.pump, output, stream) {
            Ok(Grew::Yes { trouble_changed }) => {
                let (first, end) = (log.first(), log.end());
                let reason = log.trouble().map(str::to_owned);
                let board = self.board.slot(slot);
                board.drop_before(first);
                if board.grow(end) {
                    self.grown.push(slot);
                }
                self.table.mark_unflushed(slot);
                if trouble_changed {
                    self.tell(
                        &ToDaemon::Degraded {
                            session: id,
                            reason,
                        },
                        vec![],
                    );
                }
            }
            Ok(Grew::No) => {}
            Ok(Grew::End) => self.close_output(slot, stream),
            Err(error) => {
                tracing::warn!(session = %id, %error, "its output cannot be read");
                self.close_output(slot, stream);
            }
        }
    }

    fn close_output(&mut self, slot: u32, stream: u8) {
        let Some(entry) = self.table.get_mut(slot) else {
            return;
        };
        let Some(output) = entry.outputs.get_mut(usize::from(stream)) else {
            return;
        };
        if let Some(output) = output.take() {
            self.events.remove(&output);
        }
        if entry.is_open() {
            return;
        }
        let session = entry.id.clone();
        if entry.exit.is_some() {
            entry.close_files();
        }
        self.tell(&ToDaemon::Closed { session }, vec![]);
    }

    /// Tells the daemon which logs have grown.
    pub(super) fn tell_growth(&mut self) {
        if self.grown.is_empty() {
            return;
        }
        let slots = std::mem::take(&mut self.grown);
        self.tell(&ToDaemon::Grown { slots }, vec![]);
    }

    /// Takes what has become of every child: jobs, orphans that came to us, and
    /// the daemon.
    pub(super) fn reap(&mut self) {
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED;
        while let Ok(Some((pid, status))) = wait(options) {
            let pid = pid.as_raw_nonzero().get().cast_unsigned();
            if status.stopped() || status.continued() {
                self.job_stopped(pid, status.stopped());
                continue;
            }
            if self.supervisor.pid == Some(pid) {
                self.drop_channel();
                self.supervisor.ended();
                let (code, signal) = (status.exit_status(), status.terminating_signal());
                tracing::info!(pid, code, signal, "the daemon ended");
                self.listen_for_knock();
            } else if let Some(slot) = self.table.slot_of_pid(pid) {
                self.job_ended(slot, status);
            }
        }
    }

    fn job_stopped(&mut self, pid: u32, stopped: bool) {
        let Some(slot) = self.table.slot_of_pid(pid) else {
            return;
        };
        if let Some(entry) = self.table.get_mut(slot) {
            let session = entry.id.clone();
            self.tell(&ToDaemon::Stopped { session, stopped }, vec![]);
        }
    }

    fn job_ended(&mut self, slot: u32, status: WaitStatus) {
        self.drain(slot);
        let Some(entry) = self.table.get_mut(slot) else {
            return;
        };
        let end_offset = entry.log.as_ref().map_or(0, Log::end);
        let exit = Exit {
            pid: entry.pid,
            exit_code: status.exit_status(),
            signal: status.terminating_signal(),
            // WCOREDUMP of wait(2).
            core_dumped: status.signaled() && status.as_raw() & 0x80 != 0,
            ended_at: clock::wall(),
            end_offset,
        };
        entry.exit = Some(exit.clone());
        entry.pidfd = None;
        if let Some(log) = &mut entry.log {
            log.flush_index();
        }
        let session = entry.id.clone();
        if !entry.is_open() {
            entry.close_files();
        }
        if let Err(error) = write_exit(&self.home.session(&session), &exit) {
            tracing::error!(%session, %error, "{EXIT} cannot be written");
        }
        self.tell_growth();
        self.tell(&ToDaemon::Exited { session, exit }, vec![]);
    }

    /// Moves what a job wrote before it ended. The read itself makes the
    /// terminal hand over what is still on its way (n_tty flushes its work
    /// queue before it says that there is nothing), so "nothing" is the end.
    fn drain(&mut self, slot: u32) {
        for _ in 0..LAST_CHUNKS {
            let before = self.log_end(slot);
            let streams = self
                .table
                .get_mut(slot)
                .map_or(0, |entry| entry.outputs.len());
            for stream in 0..streams {
                self.move_output(slot, u8::try_from(stream).unwrap_or(0));
            }
            if self.log_end(slot) == before {
                break;
            }
        }
    }

    fn log_end(&mut self, slot: u32) -> Option<u64> {
        Some(self.table.get_mut(slot)?.log.as_ref()?.end())
    }
}

impl Entry {
    /// Nothing will be written any more.
    fn close_files(&mut self) {
        self.log = None;
        self.input = None;
    }
}

fn write_exit(dir: &Path, exit: &Exit) -> io::Result<()> {
    file::replace(&dir.join(EXIT), &serde_json::to_vec(exit)?)
}
