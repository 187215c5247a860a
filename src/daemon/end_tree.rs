//! Ending a session: all its processes, however they left it.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::Interest;
use tokio::time::Instant;

use super::hub::Hub;
use crate::engine::life::Actor;
use crate::protocol::SessionId;
use crate::sys::{readiness, signal, tree};

/// After KILL the kernel gets so long; what is there then cannot be ended.
const LAST_GRACE: Duration = Duration::from_secs(1);

/// New processes may appear while others end; it is looked so often.
const ROUNDS: usize = 5;

/// Who was ended, and who could not be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ended {
    pub(super) killed: Vec<u32>,
    pub(super) survivors: Vec<u32>,
}

struct Target {
    process: tree::Process,
    handle: OwnedFd,
}

/// Sends `first` to every process of the session, waits, and sends KILL to
/// those that are left.
pub(super) async fn end_tree(hub: Hub, id: SessionId, first: i32, grace_ms: u64) -> Ended {
    let leader = leader(&hub, &id);
    let mut seen: HashMap<u32, tree::Process> = HashMap::new();
    let targets = find(&id, leader.as_ref(), &mut seen);
    send(&hub, &id, &targets, first);
    if first != signal::KILL {
        // A stopped process takes no signal but these two.
        send_each(&targets, signal::CONT);
    }
    let grace = if first == signal::KILL {
        LAST_GRACE
    } else {
        Duration::from_millis(grace_ms)
    };
    wait_for(targets, grace).await;
    for _ in 0..ROUNDS {
        let targets = find(&id, leader.as_ref(), &mut seen);
        if targets.is_empty() {
            break;
        }
        send(&hub, &id, &targets, signal::KILL);
        wait_for(targets, LAST_GRACE).await;
    }
    let left = tree::processes(&id, leader.as_ref().map(|leader| leader.pid));
    let survivors: Vec<u32> = left.iter().map(|process| process.pid).collect();
    let mut killed: Vec<u32> = seen
        .into_keys()
        .filter(|pid| !survivors.contains(pid))
        .collect();
    killed.sort_unstable();
    Ended { killed, survivors }
}

/// The first process, while it is not reaped: its number is its own until then.
fn leader(hub: &Hub, id: &SessionId) -> Option<tree::Process> {
    let pid = hub.state().registry.get(id)?.life.pid()?;
    tree::read(pid)
}

fn find(
    id: &SessionId,
    leader: Option<&tree::Process>,
    seen: &mut HashMap<u32, tree::Process>,
) -> Vec<Target> {
    // If its number belongs to another process by now, so may its session.
    let leader = leader.filter(|leader| {
        tree::read(leader.pid).is_none_or(|process| process.start == leader.start)
    });
    let found = tree::processes(id, leader.map(|leader| leader.pid));
    let mut targets = Vec::new();
    for process in found {
        if let Some(handle) = tree::open(&process) {
            seen.insert(process.pid, process.clone());
            targets.push(Target { process, handle });
        }
    }
    targets
}

fn send(hub: &Hub, id: &SessionId, targets: &[Target], number: i32) {
    let actor = hub
        .state()
        .registry
        .get(id)
        .and_then(|s| s.life.ending().cloned());
    let actor = actor.unwrap_or(Actor::Human);
    if let Some(session) = hub.state().registry.get_mut(id) {
        session.life.signalled(number, actor);
    }
    send_each(targets, number);
}

fn send_each(targets: &[Target], number: i32) {
    for target in targets {
        // Gone already, or not ours to end: the latter is found again later.
        let _ = signal::send(&target.handle, number);
    }
}

/// Waits until every target has ended, `grace` at most.
async fn wait_for(targets: Vec<Target>, grace: Duration) {
    let deadline = Instant::now() + grace;
    for target in targets {
        let Ok(handle) = readiness::watch(target.handle, Interest::READABLE) else {
            continue;
        };
        if tokio::time::timeout_at(deadline, handle.readable())
            .await
            .is_err()
        {
            return;
        }
        debug_assert!(target.process.pid > 0);
    }
}
