//! The commands of NORMAL in the palette, with the equivalent shell commands.

use super::keys::Action;
use crate::tui::keymap::KeyAction;
use crate::tui::model::Model;
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
fn list(model: &Model) -> Vec<Entry> {
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

/// The equivalent shell command for what is selected.
fn shell(model: &Model, action: Action) -> Option<String> {
    let verb = match action {
        Action::StopGroup => return shell::on_group(Verb::Stop, model),
        Action::RestartGroup => return shell::on_group(Verb::Restart, model),
        Action::Duplicate => return shell::run(model.current()?),
        Action::Attach | Action::Type => Verb::Attach,
        Action::Reply => Verb::Send,
        Action::Find => Verb::Find,
        Action::FindAll => Verb::FindAll,
        Action::Signal => Verb::Signal,
        Action::Stop => Verb::Stop,
        Action::Kill => Verb::Kill,
        Action::Restart => Verb::Restart,
        Action::Pause => Verb::Pause,
        Action::Decline => Verb::Decline,
        Action::Remove => Verb::Remove,
        Action::Scroll | Action::Pager => Verb::Logs,
        Action::Details => Verb::Status,
        Action::StopAll | Action::QuitAndStop => Verb::StopAll,
        Action::RemoveEnded => Verb::Clean,
        _ => return None,
    };
    shell::on_selected(verb, model)
}
