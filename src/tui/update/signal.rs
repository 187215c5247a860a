//! SIGNAL: a signal by one letter.

use super::msg::{Cmd, Tag};
use super::verbs;
use crate::protocol::Action as Request;
use crate::protocol::params::{SignalName, SignalParams};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::menu::Menu;
use crate::tui::model::mode::Mode;

/// Asks which signal to send to what is selected.
pub(super) fn open(model: &mut Model) {
    if let Some(ids) = verbs::alive_targets(model, "signal") {
        model.mode = Mode::Menu(Menu {
            place: Place::Signal,
            ids,
        });
    }
}

/// Sends the one of that letter to the jobs of the menu, as the program in the foreground of each gets it.
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
