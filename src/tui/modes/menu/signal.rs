//! SIGNAL: sends a signal to the foreground program of each job.

use super::keys::Signal;
use crate::protocol::params::{SignalName, SignalParams};
use crate::protocol::{Action, SessionId};
use crate::tui::message::{Cmd, RequestKind};

/// Sends the signal.
pub(super) fn send(ids: Vec<SessionId>, signal: Signal, cmds: &mut Vec<Cmd>) {
    let name = match signal {
        Signal::Int => "INT",
        Signal::Term => "TERM",
        Signal::Hup => "HUP",
        Signal::Quit => "QUIT",
        Signal::Usr1 => "USR1",
        Signal::Usr2 => "USR2",
        Signal::Winch => "WINCH",
        Signal::Kill => "KILL",
        Signal::Leave => return,
    };
    for id in ids {
        let params = SignalParams {
            session_id: id.to_string(),
            signal: SignalName::Name(name.to_owned()),
            target: None,
        };
        cmds.push(Cmd::Request(
            RequestKind::Sent(id, name),
            Action::Signal(params),
        ));
    }
}
