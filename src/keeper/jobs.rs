//! What jobs write, and how they end.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use rustix::process::{WaitOptions, wait};

use super::Keeper;
use super::entry::Entry;
use super::events::Source;
use super::log::{Grew, Log};
use super::supervise::Ended;
use crate::protocol::disk::EXIT;
use crate::protocol::keeper::{Exit, ToDaemon};
use crate::sys::ending::{self, Ending};
use crate::sys::{cgroup, clock, failpoint, file, signal};

/// Chunks moved for one session before an exit is told, in case a process that
/// outlives the first one keeps writing.
const LAST_CHUNKS: usize = 64;

impl Keeper {
    /// Moves one chunk that a job has written.
    pub(super) fn move_output(&mut self, slot: u32, stream: u8) {
        // The shared_table tells one stream: what others wrote is to be on disk by now,
        // or the next keeper could not tell their stdout from their stderr.
        if self
            .shared_table
            .moving()
            .is_some_and(|(last, _)| last != slot)
        {
            self.table.flush_indexes();
        }
        let Some(entry) = self.table.get_mut(slot) else {
            return;
        };
        let output = entry.outputs.get(usize::from(stream));
        let (Some(Some(output)), Some(log)) = (output, &mut entry.log) else {
            return;
        };
        self.shared_table.begin_move(slot, stream);
        match log.take(&self.pipe, &mut self.disk, output, stream) {
            Ok(Grew::Yes { trouble_changed }) => {
                failpoint::hit("output.before_telling");
                self.log_grew(slot);
                if trouble_changed {
                    self.tell_trouble(slot);
                }
            }
            Ok(Grew::No) => {}
            Ok(Grew::End) => self.close_output(slot, stream),
            Err(error) => {
                tracing::warn!(session = %entry.id, %error, "its output cannot be read");
                self.close_output(slot, stream);
            }
        }
        self.shared_table.end_move();
    }

    /// Shows on the shared table how far a log reaches now.
    pub(super) fn log_grew(&mut self, slot: u32) {
        let Some(log) = self.table.get_mut(slot).and_then(|e| e.log.as_ref()) else {
            return;
        };
        let shown = self.shared_table.slot(slot);
        shown.drop_before(log.first());
        shown.set_unsaved(log.unsaved());
        shown.set_segment(log.segment());
        if shown.grow(log.end()) {
            self.grown.push(slot);
        }
        self.table.mark_unflushed(slot);
    }

    /// Tells the daemon whether a log is being written, and gives it the memory
    /// in which the newest of it is meanwhile.
    pub(super) fn tell_trouble(&mut self, slot: u32) {
        let Some(entry) = self.table.get_mut(slot) else {
            return;
        };
        let trouble = entry.log.as_ref().and_then(Log::trouble);
        let reason = trouble.map(|(reason, _)| reason.to_owned());
        let tail = trouble.and_then(|(_, tail)| tail);
        let tail = tail.and_then(|tail| tail.as_fd().try_clone_to_owned().ok());
        let session = entry.id.clone();
        self.table.set_troubled(slot, reason.is_some());
        let message = ToDaemon::Degraded { session, reason };
        self.tell(&message, tail.into_iter().collect());
    }

    /// Tries logs that could not be written.
    pub(super) fn retry_logs(&mut self) {
        for slot in self.table.troubled().clone() {
            let Some(entry) = self.table.get_mut(slot) else {
                continue;
            };
            if entry
                .log
                .as_mut()
                .is_some_and(|log| log.retry(&mut self.disk))
            {
                self.log_grew(slot);
                self.tell_trouble(slot);
                if let Some(entry) = self.table.get_mut(slot) {
                    entry.close_files();
                }
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
        entry.close_files();
        self.tell(&ToDaemon::Closed { session }, vec![]);
    }

    /// Tells the daemon which logs have grown.
    pub(super) fn tell_growth(&mut self) {
        if self.grown.is_empty() {
            return;
        }
        failpoint::hit("output.before_ringing");
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
                let (code, signal) = (status.exit_status(), status.terminating_signal());
                let how = match (code, signal) {
                    (Some(code), _) => Ended::Code(code),
                    (None, Some(signal)) => Ended::Signal(signal),
                    (None, None) => Ended::Unknown,
                };
                self.daemon_is_gone(how);
            } else if let Some(slot) = self.table.slot_of_child(pid) {
                self.job_ended(slot, Some(ExitStatus::from_raw(status.as_raw())));
            } else {
                // What is none of these is an orphan of a job.
                self.on_exit_reaped(pid, ExitStatus::from_raw(status.as_raw()));
            }
        }
    }

    /// The daemon ended, or could not be started.
    pub(super) fn daemon_is_gone(&mut self, how: Ended) {
        if let Some(daemon) = self.foreign_daemon.take() {
            self.events.remove(&daemon);
        }
        self.drop_channel();
        let (pid, why) = (self.supervisor.pid, how.to_string());
        if self.supervisor.ended(how) {
            let failures = self.supervisor.failures();
            tracing::info!(pid, failures, why, "the daemon ended");
        }
        self.listen_for_knock();
    }

    /// The first process of a session that another keeper had started has ended.
    pub(super) fn foreign_job_ended(&mut self, slot: u32) {
        let Some(entry) = self.table.get_mut(slot) else {
            return;
        };
        let Some(pidfd) = &entry.pidfd else { return };
        let status = match ending::of(pidfd, entry.pid) {
            Ending::Status(status) => Some(ExitStatus::from_raw(status)),
            Ending::Unknown => None,
            Ending::NotYet => {
                // Told when its parent, whoever that is, has taken note.
                let waits = self.events.await_hangup(pidfd, Source::Ended { slot });
                match waits {
                    Ok(()) => return,
                    Err(_) => None,
                }
            }
        };
        self.events.remove(pidfd);
        self.job_ended(slot, status);
    }

    fn job_stopped(&mut self, pid: u32, stopped: bool) {
        let Some(slot) = self.table.slot_of_child(pid) else {
            return;
        };
        if let Some(entry) = self.table.get_mut(slot) {
            let session = entry.id.clone();
            self.tell(&ToDaemon::Stopped { session, stopped }, vec![]);
        }
    }

    /// `status` is absent if nobody can know it.
    fn job_ended(&mut self, slot: u32, status: Option<ExitStatus>) {
        self.drain(slot);
        let Some(entry) = self.table.get_mut(slot) else {
            return;
        };
        let end_offset = entry.log.as_ref().map_or(0, Log::end);
        let dir = self.home.session(&entry.id);
        // A keeper that was killed may have known, and have told nobody else.
        let known = match status {
            Some(_) => None,
            None => read_exit(&dir).filter(|exit| exit.pid == entry.pid),
        };
        let limit = reached_limit(entry, status);
        let exit = known.unwrap_or(Exit {
            pid: entry.pid,
            exit_code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            core_dumped: status.is_some_and(|status| status.core_dumped()),
            ended_at: clock::wall(),
            end_offset,
            limit,
        });
        entry.exit = Some(exit.clone());
        entry.pidfd = None;
        if let Some(log) = &mut entry.log {
            log.flush_index();
        }
        let session = entry.id.clone();
        entry.close_files();
        if let Err(error) = write_exit(&dir, &exit) {
            tracing::error!(%session, %error, "{EXIT} cannot be written");
        }
        self.tell_growth();
        self.tell(&ToDaemon::Exited { session, exit }, vec![]);
    }

    /// Moves what a job wrote before it ended. The read itself makes the
    /// terminal hand over what is still on its way (n_tty flushes its work
    /// queue before it says that there is nothing), so "nothing" is the end.
    pub(super) fn drain(&mut self, slot: u32) {
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

/// The limit of its own that a job has ended at, where the kernel tells.
fn reached_limit(entry: &Entry, status: Option<ExitStatus>) -> Option<String> {
    let (limits, status) = (entry.spec.limits.as_ref()?, status?);
    let grouped = limits.memory_bytes.is_some() || limits.processes.is_some();
    // Asked also of one that ended well: its group goes with it.
    let is_short_of_memory = grouped && cgroup::ended(&entry.id);
    let name = match status.signal() {
        Some(signal::XCPU) if limits.cpu_sec.is_some() => "cpuSec",
        _ if is_short_of_memory && !status.success() => "memoryBytes",
        _ => return None,
    };
    Some(name.to_owned())
}

fn read_exit(dir: &Path) -> Option<Exit> {
    serde_json::from_slice(&std::fs::read(dir.join(EXIT)).ok()?).ok()
}

fn write_exit(dir: &Path, exit: &Exit) -> io::Result<()> {
    file::replace(&dir.join(EXIT), &serde_json::to_vec(exit)?)
}
