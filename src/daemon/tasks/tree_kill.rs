//! Ending a session: all its processes, however they left it.
//!
//! The first signal, a grace period, KILL. When the grace is over is written down
//! with the session, so that a new daemon goes on where the last one was.

use std::collections::{BTreeSet, HashMap};
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::Interest;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::process_scan;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::engine::life::Actor;
use crate::protocol::SessionId;
use crate::sys::process::Process;
use crate::sys::tree::Leader;
use crate::sys::{process, readiness, signal};

/// Time between the first signal and KILL where nobody says otherwise.
pub(crate) const GRACE_MS: u64 = 2000;

/// After the first KILL the kernel gets so long, and processes that multiply may
/// be hunted so long; what is there then cannot be ended.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Those that are left are looked for again this often: more may have come.
const ROUND: Duration = Duration::from_millis(250);

/// Handles held at once, so that a large tree does not take all descriptors.
const HANDLES: usize = 32;

/// Who was ended, and who could not be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ended {
    pub(crate) killed: Vec<u32>,
    pub(crate) survivors: Vec<u32>,
}

/// Asks a session to end in the name of `by`, and ends its tree on a task of its
/// own, so that it is seen through whatever becomes of who asked.
pub(crate) fn begin(
    hub: &Hub,
    id: &SessionId,
    by: Actor,
    first: i32,
    grace_ms: u64,
) -> JoinHandle<Ended> {
    hub.change(|state| {
        if let Some(session) = state.sessions.get_mut(id) {
            // Whoever asked first is who ended it; the tree is ended once more.
            session.life.ask_to_end(by);
        }
        state.persist(id);
    });
    begin_strays(hub, id, first, grace_ms)
}

/// The same for what goes on of a session whose first process has ended.
pub(crate) fn begin_strays(
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

/// Goes on with an ending that a daemon before this one has begun.
pub(crate) fn resume(hub: &Hub, id: &SessionId) {
    let (begun, grace_ms) = {
        let state = hub.read();
        let Some(session) = state.sessions.get(id) else {
            return;
        };
        let grace = match session.life.ending() {
            Some(Actor::TimeLimit(_)) => session.time_limits.timeout_grace_ms,
            _ => GRACE_MS,
        };
        (session.life.kill_at().is_some(), grace)
    };
    if begun {
        let (hub, id) = (hub.clone(), id.clone());
        tokio::task::spawn_local(
            async move { TreeKill::new(hub, id).see_through(Vec::new()).await },
        );
    } else {
        begin_strays(hub, id, signal::TERM, grace_ms);
    }
}

/// The processes of one session, while they are being ended.
struct TreeKill {
    hub: Hub,
    id: SessionId,
    /// Which run: those of a later one are not meant.
    run: Option<u32>,
    leader: Option<Leader>,
    /// What the first process was when it was there.
    identity: Option<Process>,
    seen: BTreeSet<u32>,
}

impl TreeKill {
    fn new(hub: Hub, id: SessionId) -> Self {
        let leader = hub.read().sessions.leader(&id);
        let run = hub.read().sessions.run(&id);
        let identity = match leader {
            Some(Leader::There(pid)) => process::read(pid),
            _ => None,
        };
        Self {
            hub,
            id,
            run,
            leader,
            identity,
            seen: BTreeSet::new(),
        }
    }

    /// Sends the first signal, writes down when KILL is due, and returns handles on the
    /// first of those who are to end by then.
    async fn ask(&mut self, first: i32, grace_ms: u64) -> Vec<OwnedFd> {
        let found = self.find().await;
        if found.is_empty() {
            return Vec::new();
        }
        // Afterwards they may be gone, and then there is nothing to wait on.
        let mut asked = handles(&found);
        if !self.send(&found, first) {
            asked.clear();
        }
        if first != signal::KILL {
            // A stopped process takes no signal but these two.
            send_each(&found, signal::CONT);
        }
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
            // That takes no grace, but a moment.
            wait_for(std::mem::take(&mut asked), Instant::now() + ROUND).await;
        }
        asked
    }

    /// Waits for the end of the grace period and kills what is left.
    async fn see_through(mut self, asked: Vec<OwnedFd>) -> Ended {
        let kill_at = self.kill_at();
        let left = match kill_at {
            Some(kill_at) => {
                let grace = Duration::from_millis(kill_at.saturating_sub(now().boot));
                let left = self.wait_until(asked, Instant::now() + grace).await;
                self.kill(left).await
            }
            None => Vec::new(),
        };
        let survivors: Vec<u32> = left.iter().map(|process| process.pid).collect();
        if kill_at.is_some() {
            self.hub.change(|state| {
                if let Some(session) = state.sessions.get_mut(&self.id) {
                    session.life.grace_ended(refusal(&left));
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

    /// Waits until nobody is left, for those first who were asked to end, or until
    /// `deadline`; returns who is left.
    async fn wait_until(&mut self, asked: Vec<OwnedFd>, deadline: Instant) -> Vec<Process> {
        if !asked.is_empty() {
            wait_for(asked, deadline).await;
        }
        loop {
            let found = self.find().await;
            if found.is_empty() || Instant::now() >= deadline {
                return found;
            }
            wait_for(handles(&found), deadline).await;
        }
    }

    /// Kills until nobody is left, and returns whom that does not end.
    async fn kill(&mut self, mut found: Vec<Process>) -> Vec<Process> {
        let deadline = Instant::now() + LAST_GRACE;
        let mut first = true;
        while !found.is_empty() && Instant::now() < deadline {
            if !first {
                found = self.freeze(found, deadline).await;
            }
            let dying = handles(&found);
            let taken = self.send(&found, signal::KILL);
            // They have had a moment to follow those that they belong to.
            if !taken && !first {
                break;
            }
            first = false;
            wait_for(dying, deadline.min(Instant::now() + ROUND)).await;
            found = self.find().await;
        }
        found
    }

    /// Stops processes that may multiply faster than they are ended, and those
    /// that they have made meanwhile: what is stopped makes no others.
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
            let run = self.hub.read().sessions.run(&self.id);
            if run.is_some() && run != self.run {
                return Vec::new();
            }
            if found.is_empty() || !self.is_recycled() {
                self.seen.extend(found.iter().map(|process| process.pid));
                return found;
            }
            self.leader = None;
        }
    }

    /// Whether the first process's number belongs to another one by now: so may its
    /// session then.
    fn is_recycled(&self) -> bool {
        let identity = self.identity.as_ref().filter(|_| self.leader.is_some());
        identity.is_some_and(|leader| {
            process::read(leader.pid).is_some_and(|process| process.start != leader.start)
        })
    }

    /// False if nobody takes it.
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

/// False if nobody takes it: gone already, or not ours to end. The latter are
/// found again later.
fn send_each(targets: &[Process], number: i32) -> bool {
    let mut taken = false;
    for target in targets {
        taken |= process::open(target).is_some_and(|handle| signal::send(handle, number).is_ok());
    }
    taken
}

/// Handles on the first of `targets`, to wait for their ends.
fn handles(targets: &[Process]) -> Vec<OwnedFd> {
    let first = targets.iter().take(HANDLES);
    first.filter_map(process::open).collect()
}

/// Waits until these have ended, until `deadline` at most.
async fn wait_for(handles: Vec<OwnedFd>, deadline: Instant) {
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
fn refusal(left: &[Process]) -> Option<String> {
    let first = left.first()?;
    let why = match process::open(first).map(|handle| signal::send(handle, signal::KILL)) {
        Some(Err(error)) => error.to_string(),
        _ => "it does not end".to_owned(),
    };
    let pids: Vec<String> = left.iter().map(|process| process.pid.to_string()).collect();
    let (pids, name) = (pids.join(", "), &first.name);
    Some(format!("could not be ended: pid {pids} ({name}: {why})"))
}
