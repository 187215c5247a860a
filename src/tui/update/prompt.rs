//! PROMPT: the form for a new job.

use super::edit as edit_line;
use super::msg::{Cmd, Tag};
use crate::protocol::Action as Request;
use crate::protocol::params::Start;
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::form::Form;
use crate::tui::model::job::{tilde, untilde};
use crate::tui::model::mode::Mode;
use crate::tui::model::{Link, Model, Selected};

/// Opens the form: in the view's directory, and in the group that is selected.
pub(super) fn open(model: &mut Model) {
    let dir = tilde(&model.origin.cwd, model.origin.home.as_deref());
    let group = match &model.selected {
        Selected::Group(key) => key.strip_prefix("g:").unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let mut history: Vec<String> = Vec::new();
    for job in model.jobs.iter().rev() {
        if !history.contains(&job.command) {
            history.push(job.command.clone());
        }
    }
    model.mode = Mode::Prompt(Box::new(Form::new(&dir, &group, history)));
}

/// Takes a key in PROMPT.
pub(super) fn press(model: &mut Model, key: Key, name: &str, cmds: &mut Vec<Cmd>) {
    let action = model.keymap.action(Place::Prompt, name);
    if action == Some(Action::Leave) {
        model.mode = Mode::Normal;
        return;
    }
    let Mode::Prompt(form) = &mut model.mode else {
        return;
    };
    if form.busy {
        return;
    }
    match action {
        Some(Action::Accept) => submit(model, cmds),
        Some(Action::NextField) => form.step(true),
        Some(Action::PreviousField) => form.step(false),
        Some(Action::OlderCommand) if form.focus == 0 => form.recall(true),
        Some(Action::NewerCommand) if form.focus == 0 => form.recall(false),
        Some(_) => {}
        None => {
            edit_line(&model.keymap, form.line(), key, name);
        }
    }
}

/// Asks for the job. The form stays until the daemon has answered, so that nothing typed is lost to a mistake.
fn submit(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.link != Link::Up {
        model.note("Not started: the daemon is restarting.");
        return;
    }
    let Mode::Prompt(form) = &mut model.mode else {
        return;
    };
    let [command, label, group, dir] = [0, 1, 2, 3].map(|field| form.value(field));
    if command.is_empty() {
        form.focus = 0;
        model.note("What should run? Esc starts nothing.");
        return;
    }
    form.busy = true;
    let some = |text: String| (!text.is_empty()).then_some(text);
    let start = Start {
        command,
        label: some(label),
        group: some(group),
        cwd: Some(untilde(
            &dir,
            &model.origin.cwd,
            model.origin.home.as_deref(),
        )),
        background: Some(true),
        ..Start::default()
    };
    cmds.push(Cmd::Ask(Tag::Start, Request::Start(start)));
}

/// Opens the form for a job like the selected one.
pub(super) fn duplicate(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Opens the form that changes the selected job.
pub(super) fn edit(model: &mut Model) {
    model.note("This is not built yet.");
}
