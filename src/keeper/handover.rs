//! Handing over sessions: from the keeper to each new daemon, and from a daemon to the keeper that replaces
//! a killed one.
//!
//! No output is lost: every byte that the old keeper had taken from a terminal is either in the log
//! or in the splice pipe. The shared table says to which session the bytes in the pipe belong.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::rc::Rc;

use rustix::io::Errno;

use super::Keeper;
use super::events::Source;
use super::job_table::Job;
use super::log::Log;
use super::on_exit::OnExits;
use super::supervise::Ended;
use crate::protocol::keeper::{Kept, ToKeeper};
use crate::protocol::status::Mode;
use crate::sys::channel::Channel;
use crate::sys::exit_file;
use crate::sys::kept::KeptFds;
use crate::sys::shared_table::SharedTable;
use crate::sys::splice::SplicePipe;
use crate::sys::tail::Tail;
use crate::sys::{failpoint, memory, process};

/// The description of a session for the process that takes it over, and the descriptors that go with it.
pub(super) fn kept(slot: u32, job: &Job) -> io::Result<(Kept, Vec<Rc<OwnedFd>>)> {
    let degraded = job.log.as_ref().and_then(Log::degraded);
    let streams = (0..).zip(&job.outputs);
    let open: Vec<(u8, &Rc<OwnedFd>)> = streams
        .filter_map(|(n, fd)| Some((n, fd.as_ref()?)))
        .collect();
    let outputs = match job.spec.mode {
        // The PTY master serves for input and output.
        Mode::Pty => Vec::new(),
        Mode::Pipe => open.iter().map(|(_, output)| Rc::clone(output)).collect(),
    };
    let fds = KeptFds {
        input: job.input.clone(),
        pidfd: job.pidfd.clone(),
        tail: degraded
            .and_then(|(_, tail)| tail)
            .map(Tail::try_clone)
            .transpose()?,
        outputs,
    };
    let mut kept = Kept {
        session: job.id.clone(),
        slot,
        pid: job.pid,
        exit: job.exit.clone(),
        spec: job.spec.clone(),
        keep: job.keep,
        has_input: false,
        has_pidfd: false,
        has_tail: false,
        degraded: degraded.map(|(reason, _)| reason.to_owned()),
        open: open.iter().map(|(stream, _)| *stream).collect(),
        on_exit_ran: job.on_exit_ran,
    };
    let fds = fds.join(&mut kept);
    Ok((kept, fds))
}

/// What a new keeper takes over: from the daemon after its predecessor was killed, or from the
/// earlier version of its own program in an upgrade.
pub(super) struct Inheritance {
    pub(super) listener: UnixListener,
    pub(super) shared_table: SharedTable,
    pub(super) pipe: SplicePipe,
    /// Soft limit of open files that jobs start with.
    pub(super) files: Option<u64>,
    pub(super) daemon_pid: u32,
    pub(super) sessions: Vec<(Kept, Vec<OwnedFd>)>,
    /// Descriptors that are kept for the next daemon, by name.
    pub(super) stored: BTreeMap<String, OwnedFd>,
    /// The `onExit` commands, which only an upgrade hands over.
    pub(super) on_exits: OnExits,
}

/// Requests of the daemon, with their descriptors.
pub(super) type Asked = Vec<(ToKeeper, Vec<OwnedFd>)>;

/// Kinds of messages that must not be skipped as unknown: without their content, output would be
/// lost.
const NEEDED: &[&str] = &["Takeover", "Adopt"];

/// Receives the daemon's handover, and the requests that arrived together with its last message. If
/// the daemon dies during the handover, the sessions received so far are kept.
pub(super) fn receive(channel: &mut Channel) -> io::Result<(Inheritance, Asked)> {
    let mut handover = Arrived::default();
    while !handover.is_complete() {
        let ready = rustix::event::PollFd::new(channel, rustix::event::PollFlags::IN);
        rustix::io::retry_on_intr(|| rustix::event::poll(&mut [ready.clone()], None))?;
        let messages = match channel.receive::<ToKeeper>(NEEDED) {
            Ok(messages) => messages,
            Err(error) if handover.inheritance.is_none() || can_be_repeated(&error) => {
                return Err(error);
            }
            Err(_) => break,
        };
        for (message, fds) in messages {
            handover.take(message, fds)?;
        }
    }
    let inheritance = handover.inheritance.ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok((inheritance, handover.asked))
}

/// Whether the handover holds something this version does not understand, or more descriptors than the limit allows.
/// The daemon is alive then, and can hand over again.
fn can_be_repeated(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidData
        || error.raw_os_error() == Some(Errno::MFILE.raw_os_error())
}

/// A handover, as far as it has been received.
#[derive(Default)]
struct Arrived {
    inheritance: Option<Inheritance>,
    /// Number of sessions.
    expected: usize,
    asked: Asked,
}

impl Arrived {
    fn is_complete(&self) -> bool {
        let inheritance = self.inheritance.as_ref();
        inheritance.is_some_and(|i| i.sessions.len() >= self.expected)
    }

    /// Takes the next message.
    fn take(&mut self, message: ToKeeper, fds: Vec<OwnedFd>) -> io::Result<()> {
        match (message, &mut self.inheritance) {
            (
                ToKeeper::Takeover {
                    daemon_pid,
                    files,
                    sessions,
                },
                None,
            ) => {
                self.expected = sessions;
                self.inheritance = Some(begun(daemon_pid, files, fds)?);
            }
            (ToKeeper::Adopt(kept), Some(inheritance)) => inheritance.sessions.push((kept, fds)),
            // The daemon does not wait for our answer: it repeats at once the requests that the
            // previous keeper did not complete, and these may arrive together with the last session.
            (message, Some(inheritance)) if inheritance.sessions.len() == self.expected => {
                self.asked.push((message, fds));
            }
            _ => {
                return Err(io::Error::other(
                    "the daemon's handover has a message out of order",
                ));
            }
        }
        Ok(())
    }
}

/// What is taken over, without the sessions.
fn begun(daemon_pid: u32, files: Option<u64>, fds: Vec<OwnedFd>) -> io::Result<Inheritance> {
    let fds = <[OwnedFd; 4]>::try_from(fds);
    let [listener, shared_table, out, into] =
        fds.map_err(|_| io::Error::other("the daemon's handover lacks a descriptor"))?;
    Ok(Inheritance {
        listener: listener.into(),
        shared_table: SharedTable::open(shared_table)?,
        pipe: SplicePipe::open(out, into),
        files,
        daemon_pid,
        sessions: Vec::new(),
        // The daemon stores everything again.
        stored: BTreeMap::new(),
        on_exits: OnExits::default(),
    })
}

impl Keeper {
    /// Takes over the sessions of another keeper. Returns those that the daemon must be told of, because their logs
    /// cannot be written, or can be again.
    pub(super) fn inherit(&mut self, sessions: Vec<(Kept, Vec<OwnedFd>)>) -> BTreeSet<u32> {
        for (kept, fds) in sessions {
            let id = kept.session.clone();
            if let Err(error) = self.inherit_one(kept, fds) {
                tracing::error!(session = %id, %error, "cannot take over the session");
            }
        }
        let changed = self.empty_pipe();
        let slots: Vec<u32> = self.table.iter().map(|(slot, _)| slot).collect();
        for slot in slots {
            let stream = match self.shared_table.last_moved() {
                Some((last, stream)) if last == slot => stream,
                _ => 0,
            };
            if let Some(log) = self.table.get_mut(slot).and_then(|e| e.log.as_mut()) {
                log.complete_index(stream);
            }
            self.log_grew(slot);
        }
        // The previous keeper may have died while it was moving bytes.
        self.shared_table.end_move();
        let mut untold = self.table.degraded().clone();
        untold.extend(changed);
        untold
    }

    fn inherit_one(&mut self, kept: Kept, fds: Vec<OwnedFd>) -> io::Result<()> {
        let fds = KeptFds::split(&kept, fds);
        let (input, pidfd, tail) = (fds.input.map(Rc::new), fds.pidfd.map(Rc::new), fds.tail);
        let mut piped = fds.outputs.into_iter().map(Rc::new);
        let mut outputs = Vec::new();
        for stream in &kept.open {
            let output = match kept.spec.mode {
                Mode::Pty => input.clone(),
                Mode::Pipe => piped.next(),
            };
            outputs.resize_with(usize::from(*stream), || None);
            outputs.push(output);
        }
        let dir = self.home.session(&kept.session);
        let needs_log = !outputs.is_empty() || tail.is_some();
        let shown = self.shared_table.slot(kept.slot);
        let (first, newlines) = shown.dropped();
        let log = needs_log.then(|| {
            let saved = tail.as_ref().and_then(|tail| tail.try_clone().ok());
            let opened = Log::open(dir.clone(), kept.keep, shown.end(), tail);
            let opened = opened.map(|log| log.degraded_because(kept.degraded.as_deref()));
            let mut log = opened.unwrap_or_else(|error| {
                tracing::warn!(session = %kept.session, %error, "its log cannot be opened");
                Log::unopened(dir.clone(), kept.keep, (first, shown.end()), saved, &error)
            });
            log.continue_count(first, newlines);
            log
        });
        let is_degraded = log.as_ref().is_some_and(|log| log.degraded().is_some());
        let own = std::process::id();
        let is_exit_missing = kept.exit.is_some() && exit_file::read(&dir).is_none();
        let job = Job {
            id: kept.session,
            spec: kept.spec,
            keep: kept.keep,
            log,
            pid: kept.pid,
            is_child: process::read(kept.pid).is_some_and(|process| process.ppid == own),
            pidfd,
            input,
            outputs,
            exit: kept.exit,
            oom_kills: memory::oom_kills(),
            on_exit_ran: kept.on_exit_ran,
        };
        if let Some(pidfd) = job.pidfd.as_ref().filter(|_| !job.is_child) {
            let slot = kept.slot;
            self.events.add(pidfd, Source::Ended { slot })?;
        }
        self.table.insert_at(kept.slot, job);
        self.table.set_degraded(kept.slot, is_degraded);
        // The previous keeper may not have been able to save it.
        self.table.set_exit_unsaved(kept.slot, is_exit_missing);
        self.watch_outputs(kept.slot)
    }

    /// Moves the bytes that the previous keeper left in the splice pipe to the log of their
    /// session. Returns the session if its log cannot be written any more, or can be again.
    fn empty_pipe(&mut self) -> Option<u32> {
        let bytes = self.pipe.left().unwrap_or(0);
        if bytes == 0 {
            return None;
        }
        failpoint::hit("takeover.before_emptying");
        let whose = self.shared_table.last_moved();
        let log = whose.and_then(|(slot, _)| self.table.get_mut(slot)?.log.as_mut());
        let (Some(log), Some((slot, stream))) = (log, whose) else {
            // The session was removed in the meantime.
            self.pipe.discard(bytes);
            return None;
        };
        let has_changed = log.put(&self.pipe, &mut self.disk, bytes, stream);
        let is_degraded = log.degraded().is_some();
        self.table.set_degraded(slot, is_degraded);
        has_changed.then_some(slot)
    }

    /// Takes charge of a daemon that is not our child.
    pub(super) fn greet_foreign_daemon(&mut self, channel: Channel, pid: u32) -> io::Result<()> {
        self.set_channel(channel)?;
        self.supervisor.started(pid);
        self.supervisor.mark_up();
        match process::handle(pid) {
            Ok(daemon) => {
                self.events.add(&daemon, Source::DaemonEnded)?;
                self.foreign_daemon = Some(daemon);
            }
            Err(error) => {
                tracing::warn!(pid, %error, "the daemon has died since it handed over");
                self.daemon_is_gone(Ended::Unknown);
            }
        }
        // The socket's file may have been removed while no keeper watched over it.
        self.share_listener()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::tests::keeper::kept;
    use crate::sys::detach::socket_pair;
    use crate::sys::fixture;

    /// A daemon of another version that has begun its handover, and the keeper's end of the channel.
    fn daemon() -> (Channel, Channel) {
        let (ours, theirs) = socket_pair().unwrap();
        let (mut daemon, keeper) = (Channel::new(theirs).unwrap(), Channel::new(ours).unwrap());
        let takeover = json!({"Takeover": {"daemon_pid": 7, "sessions": 1, "mood": "new"}});
        daemon.send(&takeover, fixture::shared()).unwrap();
        (daemon, keeper)
    }

    #[test]
    fn receives_the_handover_of_another_version() {
        let (mut daemon, mut keeper) = daemon();
        daemon.send(&json!({"Weather": "fine"}), vec![]).unwrap();
        let mut adopt = serde_json::to_value(ToKeeper::Adopt(kept())).unwrap();
        adopt["Adopt"]["mood"] = json!("new");
        daemon.send(&adopt, vec![]).unwrap();
        let (inheritance, _) = receive(&mut keeper).unwrap();
        assert_eq!((inheritance.daemon_pid, inheritance.files), (7, None));
        assert_eq!(inheritance.sessions[0].0, kept());
    }

    #[test]
    fn refuses_a_handover_with_a_session_it_does_not_understand() {
        let (mut daemon, mut keeper) = daemon();
        daemon.send(&json!({"Adopt": {"job": 1}}), vec![]).unwrap();
        let error = receive(&mut keeper).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn keeps_requests_sent_right_after_the_handover() {
        let (mut daemon, mut keeper) = daemon();
        daemon.send(&ToKeeper::Adopt(kept()), vec![]).unwrap();
        let session = kept().session;
        let clear = ToKeeper::Clear { session };
        daemon.send(&clear, vec![]).unwrap();
        let (inheritance, asked) = receive(&mut keeper).unwrap();
        let asked: Vec<ToKeeper> = asked.into_iter().map(|(message, _)| message).collect();
        assert_eq!((inheritance.sessions.len(), asked), (1, vec![clear]));
    }
}
