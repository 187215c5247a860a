//! Moving the output of jobs into their logs, and reporting how jobs end.

use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::{WaitOptions, wait};

use super::Keeper;
use super::events::{Source, Watch};
use super::job_table::{Job, Stall};
use super::log::{Log, Moved};
use super::supervise::Ended;
use crate::protocol::keeper::{Exit, ToDaemon};
use crate::protocol::status::Mode;
use crate::sys::ending::{self, Ending};
use crate::sys::exit_file;
use crate::sys::{cgroup, clock, failpoint, memory, signal};

/// Maximum number of chunks moved for one session before its exit is reported. Without a limit, a
/// process that outlives the first process and keeps writing would delay the report for ever.
const LAST_CHUNKS: usize = 64;

impl Keeper {
    /// Moves one chunk of a job's output into its log.
    pub(super) fn move_output(&mut self, slot: u32, stream: u8) {
        // If this keeper is killed, the next keeper adds the missing index records. The shared
        // table tells it the stream of one session only. So before the bytes of another session are
        // moved, write the pending index records of all sessions.
        if self
            .shared_table
            .last_moved()
            .is_some_and(|(last, _)| last != slot)
        {
            self.table.flush_indexes();
        }
        let Some(job) = self.table.get_mut(slot) else {
            return;
        };
        let output = job.outputs.get(usize::from(stream));
        let (Some(Some(output)), Some(log)) = (output, &mut job.log) else {
            return;
        };
        self.shared_table.begin_move(slot, stream);
        let is_running = job.exit.is_none();
        let is_terminal = job.spec.mode == Mode::Pty;
        match log.take(&self.pipe, &mut self.disk, output, stream) {
            Ok(Moved::Bytes { degraded_changed }) => {
                failpoint::hit("output.before_telling");
                self.output_flows(slot, stream);
                if degraded_changed {
                    // Before the new end is published: a daemon that sees it can read up to it.
                    self.report_degraded(slot);
                }
                self.log_grew(slot);
            }
            Ok(Moved::Nothing) => self.output_flows(slot, stream),
            // A job that has closed its terminal can open it again as /dev/tty, as getpass(3) does.
            Ok(Moved::End) if is_running && is_terminal => {
                self.output_stalls(slot, stream, Stall::HungUp);
            }
            Err(error) if is_running => {
                let session = job.id.clone();
                if self.output_stalls(slot, stream, Stall::Refused) != Some(Stall::Refused) {
                    tracing::warn!(%session, %error, "cannot read the output for now");
                }
            }
            Ok(Moved::End) | Err(_) => self.close_output(slot, stream),
        }
        self.shared_table.end_move();
    }

    /// From now on, any output of this stream is an event again.
    fn output_flows(&mut self, slot: u32, stream: u8) {
        if self.table.set_stall((slot, stream), None).is_some() {
            self.watch_again(slot, stream, Watch::State);
        }
    }

    /// From now on, only changes are events: the state of this stream, a hang-up or an error, lasts. Returns the state
    /// before; `None` if output flowed.
    fn output_stalls(&mut self, slot: u32, stream: u8, stall: Stall) -> Option<Stall> {
        let before = self.table.set_stall((slot, stream), Some(stall));
        if before.is_none() {
            self.watch_again(slot, stream, Watch::Changes);
        }
        before
    }

    fn watch_again(&mut self, slot: u32, stream: u8, watch: Watch) {
        let output = self.table.get_mut(slot).and_then(|job| job.output(stream));
        let Some(output) = output else { return };
        let source = Source::Output { slot, stream };
        if let Err(error) = self.events.set_watch(output, source, watch) {
            tracing::warn!(slot, stream, %error, "cannot watch the output");
        }
    }

    /// Tries again to read the outputs that were refused.
    pub(super) fn retry_outputs(&mut self) {
        for (slot, stream) in self.table.refused().collect::<Vec<_>>() {
            self.move_output(slot, stream);
        }
    }

    /// Publishes the bounds of a log in the shared table.
    pub(super) fn log_grew(&mut self, slot: u32) {
        let Some(log) = self.table.get_mut(slot).and_then(|e| e.log.as_mut()) else {
            return;
        };
        let shown = self.shared_table.slot(slot);
        if shown.dropped() != (log.first(), log.newlines()) {
            shown.drop_before(log.first(), log.newlines());
        }
        log.remove_dropped();
        shown.set_unsaved(log.unsaved());
        shown.set_segment(log.segment());
        if shown.grow(log.end()) {
            self.grown.push(slot);
        }
        self.table.mark_unflushed(slot);
    }

    /// Tells the daemon whether the log is being written. If it is not, also passes the memory that
    /// holds the newest bytes (the tail).
    pub(super) fn report_degraded(&mut self, slot: u32) {
        let Some(job) = self.table.get_mut(slot) else {
            return;
        };
        let degraded = job.log.as_ref().and_then(Log::degraded);
        let reason = degraded.map(|(reason, _)| reason.to_owned());
        let tail = degraded.and_then(|(_, tail)| tail);
        let tail = tail.and_then(|tail| tail.as_fd().try_clone_to_owned().ok());
        let session = job.id.clone();
        let unsaved = job.log.as_ref().map_or(0, Log::unsaved);
        self.shared_table.slot(slot).set_unsaved(unsaved);
        self.table.set_degraded(slot, reason.is_some());
        let message = ToDaemon::Degraded { session, reason };
        self.tell(&message, tail.into_iter().collect());
    }

    /// Tries again to write the logs that could not be written.
    pub(super) fn retry_logs(&mut self) {
        for slot in self.table.degraded().clone() {
            let Some(job) = self.table.get_mut(slot) else {
                continue;
            };
            if job
                .log
                .as_mut()
                .is_some_and(|log| log.retry(&mut self.disk))
            {
                self.log_grew(slot);
                self.report_degraded(slot);
                if let Some(job) = self.table.get_mut(slot) {
                    job.close_files();
                }
            }
        }
    }

    fn close_output(&mut self, slot: u32, stream: u8) {
        let Some(job) = self.table.get_mut(slot) else {
            return;
        };
        let Some(output) = job.outputs.get_mut(usize::from(stream)) else {
            return;
        };
        if let Some(output) = output.take() {
            self.events.remove(&output);
        }
        let is_open = job.is_open();
        let session = job.id.clone();
        job.close_files();
        self.table.set_stall((slot, stream), None);
        if is_open {
            return;
        }
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

    /// Collects the status of every child: jobs, orphans that were reparented to the keeper, and the daemon.
    pub(super) fn reap(&mut self) {
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED;
        while let Ok(Some((pid, status))) = wait(options) {
            let pid = pid.as_raw_nonzero().get().cast_unsigned();
            if status.stopped() || status.continued() {
                self.job_stopped(pid, status.stopped());
                continue;
            }
            if self.supervisor.pid() == Some(pid) {
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
                // An `onExit` command or an orphan of a job.
                self.other_child_ended(pid, ExitStatus::from_raw(status.as_raw()));
            }
        }
    }

    /// Handles a daemon that ended or could not be started.
    pub(super) fn daemon_is_gone(&mut self, how: Ended) {
        if let Some(daemon) = self.foreign_daemon.take() {
            self.events.remove(&daemon);
        }
        self.drop_channel();
        let pid = self.supervisor.pid();
        if self.supervisor.ended(how) {
            let failures = self.supervisor.failures();
            let why = self.supervisor.last().to_string();
            tracing::info!(pid, failures, why, "the daemon ended");
        }
        let is_upgrading = self.upgrade.is_some() || self.upgrade_failed.is_some();
        if is_upgrading && self.supervisor.is_resting() {
            // An upgrade goes on, also if whoever has asked for it is gone.
            self.supervisor.wake();
        }
        self.listen_for_client();
    }

    /// Handles the end of a first process that an earlier keeper started.
    pub(super) fn foreign_job_ended(&mut self, slot: u32) {
        let Some(job) = self.table.get_mut(slot) else {
            return;
        };
        let Some(pidfd) = &job.pidfd else { return };
        let status = match ending::of(pidfd, job.pid) {
            Ending::Status(status) => Some(ExitStatus::from_raw(status)),
            Ending::Unknown => None,
            Ending::NotYet => {
                // Another process is its parent and has not reaped it yet. The pidfd reports a
                // hang-up as soon as the process is reaped.
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
        if let Some(job) = self.table.get_mut(slot) {
            let session = job.id.clone();
            self.tell(&ToDaemon::Stopped { session, stopped }, vec![]);
        }
    }

    /// Handles the end of a session's first process; `status` is `None` if it cannot be known.
    fn job_ended(&mut self, slot: u32, status: Option<ExitStatus>) {
        self.drain(slot);
        let Some(job) = self.table.get_mut(slot) else {
            return;
        };
        let end_offset = job.log.as_ref().map_or(0, Log::end);
        let dir = self.home.session(&job.id);
        // A killed keeper may have written the status to disk without telling the daemon.
        let known = match status {
            Some(_) => None,
            None => exit_file::read(&dir).filter(|exit| exit.pid == job.pid),
        };
        let limit = reached_limit(job, status);
        if is_grouped(job) {
            cgroup::remove(&job.id);
        }
        let exit = known.unwrap_or(Exit {
            pid: job.pid,
            exit_code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            core_dumped: status.is_some_and(|status| status.core_dumped()),
            ended_at: clock::wall(),
            end_offset,
            limit,
            out_of_memory: is_out_of_memory(job, status),
        });
        job.exit = Some(exit.clone());
        job.pidfd = None;
        // The first process can no longer open its terminal again.
        for stream in self.table.stalled_of(slot) {
            self.move_output(slot, stream);
        }
        let Some(job) = self.table.get_mut(slot) else {
            return;
        };
        if let Some(log) = &mut job.log {
            let _ = log.flush_index();
        }
        let session = job.id.clone();
        job.close_files();
        self.save_exit(slot);
        self.tell_growth();
        self.tell(&ToDaemon::Exited { session, exit }, vec![]);
    }

    /// Moves the rest of a job's output to its log. A read that returns nothing proves that the
    /// output is complete: before the kernel's terminal driver (n_tty) reports "nothing to read",
    /// it delivers the bytes that are still in its work queue.
    pub(super) fn drain(&mut self, slot: u32) {
        for _ in 0..LAST_CHUNKS {
            let before = self.log_end(slot);
            let streams = self.table.get_mut(slot).map_or(0, |job| job.outputs.len());
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

/// Whether the job may have a control group, because it has a limit that needs one.
pub(super) fn is_grouped(job: &Job) -> bool {
    job.spec.limits.as_deref().is_some_and(cgroup::is_needed)
}

/// The name of the resource limit that ended the job; `None` if no limit did, or if it is not
/// known.
fn reached_limit(job: &Job, status: Option<ExitStatus>) -> Option<String> {
    let (limits, status) = (job.spec.limits.as_ref()?, status?);
    let name = match status.signal() {
        Some(signal::XCPU) if limits.cpu_sec.is_some() => "cpuSec",
        _ if !status.success() && is_short_of_memory(job) => "memoryBytes",
        _ => return None,
    };
    Some(name.to_owned())
}

/// Whether the kernel has killed a process of this run at the memory limit of the job.
fn is_short_of_memory(job: &Job) -> bool {
    // A run before may have reached the limit, too, and have left a process in the group.
    is_grouped(job) && cgroup::was_killed(&job.id) && has_killed_since(job)
}

/// Whether the kernel may have killed a process of the machine for lack of memory, or at a limit, since the job started.
fn has_killed_since(job: &Job) -> bool {
    let now = memory::oom_kills();
    job.oom_kills
        .zip(now)
        .is_none_or(|(before, now)| now > before)
}

/// Whether SIGKILL ended the job, and the kernel has killed a process for lack of memory since the job started.
fn is_out_of_memory(job: &Job, status: Option<ExitStatus>) -> bool {
    let is_killed = status.and_then(|status| status.signal()) == Some(signal::KILL);
    is_killed
        && job
            .oom_kills
            .is_some_and(|before| memory::oom_kills() > Some(before))
}
