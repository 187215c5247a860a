//! PROMPT: the form for a new job, for a copy of a job, and for editing a job.

mod draw;
mod draw_picks;
pub mod fields;
mod keys;
pub mod pick;
mod submit;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use ratatui::layout::Rect;

use self::fields::{DIR, Form, Like, NAME, OfferedJob, Purpose, RUN};
pub use self::keys::Action;
use crate::protocol::reply::{ChangeKind, ProjectState};
use crate::protocol::{RestartPolicy, SessionId, name};
use crate::term::sanitize::clean;
use crate::tui::bar::Bar;
use crate::tui::hints;
use crate::tui::keymap::KeyPress;
use crate::tui::line::{self, Edit};
use crate::tui::message::{Cmd, Effect};
use crate::tui::model::job::{Job, tilde, untilde};
use crate::tui::model::mode::{Handlers, Hint, Hints, Mode, Needs};
use crate::tui::model::{Model, Selected};
use crate::tui::project;
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;

/// Opens the form for a new job in the view's directory and the selected group, or the one that was left with text in it.
pub fn open(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if !open_again(model, |purpose| *purpose == Purpose::New(None), cmds) {
        open_new(model, cmds);
    }
}

fn open_new(model: &mut Model, cmds: &mut Vec<Cmd>) {
    // The directory of the view is one of this machine.
    let dir = match model.selected_host() {
        Some(_) => String::new(),
        None => tilde(&model.origin.cwd, model.origin.home.as_deref()),
    };
    let group = match &model.list.selected {
        Selected::Group(key) => key.name_here().unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let form = Form::new(&dir, &group, commands(model, &model.origin.cwd));
    let form = somewhere(model, form);
    show(model, form, cmds);
}

/// Opens the form for this purpose that was left last with text in it; `false` if there is none. One that was submitted
/// is left to the reply of the daemon.
fn open_again(model: &mut Model, is_meant: impl Fn(&Purpose) -> bool, cmds: &mut Vec<Cmd>) -> bool {
    let is_it = |form: &Form| form.pending.is_none() && is_meant(&form.purpose);
    let Some(form) = model.take_aside(is_it) else {
        return false;
    };
    show(model, form.again(), cmds);
    if let Some(form) = model.state::<Form>() {
        let is_not = match form.purpose {
            Purpose::New(_) => "",
            Purpose::Edit(..) => ", not what the job has now",
        };
        let drops = hints::sentence(model, Action::Reset, "drops it");
        let text = format!("A draft: this is what you typed before{is_not}.{drops}");
        model.note_state("draft".to_owned(), text, None);
    }
    true
}

/// Opens the form again without what was typed before.
fn reset(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(form) = model.take::<Form>() else {
        return;
    };
    match &form.purpose {
        Purpose::New(None) => open_new(model, cmds),
        Purpose::New(Some(like)) => copy_of(model, &like.id, cmds),
        Purpose::Edit(id, _) => edit_of(model, id),
    }
    model.note_state("draft".to_owned(), "The draft is dropped.", None);
}

/// Opens the form for a new job on a host.
pub fn open_on(model: &mut Model, host: &str, cmds: &mut Vec<Cmd>) {
    let form = Form::new("", "", commands(model, &model.origin.cwd));
    show(model, form.on_host(host), cmds);
}

/// Asks for the host, too, if there are others.
fn somewhere(model: &Model, form: Form) -> Form {
    if model.hosts.is_empty() {
        form
    } else {
        form.on_host(model.selected_host().unwrap_or_default())
    }
}

/// Opens the form for a copy of the selected job, or the one that was left with something changed in it.
pub fn duplicate(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note_no_job(format!(
            "There is no job to duplicate. {} starts one.",
            model.key("n")
        ));
        return;
    };
    let id = job.id().clone();
    let is_copy = |purpose: &Purpose| matches!(purpose, Purpose::New(Some(like)) if like.id == id);
    if !open_again(model, is_copy, cmds) {
        copy_of(model, &id, cmds);
    }
}

fn copy_of(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.job(id) else {
        return;
    };
    let summary = &job.record.summary;
    let group = summary.group.clone().unwrap_or_default();
    // On a host, `~` is another directory than here.
    let far = job.host().map(|_| clean(&summary.cwd));
    let dir = far.as_ref().unwrap_or(&job.dir);
    let form = Form::new(dir, &group, commands(model, &summary.cwd));
    let mut form = somewhere(model, form);
    form.is_far = far.is_some();
    let (command, name) = (job.shell_line(), next_name(model, job));
    let like = Like {
        id: id.clone(),
        mode: summary.mode,
        size: (summary.rows, summary.cols),
    };
    let text = format!(
        "Like {}: with its mode and size; variables that were set for it are not known.",
        job.name
    );
    form.purpose = Purpose::New(Some(like));
    form.put(RUN, &command);
    // An agent may use names that are not allowed for people.
    if summary.label.is_some() && name::fault(&name).is_none() {
        form.fields[NAME].insert(&name);
    }
    show(model, form.opened(), cmds);
    model.note(text);
}

/// Opens the form that edits the selected job at its name.
pub fn rename(model: &mut Model, cmds: &mut Vec<Cmd>) {
    edit(model, cmds);
    if let Some(form) = model.take::<Form>() {
        model.enter(form.at_name());
    }
}

/// Types a name over the one in the form that renames a job, if that is open.
pub fn name(model: &mut Model, name: &str) {
    if let Some(form) = model.state_mut::<Form>().filter(|form| form.focus == NAME) {
        form.line().insert(name);
    }
}

/// Opens the form that edits the selected job, or the one that was left with something changed in it.
pub fn edit(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note_no_job(format!(
            "There is no job to change. {} starts one.",
            model.key("n")
        ));
        return;
    };
    let id = job.id().clone();
    let is_it = |purpose: &Purpose| matches!(purpose, Purpose::Edit(of, _) if *of == id);
    if !open_again(model, is_it, cmds) {
        edit_of(model, &id);
    }
}

fn edit_of(model: &mut Model, id: &SessionId) {
    let Some(job) = model.job(id) else {
        return;
    };
    let summary = &job.record.summary;
    let now = [
        job.shell_line(),
        summary.label.clone().unwrap_or_default(),
        summary.group.clone().unwrap_or_default(),
        if summary.keep { "yes" } else { "no" }.to_owned(),
        policy_word(job.record.restart),
        summary
            .notify
            .iter()
            .map(|notice| notice.as_str())
            .collect::<Vec<_>>()
            .join(","),
    ];
    let form = Form::edit(id.clone(), job.name.clone(), now);
    model.enter(form);
}

/// Stores suggestions.
pub fn suggested(model: &mut Model, dir: &str, targets: Vec<String>, history: Vec<String>) {
    let Some(form) = model.state_mut::<Form>() else {
        return;
    };
    if form.read != dir {
        return;
    }
    // The offered commands change, so an index into them means another one.
    form.recalled = None;
    form.targets = targets;
    form.shell = history;
    model.dirty = true;
}

/// Stores the jobs of the project file that do not run.
pub fn offered(model: &mut Model, dir: &str, state: &ProjectState) {
    let Some(form) = model.state_mut::<Form>().filter(|form| form.read == dir) else {
        return;
    };
    let running = state.jobs.iter().filter(|job| job.pid.is_some());
    let running: Vec<&str> = running.map(|job| job.job.as_str()).collect();
    let known = state.jobs.iter().map(|job| &job.job);
    let new = state
        .plan
        .iter()
        .filter(|one| one.change == ChangeKind::Start);
    let mut jobs: Vec<String> = Vec::new();
    for job in known.chain(new.map(|one| &one.job)) {
        if !running.contains(&job.as_str()) && !jobs.contains(job) {
            jobs.push(job.clone());
        }
    }
    // The offered commands change, so an index into them means another one.
    form.recalled = None;
    form.jobs = jobs.into_iter().map(OfferedJob::new).collect();
    model.dirty = true;
}

/// The daemon has done what the form with this request asked for: the form closes, or is not kept any longer. Another
/// form may be open by now, and stays.
pub fn done(model: &mut Model, request: u64) {
    let waits = |form: &Form| form.pending == Some(request);
    if model.state::<Form>().is_some_and(waits) {
        drop(model.take::<Form>());
    } else {
        drop(model.take_aside(waits));
    }
}

/// The daemon has refused it: the form stays, with what was typed. If it was left meanwhile, it can be opened again.
pub fn refused(model: &mut Model, request: u64) {
    let waits = |form: &Form| form.pending == Some(request);
    if let Some(form) = model.state_mut::<Form>().filter(|form| waits(form)) {
        form.pending = None;
        return;
    }
    let left = model.aside_mut().find(|form| waits(form)).map(|form| {
        form.pending = None;
        form.purpose.clone()
    });
    if let Some(purpose) = left {
        model.note(opens_again(model, &purpose));
    }
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let action = model.keymap.action(&press.name);
    if action == Some(Action::Leave) {
        return leave(model);
    }
    let edit = Edit::of(&model.keymap, press);
    let Some(form) = model.state_mut::<Form>().filter(|form| form.is_open()) else {
        return;
    };
    if let Some(forward) = turns(form, action, edit.as_ref())
        && form.turn(forward)
    {
        return;
    }
    match action {
        Some(Action::Accept) => submit::submit(model, cmds),
        Some(Action::Reset) => reset(model, cmds),
        Some(Action::NextField) => step(model, true, cmds),
        Some(Action::PreviousField) => step(model, false, cmds),
        Some(Action::OlderCommand) if form.is_at_command() => form.recall(true),
        Some(Action::NewerCommand) if form.is_at_command() => form.recall(false),
        Some(_) => {}
        None => {
            use line::Action::{CharRight, LineEnd};
            let at_end = matches!(edit, Some(Edit::Do(CharRight | LineEnd)));
            if at_end && form.accept() {
                return;
            }
            form.recalled = None;
            form.line().apply(edit);
            form.edited();
        }
    }
}

/// Whether a key shows the next value of a field that takes some only, or the one before; `None` if it does neither. In
/// a text that has been changed, keys that edit text do so.
fn turns(form: &Form, action: Option<Action>, edit: Option<&Edit>) -> Option<bool> {
    use line::Action::{CharLeft, CharRight};
    let line = form.fields.get(form.focus);
    let is_whole = line.is_some_and(|line| line.is_selected() || line.is_empty());
    match (action, edit) {
        (Some(Action::NewerCommand), _) => Some(true),
        (Some(Action::OlderCommand), _) => Some(false),
        (None, Some(Edit::Insert(' ') | Edit::Do(CharRight))) if is_whole => Some(true),
        (None, Some(Edit::Do(CharLeft))) if is_whole => Some(false),
        _ => None,
    }
}

/// Leaves the form. What was typed is kept: a slip of the key loses nothing, and neither does a refusal that comes later.
fn leave(model: &mut Model) {
    let Some(form) = model.state::<Form>().filter(|form| form.is_begun()) else {
        return model.leave();
    };
    let (purpose, is_submitted) = (form.purpose.clone(), form.pending.is_some());
    model.set_aside();
    if is_submitted {
        return;
    }
    let what = match purpose {
        Purpose::New(_) => "Not started.",
        Purpose::Edit(..) => "Not changed.",
    };
    let again = opens_again(model, &purpose);
    model.note(format!("{what} {again}"));
}

/// Which key opens a form again that was left.
fn opens_again(model: &Model, purpose: &Purpose) -> String {
    let on = |id: &SessionId| format!(" on {}", model.name_of(id));
    let (key, on) = match purpose {
        Purpose::New(None) => ("n", String::new()),
        Purpose::New(Some(like)) => ("c", on(&like.id)),
        Purpose::Edit(id, _) => ("e", on(id)),
    };
    let key = model.key(key);
    format!("{key}{on} opens it again, with what was typed.")
}

fn paste(model: &mut Model, bytes: &[u8], _: &mut Vec<Cmd>) {
    if let Some(form) = model.state_mut::<Form>().filter(|form| form.is_open()) {
        form.recalled = None;
        form.line().paste(bytes);
        form.edited();
    }
}

/// After each message: notes whether the edited job still exists.
fn reconcile(model: &mut Model, _: &mut Vec<Cmd>) {
    let Some(form) = model.state::<Form>().filter(|form| !form.over) else {
        return;
    };
    let Purpose::Edit(id, _) = &form.purpose else {
        return;
    };
    let name = model.job(id).map(|job| job.name.clone());
    if name.is_none() {
        let text = format!("{} was removed; nothing was changed.", form.edits);
        model.note(text);
    }
    if let Some(form) = model.state_mut::<Form>() {
        form.over = name.is_none();
        form.edits = name.unwrap_or_else(|| form.edits.clone());
    }
}

/// Moves to another field; a changed directory brings other suggestions.
fn step(model: &mut Model, forward: bool, cmds: &mut Vec<Cmd>) {
    if let Some(form) = model.state_mut::<Form>() {
        form.step(forward);
    }
    suggest(model, cmds);
}

fn show(model: &mut Model, form: Form, cmds: &mut Vec<Cmd>) {
    model.enter(form);
    suggest(model, cmds);
}

/// Requests suggestions for the form's directory, once per directory.
fn suggest(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(form) = model.state::<Form>() else {
        return;
    };
    if matches!(form.purpose, Purpose::Edit(..)) || form.is_far {
        return;
    }
    let home = model.origin.home.as_deref();
    let dir = untilde(&form.value(DIR), &model.origin.cwd, home);
    if let Some(form) = model.state_mut::<Form>()
        && form.read != dir
    {
        form.read.clone_from(&dir);
        form.targets.clear();
        form.jobs.clear();
        project::offer(&dir, cmds);
        cmds.push(Cmd::Effect(Effect::Suggest(dir)));
    }
}

/// The hint for the key that takes a suggestion. The arrow is the one that people know.
fn completes(model: &Model) -> Option<Hint> {
    use line::Action::{CharRight, LineEnd};
    let [right, end] = [CharRight, LineEnd].map(|action| model.keymap.keys(action));
    let arrow = right.iter().find(|key| *key == "right");
    let key = arrow.or(right.first()).or(end.first())?;
    Some((key.clone(), "complete".to_owned()))
}

/// A restart policy as written for `run --restart`.
fn policy_word(policy: Option<RestartPolicy>) -> String {
    policy.map_or_else(|| "no".to_owned(), |policy| policy.word())
}

/// Commands of the existing jobs, newest first, those of jobs in `dir` before the others.
fn commands(model: &Model, dir: &str) -> Vec<String> {
    let mut history: Vec<String> = Vec::new();
    let newest = || model.jobs.iter().rev();
    let is_here = |job: &&Job| job.record.summary.cwd == dir;
    let here = newest().filter(is_here);
    for job in here.chain(newest()) {
        let command = job.shell_line();
        if !history.contains(&command) {
            history.push(command);
        }
    }
    history
}

/// The name for a copy: `web-2` for `web`, `web-3` if `web-2` exists on the same machine.
fn next_name(model: &Model, job: &Job) -> String {
    let name = job.bare_name();
    let base = match name.rsplit_once('-') {
        Some((base, number)) if !base.is_empty() && number.parse::<u32>().is_ok() => base,
        _ => name,
    };
    let there = |one: &&Job| one.host() == job.host();
    let free = |name: &String| {
        let mut there = model.jobs.iter().filter(there);
        there.all(|one| one.bare_name() != name)
    };
    let mut names = (2_u32..).map(|n| format!("{base}-{n}"));
    names.find(free).unwrap_or_default()
}

impl Mode for Form {
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

    fn needs(&self) -> Needs {
        Needs {
            hints: true,
            ..Needs::default()
        }
    }

    fn bar(&self, _: &Model, _: Rect) -> Option<Bar> {
        None
    }

    fn status(&self, model: &Model, area: Rect, canvas: &mut Canvas) {
        draw::status(model, self, area, canvas);
    }

    fn hints(&self, model: &Model) -> Hints {
        if self.over {
            let exits = hints::hint(model, Action::Leave).into_iter().collect();
            return Hints {
                keys: Vec::new(),
                exits,
            };
        }
        let mut keys = hints::hints(model, &[Action::NextField]);
        if self.is_draft {
            keys.extend(hints::labelled(model, Action::Reset, "drop the draft"));
        }
        if let Some(values) = self.values() {
            keys.push(("space".to_owned(), "next".to_owned()));
            keys.push((values.join(" "), String::new()));
        }
        if self.is_at_command() && !self.picks().is_empty() {
            keys.extend(hints::labelled(model, Action::OlderCommand, "pick"));
        }
        if self.suggestion().is_some() {
            keys.extend(completes(model));
        }
        let accept = match self.purpose {
            // A suggestion is not what was typed: it has to be taken first.
            Purpose::New(_) if self.value(RUN).trim().is_empty() => None,
            Purpose::New(_) => hints::hint(model, Action::Accept),
            Purpose::Edit(..) => hints::labelled(model, Action::Accept, "change"),
        };
        let exits = accept.into_iter().chain(hints::hint(model, Action::Leave));
        Hints {
            keys,
            exits: exits.collect(),
        }
    }

    fn draw(&self, model: &Model, body: Rect, canvas: &mut Canvas) {
        let above = draw::whole(model, self, body, canvas.buffer_mut());
        draw_picks::draw(model, self, above, canvas.buffer_mut());
    }
}
