//! The commands of NORMAL in the palette, with the equivalent shell commands.

use super::keys::Action;
use super::{quit, verbs};
use crate::protocol::SessionId;
use crate::tui::keymap::KeyAction;
use crate::tui::model::{Attached, Model};
use crate::tui::modes::palette::{Commands, Entry};
use crate::tui::shell::{self, Verb};

/// What the palette offers.
pub(super) const COMMANDS: Commands = Commands {
    list,
    run: |model, index, cmds| {
        if let Some(&action) = Action::ALL.get(index) {
            super::run(model, action, "", cmds);
        }
    },
};

/// Every command in the order of the key bindings.
pub fn list(model: &Model) -> Vec<Entry> {
    let bound = model.keymap.actions::<Action>();
    let named = bound.filter(|(action, _)| !matches!(action, Action::Pick | Action::Literal));
    named
        .map(|(action, bound)| {
            let name = bound.binding.label();
            Entry {
                index: action.index(),
                title: match about(model, action) {
                    Some(object) => format!("{name} {object}"),
                    None => name.clone(),
                },
                name,
                key: bound.keys.first().cloned().unwrap_or_default(),
                help: bound.binding.help_with_grace(model.stop_grace_ms),
                shell: shell(model, action),
            }
        })
        .collect()
}

/// What an action applies to, in words.
fn about(model: &Model, action: Action) -> Option<String> {
    match action {
        Action::Stop | Action::Kill | Action::Restart | Action::Pause | Action::Remove => {
            match model.targets().as_slice() {
                [] => None,
                [id] => Some(model.name_of(id)),
                several => Some(format!("{} jobs", several.len())),
            }
        }
        Action::StopGroup | Action::RestartGroup => Some(model.group_title()?),
        Action::Attach
        | Action::Reply
        | Action::Decline
        | Action::Duplicate
        | Action::Edit
        | Action::Pager
        | Action::Details => Some(model.current()?.name.clone()),
        _ => None,
    }
}

/// The equivalent shell command for what is selected, or in a few words why there is none.
fn shell(model: &Model, action: Action) -> Result<String, &'static str> {
    let verb = match action {
        Action::StopGroup => {
            let alive = quit::group(model).map(|(_, alive)| alive);
            let alive = alive.unwrap_or_default();
            return shell::on_jobs(Verb::Stop, model, &alive).ok_or("nothing of the group runs");
        }
        Action::RestartGroup => return shell::on_group(Verb::Restart, model).ok_or(NO_JOB),
        Action::Duplicate => return model.current().and_then(shell::run).ok_or(NO_JOB),
        Action::Attach | Action::Type => Verb::Attach,
        Action::Reply => Verb::Send,
        Action::Find => Verb::Find,
        Action::FindAll => Verb::FindAll,
        Action::Signal => {
            let survivors = verbs::survivors(model);
            return match shell::on_jobs(Verb::Kill, model, &survivors) {
                Some(line) => Ok(line),
                None => on_alive(Verb::Signal, model),
            };
        }
        Action::Stop => return on_alive(Verb::Stop, model),
        Action::Kill => return on_alive(Verb::Kill, model),
        Action::Pause if shell::all_paused(model) => return on_alive(Verb::Resume, model),
        Action::Pause => return on_alive(Verb::Pause, model),
        Action::Restart => Verb::Restart,
        Action::Decline => match model.current() {
            Some(job) if job.record.asked.is_empty() => return Err("no agent asks"),
            _ => Verb::Decline,
        },
        Action::Remove if model.attached != Attached::No => return Err("closes this view"),
        Action::Remove => {
            let ended = targets(model, |id| !is_alive(model, id));
            return shell::on_jobs(Verb::Remove, model, &ended).ok_or("no ended job is selected");
        }
        Action::Scroll | Action::Pager => Verb::Logs,
        Action::Details => Verb::Status,
        Action::New => Verb::Run,
        Action::StopAll => Verb::StopAll,
        Action::RemoveEnded if model.filter.is_empty() => Verb::Clean,
        Action::RemoveEnded => {
            let ended = verbs::ended(model);
            return shell::on_jobs(Verb::Remove, model, &ended).ok_or("no ended job is listed");
        }
        Action::QuitAndStop => return Err("asks what to stop"),
        Action::Edit => return Err("the shell only renames"),
        Action::ProjectUp | Action::ProjectDown => return Err("not available yet"),
        _ => return Err("only in this view"),
    };
    shell::on_selected(verb, model).ok_or(NO_JOB)
}

const NO_JOB: &str = "no job is selected";

/// A verb that applies only to jobs that are alive.
fn on_alive(verb: Verb, model: &Model) -> Result<String, &'static str> {
    let alive = targets(model, |id| is_alive(model, id));
    shell::on_jobs(verb, model, &alive).ok_or("no running job is selected")
}

fn targets(model: &Model, is_meant: impl Fn(&SessionId) -> bool) -> Vec<SessionId> {
    let mut ids = model.targets();
    ids.retain(is_meant);
    ids
}

fn is_alive(model: &Model, id: &SessionId) -> bool {
    model.job(id).is_some_and(|job| job.is_alive())
}
