//! What the daemon asks, what jobs write, and who ends.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;

use rustix::process::{WaitOptions, WaitStatus, wait};

use super::Keeper;
use super::entry::Entry;
use super::events::Source;
use super::log::{Grew, Log};
use crate::diag;
use crate::protocol::SessionId;
use crate::protocol::disk::EXIT;
use crate::protocol::keeper::{Exit, SpawnSpec, ToDaemon, ToKeeper};
use crate::sys::channel::Channel;
use crate::sys::{clock, detach, spawn};

/// Chunks moved for one session before an exit is told, in case a process that
/// outlives the first one keeps writing.
const LAST_CHUNKS: usize = 64;

impl Keeper {
    /// Starts a daemon and tells it what there is.
    pub(super) fn start_daemon(&mut self) {
        self.events.remove(&self.listener);
        if let Err(error) = self.try_start_daemon() {
            diag::say(format_args!("keeper: the daemon did not start: {error}"));
            self.supervisor.ended();
        }
    }

    fn try_start_daemon(&mut self) -> io::Result<()> {
        let (ours, theirs) = detach::socket_pair()?;
        let log = self.home.diagnostics("daemon");
        let child = detach::spawn_self("daemon", Stdio::from(theirs), Stdio::null(), &log)?;
        self.supervisor.started(child.id());
        let mut channel = Channel::new(ours)?;
        let fds = vec![dup(&self.listener)?, dup(&self.board)?];
        let sessions = self.table.iter().count();
        channel.send(
            &ToDaemon::Welcome {
                keeper_pid: std::process::id(),
                sessions,
            },
            fds,
        )?;
        for (slot, entry) in self.table.iter() {
            let (message, fds) = adopt(slot, entry)?;
            channel.send(&message, fds)?;
        }
        self.events.add(&channel, Source::Daemon)?;
        self.channel_is_full = false;
        self.channel = Some(channel);
        self.flush_channel();
        Ok(())
    }

    /// Takes what the daemon asks.
    pub(super) fn serve_daemon(&mut self) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        match channel.receive::<ToKeeper>() {
            Ok(messages) => {
                for (message, _) in messages {
                    self.obey(message);
                }
                self.flush_channel();
            }
            // It is gone; its pid comes by SIGCHLD.
            Err(_) => self.drop_channel(),
        }
    }

    fn obey(&mut self, message: ToKeeper) {
        match message {
            ToKeeper::Ready => self.supervisor.is_up(),
            ToKeeper::Spawn {
                session,
                spec,
                rows,
                cols,
                keep,
            } => {
                self.spawn(session, spec, rows, cols, keep);
            }
            ToKeeper::CloseStdin { session } => {
                if let Some(entry) = self.entry(&session) {
                    entry.input = None;
                }
            }
            ToKeeper::Clear { session } => self.clear(&session),
            ToKeeper::Forget { session } => {
                if let Some(entry) = self.table.remove(&session) {
                    for output in entry.outputs.iter().flatten() {
                        self.events.remove(output);
                    }
                }
            }
            ToKeeper::Rest => {
                self.supervisor.rest();
                self.listen_for_knock();
            }
            ToKeeper::Quit => self.quit = true,
        }
    }

    fn entry(&mut self, id: &SessionId) -> Option<&mut Entry> {
        let slot = self.table.slot_of(id)?;
        self.table.get_mut(slot)
    }

    fn spawn(&mut self, id: SessionId, spec: Option<SpawnSpec>, rows: u16, cols: u16, keep: u64) {
        match self.try_spawn(&id, spec, rows, cols, keep) {
            Ok((message, fds)) => self.tell(&message, fds),
            Err(error) => {
                let errno = error.raw_os_error();
                let message = error.to_string();
                self.tell(
                    &ToDaemon::SpawnFailed {
                        session: id,
                        errno,
                        message,
                    },
                    vec![],
                );
            }
        }
    }

    fn try_spawn(
        &mut self,
        id: &SessionId,
        spec: Option<SpawnSpec>,
        rows: u16,
        cols: u16,
        keep: u64,
    ) -> io::Result<(ToDaemon, Vec<OwnedFd>)> {
        let known = self.table.slot_of(id);
        let before = known.and_then(|slot| self.table.get_mut(slot));
        let spec = match (spec, &before) {
            (Some(spec), _) => spec,
            (None, Some(entry)) => entry.spec.clone(),
            (None, None) => return Err(io::ErrorKind::NotFound.into()),
        };
        let dir = self.home.session(id);
        let log = match before.and_then(|entry| entry.log.take()) {
            Some(log) => log,
            None => Log::open(dir.clone(), keep)?,
        };
        // An exit of an earlier run must not be read as this one's.
        let _ = std::fs::remove_file(dir.join(EXIT));
        let (first, end) = (log.first(), log.end());
        let spawned = spawn::spawn(&spec, rows, cols, self.files)?;
        if let Some(old) = self.table.remove(id) {
            for output in old.outputs.iter().flatten() {
                self.events.remove(output);
            }
        }
        let fds = vec![dup(&spawned.input)?, dup(&spawned.pidfd)?];
        let entry = Entry {
            id: id.clone(),
            spec,
            log: Some(log),
            pid: spawned.pid,
            pidfd: Some(spawned.pidfd),
            input: Some(spawned.input),
            outputs: spawned.outputs.into_iter().map(Some).collect(),
            exit: None,
        };
        let slot = self
            .table
            .insert(entry)
            .ok_or_else(|| io::Error::other("no free slot"))?;
        self.board.slot(slot).reset(first, end);
        if let Some(entry) = self.table.get_mut(slot) {
            for (stream, output) in (0..).zip(entry.outputs.iter().flatten()) {
                self.events.add(output, Source::Output { slot, stream })?;
            }
        }
        Ok((
            ToDaemon::Spawned {
                session: id.clone(),
                slot,
                pid: spawned.pid,
                offset: end,
            },
            fds,
        ))
    }

    fn clear(&mut self, id: &SessionId) {
        let slot = self.table.slot_of(id);
        let open = slot.and_then(|slot| self.table.get_mut(slot)?.log.as_mut());
        let cleared = match open {
            Some(log) => log.clear().map(|()| log.first()),
            // It has ended: its log is opened for this once.
            None => Log::open(self.home.session(id), u64::MAX).and_then(|mut log| {
                log.clear()?;
                Ok(log.first())
            }),
        };
        if let (Ok(first), Some(slot)) = (&cleared, slot) {
            self.board.slot(slot).drop_before(*first);
        }
        let session = id.clone();
        self.tell(
            &ToDaemon::Cleared {
                session,
                first: cleared.ok(),
            },
            vec![],
        );
    }

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
                diag::say(format_args!(
                    "keeper: session {id}: reading its output: {error}"
                ));
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
            diag::say(format_args!("keeper: session {session}: {EXIT}: {error}"));
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

    fn tell(&mut self, message: &ToDaemon, fds: Vec<OwnedFd>) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        if channel.send(message, fds).is_err() {
            self.drop_channel();
            return;
        }
        self.flush_channel();
    }

    fn flush_channel(&mut self) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        let done = channel.flush().and_then(|()| {
            let waiting = channel.wants_to_send();
            if waiting != self.channel_is_full {
                self.channel_is_full = waiting;
                self.events
                    .set_writing(&*channel, Source::Daemon, waiting)?;
            }
            Ok(())
        });
        if done.is_err() {
            self.drop_channel();
        }
    }

    fn drop_channel(&mut self) {
        if let Some(channel) = self.channel.take() {
            self.events.remove(&channel);
        }
    }

    fn listen_for_knock(&mut self) {
        if self.supervisor.is_resting() {
            if let Err(error) = self.events.add(&self.listener, Source::Listener) {
                diag::say(format_args!("keeper: cannot wait for clients: {error}"));
            }
        }
    }
}

impl Entry {
    /// Nothing will be written any more.
    fn close_files(&mut self) {
        self.log = None;
        self.input = None;
    }
}

fn adopt(slot: u32, entry: &Entry) -> io::Result<(ToDaemon, Vec<OwnedFd>)> {
    let mut fds = Vec::new();
    for fd in entry.input.iter().chain(&entry.pidfd) {
        fds.push(dup(fd)?);
    }
    let message = ToDaemon::Adopt {
        session: entry.id.clone(),
        slot,
        pid: entry.pid,
        exit: entry.exit.clone(),
        open: entry.is_open(),
        mode: entry.spec.mode,
        has_input: entry.input.is_some(),
        has_pidfd: entry.pidfd.is_some(),
    };
    Ok((message, fds))
}

fn dup(fd: &impl AsFd) -> io::Result<OwnedFd> {
    fd.as_fd().try_clone_to_owned()
}

/// Temporary file and rename, so that a reader finds all of it or nothing.
fn write_exit(dir: &std::path::Path, exit: &Exit) -> io::Result<()> {
    let temporary = dir.join("exit.json.tmp");
    std::fs::write(&temporary, serde_json::to_vec(exit)?)?;
    std::fs::rename(temporary, dir.join(EXIT))
}
