//! `signal`: a signal for some of a session's processes.

use super::super::connection::Client;
use super::super::hub::Hub;
use super::super::text;
use super::kill::signal_number;
use super::write::not_running;
use super::{Answer, actor, answer, find};
use crate::engine::registry::Access;
use crate::protocol::Error;
use crate::protocol::params::{SignalParams, SignalTarget};
use crate::protocol::record::Mode;
use crate::protocol::reply::Signalled;
use crate::sys::{process, pty, signal as sys_signal};

/// Sends it, and says to whom.
pub(super) fn signal(hub: &Hub, client: &Client, params: SignalParams) -> Answer {
    let number = signal_number(&params.signal)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    let mut state = hub.state();
    let output = text::tail(&state, &id, 500);
    let input = state
        .drivers
        .get(&id)
        .and_then(|driver| driver.input.clone());
    let Some(session) = state.registry.get_mut(&id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    if !session.life.status().is_alive() {
        return Err(not_running(session, &output));
    }
    let leader = session.life.pid();
    let target = params.target.unwrap_or_default();
    // With pipes there is no foreground; the group of the first process is it.
    let foreground = match (session.spec.mode, input) {
        (Mode::Pty, Some(input)) => pty::foreground_group(&*input).or(leader),
        _ => leader,
    };
    session.life.signalled(number, actor(&client.viewer));
    let members = state.processes(&id);
    let wanted = members.iter().filter(|process| match target {
        SignalTarget::Foreground => Some(process.group) == foreground,
        SignalTarget::Leader => Some(process.pid) == leader,
        SignalTarget::Tree => true,
    });
    let delivered: Vec<u32> = wanted
        .filter(|process| {
            process::open(process).is_some_and(|handle| sys_signal::send(handle, number).is_ok())
        })
        .map(|process| process.pid)
        .collect();
    drop(state);
    if leader.is_some_and(|leader| delivered.contains(&leader)) {
        // A reply means done: neither can be refused, so it is known before the
        // keeper tells of it.
        match number {
            sys_signal::STOP => hub.with(|state| state.set_paused(&id, true)),
            sys_signal::CONT => hub.with(|state| state.set_paused(&id, false)),
            _ => {}
        }
    }
    answer(Signalled {
        delivered_to: delivered,
    })
}
