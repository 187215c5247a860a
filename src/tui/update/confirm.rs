//! CONFIRM: `y` confirms, the other listed keys do what they say, and every other key means no.
//! Enter never confirms.

use super::msg::Cmd;
use super::{insert, quit, undo, verbs};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::mode::{Ask, Mode};

/// Handles the answer.
pub(super) fn press(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    let Mode::Confirm(confirm) = std::mem::replace(&mut model.mode, Mode::Normal) else {
        return;
    };
    let answer = model.keymap.action(Place::Confirm, name);
    act(model, confirm.ask, answer, cmds);
}

/// Performs the action if the answer is yes.
pub(super) fn act(model: &mut Model, ask: Ask, answer: Option<Action>, cmds: &mut Vec<Cmd>) {
    match (ask, answer) {
        (Ask::Stop(ids), Some(Action::Yes)) => verbs::end_now(model, &ids, false, cmds),
        (Ask::Stop(ids) | Ask::Kill(ids), Some(Action::YesKill))
        | (Ask::Kill(ids), Some(Action::Yes)) => verbs::end_now(model, &ids, true, cmds),
        (Ask::Pause(ids, pause), Some(Action::Yes)) => verbs::pause_now(&ids, pause, cmds),
        (Ask::Restart(ids), Some(Action::Yes)) => verbs::restart_now(model, &ids, cmds),
        (Ask::Remove(ids), Some(Action::Yes)) => undo::remove(model, &ids, cmds),
        (Ask::Quit, Some(Action::StopGroup)) => quit::stop_group(model, cmds),
        (Ask::Quit, Some(Action::StopAll)) => quit::stop_all(model, cmds),
        (Ask::Paste(bytes, typing), Some(Action::Yes)) => {
            insert::send_paste(model, typing, &bytes, cmds);
        }
        (Ask::Again(typing), Some(Action::Yes)) => {
            verbs::restart_now(model, std::slice::from_ref(&typing.id), cmds);
            model.mode = Mode::Insert(typing);
        }
        // Declining a paste declines only the paste. Declining a restart keeps the ended job open.
        (Ask::Paste(_, typing) | Ask::Again(typing), _) => model.mode = Mode::Insert(typing),
        _ => {}
    }
}
