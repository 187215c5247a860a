//! Starting a job: either it runs and the daemon is told, or it does not run.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;

use rustix::io::Errno;

use super::Keeper;
use super::job_table::Job;
use super::log::Log;
use super::requests::dup;
use crate::protocol::SessionId;
use crate::protocol::disk::EXIT;
use crate::protocol::keeper::{SpawnSpec, ToDaemon};
use crate::protocol::status::Mode;
use crate::sys::spawn::{self, SpawnError, Spawned, Terminal};
use crate::sys::{cgroup, failpoint, limits, memory, signal};

/// Descriptors that must be free before a job is started: enough for those a start opens for a moment, and
/// for those the job keeps plus those the next start of a daemon needs.
const SPARE_FILES: usize = 16;

/// The offsets of a log that are published in the shared table.
#[derive(Clone, Copy)]
struct Bounds {
    first: u64,
    newlines: Option<u64>,
    end: u64,
    unsaved: u64,
}

/// Where a run has its output.
struct RunPlace {
    slot: u32,
    /// Where its log continues.
    bounds: Bounds,
    /// The log, if the run before has not left it open.
    log: Option<Log>,
}

impl Bounds {
    fn of(log: &Log) -> Self {
        Self {
            first: log.first(),
            newlines: log.newlines(),
            end: log.end(),
            unsaved: log.unsaved(),
        }
    }
}

impl Keeper {
    /// Starts a session's program and reports the result to the daemon.
    pub(super) fn spawn(&mut self, id: SessionId, spec: SpawnSpec, terminal: &Terminal, keep: u64) {
        failpoint::hit("spawn.before_beginning");
        // Count a start that fails at once as well, because the daemon has counted it.
        self.shared_table.begin_spawn();
        match self.try_spawn(&id, spec, terminal, keep) {
            Ok((message, fds)) => {
                self.tell(&message, fds);
                // The log may have been suspended since the previous run, which the daemon no longer remembers.
                let slot = self.table.slot_of(&id);
                if let Some(slot) = slot.filter(|slot| self.table.degraded().contains(slot)) {
                    self.report_degraded(slot);
                }
            }
            Err(error) => {
                let errno = error.errno();
                let message = error.to_string();
                let is_terminal = matches!(error, SpawnError::Terminal(_));
                let failed = ToDaemon::SpawnFailed {
                    session: id,
                    errno,
                    message,
                    is_terminal,
                };
                self.tell(&failed, vec![]);
            }
        }
    }

    fn try_spawn(
        &mut self,
        id: &SessionId,
        spec: SpawnSpec,
        terminal: &Terminal,
        keep: u64,
    ) -> Result<(ToDaemon, Vec<OwnedFd>), SpawnError> {
        let place = self.prepare(id, keep)?;
        let (slot, end) = (place.slot, place.bounds.end);
        failpoint::hit("spawn.before_fork");
        failpoint::hold("spawn.before_fork");
        // What its terminal is reset with still belongs to the run before.
        let offset = match spec.mode {
            Mode::Pty => end + terminal.reset_bytes(),
            Mode::Pipe => end,
        };
        // Flush first: queued messages have to be sent before the new process announces itself on the same
        // socket.
        self.flush_channel();
        let spawned = self.run_program(id, &spec, terminal, slot, offset)?;
        failpoint::hit("spawn.before_telling");
        let pid = spawned.pid;
        let fds = copies(&spec, &spawned).inspect_err(|_| kill(&spawned.pidfd))?;
        self.hold(id, spec, keep, place, spawned)?;
        if offset > end {
            // The log reaches to where the run begins before anyone is told of it.
            self.move_output(slot, 0);
        }
        let message = ToDaemon::Spawned {
            session: id.clone(),
            slot,
            pid,
            offset,
        };
        Ok((message, fds))
    }

    /// Takes a slot for the next run of a session, and publishes where its log continues.
    fn prepare(&mut self, id: &SessionId, keep: u64) -> Result<RunPlace, SpawnError> {
        if !limits::has_room(SPARE_FILES) {
            return Err(io::Error::from(Errno::MFILE).into());
        }
        let no_room = || io::Error::other("the keeper has no room for more sessions");
        let slot = self
            .table
            .free_slot(self.shared_table.slots())
            .ok_or_else(no_room)?;
        if let Some(before) = self.table.slot_of(id) {
            // Processes that outlived the previous run's first process may have written since.
            self.drain(before);
        }
        let (log, bounds) = self.log_to_continue(id, keep)?;
        self.publish(slot, bounds);
        // The exit of an earlier run must not be taken for this one's.
        let _ = std::fs::remove_file(self.home.session(id).join(EXIT));
        Ok(RunPlace { slot, bounds, log })
    }

    /// Holds a program that has just been started, in the place of the session's run before.
    fn hold(
        &mut self,
        id: &SessionId,
        spec: SpawnSpec,
        keep: u64,
        place: RunPlace,
        spawned: Spawned,
    ) -> io::Result<()> {
        let before = self.table.remove(id);
        if let Some(before) = &before {
            self.stop_watching(before);
        }
        let mut log = before.and_then(|before| before.log).or(place.log);
        // One that was still open has the limit of the run before.
        if let Some(log) = &mut log {
            log.set_keep(keep);
        }
        let is_degraded = log.as_ref().is_some_and(|log| log.degraded().is_some());
        let job = Job {
            id: id.clone(),
            spec,
            keep,
            log,
            pid: spawned.pid,
            is_child: true,
            pidfd: Some(Rc::new(spawned.pidfd)),
            input: Some(Rc::new(spawned.input)),
            outputs: spawned
                .outputs
                .into_iter()
                .map(|fd| Some(Rc::new(fd)))
                .collect(),
            exit: None,
            oom_kills: memory::oom_kills(),
            on_exit_ran: false,
        };
        self.table.insert_at(place.slot, job);
        self.on_exits.begin_run(id);
        self.table.set_degraded(place.slot, is_degraded);
        self.watch_outputs(place.slot)
            .inspect_err(|_| self.give_up(id))
    }

    /// The log that a new run continues, if it has to be opened, and its bounds.
    fn log_to_continue(&mut self, id: &SessionId, keep: u64) -> io::Result<(Option<Log>, Bounds)> {
        // A log that is still open holds unsaved bytes of the previous run. The session keeps it until this
        // run can continue with it.
        if let Some(open) = self.job(id).and_then(|job| job.log.as_ref()) {
            return Ok((None, Bounds::of(open)));
        }
        let mut log = Log::open(self.home.session(id), keep, 0, None)?;
        if let Some(before) = self.table.slot_of(id) {
            let (first, newlines) = self.shared_table.slot(before).dropped();
            log.continue_count(first, newlines);
        }
        let bounds = Bounds::of(&log);
        Ok((Some(log), bounds))
    }

    /// Publishes the bounds of a log in its slot, before anyone is told about that.
    fn publish(&self, slot: u32, bounds: Bounds) {
        let shown = self.shared_table.slot(slot);
        shown.reset(bounds.first, bounds.end);
        shown.drop_before(bounds.first, bounds.newlines);
        shown.set_unsaved(bounds.unsaved);
    }

    /// Runs the program in a process that announces itself to the daemon right before `exec`. If this
    /// keeper is killed by then, the daemon knows whether the program runs, and has the descriptors it
    /// takes to keep it.
    fn run_program(
        &self,
        id: &SessionId,
        spec: &SpawnSpec,
        terminal: &Terminal,
        slot: u32,
        offset: u64,
    ) -> Result<Spawned, SpawnError> {
        let limits = spec.limits.as_ref();
        let group = limits.and_then(|limits| cgroup::create(id, limits));
        let starting = ToDaemon::Starting {
            session: id.clone(),
            slot,
            offset,
        };
        let channel = self.channel.as_ref();
        let announcement = channel.and_then(|channel| channel.announcement(&starting));
        let announce = |fds: &[BorrowedFd<'_>]| {
            self.shared_table.announce(std::process::id());
            if !announcement.as_ref().is_some_and(|told| told.send(fds)) {
                self.shared_table.runs_unannounced();
            }
        };
        let is_grouped = group.is_some();
        spawn::spawn(spec, terminal, self.files, group, &announce).inspect_err(|_| {
            if is_grouped {
                // It has no process.
                cgroup::remove(id);
            }
        })
    }

    /// Kills a job that was started but cannot be kept.
    fn give_up(&mut self, id: &SessionId) {
        if let Some(job) = self.table.remove(id) {
            self.stop_watching(&job);
            job.pidfd.iter().for_each(|pidfd| kill(pidfd));
        }
    }
}

/// Kills a job whose start is reported as failed. It is reaped like any other child.
fn kill(pidfd: &OwnedFd) {
    let _ = signal::send(pidfd, signal::KILL);
}

/// Duplicates of the job's descriptors for the daemon.
fn copies(spec: &SpawnSpec, spawned: &Spawned) -> io::Result<Vec<OwnedFd>> {
    let mut fds = vec![dup(&spawned.input)?, dup(&spawned.pidfd)?];
    if spec.mode == Mode::Pipe {
        for output in &spawned.outputs {
            fds.push(dup(output)?);
        }
    }
    Ok(fds)
}
