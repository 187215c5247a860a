//! PROMPT: the form for a new job, for a copy of a job, and for editing a job.

use std::borrow::Cow;

use super::edit as edit_line;
use super::msg::{Cmd, Errand, Tag};
use crate::protocol::params::{Set, Start};
use crate::protocol::{Action as Request, Mode as JobMode, RestartPolicy, SessionId, name};
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::form::{COMMAND, DIR, Form, Purpose, RUN};
use crate::tui::model::job::{tilde, untilde};
use crate::tui::model::mode::Mode;
use crate::tui::model::{Link, Model, Selected};

/// Opens the form for a new job in the view's directory and the selected group.
pub(super) fn open(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let dir = tilde(&model.origin.cwd, model.origin.home.as_deref());
    let group = match &model.selected {
        Selected::Group(key) => key.strip_prefix("g:").unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let form = Form::new(&dir, &group, commands(model));
    show(model, form, cmds);
}

/// Opens the form for a copy of the selected job.
pub(super) fn duplicate(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note(format!(
            "There is no job to duplicate. {} starts one.",
            model.key("n")
        ));
        return;
    };
    let summary = &job.record.summary;
    let group = summary.group.clone().unwrap_or_default();
    let mut form = Form::new(&job.dir, &group, commands(model));
    let (command, name) = (job.shell_line(), next_name(model, &job.name));
    let like = (summary.mode, summary.rows, summary.cols);
    let text = format!(
        "Like {}: with its mode and size; variables that were set for it are not known.",
        job.name
    );
    form.purpose = Purpose::New(Some(like));
    form.put(RUN, &command);
    // An agent may use names that are not allowed for people.
    if summary.label.is_some() && name::fault(&name).is_none() {
        form.fields[1].insert(&name);
    }
    show(model, form, cmds);
    model.note(text);
}

/// Opens the form that edits the selected job.
pub(super) fn edit(model: &mut Model) {
    let Some(job) = model.current() else {
        model.note(format!(
            "There is no job to change. {} starts one.",
            model.key("n")
        ));
        return;
    };
    let summary = &job.record.summary;
    let now = [
        summary.label.clone().unwrap_or_default(),
        summary.group.clone().unwrap_or_default(),
        if summary.keep { "yes" } else { "no" }.to_owned(),
        policy_word(job.record.restart),
        job.shell_line(),
    ];
    model.mode = Mode::Prompt(Box::new(Form::edit(job.id().clone(), now)));
}

/// Stores suggestions.
pub(super) fn suggested(model: &mut Model, dir: &str, targets: Vec<String>, history: Vec<String>) {
    let Mode::Prompt(form) = &mut model.mode else {
        return;
    };
    if form.read != dir {
        return;
    }
    form.targets = targets;
    for command in history {
        if !form.history.contains(&command) {
            form.history.push(command);
        }
    }
    model.dirty = true;
}

/// Handles a key in PROMPT.
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
        Some(Action::NextField) => step(model, true, cmds),
        Some(Action::PreviousField) => step(model, false, cmds),
        Some(Action::OlderCommand) if form.is_at_command() => form.recall(true),
        Some(Action::NewerCommand) if form.is_at_command() => form.recall(false),
        Some(_) => {}
        None => {
            let at_end = matches!(
                model.keymap.action(Place::Line, name),
                Some(Action::CharRight | Action::LineEnd)
            );
            if at_end && form.accept() {
                return;
            }
            form.recalled = None;
            edit_line(&model.keymap, form.line(), key, name);
            form.edited();
        }
    }
}

/// Moves to another field; a changed directory brings other suggestions.
fn step(model: &mut Model, forward: bool, cmds: &mut Vec<Cmd>) {
    if let Mode::Prompt(form) = &mut model.mode {
        form.step(forward);
    }
    suggest(model, cmds);
}

fn show(model: &mut Model, form: Form, cmds: &mut Vec<Cmd>) {
    model.mode = Mode::Prompt(Box::new(form));
    suggest(model, cmds);
}

/// Requests suggestions for the form's directory, once per directory.
fn suggest(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Mode::Prompt(form) = &mut model.mode else {
        return;
    };
    if matches!(form.purpose, Purpose::Edit(..)) {
        return;
    }
    let home = model.origin.home.as_deref();
    let dir = untilde(&form.value(DIR), &model.origin.cwd, home);
    if form.read != dir {
        form.read.clone_from(&dir);
        form.targets.clear();
        cmds.push(Cmd::Errand(Errand::Suggest(dir)));
    }
}

/// Submits the form. It stays open until the daemon has replied, so that a mistake does not lose
/// what was typed.
fn submit(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.link != Link::Up {
        model.note("Not done: the daemon is restarting.");
        return;
    }
    let Mode::Prompt(form) = &model.mode else {
        return;
    };
    let asked = match form.purpose.clone() {
        Purpose::New(like) => start(model, form, like).map(|start| {
            let request = Request::Start(start);
            Some(Cmd::Ask(Tag::Start, request))
        }),
        Purpose::Edit(id, before) => change(form, &id, &before).map(|set| {
            let request = Request::Set(set?);
            Some(Cmd::Ask(Tag::Set(id), request))
        }),
    };
    let Mode::Prompt(form) = &mut model.mode else {
        return;
    };
    match asked {
        Ok(Some(cmd)) => {
            form.busy = true;
            cmds.push(cmd);
        }
        Ok(None) => {
            model.mode = Mode::Normal;
            model.note("Nothing was changed.");
        }
        Err((field, text)) => {
            form.focus = field;
            model.note(text);
        }
    }
}

/// Why a form is invalid: the field and the message.
type Wrong = (usize, Cow<'static, str>);

fn start(model: &Model, form: &Form, like: Option<(JobMode, u16, u16)>) -> Result<Start, Wrong> {
    let command = form.command(RUN).map_err(|text| (RUN, text.into()))?;
    if command.is_empty() {
        return Err((RUN, "What should run? Esc starts nothing.".into()));
    }
    let [label, group, dir] = [1, 2, DIR].map(|field| form.value(field));
    let label = checked_name(1, label)?;
    let some = |text: String| (!text.is_empty()).then_some(text);
    let home = model.origin.home.as_deref();
    Ok(Start {
        command,
        unique_label: (!label.is_empty()).then_some(true),
        label: some(label),
        group: some(group),
        cwd: Some(untilde(&dir, &model.origin.cwd, home)),
        background: Some(true),
        mode: like.map(|(mode, ..)| mode),
        rows: like.map(|(_, rows, _)| rows),
        cols: like.map(|(.., cols)| cols),
        ..Start::default()
    })
}

/// The valid name in a field; empty means no name.
fn checked_name(field: usize, name: String) -> Result<String, Wrong> {
    match name::fault(&name).filter(|_| !name.is_empty()) {
        Some(fault) => Err((field, fault.into())),
        None => Ok(name),
    }
}

/// The request with only the fields that were changed.
fn change(form: &Form, id: &SessionId, before: &[String]) -> Result<Option<Set>, Wrong> {
    let changed = |field: usize| {
        let value = form.value(field);
        (before.get(field).map(|before| before.trim()) != Some(&value)).then_some(value)
    };
    let label = changed(0).map(|name| checked_name(0, name)).transpose()?;
    let keep = match changed(2).as_deref() {
        None => None,
        Some("yes" | "y") => Some(true),
        Some("no" | "n" | "") => Some(false),
        Some(_) => {
            return Err((
                2,
                "keep is yes or no: yes keeps the job and its log for good.".into(),
            ));
        }
    };
    let restart = match changed(3) {
        None => None,
        Some(word) => match policy(&word) {
            Some(policy) => Some(policy),
            None => {
                return Err((
                    3,
                    "restart is no, on-failure, always, or on-failure:3, always:3.".into(),
                ));
            }
        },
    };
    let command = match changed(COMMAND) {
        Some(_) => Some(
            form.command(COMMAND)
                .map_err(|text| (COMMAND, text.into()))?,
        ),
        None => None,
    };
    if command.as_deref() == Some("") {
        return Err((COMMAND, "What should run? Esc changes nothing.".into()));
    }
    let set = Set {
        session_id: id.to_string(),
        unique_label: label.is_some().then_some(true),
        label,
        group: changed(1),
        keep,
        restart,
        command,
        ..Set::default()
    };
    let nothing = Set {
        session_id: id.to_string(),
        ..Set::default()
    };
    Ok((set != nothing).then_some(set))
}

/// A restart policy as written for `run --restart`.
fn policy_word(policy: Option<RestartPolicy>) -> String {
    policy.map_or_else(|| "no".to_owned(), |policy| policy.word())
}

fn policy(word: &str) -> Option<RestartPolicy> {
    match word {
        "" | "never" => RestartPolicy::parse("no"),
        word => RestartPolicy::parse(word),
    }
}

/// Commands of the existing jobs, newest first.
fn commands(model: &Model) -> Vec<String> {
    let mut history: Vec<String> = Vec::new();
    for job in model.jobs.iter().rev() {
        let command = job.shell_line();
        if !history.contains(&command) {
            history.push(command);
        }
    }
    history
}

/// The name for a copy: `web-2` for `web`, `web-3` if `web-2` exists.
fn next_name(model: &Model, name: &str) -> String {
    let base = match name.rsplit_once('-') {
        Some((base, number)) if !base.is_empty() && number.parse::<u32>().is_ok() => base,
        _ => name,
    };
    let free = |name: &String| model.jobs.iter().all(|job| job.name != *name);
    let mut names = (2_u32..).map(|n| format!("{base}-{n}"));
    names.find(free).unwrap_or_default()
}
