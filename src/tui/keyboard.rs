//! Holding the keyboard of a job.

use crate::protocol::params::Hold;
use crate::protocol::{Action, SessionId};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::Model;

/// Takes the keyboard from agents, or gives it back.
pub fn take(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note_no_job("There is no job whose keyboard to take.");
        return;
    };
    let (id, name) = (job.id().clone(), job.name.clone());
    if !job.is_going() {
        model.note(format!("{name} has ended and takes no input."));
    } else if !model.has_daemon("Not done") {
    } else {
        let on = !model.keyboards.held.contains(&id);
        cmds.push(request(id, on));
    }
}

/// Handles the daemon's reply.
pub fn received(model: &mut Model, id: SessionId, on: bool) {
    let name = model.name_of(&id);
    let topic = format!("keyboard {id}");
    if on {
        // After a reconnect this is a repetition, which was announced before.
        if model.keyboards.held.insert(id) {
            let text = format!(
                "You hold the keyboard of {name}: agents wait until {} gives it back, or this view closes.",
                model.key("T")
            );
            model.note_state(topic, text, None);
        }
    } else {
        model.keyboards.held.remove(&id);
        model.note_state(topic, format!("Agents may type into {name} again."), None);
    }
}

/// Takes the held keyboards of running jobs again, because a new daemon does not know about them.
pub fn again(model: &Model, cmds: &mut Vec<Cmd>) {
    let held = model.keyboards.held.iter();
    let held = held.filter(|id| model.holds_keyboard(id));
    cmds.extend(held.cloned().map(|id| request(id, true)));
}

/// Takes the keyboard again: the end of a run released it, and the next run has started.
pub fn restarted(model: &Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if model.keyboards.held.contains(id) {
        cmds.push(request(id.clone(), true));
    }
}

fn request(id: SessionId, on: bool) -> Cmd {
    let params = Hold {
        session_id: id.to_string(),
        on,
    };
    Cmd::Request(RequestKind::Hold(id, on), Action::Hold(params))
}
