//! NORMAL: keys are commands; none reaches a job.

mod commands;
mod frame;
mod hints;
mod hosts;
mod keys;
mod kind;
mod obstacle;
mod open_url;
mod project;
mod questions;
mod queues;
pub mod quit;
mod share;
mod status;
mod verbs;
mod words;

use ratatui::layout::Rect;

pub use self::commands::list as palette_rows;
pub use self::frame::attach;
use self::frame::{back, start_typing, zoom};
pub use self::keys::Action;
use self::kind::Reach;
pub use self::open_url::{no_browser, received as url_received};
pub use self::queues::paused as queue_paused;
pub use self::share::said as share_said;
use super::{compare, filter, form, found, help, insert, menu, page, palette, reply, scroll};
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::list::{fold, mark, select, width};
use crate::tui::message::{Cmd, Effect, Exit};
use crate::tui::model::mode::{Handlers, Hints, Mode};
use crate::tui::model::typing::Letter;
use crate::tui::model::{Attached, Model, READ_ONLY, Selected};
use crate::tui::pane::{follow, group, load};
use crate::tui::theme::Tone;
use crate::tui::{copy, grid, keyboard, removal, requests};

/// Maximum time between two Ctrl-C that close the view, in milliseconds.
const INTERRUPT_MS: i64 = 2000;

/// The mode. It has no state of its own.
pub struct Normal;

impl Mode for Normal {
    fn name(&self) -> &'static str {
        "NORMAL"
    }

    fn tone(&self) -> Tone {
        Tone::Calm
    }

    fn handlers(&self) -> Handlers {
        Handlers::of_text(press, refuse_paste)
    }

    fn yields(&self) -> Option<fn(&mut Model)> {
        Some(|_| {})
    }

    fn commands(&self) -> Option<fn(&mut Model)> {
        Some(|model| palette::open(model, commands::COMMANDS))
    }

    fn declines(&self) -> Option<fn(&mut Model, &mut Vec<Cmd>)> {
        Some(|_, _| {})
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(status::bar(model, area))
    }

    fn hints(&self, model: &Model) -> Hints {
        hints::hints(model)
    }
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let left = model.left.take();
    if model.in_grid()
        && let Some(action) = model.keymap.action(&press.name)
    {
        grid::act(model, action);
        return;
    }
    let Some(action) = model.keymap.action(&press.name) else {
        unknown(model, &press.name);
        return;
    };
    if let (Action::Literal, Some(left), false) = (action, left, model.options.read_only) {
        insert::again(model, left, press, cmds);
        return;
    }
    run(model, action, &press.name, cmds);
}

/// What a letter does in NORMAL.
pub fn meaning(model: &Model, name: &str) -> Letter {
    if model.in_grid() && model.keymap.action::<grid::Action>(name).is_some() {
        return Letter::Motion;
    }
    match model.keymap.action(name) {
        None => Letter::Unknown,
        Some(action) if kind::of(action).reach == Reach::Moves => Letter::Motion,
        Some(_) => Letter::Command,
    }
}

/// Whether text may follow a key at once, because a person who presses it means to type.
pub fn opens_text(model: &Model, name: &str) -> bool {
    let action = model.keymap.action(name);
    action.is_some_and(|action| kind::of(action).opens_text)
}

/// Pasted text would be read as commands.
pub fn refuse_paste(model: &mut Model, _: &[u8], _: &mut Vec<Cmd>) {
    let name = model.current().map(|job| job.name.clone());
    model.note(match name {
        Some(name) => format!(
            "The paste was not sent. To paste into {name} press {} first.",
            model.key("i")
        ),
        None => "There is no job to paste into.".to_owned(),
    });
}

/// Performs the action of a key called `name`, or of the palette, if the view may.
fn run(model: &mut Model, action: Action, name: &str, cmds: &mut Vec<Cmd>) {
    let detaches = action == Action::Remove && model.attached != Attached::No;
    if model.options.read_only && kind::of(action).reach == Reach::Changes && !detaches {
        model.note(READ_ONLY);
        return;
    }
    // Only two in a row close the view.
    if action != Action::Interrupt {
        model.interrupted_at = None;
    }
    act(model, action, name, cmds);
}

fn act(model: &mut Model, action: Action, name: &str, cmds: &mut Vec<Cmd>) {
    match action {
        Action::First if model.in_grid() => grid::first(model),
        Action::Last if model.in_grid() => grid::last(model),
        Action::Pick if model.in_grid() => grid::pick(model, number(model, name)),
        Action::Down => select::step(model, true),
        Action::Up => select::step(model, false),
        Action::First => select::row(model, 0),
        Action::Last => select::row(model, usize::MAX),
        Action::PageDown => page(model, true, cmds),
        Action::PageUp => page(model, false, cmds),
        Action::Pick => select::pick(model, number(model, name)),
        Action::Fold => fold::group(model, true),
        Action::Unfold => unfold(model, cmds),
        Action::FoldAll => fold::all(model),
        Action::NextAlert => select::alert(model),
        Action::Previous => select::previous(model),
        Action::Filter => filter::open(model),
        Action::Find => scroll::find(model, cmds),
        Action::FindAll => found::open(model),
        Action::Sort => select::sort(model),
        Action::Mark => mark::toggle(model),
        Action::MarkAll => mark::all(model),
        Action::Compare => compare::open(model),

        Action::Attach => attach(model),
        Action::Type => start_typing(model, model.frame.zoom),
        Action::Reply => reply::open(model),
        Action::TypeAll => type_all(model),
        Action::TakeKeyboard => keyboard::take(model, cmds),
        Action::Decline => verbs::decline(model, cmds),

        Action::Stop => verbs::stop(model, cmds),
        Action::StopGroup => verbs::stop_group(model, cmds),
        Action::StopAll => verbs::stop_all(model, cmds),
        Action::Kill => verbs::kill(model, cmds),
        Action::Signal => signal(model, cmds),
        Action::Pause => verbs::pause(model, cmds),
        Action::PauseQueue => queues::pause(model, cmds),
        Action::StartNow => queues::start_now(model, cmds),
        Action::MoveFirst => queues::move_to(model, true, cmds),
        Action::MoveLast => queues::move_to(model, false, cmds),
        Action::ClearLog => verbs::clear(model, cmds),
        Action::RestartAll => verbs::restart_all(model, cmds),
        Action::Restart => verbs::restart(model, cmds),
        Action::Resume => verbs::resume(model, cmds),
        Action::RestartGroup => verbs::restart_group(model, cmds),
        Action::New => form::open(model, cmds),
        Action::Duplicate => match obstacle::obstacle(model, action) {
            Some(why) if model.current().is_some() => model.note(why),
            _ => form::duplicate(model, cmds),
        },
        Action::Edit => form::edit(model, cmds),
        Action::Rename => form::rename(model, cmds),
        Action::Remove if model.attached != Attached::No => cmds.push(Cmd::Quit(Exit::Closed)),
        Action::Remove => verbs::remove(model, cmds),
        Action::RemoveEnded => verbs::remove_ended(model, cmds),
        Action::Undo => removal::undo(model),
        Action::ProjectUp => project::up(model, cmds),
        Action::ProjectDown => project::down(model, cmds),
        Action::ProjectReload => project::reload(model, cmds),
        Action::Exec => project::exec(model, cmds),

        Action::Zoom => zoom(model),
        Action::Narrower => width::change(model, false),
        Action::Wider => width::change(model, true),
        Action::Grid => grid::toggle(model),
        Action::Scroll if name == "pgup" => page(model, false, cmds),
        Action::Scroll => scroll::open(model, cmds),
        Action::HalfUp => follow::nudge(model, true, false, cmds),
        Action::HalfDown => follow::nudge(model, true, true, cmds),
        Action::LineUp => follow::nudge(model, false, false, cmds),
        Action::LineDown => follow::nudge(model, false, true, cmds),
        Action::PanLeft => model.pan(false),
        Action::PanRight => model.pan(true),
        Action::Times => load::times(model, cmds),
        Action::Wrap => load::wrap(model),

        Action::Copy => menu::copy(model),
        Action::CopyReport => copy::report(model, cmds),
        Action::Open => open_url::selected(model, cmds),
        Action::Pager => requests::pager(model, cmds),
        Action::Details => page::details(model, cmds),

        Action::Mouse => toggle_mouse(model, cmds),
        Action::Palette => model.open_commands(),
        Action::Messages => page::messages(model),
        Action::Share => share::share(model, cmds),
        Action::Export => share::export(model, cmds),
        Action::Replay => scroll::replay(model, cmds),
        Action::Back => back(model),
        Action::Literal => nothing_to_leave(model),
        Action::Interrupt => interrupt(model, cmds),
        Action::Redraw => cmds.push(Cmd::Redraw),
        Action::Suspend => cmds.push(Cmd::Suspend),
        Action::Help => help::open(model),
        Action::Quit => cmds.push(Cmd::Quit(Exit::Closed)),
        Action::QuitAndStop => quit::ask(model, cmds),
    }
}

/// Opens the form that renames the selected job, with this name in it.
fn rename_to(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    run(model, Action::Rename, "", cmds);
    form::name(model, name);
}

/// Logs in to the host of the selected row if it is not connected, otherwise unfolds the group.
fn unfold(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(host) = model.host_to_log_in().map(str::to_owned) else {
        return fold::group(model, false);
    };
    match obstacle::no_login(model) {
        Some(why) => model.note(why),
        None if model.options.read_only => fold::group(model, false),
        None => cmds.push(Cmd::Effect(Effect::Login(host))),
    }
}

/// Pages through the list if it does not show all of its rows, otherwise through the pane.
fn page(model: &mut Model, down: bool, cmds: &mut Vec<Cmd>) {
    if select::is_cut(model) {
        select::page(model, down);
        return;
    }
    let page = model.pane_size().map_or(1, |pane| pane.rows().max(2) - 1);
    let page = isize::try_from(page).unwrap_or(1);
    if down || group::is_shown(model) {
        follow::nudge_by(model, if down { page } else { -page }, cmds);
    } else if !model.pan_down(-page) {
        scroll::page_up(model, cmds);
    }
}

/// The number of the job that a key picks: its position among the keys bound to picking.
fn number(model: &Model, name: &str) -> usize {
    let mut keys = model.keymap.keys(Action::Pick).iter();
    keys.position(|key| key == name).map_or(0, |at| at + 1)
}

/// Opens the menu of signals. If processes have survived a stop, asks whether to kill them instead.
fn signal(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if verbs::kill_survivors(model, cmds) {
        return;
    }
    match obstacle::all_wait(model) {
        Some(why) => model.note(why),
        None => menu::signal(model),
    }
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
        .filter(|job| job.is_going())
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

/// The key that leaves INSERT was pressed in NORMAL.
fn nothing_to_leave(model: &mut Model) {
    let keys = model.keymap.keys(insert::Action::Leave).join(" ");
    model.note(format!("{keys} leaves INSERT; this is NORMAL already."));
}

fn unknown(model: &mut Model, name: &str) {
    let typing = model
        .current()
        .filter(|_| !model.options.read_only)
        .map(|job| format!(" To type into {} press {}.", job.name, model.key("i")));
    model.note(format!(
        "No command on \"{name}\".{}",
        typing.unwrap_or_else(|| format!(" {} shows the keys.", model.key("?")))
    ));
}

/// Types into all marked jobs that are alive, showing the selected one; names those left out.
fn type_all(model: &mut Model) {
    let marked = model.marked();
    if marked.is_empty() {
        model.note(obstacle::none_marked(model));
        return;
    }
    let is_going = |id: &SessionId| model.job(id).is_some_and(|job| job.is_going());
    let (mut alive, ended): (Vec<_>, Vec<_>) = marked.into_iter().partition(is_going);
    if alive.is_empty() {
        model.note("All marked jobs have ended already.");
        return;
    }
    if !ended.is_empty() {
        let names: Vec<String> = ended.iter().map(|id| model.name_of(id)).collect();
        let have = if ended.len() == 1 { "has" } else { "have" };
        model.note(format!("Left out: {} {have} ended.", names.join(", ")));
    }
    let current = model.current_id();
    let first = alive.iter().position(|id| Some(id) == current);
    let first = alive.remove(first.unwrap_or(0));
    select::to(model, Selected::Job(first.clone()));
    insert::enter_all(model, first, alive);
}

/// Releases the mouse to the terminal, or takes it.
fn toggle_mouse(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let on = !model.pointer.is_ours;
    model.pointer.is_ours = on;
    model.pointer.held = None;
    let key = model.key("m");
    let text = if on {
        format!("The mouse is for bgproc: click, wheel, drag to copy. {key} gives it back.")
    } else {
        format!("The mouse is for your terminal: select as usual. {key} takes it again.")
    };
    model.note_state("mouse".to_owned(), text, None);
    cmds.push(Cmd::Effect(Effect::Mouse(on)));
}
