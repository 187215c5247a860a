//! RELOAD: what a changed project file changes. Nothing happens before it is confirmed.

mod draw;
mod keys;

use ratatui::layout::Rect;

pub use self::keys::Action;
use crate::protocol::reply::{ChangeKind, Fate, PlannedChange, ProjectState};
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;
use crate::tui::{hints, project, status};

/// The mode: the plan of a project, and the first visible line of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    name: String,
    dir: String,
    /// What changes, then what stays.
    changes: Vec<PlannedChange>,
    warnings: Vec<String>,
    top: usize,
}

impl Plan {
    /// The plan in a reply.
    fn of(state: ProjectState) -> Self {
        let mut changes = state.plan;
        // Stable: both parts stay in the order of the file.
        changes.sort_by_key(|one| one.change == ChangeKind::Keep);
        Self {
            name: state.project.name,
            dir: state.project.dir,
            changes,
            warnings: state.warnings,
            top: 0,
        }
    }

    /// Number of jobs of which this becomes.
    fn count(&self, kind: ChangeKind) -> usize {
        let changes = self.changes.iter();
        changes.filter(|one| one.change == kind).count()
    }

    /// Number of jobs that are not in the file any more, go on, and can be stopped with it.
    fn prunable(&self) -> usize {
        let goes_on = |one: &&PlannedChange| one.fate == Some(Fate::GoesOn);
        self.changes.iter().filter(goes_on).count()
    }

    fn changes_anything(&self) -> bool {
        self.count(ChangeKind::Keep) < self.changes.len()
    }
}

/// Shows a plan that has something to confirm; otherwise says that nothing has changed.
pub fn show(model: &mut Model, state: ProjectState) {
    let plan = Plan::of(state);
    if !plan.changes_anything() {
        let name = &plan.name;
        model.note(format!("{name} is as its file says: nothing to reload."));
        return;
    }
    // The person is typing something else by now.
    if !model.is_normal() {
        model.note(format!("The file of {} has changes.", plan.name));
        return;
    }
    model.enter(plan);
    model.dirty = true;
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let Some(plan) = model.state::<Plan>() else {
        return;
    };
    let (lines, height) = draw::size(model, plan);
    let last = lines.saturating_sub(height);
    let top = plan.top.min(last);
    let (dir, gone) = (plan.dir.clone(), plan.prunable());
    let top = match model.keymap.action(&press.name) {
        Some(Action::Apply) => return apply(model, &dir, false, cmds),
        Some(Action::Prune) if gone > 0 => return apply(model, &dir, true, cmds),
        Some(Action::Leave) => return model.leave(),
        Some(Action::LineDown) => top + 1,
        Some(Action::LineUp) => top.saturating_sub(1),
        Some(Action::PageDown) => top + height,
        Some(Action::PageUp) => top.saturating_sub(height),
        Some(Action::Prune) | None => {
            let name = &press.name;
            let leave = hints::sentence(model, Action::Leave, "changes nothing");
            model.note(format!("No command on \"{name}\" here.{leave}"));
            return;
        }
    };
    if let Some(plan) = model.state_mut::<Plan>() {
        plan.top = top.min(last);
    }
}

fn apply(model: &mut Model, dir: &str, prune: bool, cmds: &mut Vec<Cmd>) {
    if !model.has_daemon("Not done") {
        return;
    }
    model.leave();
    project::reload(dir, prune, cmds);
}

impl Mode for Plan {
    fn name(&self) -> &'static str {
        "RELOAD"
    }

    fn tone(&self) -> Tone {
        Tone::Alarm
    }

    fn handlers(&self) -> Handlers {
        Handlers::of_keys(press)
    }

    fn needs(&self) -> Needs {
        Needs {
            hints: true,
            ..Needs::default()
        }
    }

    fn declines(&self) -> Option<fn(&mut Model, &mut Vec<Cmd>)> {
        Some(|model, _| model.leave())
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        let mut bar = status::bar(model, area);
        bar.text(0, draw::question(self, area), model.theme.strong());
        let mut answer = |rank, action, label: &str| {
            status::add_hint(model, &mut bar, rank, hints::labelled(model, action, label));
        };
        answer(0, Action::Apply, "yes");
        if self.prunable() > 0 {
            let label = format!("also stop {}", self.prunable());
            answer(2, Action::Prune, &label);
        }
        answer(0, Action::Leave, "no");
        Some(bar)
    }

    fn hints(&self, model: &Model) -> Hints {
        let mut keys: Vec<_> = hints::labelled(model, Action::Apply, "apply")
            .into_iter()
            .collect();
        if self.prunable() > 0 {
            let label = format!("also stop {}", self.prunable());
            keys.extend(hints::labelled(model, Action::Prune, &label));
        }
        let scroll = [Action::LineDown, Action::PageDown];
        keys.extend(hints::to_scroll(model, draw::size(model, self), &scroll));
        Hints {
            keys,
            exits: hints::labelled(model, Action::Leave, "change nothing")
                .into_iter()
                .collect(),
        }
    }

    fn draw(&self, model: &Model, body: Rect, canvas: &mut Canvas) {
        draw::draw(model, self, body, canvas.buffer_mut());
    }
}
