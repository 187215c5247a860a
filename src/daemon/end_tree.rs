//! Ending a session: all its processes, however they left it.
//!
//! The first signal, a grace period, KILL. When the grace is over is written down
//! with the session, so that a new daemon goes on where the last one was.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::Interest;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::hub::{Hub, now};
use super::state::State;
use crate::engine::life::Actor;
use crate::protocol::SessionId;
use crate::sys::tree::Leader;
use crate::sys::{readiness, signal, tree};

/// Time between the first signal and KILL where nobody says otherwise.
pub(super) const GRACE_MS: u64 = 2000;

/// After the first KILL the kernel gets so long, and processes that multiply may
/// be hunted so long; what is there then cannot be ended.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Those that are left are looked for again this often: more may have come.
const ROUND: Duration = Duration::from_millis(250);

/// Handles held at once, so that a large tree does not take all descriptors.
const HANDLES: usize = 32;

/// Who was ended, and who could not be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ended {
    pub(super) killed: Vec<u32>,
    pub(super) survivors: Vec<u32>,
}

/// Asks a session to end in the name of `by`, and ends its tree on a task of its
/// own, so that it is seen through whatever becomes of who asked.
pub(super) fn begin(
    hub: &Hub,
    id: &SessionId,
    by: Actor,
    first: i32,
    grace_ms: u64,
) -> JoinHandle<Ended> {
    hub.with(|state| {
        if let Some(session) = state.registry.get_mut(id) {
            // Whoever asked first is who ended it; the tree is ended once more.
            session.life.ask_to_end(by);
        }
        state.persist(id);
    });
    begin_strays(hub, id, first, grace_ms)
}

/// The same for what goes on of a session whose first process has ended.
pub(super) fn begin_strays(
    hub: &Hub,
    id: &SessionId,
    first: i32,
    grace_ms: u64,
) -> JoinHandle<Ended> {
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_local(async move {
        let mut hunt = Hunt::new(hub, id);
        hunt.ask(first, grace_ms);
        hunt.see_through().await
    })
}

/// Goes on with an ending that a daemon before this one has begun.
pub(super) fn resume(hub: &Hub, id: &SessionId) {
    let (begun, grace_ms) = {
        let state = hub.state();
        let Some(session) = state.registry.get(id) else {
            return;
        };
        let grace = match session.life.ending() {
            Some(Actor::TimeLimit(_)) => session.terms.timeout_grace_ms,
            _ => GRACE_MS,
        };
        (session.life.kill_at().is_some(), grace)
    };
    if begun {
        let (hub, id) = (hub.clone(), id.clone());
        tokio::task::spawn_local(async move { Hunt::new(hub, id).see_through().await });
    } else {
        begin_strays(hub, id, signal::TERM, grace_ms);
    }
}

/// The processes of one session, while they are being ended.
struct Hunt {
    hub: Hub,
    id: SessionId,
    /// Which run: those of a later one are not meant.
    run: Option<u32>,
    leader: Option<Leader>,
    /// What the first process was when it was there.
    identity: Option<tree::Process>,
    seen: HashMap<u32, tree::Process>,
}

impl Hunt {
    fn new(hub: Hub, id: SessionId) -> Self {
        let leader = hub.state().leader(&id);
        let run = hub.state().run(&id);
        let identity = match leader {
            Some(Leader::There(pid)) => tree::read(pid),
            _ => None,
        };
        Self {
            hub,
            id,
            run,
            leader,
            identity,
            seen: HashMap::new(),
        }
    }

    /// Sends the first signal and writes down when KILL is due.
    fn ask(&mut self, first: i32, grace_ms: u64) {
        let found = self.find();
        if found.is_empty() {
            return;
        }
        self.send(&found, first);
        if first != signal::KILL {
            // A stopped process takes no signal but these two.
            send_each(&found, signal::CONT);
        }
        let grace_ms = if first == signal::KILL { 0 } else { grace_ms };
        self.hub.with(|state| {
            if let Some(session) = state.registry.get_mut(&self.id) {
                session
                    .life
                    .grace_began(now().boot.saturating_add(grace_ms));
            }
            state.persist(&self.id);
        });
    }

    /// Waits for the end of the grace period and kills what is left.
    async fn see_through(mut self) -> Ended {
        let kill_at = self.kill_at();
        if let Some(kill_at) = kill_at {
            let left = kill_at.saturating_sub(now().boot);
            let deadline = Instant::now() + Duration::from_millis(left);
            self.wait_until(deadline).await;
        }
        let left = match kill_at {
            Some(_) => self.kill().await,
            None => Vec::new(),
        };
        let survivors: Vec<u32> = left.iter().map(|process| process.pid).collect();
        if kill_at.is_some() {
            self.hub.with(|state| {
                if let Some(session) = state.registry.get_mut(&self.id) {
                    session.life.grace_ended(refusal(&left));
                    state.persist(&self.id);
                }
            });
        }
        let mut killed: Vec<u32> = self
            .seen
            .into_keys()
            .filter(|pid| !survivors.contains(pid))
            .collect();
        killed.sort_unstable();
        Ended { killed, survivors }
    }

    fn kill_at(&self) -> Option<u64> {
        self.hub.state().registry.get(&self.id)?.life.kill_at()
    }

    /// Waits until nobody is left, or until `deadline`.
    async fn wait_until(&mut self, deadline: Instant) {
        while Instant::now() < deadline {
            let found = self.find();
            if found.is_empty() {
                return;
            }
            wait_for(&found, deadline).await;
        }
    }

    /// Kills until nobody is left, and returns whom that does not end.
    async fn kill(&mut self) -> Vec<tree::Process> {
        let deadline = Instant::now() + LAST_GRACE;
        let mut found = self.find();
        let mut first = true;
        while !found.is_empty() && Instant::now() < deadline {
            if !first {
                found = self.freeze(found, deadline).await;
            }
            let taken = self.send(&found, signal::KILL);
            // They have had a moment to follow those that they belong to.
            if !taken && !first {
                break;
            }
            first = false;
            wait_for(&found, deadline.min(Instant::now() + ROUND)).await;
            found = self.find();
        }
        found
    }

    /// Stops processes that may multiply faster than they are ended, and those
    /// that they have made meanwhile: what is stopped makes no others.
    async fn freeze(
        &mut self,
        mut found: Vec<tree::Process>,
        deadline: Instant,
    ) -> Vec<tree::Process> {
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
            tokio::task::yield_now().await;
            found = self.find();
        }
        found
    }

    fn find(&mut self) -> Vec<tree::Process> {
        let run = self.hub.state().run(&self.id);
        if run.is_some() && run != self.run {
            return Vec::new();
        }
        // If its number belongs to another process by now, so may its session.
        let recycled = self.identity.as_ref().is_some_and(|leader| {
            tree::read(leader.pid).is_some_and(|process| process.start != leader.start)
        });
        let leader = self.leader.filter(|_| !recycled);
        let found = tree::processes(&self.id, leader);
        for process in &found {
            self.seen.insert(process.pid, process.clone());
        }
        found
    }

    /// False if nobody takes it.
    fn send(&self, targets: &[tree::Process], number: i32) -> bool {
        let mut state = self.hub.state();
        if let Some(session) = state.registry.get_mut(&self.id)
            && let Some(actor) = session.life.ending().cloned()
        {
            session.life.signalled(number, actor);
        }
        drop(state);
        send_each(targets, number)
    }
}

/// False if nobody takes it: gone already, or not ours to end. The latter are
/// found again later.
fn send_each(targets: &[tree::Process], number: i32) -> bool {
    let mut taken = false;
    for target in targets {
        taken |= tree::open(target).is_some_and(|handle| signal::send(handle, number).is_ok());
    }
    taken
}

/// Waits until the first of `targets` have ended, until `deadline` at most.
async fn wait_for(targets: &[tree::Process], deadline: Instant) {
    let handles: Vec<OwnedFd> = targets
        .iter()
        .take(HANDLES)
        .filter_map(tree::open)
        .collect();
    if handles.is_empty() {
        // All gone, or no descriptor is left to wait on.
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

/// Who could not be ended, and why, in words.
fn refusal(left: &[tree::Process]) -> Option<String> {
    let first = left.first()?;
    let why = match tree::open(first).map(|handle| signal::send(handle, signal::KILL)) {
        Some(Err(error)) => error.to_string(),
        _ => "it does not end".to_owned(),
    };
    let pids: Vec<String> = left.iter().map(|process| process.pid.to_string()).collect();
    let (pids, name) = (pids.join(", "), &first.name);
    Some(format!("could not be ended: pid {pids} ({name}: {why})"))
}

impl State {
    /// Number of a session's latest run; none once it is removed.
    fn run(&self, id: &SessionId) -> Option<u32> {
        let runs = self.registry.get(id)?.life.runs();
        Some(runs.last()?.run)
    }

    /// The first process of a session, as far as its number can be trusted.
    pub(super) fn leader(&self, id: &SessionId) -> Option<Leader> {
        let life = &self.registry.get(id)?.life;
        let driver = self.drivers.get(id)?;
        let is_there = driver.pidfd.as_ref().is_none_or(signal::is_there);
        match life.pid().filter(|_| is_there) {
            Some(pid) => Some(Leader::There(pid)),
            None => life
                .last_process()
                .map(|(pid, ended)| Leader::Gone { pid, ended }),
        }
    }

    /// Every live process of a session.
    pub(super) fn processes(&self, id: &SessionId) -> Vec<tree::Process> {
        tree::processes(id, self.leader(id))
    }
}
