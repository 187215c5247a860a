//! PROMPT: a reply to a job from its row.

pub mod answer;
mod draw;
mod keys;

use ratatui::layout::Rect;

use self::answer::Reply;
pub use self::keys::Action;
use crate::protocol::params::Write;
use crate::protocol::shell::quote;
use crate::protocol::status::InputState;
use crate::protocol::{Action as Request, Mode as JobMode, SessionId};
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::line::Edit;
use crate::tui::message::{Cmd, Keys, RequestKind};
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;
use crate::tui::{hints, shell};

/// Opens the reply to the selected job, if the job waits for one.
pub fn open(model: &mut Model) {
    let Some(job) = model.current() else {
        model.note_no_job(format!(
            "There is no job to answer. {} answers the selected job when it waits.",
            model.key("tab")
        ));
        return;
    };
    if !job.state().needs_input() {
        let (name, word) = (&job.name, job.word());
        let text = if !job.is_going() {
            format!("{name} has ended ({word}). {} restarts it.", model.key("r"))
        } else if job.state().waits() || job.is_retrying() {
            format!("{name} does not run now ({word}), and takes no answer.")
        } else {
            let key = model.key("i");
            format!("{name} is not waiting for an answer. {key} types into it.")
        };
        model.note(text);
        return;
    }
    let state = job.record.summary.input_state;
    let reply = Reply::new(job.id().clone(), job.name.clone(), state);
    model.enter(reply);
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    match model.keymap.action(&press.name) {
        Some(Action::Leave) => model.leave(),
        _ if is_over(model) => {}
        Some(Action::Accept) => send(model, cmds),
        None => {
            let edit = Edit::of(&model.keymap, press);
            if let Some(reply) = model.state_mut::<Reply>() {
                reply.line.apply(edit);
            }
        }
    }
}

fn paste(model: &mut Model, bytes: &[u8], _: &mut Vec<Cmd>) {
    if is_over(model) {
        return;
    }
    if let Some(reply) = model.state_mut::<Reply>() {
        reply.line.paste(bytes);
    }
}

fn is_over(model: &Model) -> bool {
    let reply = model.state::<Reply>();
    reply.is_some_and(|reply| reply.over.is_some())
}

/// After each message: hides the text as soon as the job stops echoing, and is over with the job.
fn reconcile(model: &mut Model, _: &mut Vec<Cmd>) {
    let Some(reply) = model.state::<Reply>() else {
        return;
    };
    if reply.over.is_some() {
        return;
    }
    let Some(job) = model.job(&reply.id).filter(|job| job.is_going()) else {
        let what = match model.job(&reply.id) {
            Some(_) => "has ended",
            None => "was removed",
        };
        let over = format!("{} {what}", reply.name);
        model.note(format!("{over}; nothing was sent."));
        if let Some(reply) = model.state_mut::<Reply>() {
            reply.over = Some(over);
        }
        return;
    };
    let (state, name) = (job.record.summary.input_state, job.name.clone());
    let Some(reply) = model.state_mut::<Reply>() else {
        return;
    };
    reply.name.clone_from(&name);
    if reply.follow(state) {
        model.note(format!(
            "{name} shows what is typed from now on; what you had typed was dropped."
        ));
    }
}

/// Sends the reply and Enter.
fn send(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if !model.has_daemon("Not sent") {
        return;
    }
    let Some(reply) = model.state::<Reply>() else {
        return;
    };
    let Some(job) = model.job(&reply.id) else {
        return;
    };
    let (id, name) = (reply.id.clone(), job.name.clone());
    if reply.would_show(job.record.summary.input_state) {
        let why = match job.record.summary.input_state {
            InputState::Closed => "has closed its input",
            _ => "is not waiting for a password now",
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
    cmds.push(Cmd::Request(
        RequestKind::Type(id, Keys::Answer),
        Request::Write(write),
    ));
    model.leave();
    model.note_done(format!("answered {name}"), Some(command));
}

impl Mode for Reply {
    fn name(&self) -> &'static str {
        "PROMPT"
    }

    fn tone(&self) -> Tone {
        Tone::Entry
    }

    fn handlers(&self) -> Handlers {
        Handlers {
            reconcile,
            ..Handlers::of_text(press, paste)
        }
    }

    fn job(&self) -> Option<&SessionId> {
        Some(&self.id)
    }

    fn needs(&self) -> Needs {
        Needs {
            hints: true,
            screen: true,
            ..Needs::default()
        }
    }

    fn bar(&self, _: &Model, _: Rect) -> Option<Bar> {
        None
    }

    fn status(&self, model: &Model, area: Rect, canvas: &mut Canvas) {
        draw::line(model, self, area, canvas);
    }

    fn hints(&self, model: &Model) -> Hints {
        let exits: &[Action] = match self.over {
            Some(_) => &[Action::Leave],
            None => &[Action::Accept, Action::Leave],
        };
        Hints {
            keys: Vec::new(),
            exits: hints::hints(model, exits),
        }
    }

    fn draw(&self, model: &Model, body: Rect, canvas: &mut Canvas) {
        draw::draw(model, self, body, canvas.buffer_mut());
    }
}
