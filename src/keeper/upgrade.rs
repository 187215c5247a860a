//! Upgrading the keeper: `execve(2)` in the same process, so that it stays the parent of its jobs and keeps
//! everything it has open.
//!
//! It does so only after a daemon from the new program has restored all sessions. That proves that the program runs on
//! this machine and can read what is stored, and if it fails as a keeper, the daemon holds everything.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use serde::{Deserialize, Serialize};

use super::Keeper;
use super::handover::{Inheritance, kept};
use super::locks::Locks;
use super::on_exit::{KeptCommands, OnExits};
use super::requests::dup;
use crate::protocol::VERSION;
use crate::protocol::keeper::{Kept, ToDaemon};
use crate::sys::channel::Channel;
use crate::sys::detach::{self, HANDOVER, inherited};
use crate::sys::paths::own_program;
use crate::sys::role::ProcessRole;
use crate::sys::shared_table::SharedTable;
use crate::sys::signal;
use crate::sys::splice::SplicePipe;

/// A requested upgrade.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Upgrade {
    /// The program that daemon and keeper switch to.
    pub(super) program: PathBuf,
    /// Whether a daemon from `program` has restored all sessions, so that the keeper may follow.
    pub(super) is_due: bool,
}

impl Upgrade {
    /// An upgrade to `program`. `None` means the file that this keeper was started from.
    pub(super) fn to(program: Option<PathBuf>) -> io::Result<Self> {
        let program = program.map_or_else(own_program, Ok)?;
        Ok(Self {
            program,
            is_due: false,
        })
    }
}

/// The message to the daemon about a failed upgrade.
pub(super) fn upgrade_failed(error: String) -> ToDaemon {
    ToDaemon::Upgraded {
        version: VERSION.to_owned(),
        error: Some(error),
    }
}

/// The state passed to the program that replaces this one, which may be of another version. Descriptors are
/// passed as numbers, because they stay open.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
struct ExecState {
    locks: [RawFd; 2],
    listener: RawFd,
    #[serde(rename = "board")]
    shared_table: RawFd,
    #[serde(rename = "pump")]
    pipe: [RawFd; 2],
    channel: RawFd,
    files: Option<u64>,
    daemon_pid: u32,
    sessions: Vec<(Kept, Vec<RawFd>)>,
    /// Absent in versions that stored nothing.
    #[serde(default)]
    stored: BTreeMap<String, RawFd>,
    /// Absent in versions that waited for the end of these commands.
    #[serde(default)]
    on_exits: KeptCommands,
}

/// The state received through an upgrade.
pub(super) struct Received {
    pub(super) locks: Locks,
    pub(super) channel: Channel,
    pub(super) inheritance: Inheritance,
}

impl Keeper {
    /// Carries out an upgrade that is due. Returns only if none is due or it failed.
    pub(super) fn upgrade_if_due(&mut self) {
        let idle = self.channel.as_ref().is_some_and(Channel::is_idle);
        if !idle {
            return;
        }
        let Some(upgrade) = self.upgrade.take_if(|upgrade| upgrade.is_due) else {
            return;
        };
        let Err(error) = self.become_program(&upgrade.program);
        tracing::error!(%error, "the upgrade failed");
        let program = upgrade.program.display();
        self.tell(&upgrade_failed(format!("{program}: {error}")), vec![]);
    }

    fn become_program(&mut self, program: &Path) -> io::Result<std::convert::Infallible> {
        self.table.flush_indexes();
        // Pass duplicates, so that the originals stay close-on-exec if this fails.
        let mut open: Vec<OwnedFd> = Vec::new();
        let mut keep = |fd: OwnedFd| -> io::Result<RawFd> {
            fcntl_setfd(&fd, FdFlags::empty())?;
            let number = fd.as_raw_fd();
            open.push(fd);
            Ok(number)
        };
        let channel = self.channel.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let daemon_pid = self.supervisor.pid();
        let daemon_pid = daemon_pid.ok_or(io::ErrorKind::NotConnected)?;
        let [out, into] = self.pipe.ends();
        let mut sessions = Vec::new();
        for (slot, job) in self.table.iter() {
            let (kept, fds) = kept(slot, job)?;
            let fds = fds.iter().map(|fd| keep(dup(fd)?));
            let fds = fds.collect::<io::Result<_>>()?;
            sessions.push((kept, fds));
        }
        let mut stored = BTreeMap::new();
        for (name, fd) in &self.stored {
            stored.insert(name.clone(), keep(dup(fd)?)?);
        }
        let on_exits = self.on_exits.kept(&mut keep)?;
        let handover = ExecState {
            locks: [
                keep(dup(&self.locks.socket)?)?,
                keep(dup(&self.locks.sessions)?)?,
            ],
            listener: keep(dup(&self.endpoint.listener)?)?,
            shared_table: keep(dup(&self.shared_table)?)?,
            pipe: [keep(dup(&out)?)?, keep(dup(&into)?)?],
            channel: keep(dup(channel)?)?,
            files: self.files.current,
            daemon_pid,
            sessions,
            stored,
            on_exits,
        };
        let mut memory = File::from(memfd_create("bgproc-handover", MemfdFlags::CLOEXEC)?);
        memory.write_all(&serde_json::to_vec(&handover)?)?;
        memory.rewind()?;
        let memory = keep(memory.into())?;
        let mut program = detach::command_of(program, ProcessRole::Keeper);
        let error = program.env(HANDOVER, memory.to_string()).exec();
        // The standard library has given it its default action for the program.
        signal::ignore_broken_pipes();
        Err(error)
    }
}

/// Reads the state that the previous program wrote to the memory file with this descriptor number.
pub(super) fn read(number: RawFd) -> io::Result<Received> {
    let memory = File::from(inherited(number)?);
    let handover: ExecState = serde_json::from_reader(io::BufReader::new(memory))?;
    let mut sessions = Vec::new();
    for (kept, fds) in handover.sessions {
        let fds = fds.into_iter().map(inherited).collect::<io::Result<_>>()?;
        sessions.push((kept, fds));
    }
    let mut stored = BTreeMap::new();
    for (name, fd) in handover.stored {
        stored.insert(name, inherited(fd)?);
    }
    let [out, into] = handover.pipe;
    let [socket, sessions_lock] = handover.locks;
    Ok(Received {
        locks: Locks::held(inherited(socket)?, inherited(sessions_lock)?),
        channel: Channel::new(inherited(handover.channel)?)?,
        inheritance: Inheritance {
            listener: inherited(handover.listener)?.into(),
            shared_table: SharedTable::open(inherited(handover.shared_table)?)?,
            pipe: SplicePipe::open(inherited(out)?, inherited(into)?),
            files: handover.files,
            daemon_pid: handover.daemon_pid,
            sessions,
            stored,
            on_exits: OnExits::inherited(handover.on_exits)?,
        },
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::tests::golden;
    use crate::protocol::tests::keeper::kept;

    #[test]
    fn the_handover_of_version_1() {
        let handover = ExecState {
            locks: [3, 4],
            listener: 5,
            shared_table: 6,
            pipe: [7, 8],
            channel: 9,
            files: Some(1024),
            daemon_pid: 11,
            sessions: vec![(kept(), vec![10, 11, 12])],
            stored: BTreeMap::from([("project".to_owned(), 13)]),
            on_exits: KeptCommands::example(kept().session, kept().spec),
        };
        let open = [
            "",
            "/sessions/0/0",
            "/sessions/0/0/spec",
            "/on_exits",
            "/on_exits/running/0",
            "/on_exits/waiting/0",
            "/on_exits/waiting/0/spec",
        ];
        golden::file("keeper/handover.json", &handover, &open);
        // As versions wrote it that handed no commands over.
        let mut earlier = serde_json::to_value(&handover).unwrap();
        earlier.as_object_mut().unwrap().remove("on_exits");
        let earlier: ExecState = serde_json::from_value(earlier).unwrap();
        assert_eq!(earlier.on_exits, KeptCommands::default());
    }
}
