//! PROMPT: a reply to a job from its row.

use super::edit;
use super::msg::{Cmd, Tag};
use crate::protocol::params::Write;
use crate::protocol::record::InputState;
use crate::protocol::shell::quote;
use crate::protocol::{Action as Request, Mode as JobMode};
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::mode::Mode;
use crate::tui::model::reply::Reply;
use crate::tui::model::{Link, Model};
use crate::tui::shell;

/// Opens the reply to the selected job, if the job waits for one.
pub(super) fn open(model: &mut Model) {
    let Some(job) = model.current() else {
        model.note(format!(
            "There is no job to answer. {} answers the selected job when it waits.",
            model.key("tab")
        ));
        return;
    };
    if !job.state().needs_input() {
        let name = job.name.clone();
        model.note(format!(
            "{name} is not waiting for an answer. {} types into it.",
            model.key("i")
        ));
        return;
    }
    let reply = Reply::new(job.id().clone(), job.record.summary.input_state);
    model.mode = Mode::Reply(Box::new(reply));
}

/// Handles a key.
pub(super) fn press(model: &mut Model, key: Key, name: &str, cmds: &mut Vec<Cmd>) {
    match model.keymap.action(Place::Reply, name) {
        Some(Action::Accept) => send(model, cmds),
        Some(Action::Leave) => model.mode = Mode::Normal,
        _ => {
            if let Mode::Reply(reply) = &mut model.mode {
                edit(&model.keymap, &mut reply.line, key, name);
            }
        }
    }
}

/// After each message: hides the text as soon as the job stops echoing, and closes with the job.
pub(super) fn settle(model: &mut Model) {
    let Mode::Reply(reply) = &mut model.mode else {
        return;
    };
    let job = model.jobs.iter().find(|job| *job.id() == reply.id);
    let Some(job) = job.filter(|job| job.is_alive()) else {
        let id = reply.id.clone();
        let name = model.name_of(&id);
        model.mode = Mode::Normal;
        model.note(format!("{name} has ended; nothing was sent."));
        return;
    };
    if reply.follow(job.record.summary.input_state) {
        let name = job.name.clone();
        model.note(format!(
            "{name} shows what is typed from now on; what you had typed was dropped."
        ));
    }
}

/// Sends the reply and Enter.
fn send(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.link != Link::Up {
        model.note("Not sent: the daemon is restarting.");
        return;
    }
    let Mode::Reply(reply) = &model.mode else {
        return;
    };
    let Some(job) = model.job(&reply.id) else {
        return;
    };
    let (id, name) = (reply.id.clone(), job.name.clone());
    if reply.would_show(job.record.summary.input_state) {
        let why = match job.record.summary.input_state {
            InputState::Closed => "reads no more",
            _ => "does not ask for anything now",
        };
        model.note(format!("{name} {why}; nothing was sent."));
        return;
    }
    let text = reply.line.text();
    let pipe = job.record.summary.mode == JobMode::Pipe;
    let target = shell::name(model, &id);
    let command = if reply.hidden {
        format!("bgproc send --password {target}")
    } else {
        format!("bgproc send {target} {}", quote(&text))
    };
    let write = Write {
        session_id: id.to_string(),
        data: Some(text),
        // A pipe has no terminal that turns Enter into a newline.
        newline: pipe.then_some(true),
        submit: (!pipe).then_some(true),
        ..Write::default()
    };
    cmds.push(Cmd::Ask(Tag::Type(id), Request::Write(write)));
    model.mode = Mode::Normal;
    model.note_done(format!("answered {name}"), Some(command));
}
