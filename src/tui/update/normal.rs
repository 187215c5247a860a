//! NORMAL: commands.

use super::insert;
use super::msg::{Cmd, Exit};
use super::{
    copy, found, grid, keyboard, log, marks, menu, messages, mouse, open, page, pager, palette,
    prompt, quit, reply, scroll, select, undo, verbs,
};
use crate::term::keyparse::Input;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::layout::Kind;
use crate::tui::model::line::Line;
use crate::tui::model::mode::{Frame, Help, Mode};
use crate::tui::model::{Attached, Model, Selected};

/// Maximum time between two Ctrl-C that close the view, in milliseconds.
const INTERRUPT_MS: i64 = 2000;

/// Handles a key in NORMAL.
pub(super) fn press(model: &mut Model, name: &str, input: &Input, cmds: &mut Vec<Cmd>) {
    let just_left = model.just_left.take();
    let Some(action) = lookup(model, name) else {
        unknown(model, name);
        return;
    };
    if let (Action::Literal, Some((insert, frame)), false) = (action, just_left, model.read_only) {
        insert::again(model, insert, frame, &input.raw, cmds);
        return;
    }
    run(model, action, name, cmds);
}

/// Performs the action of a key called `name`, or of the palette, if the view may.
pub(super) fn run(model: &mut Model, action: Action, name: &str, cmds: &mut Vec<Cmd>) {
    let detaches = action == Action::Remove && model.attached != Attached::No;
    if model.read_only && changes(action) && !detaches {
        model.note("This view is read-only: it looks, and changes nothing.");
        return;
    }
    act(model, action, name, cmds);
}

/// The action of a key; in the grid some keys move between tiles.
fn lookup(model: &Model, name: &str) -> Option<Action> {
    let in_grid = model
        .in_grid()
        .then(|| model.keymap.action(Place::Grid, name));
    in_grid
        .flatten()
        .or_else(|| model.keymap.action(Place::Normal, name))
}

fn act(model: &mut Model, action: Action, name: &str, cmds: &mut Vec<Cmd>) {
    if model.in_grid() && grid::act(model, action, name) {
        return;
    }
    match action {
        Action::Down => select::step(model, true),
        Action::Up => select::step(model, false),
        Action::First => select::row(model, 0),
        Action::Last => select::row(model, usize::MAX),
        Action::Pick => select::pick(model, number(model, name)),
        Action::Fold => select::fold(model, true),
        Action::Unfold => select::fold(model, false),
        Action::NextAlert => select::alert(model),
        Action::Previous => select::previous(model),
        Action::Attach => attach(model),
        Action::Type => insert::enter(model, model.frame.zoom),
        Action::Zoom => zoom(model),
        Action::Grid => grid::toggle(model),
        Action::MoreTiles => grid::tiles(model, true),
        Action::FewerTiles => grid::tiles(model, false),
        Action::TileLeft => grid::step(model, -1, 0),
        Action::TileRight => grid::step(model, 1, 0),
        Action::TileUp => grid::step(model, 0, -1),
        Action::TileDown => grid::step(model, 0, 1),
        Action::Reply => reply::open(model),
        Action::TypeAll => marks::type_all(model),
        Action::TakeKeyboard => keyboard::take(model, cmds),
        Action::Mark => marks::toggle(model),
        Action::MarkAll => marks::all(model),
        Action::Signal => menu::signal(model, cmds),
        Action::RestartGroup => verbs::restart_group(model, cmds),
        Action::Duplicate => prompt::duplicate(model, cmds),
        Action::Edit => prompt::edit(model),
        Action::RemoveEnded => undo::remove_ended(model, cmds),
        Action::Undo => undo::undo(model),
        Action::ProjectUp | Action::ProjectDown => no_projects(model),
        Action::Find => scroll::find(model, cmds),
        Action::FindAll => found::open(model),
        Action::Sort => select::sort(model),
        Action::HalfUp | Action::HalfDown | Action::LineUp | Action::LineDown => {
            log::nudge(model, action, cmds);
        }
        Action::Times => scroll::times(model, cmds),
        Action::Wrap => scroll::wrap(model),
        Action::Copy => menu::copy(model),
        Action::CopyReport => copy::report(model, cmds),
        Action::Open => open::selected(model, cmds),
        Action::Pager => pager::log(model, cmds),
        Action::Details => page::details(model, cmds),
        Action::Mouse => mouse::toggle(model, cmds),
        Action::Palette => palette::open(model),
        Action::QuitAndStop => quit::ask(model, cmds),
        Action::StopGroup => verbs::stop_group(model, cmds),
        Action::StopAll => verbs::stop_all(model, cmds),
        Action::Messages => messages::open(model),
        Action::Stop => verbs::stop(model, cmds),
        Action::Kill => verbs::kill(model, cmds),
        Action::Restart => verbs::restart(model, cmds),
        Action::Pause => verbs::pause(model, cmds),
        Action::Decline => verbs::decline(model, cmds),
        Action::Remove if model.attached != Attached::No => cmds.push(Cmd::Quit(Exit::Closed)),
        Action::Remove => verbs::remove(model, cmds),
        Action::New => prompt::open(model, cmds),
        Action::Filter => model.mode = Mode::Filter(Line::new(&model.filter)),
        Action::Scroll => scroll::enter(model, name == "pgup", cmds),
        Action::PanLeft => pan(model, false),
        Action::PanRight => pan(model, true),
        Action::Back => back(model),
        Action::Literal => {
            let key = model.leave_keys.join(" ");
            model.note(format!("{key} leaves INSERT; this is NORMAL already."));
        }
        Action::Interrupt => interrupt(model, cmds),
        Action::Redraw => cmds.push(Cmd::Redraw),
        Action::Suspend => cmds.push(Cmd::Suspend),
        Action::Help => model.mode = Mode::Help(Help::default()),
        Action::Quit => cmds.push(Cmd::Quit(Exit::Closed)),
        _ => {}
    }
}

/// The number of the job that a key picks: its position among the keys bound to picking.
fn number(model: &Model, name: &str) -> usize {
    let bound = model.keymap.bound(Place::Normal, Action::Pick);
    let place = bound.and_then(|bound| bound.keys.iter().position(|key| key == name));
    place.map_or(0, |at| at + 1)
}

/// Whether an action affects a job or changes anything else.
fn changes(action: Action) -> bool {
    matches!(
        action,
        Action::Type
            | Action::Reply
            | Action::TypeAll
            | Action::TakeKeyboard
            | Action::Signal
            | Action::RestartGroup
            | Action::Duplicate
            | Action::Edit
            | Action::RemoveEnded
            | Action::Undo
            | Action::ProjectUp
            | Action::ProjectDown
            | Action::QuitAndStop
            | Action::Literal
            | Action::Stop
            | Action::StopGroup
            | Action::StopAll
            | Action::Kill
            | Action::Restart
            | Action::Pause
            | Action::Remove
            | Action::Decline
            | Action::New
    )
}

/// Enter: unfolds a group, opens the pane in the stack, and otherwise zooms into the job and types.
pub(super) fn attach(model: &mut Model) {
    if let Selected::Group(key) = &model.selected {
        let close = !model.folded.contains(key);
        select::fold(model, close);
        return;
    }
    if model.current().is_none() {
        model.note(format!(
            "There is no job to attach to. {} starts one.",
            model.key("n")
        ));
        return;
    }
    let stack_list = model.layout().kind == Kind::Stack && !model.frame.open;
    if stack_list || model.read_only {
        model.frame = Frame {
            zoom: model.frame.zoom || !stack_list,
            open: true,
            grid: model.frame.grid,
        };
    } else {
        insert::enter(model, true);
    }
}

fn zoom(model: &mut Model) {
    if model.current().is_none() {
        model.note("There is no job to zoom into.");
        return;
    }
    model.frame.zoom = !model.frame.zoom;
    leave_attached(model);
}

/// Undoes one step: errors, zoom, the pane of the stack, marks, filter. Never closes the view.
fn back(model: &mut Model) {
    if model.toasts.dismiss() {
        return;
    }
    if quit::stay(model) {
        model.note("The view stays open; the jobs are still being stopped.");
        return;
    }
    if model.peek.take_if(|peek| !peek.follows).is_some() {
        return;
    }
    if model.frame.zoom {
        model.frame.zoom = false;
        leave_attached(model);
    } else if model.frame.grid {
        model.frame.grid = false;
    } else if model.frame.open && model.layout().kind == Kind::Stack {
        model.frame.open = false;
    } else if !model.marked.is_empty() {
        model.marked.clear();
    } else if !model.filter.is_empty() {
        model.filter.clear();
        model.stale = true;
    }
}

/// After leaving the zoomed screen that it was opened for, the view is an ordinary dashboard.
pub(super) fn leave_attached(model: &mut Model) {
    if !model.frame.zoom {
        model.attached = Attached::No;
    }
}

/// Shifts a cropped pane sideways.
pub(super) fn pan(model: &mut Model, right: bool) {
    if let Some(peek) = &mut model.peek {
        peek.pan(right);
        return;
    }
    let Some(pane) = model.layout().pane else {
        return;
    };
    let cols = model.current().map_or(0, |job| job.record.summary.cols);
    let hidden = cols.saturating_sub(pane.width);
    if hidden == 0 {
        model.note("The pane shows the whole width.");
        return;
    }
    let step = (pane.width / 2).max(1);
    model.pan = if right {
        (model.pan + step).min(hidden)
    } else {
        model.pan.saturating_sub(step)
    };
}

fn interrupt(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    if model
        .interrupted_at
        .is_some_and(|at| now - at <= INTERRUPT_MS)
    {
        cmds.push(Cmd::Quit(Exit::Closed));
        return;
    }
    model.interrupted_at = Some(now);
    let name = model
        .current()
        .filter(|job| job.is_alive())
        .map(|job| job.name.clone());
    model.note(match name {
        Some(name) => format!(
            "Ctrl-C was not sent. {} then Ctrl-C interrupts {name}, {} stops it, {} closes this view.",
            model.key("i"),
            model.key("x"),
            model.key("q")
        ),
        None => format!(
            "Ctrl-C: there is nothing to interrupt. {} closes this view.",
            model.key("q")
        ),
    });
}

/// Tells that project files are not supported yet.
fn no_projects(model: &mut Model) {
    model.note(format!(
        "There are no project files yet. {} starts a job.",
        model.key("n")
    ));
}

fn unknown(model: &mut Model, name: &str) {
    let typing = model
        .current()
        .filter(|_| !model.read_only)
        .map(|job| format!(" To type into {} press {}.", job.name, model.key("i")));
    model.note(format!(
        "No command on \"{name}\".{}",
        typing.unwrap_or_else(|| format!(" {} shows the keys.", model.key("?")))
    ));
}
