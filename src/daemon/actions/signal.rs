//! `signal`: sends a signal to some of a session's processes.

use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::signal_number;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::confirm::may_end;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::{answer, not_running};
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::params::{SignalParams, SignalTarget};
use crate::protocol::reply::Signalled;
use crate::protocol::{Error, SessionId};
use crate::sys::{process, signal as sys_signal};

/// Sends the signal, and returns the pids that received it.
pub(super) fn signal(hub: &Hub, client: &Client, params: SignalParams) -> Answer {
    let number = signal_number(&params.signal)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    // Nearly every signal can end a program.
    may_end(&hub.read(), client, &id)?;
    hub.change(|state| {
        deliver(
            state,
            client,
            &id,
            number,
            params.target.unwrap_or_default(),
        )
    })
}

fn deliver(
    state: &mut State,
    client: &Client,
    id: &SessionId,
    number: i32,
    target: SignalTarget,
) -> Answer {
    let output = state.sessions.last_lines(id, 500);
    let foreground = state.sessions.foreground(id);
    let Some(session) = state.sessions.get(id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    if !session.life.status().has_process() {
        return Err(not_running(session, &output));
    }
    let leader = session.life.pid();
    // Pipes have no foreground group; use the group of the first process.
    let foreground = foreground.or(leader);
    // After an interrupt a shell is at its prompt, and does not tell the end of its command. Other signals leave a
    // shell that reads a line where it is.
    if number == sys_signal::INT
        && let Some(input) = state.sessions.io(id).and_then(|io| io.input.as_ref())
    {
        input.shell.interrupted();
    }
    let members = state.sessions.processes(id);
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
    // One that no process has got does not explain an end.
    if !delivered.is_empty()
        && let Some(session) = state.sessions.get_mut(id)
    {
        session.life.signalled(number, client.principal.actor());
    }
    if leader.is_some_and(|leader| delivered.contains(&leader)) {
        // A reply means done. SIGSTOP and SIGCONT cannot be ignored, so set the state now instead of waiting
        // for the keeper's message.
        match number {
            sys_signal::STOP => state.set_paused(id, true),
            sys_signal::CONT => state.set_paused(id, false),
            _ => {}
        }
    }
    answer(Signalled {
        delivered_to: delivered,
    })
}
