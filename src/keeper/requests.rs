//! The keeper's side of the channel: it serves the daemon's requests and sends it messages.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::events::Source;
use super::handover::kept;
use super::job_table::Job;
use super::jobs::is_grouped;
use super::log::Log;
use super::supervise::Ended;
use super::upgrade::{Upgrade, upgrade_failed};
use super::{Keeper, Quit};
use crate::protocol::keeper::{Failure, ToDaemon, ToKeeper};
use crate::protocol::{SessionId, VERSION};
use crate::sys::channel::Channel;
use crate::sys::role::ProcessRole;
use crate::sys::shared_table::Slot;
use crate::sys::spawn::Terminal;
use crate::sys::{cgroup, detach, process, signal};

/// Failures of daemons from a new program before the upgrade is given up and the keeper's own program is used.
const UPGRADE_TRIES: u32 = 3;

impl Keeper {
    /// Starts a daemon and hands it the sessions.
    pub(super) fn start_daemon(&mut self) {
        self.quit = Quit::No;
        self.events.remove(&self.endpoint.listener);
        if let Err(error) = self.try_start_daemon() {
            self.daemon_is_gone(Ended::NotStarted(error.to_string()));
        }
    }

    /// Kills a daemon that has not come up in time. Its end is reported by SIGCHLD.
    pub(super) fn end_late_daemon(&mut self) {
        let daemon = self.supervisor.take_late().map(process::handle);
        if let Some(Ok(daemon)) = daemon {
            let _ = signal::send(&daemon, signal::KILL);
        }
    }

    /// The program for the next daemon: the keeper's own, or the target of the upgrade.
    fn daemon_program(&mut self) -> io::Result<Command> {
        match &self.upgrade {
            Some(upgrade) if self.supervisor.failures() < UPGRADE_TRIES => {
                Ok(detach::command_of(&upgrade.program, ProcessRole::Daemon))
            }
            Some(upgrade) => {
                let program = upgrade.program.display();
                let last = self.supervisor.last();
                let why = format!("as a daemon, {program} failed {UPGRADE_TRIES} times: {last}");
                self.upgrade_failed = Some(why);
                self.supervisor.begins_anew();
                self.upgrade = None;
                detach::own_command(ProcessRole::Daemon)
            }
            None => detach::own_command(ProcessRole::Daemon),
        }
    }

    fn try_start_daemon(&mut self) -> io::Result<()> {
        let (ours, theirs) = detach::socket_pair()?;
        let log = self.home.diagnostics(ProcessRole::Daemon);
        let program = self.daemon_program()?;
        let child = detach::spawn(program, Stdio::from(theirs), Stdio::null(), &log)?;
        self.supervisor.started(child.id());
        if self.upgrade.is_some() {
            self.supervisor.expect_ready();
        }
        if self.supervisor.failures() < UPGRADE_TRIES {
            tracing::info!(pid = child.id(), "the daemon was started");
        }
        let mut channel = Channel::new(ours)?;
        self.shared_table.reset_spawns();
        let [out, into] = self.pipe.ends();
        let fds = vec![
            dup(&self.endpoint.listener)?,
            dup(&self.shared_table)?,
            dup(&out)?,
            dup(&into)?,
        ];
        let welcome = ToDaemon::Welcome {
            keeper_pid: std::process::id(),
            version: VERSION.to_owned(),
            files: self.files.current,
            upgrading: self.upgrade.is_some() || self.upgrade_failed.is_some(),
            sessions: self.table.iter().count(),
            stored: self.stored.len(),
        };
        channel.send(&welcome, fds)?;
        for (name, fd) in &self.stored {
            let name = name.clone();
            channel.send(&ToDaemon::Stored { name }, vec![dup(fd)?])?;
        }
        // What runs comes first: if this keeper is killed meanwhile, the daemon has it.
        let (live, ended): (Vec<_>, Vec<_>) =
            self.table.iter().partition(|(_, job)| job.exit.is_none());
        for (slot, job) in live.into_iter().chain(ended) {
            let (kept, fds) = kept(slot, job)?;
            channel.send_shared(&ToDaemon::Adopt(Box::new(kept)), fds)?;
        }
        self.set_channel(channel)
    }

    pub(super) fn set_channel(&mut self, channel: Channel) -> io::Result<()> {
        self.events.add(&channel, Source::Daemon)?;
        self.channel_is_full = false;
        self.channel = Some(channel);
        self.flush_channel();
        Ok(())
    }

    /// Serves the daemon's requests.
    pub(super) fn serve_daemon(&mut self) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        match channel.receive::<ToKeeper>(&[]) {
            Ok(messages) => {
                for (message, fds) in messages {
                    self.handle(message, fds);
                }
                self.flush_channel();
            }
            // The daemon is gone; its exit is reported by SIGCHLD.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.drop_channel(),
            // What follows would be read with a hole in it.
            Err(error) => {
                tracing::error!(%error, "the requests of the daemon cannot be read");
                self.close_channel();
            }
        }
    }

    pub(super) fn handle(&mut self, message: ToKeeper, fds: Vec<OwnedFd>) {
        match message {
            ToKeeper::Greeted => self.supervisor.greeted(),
            ToKeeper::Ready => self.daemon_is_ready(),
            ToKeeper::Spawn {
                session,
                spec,
                rows,
                cols,
                reset,
                keep,
            } => {
                let terminal = Terminal { rows, cols, reset };
                self.spawn(session, spec, &terminal, keep);
            }
            ToKeeper::CloseStdin { session } => {
                if let Some(job) = self.job(&session) {
                    job.input = None;
                }
            }
            ToKeeper::RunOnExit {
                session,
                spec,
                within_ms,
            } => self.run_on_exit(session, &spec, Duration::from_millis(within_ms)),
            ToKeeper::Clear { session } => self.clear(&session),
            ToKeeper::Trim { session, first } => self.trim(&session, first),
            ToKeeper::Forget { session } => self.forget(session),
            ToKeeper::Store { name } => match fds.into_iter().next() {
                Some(fd) => drop(self.stored.insert(name, fd)),
                None => drop(self.stored.remove(&name)),
            },
            ToKeeper::Rest { upgrade, program } => self.rest(upgrade, program),
            ToKeeper::InspectInput { session, ask } => self.inspect_input(session, ask),
            ToKeeper::Quit => self.quit = Quit::Now,
            ToKeeper::QuitIdle => self.quit = self.quit.max(Quit::WhenIdle),
            ToKeeper::Takeover { .. } | ToKeeper::Adopt(_) => {
                tracing::warn!("ignored a handover that arrived too late");
            }
        }
    }

    fn daemon_is_ready(&mut self) {
        self.supervisor.mark_up();
        if let Some(error) = self.upgrade_failed.take() {
            self.tell(&upgrade_failed(error), vec![]);
        }
        if let Some(upgrade) = &mut self.upgrade {
            upgrade.is_due = true;
        }
    }

    fn forget(&mut self, session: SessionId) {
        if let Some(job) = self.table.remove(&session) {
            if is_grouped(&job) {
                cgroup::remove(&session);
            }
            self.stop_watching(&job);
        }
        self.tell_soon(&ToDaemon::Forgotten { session });
    }

    /// Prepares the end of the daemon: the next one is started when a client comes, or with `upgrade` at once, from
    /// `program`.
    fn rest(&mut self, upgrade: bool, program: Option<PathBuf>) {
        let upgrade = upgrade.then(|| Upgrade::to(program)).transpose();
        self.upgrade = upgrade.unwrap_or_else(|error| {
            let why = format!("the keeper cannot find its own program: {error}");
            self.upgrade_failed = Some(why);
            None
        });
        self.supervisor.rest();
        self.listen_for_client();
    }

    pub(super) fn job(&mut self, id: &SessionId) -> Option<&mut Job> {
        let slot = self.table.slot_of(id)?;
        self.table.get_mut(slot)
    }

    pub(super) fn watch_outputs(&mut self, slot: u32) -> io::Result<()> {
        let outputs = self.table.get_mut(slot).map(|job| &job.outputs);
        for (stream, output) in (0..).zip(outputs.into_iter().flatten()) {
            if let Some(output) = output {
                self.events.add(output, Source::Output { slot, stream })?;
            }
        }
        Ok(())
    }

    pub(super) fn stop_watching(&self, job: &Job) {
        for output in job.outputs.iter().flatten() {
            self.events.remove(output);
        }
        if let Some(pidfd) = job.pidfd.as_ref().filter(|_| !job.is_child) {
            self.events.remove(pidfd);
        }
    }

    fn clear(&mut self, id: &SessionId) {
        let slot = self.table.slot_of(id);
        let shown = slot.map(|slot| self.shared_table.slot(slot));
        let clear = |log: &mut Log| {
            log.clear()?;
            if let Some(shown) = shown {
                // Only the newest segment is left of a cleared log.
                shown.set_segment(log.first());
                shown.drop_before(log.first(), log.newlines());
                shown.set_unsaved(0);
            }
            log.remove_dropped();
            Ok(log.first())
        };
        let open = slot.and_then(|slot| self.table.get_mut(slot)?.log.as_mut());
        let cleared = match open {
            Some(log) => clear(log),
            // The session has ended: open its log for this request only.
            None => Log::open(self.home.session(id), u64::MAX, 0, None).and_then(|mut log| {
                if let Some((first, newlines)) = shown.map(Slot::dropped) {
                    log.continue_count(first, newlines);
                }
                clear(&mut log)
            }),
        };
        if let (Ok(_), Some(slot)) = (&cleared, slot) {
            if self.table.degraded().contains(&slot) {
                self.report_degraded(slot);
            }
            if let Some(job) = self.table.get_mut(slot) {
                job.close_files();
            }
        }
        let session = id.clone();
        let (first, failure) = match cleared {
            Ok(first) => (Some(first), None),
            Err(error) => {
                let (errno, message) = (error.raw_os_error(), error.to_string());
                (None, Some(Failure { errno, message }))
            }
        };
        let told = ToDaemon::Cleared {
            session,
            first,
            failure,
        };
        self.tell(&told, vec![]);
    }

    fn trim(&mut self, id: &SessionId, before: u64) {
        let Some(slot) = self.table.slot_of(id) else {
            return;
        };
        if let Some(log) = self.table.get_mut(slot).and_then(|e| e.log.as_mut()) {
            log.drop_segments_before(before);
            let shown = self.shared_table.slot(slot);
            shown.drop_before(log.first(), log.newlines());
            shown.set_unsaved(log.unsaved());
            log.remove_dropped();
            // Report it now, even if nothing more is written for a while.
            self.grown.push(slot);
            self.tell_growth();
        }
    }

    pub(super) fn tell(&mut self, message: &ToDaemon, fds: Vec<OwnedFd>) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        if channel.send(message, fds).is_err() {
            self.drop_channel();
            return;
        }
        self.flush_channel();
    }

    /// Queues a message; it is sent after all pending requests of the daemon have been served.
    pub(super) fn tell_soon(&mut self, message: &ToDaemon) {
        let channel = self.channel.as_mut();
        if channel.is_some_and(|channel| channel.queue(message, vec![]).is_err()) {
            self.drop_channel();
        }
    }

    pub(super) fn flush_channel(&mut self) {
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

    /// Closes the channel of a daemon that is gone. What it had asked for is kept for [`Self::serve_rest`].
    pub(super) fn drop_channel(&mut self) {
        if let Some(mut channel) = self.close_channel() {
            // An error means that there is nothing more.
            let rest = channel.receive::<ToKeeper>(&[]).unwrap_or_default();
            self.unserved.extend(rest);
        }
    }

    fn close_channel(&mut self) -> Option<Channel> {
        let channel = self.channel.take()?;
        self.events.remove(&channel);
        Some(channel)
    }

    /// Serves what a daemon had asked for before it died. The next one knows of it from its records, and finds it done.
    pub(super) fn serve_rest(&mut self) {
        for (message, fds) in std::mem::take(&mut self.unserved) {
            match message {
                // They are about the daemon that is gone.
                ToKeeper::Greeted | ToKeeper::Ready | ToKeeper::InspectInput { .. } => {}
                message => self.handle(message, fds),
            }
        }
    }

    pub(super) fn listen_for_client(&mut self) {
        if !self.supervisor.is_resting() {
            return;
        }
        match self.events.add(&self.endpoint.listener, Source::Listener) {
            // It waits for them already.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => tracing::error!(%error, "cannot wait for clients"),
            Ok(()) => {}
        }
    }
}

pub(super) fn dup(fd: &impl AsFd) -> io::Result<OwnedFd> {
    fd.as_fd().try_clone_to_owned()
}
