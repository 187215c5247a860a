//! Runs expired timers.

use super::{probe, restart, tree_kill, unready};
use crate::daemon::clock::{now, sleep_until_boot};
use crate::daemon::hub::Hub;
use crate::daemon::state::{State, output};
use crate::engine::life::Actor;
use crate::engine::timers::Due;
use crate::engine::waits::WaitId;
use crate::protocol::SessionId;
use crate::sys::alarm::Alarm;
use crate::sys::{failpoint, signal};

/// Waits for timers and runs them; never returns. Their times are of the boot clock, which counts while the machine sleeps.
pub(crate) async fn run(hub: Hub) {
    let alarm = Alarm::by_boot_clock()
        .inspect_err(|error| tracing::warn!(%error, "timers do not count while the machine sleeps"))
        .ok();
    loop {
        while let Some(due) = hub.change(|state| state.timers.pop(now().boot)) {
            act(&hub, due);
            // A timer that is due again at once must not keep other tasks from their turn.
            tokio::task::yield_now().await;
        }
        let next = hub.read().timers.next();
        tokio::select! {
            () = wait_until(alarm.as_ref(), next) => {}
            () = hub.deadline_changed() => {}
        }
    }
}

async fn wait_until(alarm: Option<&Alarm>, at: Option<u64>) {
    if let Some(alarm) = alarm {
        let at = at.map(|at| i64::try_from(at).unwrap_or(i64::MAX));
        if alarm.set(at).is_ok() && alarm.rings().await.is_ok() {
            return;
        }
    }
    sleep_until_boot(at).await;
}

fn act(hub: &Hub, due: Due) {
    match due {
        Due::Timeout(id) => time_limit(hub, &id),
        Due::Expiry(id) => hub.change(|state| expire(state, &id)),
        Due::Wait(wait) => hub.change(|state| check_deadline(state, wait)),
        Due::Input(id) => hub.change(|state| state.look_at_input(&id)),
        Due::Look(id) => hub.change(|state| output::look_again(state, &id)),
        Due::Save(id) => {
            failpoint::hit("start.before_saving");
            hub.change(|state| state.persist(&id));
        }
        Due::Output(id) => hub.change(|state| output::tell_output(state, &id)),
        Due::Dropped(id) => hub.change(|state| state.tell_dropped(&id)),
        Due::Painted(id) => hub.change(|state| state.look(&id)),
        Due::Late(id) => hub.change(|state| state.tell_late(&id)),
        Due::Probe(id) => probe::attempt(hub, &id),
        Due::Unready(id) => unready::end(hub, &id),
        Due::Ports(id) => hub.change(|state| state.sweep_ports(&id)),
        Due::Rest => hub.change(State::rest_screens),
        Due::Retry(id) => restart::begin(hub, &id),
        Due::Lease(id) => hub.change(|state| state.report_lease(&id)),
    }
}

fn time_limit(hub: &Hub, id: &SessionId) {
    let limit = {
        let state = hub.read();
        let session = state.sessions.get(id);
        session
            .filter(|session| session.timeout_at().is_some())
            .map(|session| {
                (
                    session.time_limits.timeout_ms,
                    session.time_limits.timeout_grace_ms,
                )
            })
    };
    if let Some((limit, grace)) = limit {
        tree_kill::begin(hub, id, Actor::TimeLimit(limit), signal::TERM, grace);
    }
}

fn expire(state: &mut State, id: &SessionId) {
    let due = state
        .sessions
        .get(id)
        .and_then(|session| session.expires_at());
    match due {
        // Clients are watching the session, so it does not expire.
        Some(at) if at <= now().boot => match state.sessions.get_mut(id) {
            Some(session) if session.viewers > 0 => {
                session.touch(now());
                state.persist(id);
            }
            _ => drop(state.remove(id, None)),
        },
        _ => state.arm(id),
    }
}

fn check_deadline(state: &mut State, wait: WaitId) {
    for id in state.waiters.waits.undecided(wait) {
        state.look(&id);
    }
    if state.waiters.waits.is_expired(wait, now().boot) {
        state.resolve(vec![wait]);
    } else {
        state.arm_wait_again(wait);
    }
}
