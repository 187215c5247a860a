//! Commands that run after a session has ended (`onExit`): without terminal, log or name, and with a time
//! limit.
//!
//! They are children of the keeper like the jobs, so that they outlive a daemon. Each is run once per run
//! of its session, however often a daemon asks for it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Keeper;
use super::requests::dup;
use crate::protocol::SessionId;
use crate::protocol::keeper::{SpawnSpec, ToDaemon};
use crate::sys::detach::inherited;
use crate::sys::{signal, spawn};

/// A running command.
#[derive(Debug)]
struct Running {
    session: SessionId,
    pid: u32,
    pidfd: OwnedFd,
    deadline: Instant,
    timed_out: bool,
    /// Whether the next run of the session has begun, which its end does not concern.
    is_of_former_run: bool,
}

/// Maximum number of commands that run at once; the others wait for one of them to end.
const AT_ONCE: usize = 16;

/// A command that waits for its turn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Waiting {
    session: SessionId,
    spec: SpawnSpec,
    within: Duration,
}

/// The commands, as an upgrade hands them over. Descriptors are passed as numbers, because they stay open.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct KeptCommands {
    running: Vec<KeptCommand>,
    waiting: VecDeque<Waiting>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct KeptCommand {
    session: SessionId,
    pid: u32,
    pidfd: RawFd,
    /// How long it may still run.
    left: Duration,
    timed_out: bool,
    is_of_former_run: bool,
}

/// All `onExit` commands, running and waiting.
#[derive(Debug, Default)]
pub(super) struct OnExits {
    running: Vec<Running>,
    waiting: VecDeque<Waiting>,
}

#[cfg(test)]
impl KeptCommands {
    /// One command that runs, and one that waits.
    pub(super) fn example(session: SessionId, spec: SpawnSpec) -> Self {
        let within = Duration::from_mins(1);
        let running = KeptCommand {
            session: session.clone(),
            pid: 4001,
            pidfd: 14,
            left: Duration::from_millis(1500),
            timed_out: true,
            is_of_former_run: true,
        };
        let waiting = Waiting {
            session,
            spec,
            within,
        };
        Self {
            running: vec![running],
            waiting: VecDeque::from([waiting]),
        }
    }
}

impl OnExits {
    /// Whether no command runs or waits.
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// What an upgrade hands over. `keep` keeps a descriptor open, and returns its number.
    pub(super) fn kept(
        &self,
        keep: &mut impl FnMut(OwnedFd) -> io::Result<RawFd>,
    ) -> io::Result<KeptCommands> {
        let now = Instant::now();
        let running = self.running.iter().map(|one| {
            Ok(KeptCommand {
                session: one.session.clone(),
                pid: one.pid,
                pidfd: keep(dup(&one.pidfd)?)?,
                left: one.deadline.saturating_duration_since(now),
                timed_out: one.timed_out,
                is_of_former_run: one.is_of_former_run,
            })
        });
        Ok(KeptCommands {
            running: running.collect::<io::Result<_>>()?,
            waiting: self.waiting.clone(),
        })
    }

    /// The commands that the previous program has handed over. They are still children of this process.
    pub(super) fn inherited(kept: KeptCommands) -> io::Result<Self> {
        let now = Instant::now();
        let running = kept.running.into_iter().map(|one| {
            Ok(Running {
                session: one.session,
                pid: one.pid,
                pidfd: inherited(one.pidfd)?,
                deadline: now + one.left,
                timed_out: one.timed_out,
                is_of_former_run: one.is_of_former_run,
            })
        });
        Ok(Self {
            running: running.collect::<io::Result<_>>()?,
            waiting: kept.waiting,
        })
    }

    /// Time until the next deadline; `None` if no command has one.
    pub(super) fn pause(&self) -> Option<Duration> {
        let open = self.running.iter().filter(|one| !one.timed_out);
        let next = open.map(|one| one.deadline).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Kills commands that have passed their deadline.
    pub(super) fn end_late(&mut self) {
        let now = Instant::now();
        for one in &mut self.running {
            if !one.timed_out && one.deadline <= now {
                one.timed_out = true;
                one.end();
            }
        }
    }

    /// Kills all commands, when the keeper ends.
    pub(super) fn end_all(&mut self) {
        self.running.iter().for_each(Running::end);
    }

    fn is_full(&self) -> bool {
        self.running.len() >= AT_ONCE
    }

    /// The next run of a session begins. The command of its last run is dropped if it still waits.
    pub(super) fn begin_run(&mut self, session: &SessionId) {
        self.waiting.retain(|one| one.session != *session);
        for one in &mut self.running {
            one.is_of_former_run |= one.session == *session;
        }
    }

    /// Takes the next waiting command, if there is a place for it.
    fn take_next(&mut self) -> Option<Waiting> {
        if self.is_full() {
            None
        } else {
            self.waiting.pop_front()
        }
    }

    fn take(&mut self, pid: u32) -> Option<Running> {
        let place = self.running.iter().position(|one| one.pid == pid)?;
        Some(self.running.swap_remove(place))
    }
}

impl Running {
    /// Kills the command and its process group, of which it is the leader.
    fn end(&self) {
        // It has not been reaped yet, so the pid still names its group.
        signal::send_group(self.pid, signal::KILL);
        let _ = signal::send(&self.pidfd, signal::KILL);
    }
}

impl Keeper {
    /// Runs a session's `onExit` unless it was already run for this run of the session.
    pub(super) fn run_on_exit(&mut self, session: SessionId, spec: &SpawnSpec, within: Duration) {
        let is_full = self.on_exits.is_full();
        // Without it, it is unknown whether the command was run before.
        let Some(job) = self.job(&session) else {
            return self.on_exit_over(
                session,
                Some("the keeper has no record of this run".to_owned()),
            );
        };
        if !job.on_exit_ran && is_full {
            let waiting = &mut self.on_exits.waiting;
            // A new daemon asks again for a command that already waits.
            if !waiting.iter().any(|one| one.session == session) {
                let spec = spec.clone();
                waiting.push_back(Waiting {
                    session,
                    spec,
                    within,
                });
            }
            return;
        }
        let ran = std::mem::replace(&mut job.on_exit_ran, true);
        let began = ToDaemon::OnExitBegan {
            session: session.clone(),
        };
        self.tell(&began, vec![]);
        if ran {
            return;
        }
        // Before it runs: if this keeper is killed meanwhile, the next one must not run it a second time.
        self.flush_channel();
        if let Err(error) = self.try_on_exit(&session, spec, within) {
            let why = format!("it could not be started: {error}");
            self.on_exit_over(session, Some(why));
        }
    }

    fn try_on_exit(
        &mut self,
        session: &SessionId,
        spec: &SpawnSpec,
        within: Duration,
    ) -> io::Result<()> {
        let (pid, pidfd) = spawn::spawn_silent(spec, self.files)?;
        self.on_exits.running.push(Running {
            session: session.clone(),
            pid,
            pidfd,
            deadline: Instant::now() + within,
            timed_out: false,
            is_of_former_run: false,
        });
        Ok(())
    }

    /// Handles the end of a child that is not a job: of an `onExit` command, or of an orphan.
    pub(super) fn other_child_ended(&mut self, pid: u32, status: ExitStatus) {
        let Some(one) = self.on_exits.take(pid) else {
            return;
        };
        let failure = match (one.timed_out, status.success()) {
            (true, _) => Some("it took too long and was killed".to_owned()),
            (false, true) => None,
            (false, false) => Some(status.to_string()),
        };
        if !one.is_of_former_run {
            self.on_exit_over(one.session, failure);
        } else if let Some(why) = failure {
            tracing::warn!(session = %one.session, why, "onExit of the last run failed");
        }
        while let Some(next) = self.on_exits.take_next() {
            // The place stays free if it cannot be started.
            self.run_on_exit(next.session, &next.spec, next.within);
        }
    }

    fn on_exit_over(&mut self, session: SessionId, failure: Option<String>) {
        if let Some(why) = &failure {
            tracing::warn!(%session, why, "onExit failed");
        }
        self.tell(&ToDaemon::OnExitEnded { session, failure }, vec![]);
    }
}
