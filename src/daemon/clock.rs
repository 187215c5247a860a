//! What is due.

use std::time::Duration;

use super::again;
use super::end_tree;
use super::hub::{Hub, now};
use super::render;
use super::state::State;
use crate::engine::life::Actor;
use crate::engine::timers::Due;
use crate::engine::waits::Ticket;
use crate::protocol::SessionId;
use crate::sys::signal;

/// Sleeps until something is due, for ever.
pub(super) async fn run(hub: Hub) {
    loop {
        while let Some(due) = hub.with(|state| state.timers.pop(now().boot)) {
            act(&hub, due);
        }
        let next = hub.state().timers.next();
        let sleep = async {
            match next {
                // One millisecond more: the clock that is compared with is cut to milliseconds.
                Some(at) => {
                    let left = at.saturating_sub(now().boot) + 1;
                    tokio::time::sleep(Duration::from_millis(left)).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = sleep => {}
            () = hub.deadline_changed() => {}
        }
    }
}

fn act(hub: &Hub, due: Due) {
    match due {
        Due::Timeout(id) => time_limit(hub, &id),
        Due::Expiry(id) => hub.with(|state| expire(state, &id)),
        Due::Wait(ticket) => hub.with(|state| look_at_clock(state, ticket)),
        Due::Input(id) => hub.with(|state| state.look_at_input(&id)),
        Due::Output(id) => hub.with(|state| render::tell_output(state, &id)),
        Due::Dropped(id) => hub.with(|state| state.tell_dropped(&id)),
        Due::Late(id) => hub.with(|state| state.tell_late(&id)),
        Due::Ports(id) => hub.with(|state| state.sweep_ports(&id)),
        Due::Rest => hub.with(State::rest_screens),
        Due::Retry(id) => again::begin(hub, &id),
        Due::Lease(id) => hub.with(|state| state.look_at_lease(&id)),
    }
}

fn time_limit(hub: &Hub, id: &SessionId) {
    let limit = {
        let state = hub.state();
        let session = state.registry.get(id);
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
        end_tree::begin(hub, id, Actor::TimeLimit(limit), signal::TERM, grace);
    }
}

fn expire(state: &mut State, id: &SessionId) {
    let due = state
        .registry
        .get(id)
        .and_then(|session| session.expires_at());
    match due {
        // A watched session is being looked at.
        Some(at) if at <= now().boot => match state.registry.get_mut(id) {
            Some(session) if session.viewers > 0 => {
                session.touch(now());
                state.persist(id);
            }
            _ => drop(state.remove(id)),
        },
        _ => state.registry.arm(id, &mut state.timers),
    }
}

fn look_at_clock(state: &mut State, ticket: Ticket) {
    for id in state.waits.undecided(ticket) {
        state.look(&id);
    }
    if state.waits.is_expired(ticket, now().boot) {
        state.resolve(vec![ticket]);
    } else {
        state.arm_wait(ticket);
    }
}
