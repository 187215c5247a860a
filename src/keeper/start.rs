//! Starting a job: it runs and the daemon is told, or it does not run.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::Keeper;
use super::entry::Entry;
use super::log::Log;
use super::requests::dup;
use crate::protocol::SessionId;
use crate::protocol::disk::EXIT;
use crate::protocol::keeper::{SpawnSpec, ToDaemon};
use crate::protocol::record::Mode;
use crate::sys::spawn::{self, SpawnError, Spawned};
use crate::sys::{cgroup, failpoint, limits, signal};

/// Descriptors that have to be free before a job is started: what that takes for
/// a moment, or what it keeps and the next start of a daemon then needs.
const SPARE_FILES: usize = 16;

impl Keeper {
    /// Starts a session's program, and tells the daemon how that went.
    pub(super) fn spawn(
        &mut self,
        id: SessionId,
        spec: SpawnSpec,
        rows: u16,
        cols: u16,
        keep: u64,
    ) {
        failpoint::hit("spawn.before_beginning");
        // Also of one that fails at once: the daemon has counted it.
        self.board.begin_spawn();
        match self.try_spawn(&id, spec, rows, cols, keep) {
            Ok((message, fds)) => self.tell(&message, fds),
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
        rows: u16,
        cols: u16,
        keep: u64,
    ) -> Result<(ToDaemon, Vec<OwnedFd>), SpawnError> {
        if !limits::has_room(SPARE_FILES) {
            return Err(io::Error::from(Errno::MFILE).into());
        }
        if self.entry(id).is_none() && !self.table.has_room() {
            return Err(io::Error::other("the keeper has no room for more sessions").into());
        }
        let dir = self.home.session(id);
        // A log that is still open has what is not saved of the run before; the
        // session keeps it until this run is there to go on with it.
        let is_open = self.entry(id).is_some_and(|entry| entry.log.is_some());
        let fresh = match is_open {
            true => None,
            false => Some(Log::open(dir.clone(), keep, 0, None)?),
        };
        // An exit of an earlier run must not be read as this one's.
        let _ = std::fs::remove_file(dir.join(EXIT));
        failpoint::hit("spawn.before_fork");
        let group = spec
            .limits
            .as_ref()
            .and_then(|limits| cgroup::create(id, limits));
        let spawned = spawn::spawn(&spec, rows, cols, self.files, group)?;
        failpoint::hit("spawn.before_telling");
        let pid = spawned.pid;
        let fds = copies(&spec, &spawned).inspect_err(|_| end(&spawned.pidfd))?;
        let before = self.table.remove(id);
        if let Some(before) = &before {
            self.stop_watching(before);
        }
        let log = before.and_then(|before| before.log).or(fresh);
        let (first, end, unsaved) = log
            .as_ref()
            .map_or((0, 0, 0), |log| (log.first(), log.end(), log.unsaved()));
        let troubled = log.as_ref().is_some_and(|log| log.trouble().is_some());
        let entry = Entry {
            id: id.clone(),
            spec,
            keep,
            log,
            pid,
            is_child: true,
            pidfd: Some(spawned.pidfd),
            input: Some(spawned.input),
            outputs: spawned.outputs.into_iter().map(Some).collect(),
            exit: None,
            on_exit_ran: false,
        };
        let slot = self
            .table
            .insert(entry)
            .ok_or_else(|| io::Error::other("no free slot"))?;
        self.table.set_troubled(slot, troubled);
        self.board.slot(slot).reset(first, end);
        self.board.slot(slot).set_unsaved(unsaved);
        if let Err(error) = self.watch_outputs(slot) {
            self.give_up(id);
            return Err(error.into());
        }
        let message = ToDaemon::Spawned {
            session: id.clone(),
            slot,
            pid,
            offset: end,
        };
        Ok((message, fds))
    }

    /// Ends a job that runs and cannot be kept.
    fn give_up(&mut self, id: &SessionId) {
        if let Some(entry) = self.table.remove(id) {
            self.stop_watching(&entry);
            entry.pidfd.iter().for_each(end);
        }
    }
}

/// Told to have failed to start, a job must not run. It is reaped like any child.
fn end(pidfd: &OwnedFd) {
    let _ = signal::send(pidfd, signal::KILL);
}

/// What the daemon gets of it.
fn copies(spec: &SpawnSpec, spawned: &Spawned) -> io::Result<Vec<OwnedFd>> {
    let mut fds = vec![dup(&spawned.input)?, dup(&spawned.pidfd)?];
    if spec.mode == Mode::Pipe {
        for output in &spawned.outputs {
            fds.push(dup(output)?);
        }
    }
    Ok(fds)
}
