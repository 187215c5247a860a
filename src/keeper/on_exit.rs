//! Commands that are run after a session has ended (`onExit`): without terminal,
//! log or name, for so long and no longer.
//!
//! They are children like the jobs, so that they outlive a daemon. Each is run
//! once a run of its session, however often a daemon asks for it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::Keeper;
use crate::protocol::SessionId;
use crate::protocol::keeper::{SpawnSpec, ToDaemon};
use crate::sys::{signal, spawn};

/// One that runs.
#[derive(Debug)]
struct Running {
    session: SessionId,
    pid: u32,
    pidfd: OwnedFd,
    deadline: Instant,
    timed_out: bool,
}

/// So many run at once; the others wait for one of them to end.
const AT_ONCE: usize = 16;

/// One that waits.
#[derive(Debug)]
struct Waiting {
    session: SessionId,
    spec: SpawnSpec,
    within: Duration,
}

/// Those that run, and those that wait.
#[derive(Debug, Default)]
pub(super) struct OnExits {
    running: Vec<Running>,
    waiting: VecDeque<Waiting>,
}

impl OnExits {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// How long until one of them has run for too long.
    pub(super) fn pause(&self) -> Option<Duration> {
        let open = self.running.iter().filter(|one| !one.timed_out);
        let next = open.map(|one| one.deadline).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Ends those that have run for too long.
    pub(super) fn end_late(&mut self) {
        let now = Instant::now();
        for one in &mut self.running {
            if !one.timed_out && one.deadline <= now {
                one.timed_out = true;
                one.end();
            }
        }
    }

    /// Ends all, with the keeper.
    pub(super) fn end_all(&mut self) {
        self.running.iter().for_each(Running::end);
    }

    fn take(&mut self, pid: u32) -> Option<Running> {
        let place = self.running.iter().position(|one| one.pid == pid)?;
        Some(self.running.swap_remove(place))
    }
}

impl Running {
    /// Its process group, which is its own, and itself.
    fn end(&self) {
        // It is not reaped yet, so the number is still its group's.
        signal::send_group(self.pid, signal::KILL);
        let _ = signal::send(&self.pidfd, signal::KILL);
    }
}

impl Keeper {
    /// Runs a session's `onExit`, unless that was done for this run.
    pub(super) fn run_on_exit(&mut self, session: SessionId, spec: &SpawnSpec, within: Duration) {
        let is_full = self.on_exits.running.len() >= AT_ONCE;
        // Without an entry nobody could tell whether it was run before.
        let Some(entry) = self.entry(&session) else {
            return self.on_exit_over(session, Some("its keeper does not know it".to_owned()));
        };
        if !entry.on_exit_ran && is_full {
            let waiting = &mut self.on_exits.waiting;
            // A new daemon asks again.
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
        if !entry.on_exit_ran {
            entry.on_exit_ran = true;
            match self.try_on_exit(&session, spec, within) {
                Ok(()) => {}
                Err(error) => {
                    let why = format!("it could not be started: {error}");
                    return self.on_exit_over(session, Some(why));
                }
            }
        }
        self.tell(&ToDaemon::OnExitBegan { session }, vec![]);
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
        });
        Ok(())
    }

    /// A child has ended that is no job; true if it was one of these.
    pub(super) fn on_exit_reaped(&mut self, pid: u32, status: ExitStatus) -> bool {
        let Some(one) = self.on_exits.take(pid) else {
            return false;
        };
        let failure = match (one.timed_out, status.success()) {
            (true, _) => Some("it took too long and was killed".to_owned()),
            (false, true) => None,
            (false, false) => Some(status.to_string()),
        };
        self.on_exit_over(one.session, failure);
        if let Some(next) = self.on_exits.waiting.pop_front() {
            self.run_on_exit(next.session, &next.spec, next.within);
        }
        true
    }

    fn on_exit_over(&mut self, session: SessionId, failure: Option<String>) {
        if let Some(why) = &failure {
            tracing::warn!(%session, why, "its onExit failed");
        }
        self.tell(&ToDaemon::OnExitEnded { session, failure }, vec![]);
    }
}
