//! Ends a session: all its processes, even those that left its process group.
//!
//! The steps are the first signal, a grace period, and SIGKILL. The end of the grace period is saved in the
//! session's record, so that a new daemon continues where the last one stopped.
//!
//! When the first process of a terminal ends, the kernel sends SIGHUP to the foreground group (`disassociate_ctty` of
//! Linux), which ends most programs at once. In `sh -c 'server; next'` the shell is that process, and the first signal ends
//! it before the server has used its grace period. So such a process is held, that is, stopped, and gets the signal once
//! the others have ended that SIGHUP would end. It does not start `next` meanwhile.

use std::collections::{BTreeSet, HashMap};
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::Interest;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::batch::cancel;
use super::process_scan;
use super::projects::stop::first_signal;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::engine::conditions::Conditions;
use crate::engine::life::Actor;
use crate::engine::shell_command::{is_shell, runs_script};
use crate::protocol::SessionId;
use crate::protocol::status::Mode;
use crate::sys::process::Process;
use crate::sys::tree::Leader;
use crate::sys::{failpoint, process, readiness, signal};

/// Milliseconds between the first signal and SIGKILL, unless the client gives another value.
pub(crate) const GRACE_MS: u64 = 2000;

/// Time limit of the last step, counted anew whenever fewer processes are left than ever before. The kernel needs a
/// moment to end processes after SIGKILL, and processes may start others meanwhile. Those that are left after this time
/// count as survivors.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Longest wait for the end of processes that got KILL before the next search: there may be new ones.
const ROUND: Duration = Duration::from_millis(250);

/// Maximum number of pidfds held at once, so that a large tree does not use up the descriptors.
const HANDLES: usize = 32;

/// The pids that were ended, and those that could not be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ended {
    pub(crate) killed: Vec<u32>,
    pub(crate) survivors: Vec<u32>,
}

/// Ends a session on behalf of `by`: sends the signal `first`, and SIGKILL after `grace_ms`. The
/// work runs in a task of its own, so that it is completed even if the client that asked
/// disconnects.
pub(crate) fn begin(
    hub: &Hub,
    id: &SessionId,
    by: Actor,
    first: i32,
    grace_ms: u64,
) -> JoinHandle<Ended> {
    if hub.read().is_open_batch(id) {
        // Its processes are on another machine, where its batch system ends them.
        let (hub, id) = (hub.clone(), id.clone());
        return tokio::task::spawn_local(async move {
            if let Err(error) = cancel::begin(&hub, &id, by).await {
                tracing::warn!(session = %id, %error, "it is not cancelled");
            }
            Ended::default()
        });
    }
    hub.change(|state| {
        if let Some(session) = state.sessions.get_mut(id) {
            // If the session is already being ended, `ask_to_end` keeps the actor who asked first, unless that is its
            // time limit. Its processes are signalled again in any case.
            session.life.ask_to_end(by);
        }
        state.persist(id);
    });
    end_remaining(hub, id, first, grace_ms)
}

/// How long to wait for the exit after all processes were killed, in milliseconds.
const EXIT_MS: u64 = 5000;

/// The same as [`begin`], and waits until the end of the session is known, unless its first process survives.
pub(crate) async fn end(hub: &Hub, id: &SessionId, by: Actor, first: i32, grace_ms: u64) -> Ended {
    let leader = hub.read().sessions.get(id).and_then(|s| s.life.pid());
    let ended = begin(hub, id, by, first, grace_ms)
        .await
        .unwrap_or_default();
    if !leader.is_some_and(|leader| ended.survivors.contains(&leader)) {
        hub.wait_from_now(id, Conditions::exit(), Some(EXIT_MS))
            .await;
    }
    ended
}

/// Ends the processes that remain after the first process of a session has ended, also in a task of
/// its own.
pub(crate) fn end_remaining(
    hub: &Hub,
    id: &SessionId,
    first: i32,
    grace_ms: u64,
) -> JoinHandle<Ended> {
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_local(async move {
        let mut hunt = TreeKill::new(hub, id);
        let asked = hunt.ask(first, grace_ms).await;
        hunt.see_through(asked).await
    })
}

/// Continues an ending that an earlier daemon has begun on behalf of `by`. The first process may have ended since; what it
/// has left is asked again then, because that daemon may have died before it had asked all.
pub(crate) fn resume(hub: &Hub, id: &SessionId, by: Option<&Actor>) {
    let (begun, asked_until, first, grace_ms) = {
        let state = hub.read();
        let Some(session) = state.sessions.get(id) else {
            return;
        };
        let life = &session.life;
        let (first, grace) = match (by, state.stop_of(id)) {
            (Some(Actor::TimeLimit(_)), _) => (signal::TERM, session.time_limits.timeout_grace_ms),
            (_, Some(stop)) => (first_signal(stop), stop.grace_ms),
            (_, None) => (signal::TERM, GRACE_MS),
        };
        (life.kill_at().is_some(), life.asked_until(), first, grace)
    };
    let mut hunt = TreeKill::new(hub.clone(), id.clone());
    if begun {
        // A process that was stopped before was continued when it was signalled.
        let leader = hunt.identity.clone();
        hunt.held = leader
            .filter(|leader| process::is_stopped(leader.pid))
            .map(|leader| (leader, first));
    }
    tokio::task::spawn_local(async move {
        let asked = match (begun, asked_until) {
            (true, _) => Vec::new(),
            (false, Some(until)) => {
                hunt.wait_for_exit(until).await;
                let left = until.saturating_sub(now().boot);
                hunt.ask(signal::TERM, left).await
            }
            (false, None) => hunt.ask(first, grace_ms).await,
        };
        hunt.see_through(asked).await
    });
}

/// The ending of one session's processes.
struct TreeKill {
    hub: Hub,
    id: SessionId,
    /// The run to end; processes of a later run are left alone.
    run: Option<u32>,
    leader: Option<Leader>,
    /// Identity of the first process when the ending began, to detect that its pid was reused.
    identity: Option<Process>,
    /// The first process, if it is held until the others have ended, and the signal it gets then.
    held: Option<(Process, i32)>,
    seen: BTreeSet<u32>,
}

impl TreeKill {
    fn new(hub: Hub, id: SessionId) -> Self {
        let leader = hub.read().sessions.leader(&id);
        let run = hub.read().sessions.run(&id);
        let identity = match leader {
            Some(Leader::Alive(pid)) => process::read(pid),
            _ => None,
        };
        Self {
            hub,
            id,
            run,
            leader,
            identity,
            held: None,
            seen: BTreeSet::new(),
        }
    }

    /// Waits until the first process has ended by itself, at most until `until` (boot-time milliseconds).
    async fn wait_for_exit(&self, until: u64) {
        let left = until.saturating_sub(now().boot);
        self.hub
            .wait_from_now(&self.id, Conditions::exit(), Some(left))
            .await;
    }

    /// Sends the first signal and saves when SIGKILL is due. Returns pidfds of the first processes that were
    /// signalled.
    async fn ask(&mut self, first: i32, grace_ms: u64) -> Vec<OwnedFd> {
        let mut found = self.find().await;
        if found.is_empty() {
            return Vec::new();
        }
        self.hold(&found, first);
        found.retain(|process| !self.is_held(process));
        // Open the pidfds before signalling: afterwards the processes may be gone, and there would be nothing
        // to wait on.
        let mut asked = handles(&found);
        if !self.send(&found, first) {
            asked.clear();
        }
        if first != signal::KILL {
            // A stopped process handles no signal except SIGKILL and SIGCONT.
            send_each(&found, signal::CONT);
        }
        if first == signal::TERM {
            // An interactive shell ignores TERM, and ends when its terminal hangs up (bash(1), SIGNALS).
            let shells: Vec<_> = found.into_iter().filter(is_deaf_shell).collect();
            if !shells.is_empty() {
                self.send(&shells, signal::HUP);
            }
        }
        failpoint::hit("kill.asked");
        let grace_ms = if first == signal::KILL { 0 } else { grace_ms };
        self.hub.change(|state| {
            if let Some(session) = state.sessions.get_mut(&self.id) {
                session
                    .life
                    .grace_began(now().boot.saturating_add(grace_ms));
            }
            state.persist(&self.id);
        });
        if first == signal::KILL && !asked.is_empty() {
            // SIGKILL needs no grace period, but processes take a moment to end.
            wait_for(std::mem::take(&mut asked), Instant::now() + ROUND).await;
        }
        asked
    }

    /// Waits for the end of the grace period, and kills what is left.
    async fn see_through(mut self, asked: Vec<OwnedFd>) -> Ended {
        // A later run has a grace period of its own.
        let kill_at = self.kill_at().filter(|_| self.is_last_run());
        let left = match kill_at {
            Some(kill_at) => {
                let grace = Duration::from_millis(kill_at.saturating_sub(now().boot));
                let left = self.wait_until(asked, Instant::now() + grace).await;
                self.kill(left).await
            }
            None => Vec::new(),
        };
        let survivors: Vec<u32> = left.iter().map(|process| process.pid).collect();
        if kill_at.is_some() && self.is_last_run() {
            self.hub.change(|state| {
                if let Some(session) = state.sessions.get_mut(&self.id) {
                    session.life.grace_ended(refusal(&left));
                    // Its TTL begins when its end is complete.
                    session.touch(now());
                    state.persist(&self.id);
                }
            });
        }
        let mut killed = self.seen;
        killed.retain(|pid| !survivors.contains(pid));
        Ended {
            killed: killed.into_iter().collect(),
            survivors,
        }
    }

    fn kill_at(&self) -> Option<u64> {
        self.hub.read().sessions.get(&self.id)?.life.kill_at()
    }

    /// Waits until no process is left, first for those in `asked`, at most until `deadline`. Returns the
    /// remaining processes.
    async fn wait_until(&mut self, asked: Vec<OwnedFd>, deadline: Instant) -> Vec<Process> {
        if !asked.is_empty() {
            wait_for(asked, deadline).await;
        }
        loop {
            let found = self.find().await;
            if found.is_empty() || Instant::now() >= deadline {
                return found;
            }
            if let Some((held, _)) = &self.held
                && !found.iter().any(|other| fears_hangup(other, held.pid))
            {
                self.release();
            }
            let held = |process: &Process| self.is_held(process);
            let awaited: Vec<_> = found.into_iter().filter(|process| !held(process)).collect();
            wait_for(handles(&awaited), deadline).await;
        }
    }

    /// Holds the first process if the signal would end it, and others with it that have its terminal.
    fn hold(&mut self, found: &[Process], first: i32) {
        let Some(Leader::Alive(pid)) = self.leader else {
            return;
        };
        let has_terminal = {
            let state = self.hub.read();
            let session = state.sessions.get(&self.id);
            session.is_some_and(|session| session.spec.mode == Mode::Pty)
        };
        let is_needed = found.iter().any(|other| fears_hangup(other, pid));
        let leader = found.iter().find(|process| process.pid == pid);
        if let Some(leader) = leader
            && has_terminal
            && is_needed
            && first != signal::KILL
            && process::is_ended_by(pid, first)
            && send_each(std::slice::from_ref(leader), signal::STOP)
        {
            self.held = Some((leader.clone(), first));
        }
    }

    fn is_held(&self, process: &Process) -> bool {
        let held = self.held.as_ref().map(|(held, _)| (held.pid, held.start));
        held == Some((process.pid, process.start))
    }

    /// Sends the process that was held the first signal, which it handles when it is continued.
    fn release(&mut self) {
        if let Some((held, first)) = self.held.take() {
            let held = [held];
            self.send(&held, first);
            send_each(&held, signal::CONT);
        }
    }

    /// Sends SIGKILL until no process is left, and returns those that survive.
    async fn kill(&mut self, mut found: Vec<Process>) -> Vec<Process> {
        let mut deadline = Instant::now() + LAST_GRACE;
        let mut fewest = found.len();
        let mut first = true;
        while !found.is_empty() && Instant::now() < deadline {
            if !first {
                found = self.freeze(found, deadline).await;
            }
            let dying = handles(&found);
            let taken = self.send(&found, signal::KILL);
            // No process could be signalled, and they had a moment to end: give up.
            if !taken && !first {
                break;
            }
            first = false;
            wait_for(dying, deadline.min(Instant::now() + ROUND)).await;
            found = self.find().await;
            if found.len() < fewest {
                fewest = found.len();
                deadline = Instant::now() + LAST_GRACE;
            }
        }
        found
    }

    /// Sends SIGSTOP to the processes that are left, until no new ones are found. A stopped process
    /// starts no others, so that even processes that multiply quickly can all be killed then.
    async fn freeze(&mut self, mut found: Vec<Process>, deadline: Instant) -> Vec<Process> {
        let mut frozen = HashMap::new();
        while Instant::now() < deadline {
            let fresh: Vec<_> = found
                .iter()
                .filter(|process| frozen.insert(process.pid, process.start) != Some(process.start))
                .cloned()
                .collect();
            if fresh.is_empty() {
                break;
            }
            send_each(&fresh, signal::STOP);
            found = self.find().await;
        }
        found
    }

    async fn find(&mut self) -> Vec<Process> {
        loop {
            let found = process_scan::processes(&self.hub, &self.id, self.leader).await;
            if !self.is_last_run() {
                return Vec::new();
            }
            if found.is_empty() || !self.is_recycled() {
                self.seen.extend(found.iter().map(|process| process.pid));
                return found;
            }
            self.leader = None;
        }
    }

    /// Whether no later run has begun. One that the keeper was asked for may already have processes, which a search
    /// cannot tell from those of the run before.
    fn is_last_run(&self) -> bool {
        let state = self.hub.read();
        let run = state.sessions.run(&self.id);
        (run.is_none() || run == self.run) && !state.keeper.is_spawning(&self.id)
    }

    /// Whether the first process's pid now belongs to another process. If so, the id of its process session may
    /// be reused as well.
    fn is_recycled(&self) -> bool {
        let identity = self.identity.as_ref().filter(|_| self.leader.is_some());
        identity.is_some_and(|leader| {
            process::read(leader.pid).is_some_and(|process| process.start != leader.start)
        })
    }

    /// Sends a signal and records it. Returns false if no process could be signalled.
    fn send(&self, targets: &[Process], number: i32) -> bool {
        self.hub.change(|state| {
            if let Some(session) = state.sessions.get_mut(&self.id)
                && let Some(actor) = session.life.ending().cloned()
            {
                session.life.signalled(number, actor);
            }
        });
        send_each(targets, number)
    }
}

/// Whether a process has got a signal to end, and would get SIGHUP at the end of the process that leads its terminal
/// session, and not ignore it. That of another user (`sudo`) gets only the SIGHUP, which is of the kernel.
fn fears_hangup(process: &Process, leader: u32) -> bool {
    let pid = process.pid;
    process.session == leader
        && pid != leader
        && !process::ignores(pid, signal::HUP)
        && process::may_be_signalled(pid)
}

/// Whether a process is an interactive shell that ignores TERM. A script that does so means it.
fn is_deaf_shell(process: &Process) -> bool {
    let is_script = || {
        let arguments = process::arguments(process.pid).unwrap_or_default();
        runs_script(arguments.iter().map(String::as_str))
    };
    is_shell(&process.name) && process::ignores(process.pid, signal::TERM) && !is_script()
}

/// Sends a signal to each process. Returns false if no process could be signalled, because all are
/// gone or we lack the permission. In the latter case the next search finds them again.
fn send_each(targets: &[Process], number: i32) -> bool {
    let mut taken = false;
    for target in targets {
        taken |= process::open(target).is_some_and(|handle| signal::send(handle, number).is_ok());
    }
    taken
}

/// Pidfds of the first few of `targets`, to wait for their ends.
fn handles(targets: &[Process]) -> Vec<OwnedFd> {
    let first = targets.iter().take(HANDLES);
    first.filter_map(process::open).collect()
}

/// Waits until these processes have ended, at most until `deadline`.
async fn wait_for(handles: Vec<OwnedFd>, deadline: Instant) {
    if handles.is_empty() {
        // All processes are gone, or no descriptor is left to wait on.
        tokio::time::sleep_until(deadline.min(Instant::now() + ROUND / 10)).await;
    }
    for handle in handles {
        let Ok(handle) = readiness::watch(handle, Interest::READABLE) else {
            continue;
        };
        if tokio::time::timeout_at(deadline, handle.readable())
            .await
            .is_err()
        {
            return;
        }
    }
}

/// Which processes could not be ended, and why, as text.
fn refusal(left: &[Process]) -> Option<String> {
    let first = left.first()?;
    let why = match process::open(first).map(|handle| signal::send(handle, signal::KILL)) {
        Some(Err(error)) => error.to_string(),
        _ => "still runs after SIGKILL".to_owned(),
    };
    let pids: Vec<String> = left.iter().map(|process| process.pid.to_string()).collect();
    let (pids, name) = (pids.join(", "), &first.name);
    Some(format!("could not be ended: pid {pids} ({name}: {why})"))
}
