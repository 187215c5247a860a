//! SIGNAL: sends a signal chosen by a letter.

use super::msg::{Cmd, Tag};
use super::verbs;
use crate::protocol::Action as Request;
use crate::protocol::params::{SignalName, SignalParams};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::menu::Menu;
use crate::tui::model::mode::Mode;

/// Opens the menu of signals for the selected jobs.
pub(super) fn open(model: &mut Model) {
    if let Some(ids) = verbs::alive_targets(model, "signal") {
        model.mode = Mode::Menu(Menu {
            place: Place::Signal,
            ids,
        });
    }
}

/// Sends the signal of this letter to the foreground program of each job of the menu.
pub(super) fn press(model: &mut Model, menu: Menu, name: &str, cmds: &mut Vec<Cmd>) {
    let action = model.keymap.action(Place::Signal, name);
    let Some(signal) = action.and_then(signal) else {
        if action != Some(Action::Leave) {
            model.note(format!("No signal on \"{name}\"; nothing was sent."));
        }
        return;
    };
    for id in menu.ids {
        let params = SignalParams {
            session_id: id.to_string(),
            signal: SignalName::Name(signal.to_owned()),
            target: None,
        };
        cmds.push(Cmd::Ask(Tag::Sent(id, signal), Request::Signal(params)));
    }
}

fn signal(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::SendHup => "HUP",
        Action::SendInt => "INT",
        Action::SendQuit => "QUIT",
        Action::SendTerm => "TERM",
        Action::SendKill => "KILL",
        Action::SendUsr1 => "USR1",
        Action::SendUsr2 => "USR2",
        Action::SendWinch => "WINCH",
        _ => return None,
    })
}
