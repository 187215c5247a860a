//! SCROLL on a past screen: stepping through its history, and playing it.

use super::ScrollBack;
use super::keys::RewindAction as Action;
use super::rewind_status::nothing_later;
use crate::protocol::Action as Request;
use crate::protocol::SessionId;
use crate::protocol::params::Capture;
use crate::protocol::reply::Captured;
use crate::tui::crop;
use crate::tui::hints;
use crate::tui::keymap::KeyPress;
use crate::tui::message::{Cmd, Effect, Exit, RequestKind};
use crate::tui::model::Model;
use crate::tui::model::rewind::{LARGE, Rewind, Step};
use crate::tui::model::typing::Letter;
use crate::tui::modes::help;
use crate::tui::options::Replay;
use crate::tui::pane::runs;
use crate::tui::scrollback::Scroll;
use crate::tui::scrollback::selection::Shape;

/// Slowest and fastest playback speed.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.125..=64.0;

/// Shows the scrolled job as it was before its last change.
pub(super) fn enter(model: &mut Model, cmds: &mut Vec<Cmd>) {
    open(model, None, 1.0, cmds);
}

/// Replays the job in the pane, from its beginning or from a given time.
pub fn replay(model: &mut Model, replay: Replay, cmds: &mut Vec<Cmd>) {
    open(model, Some(replay.from_ms.unwrap_or(0)), replay.speed, cmds);
}

/// Shows the screen of the scrolled job as it is, with its time bar.
pub(super) fn open_now(model: &mut Model, cmds: &mut Vec<Cmd>) {
    open(model, None, 1.0, cmds);
    if let Some(rewind) = &mut model.pane.rewind {
        rewind.is_direct = true;
    }
    if let Some(id) = model.current_id().cloned() {
        // The bar shows where runs begin.
        runs::request(&id, cmds);
    }
}

fn open(model: &mut Model, at: Option<i64>, speed: f64, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        return;
    };
    let (id, bytes) = (job.id().clone(), job.record.summary.output_bytes);
    let mut rewind = Rewind::new(id.clone());
    rewind.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end());
    rewind.plays_from = at;
    let capture = rewind.begin(at, bytes);
    model.pane.rewind = Some(rewind);
    cmds.push(request(&id, capture));
}

/// Handles a key if a past screen is shown; `false` if not, or if the key has no meaning there.
pub(super) fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) -> bool {
    if model.pane.rewind.is_none() {
        return false;
    }
    let Some(action) = model.keymap.action(&press.name) else {
        let name = &press.name;
        let back = hints::sentence(model, Action::Leave, "goes back");
        model.note(format!("No command on \"{name}\" in the past.{back}"));
        return true;
    };
    match action {
        Action::Back => step(model, Step::Back, cmds),
        Action::Forward => step(model, Step::Forward, cmds),
        Action::HalfUp => by(model, -1, cmds),
        Action::HalfDown => by(model, 1, cmds),
        Action::PageUp => by(model, -LARGE, cmds),
        Action::PageDown => by(model, LARGE, cmds),
        Action::ZoomIn => zoom(model, true),
        Action::ZoomOut => zoom(model, false),
        Action::SelectText => select(model),
        Action::Top => step(model, Step::First, cmds),
        Action::Play => play(model),
        Action::Faster => speed(model, 2.0),
        Action::Slower => speed(model, 0.5),
        Action::CopyScreen => copy(model, cmds),
        Action::PanLeft => model.pan(false),
        Action::PanRight => model.pan(true),
        Action::PanUp | Action::PanDown => {
            let rows = if action == Action::PanDown { 1 } else { -1 };
            if !model.pan_down(rows) {
                model.note("The pane shows the whole height.");
            }
        }
        Action::Leave => {
            let is_direct = model
                .pane
                .rewind
                .as_ref()
                .is_some_and(|rewind| rewind.is_direct);
            leave(model, cmds);
            if is_direct {
                super::leave(model);
            }
        }
        Action::Live => close(model, cmds),
        // The view of a replay closes with it.
        Action::Palette if model.options.replay.is_some() => {
            model.note("This view shows the recording only.");
        }
        Action::Palette => model.open_commands(),
        Action::Help => help::open(model),
    }
    true
}

/// What a letter does on a past screen.
pub(super) fn letter(model: &Model, name: &str) -> Letter {
    match model.keymap.action(name) {
        None => Letter::Nothing,
        Some(Action::Palette | Action::Help) => Letter::Opens,
        Some(Action::Play | Action::SelectText | Action::CopyScreen | Action::Leave) => {
            Letter::Reads
        }
        Some(_) => Letter::Motion,
    }
}

/// Handles a frame of the past.
pub fn received(model: &mut Model, id: &SessionId, captured: &Captured, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    let Some(rewind) = model.pane.rewind.as_mut().filter(|rewind| rewind.id == *id) else {
        return;
    };
    let is_first = rewind.screen.is_none();
    rewind.receive(captured, now);
    model.dirty = true;
    if !is_first {
        return;
    }
    match rewind.plays_from {
        Some(_) => {
            rewind.toggle(now);
        }
        // This frame equals the present screen, which was visible already: take the first step
        // back.
        None if rewind.is_direct => {}
        None => step(model, Step::Back, cmds),
    }
}

/// After a reconnect: the pending frame was lost. The first frame is requested again here; a frame
/// of the playback is requested by [`reconcile`], and one requested by a key must be requested by the
/// key again.
pub fn again(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(rewind) = &mut model.pane.rewind else {
        return;
    };
    let from = rewind.plays_from;
    rewind.loading = false;
    let job = model.jobs.iter().find(|job| *job.id() == rewind.id);
    if let (None, Some(job)) = (&rewind.screen, job) {
        let capture = rewind.begin(from, job.record.summary.output_bytes);
        cmds.push(request(&rewind.id, capture));
    }
}

/// A frame is not available.
pub fn failed(model: &mut Model) {
    if let Some(rewind) = &mut model.pane.rewind {
        rewind.loading = false;
        rewind.play = None;
        if rewind.screen.is_none() {
            model.pane.rewind = None;
        }
    }
}

/// Requests the next frame of the playback, and drops the past screen once it is no longer shown.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let id = model.state::<ScrollBack>().map(|mode| &mode.id);
    if model
        .pane
        .rewind
        .as_ref()
        .is_none_or(|rewind| Some(&rewind.id) != id)
    {
        model.pane.rewind = None;
        return;
    }
    let now = model.now.ms;
    if let Some(rewind) = &mut model.pane.rewind
        && let Some(capture) = rewind.play(now)
    {
        cmds.push(request(&rewind.id, capture));
    }
}

fn step(model: &mut Model, to: Step, cmds: &mut Vec<Cmd>) {
    let Some(rewind) = &mut model.pane.rewind else {
        return;
    };
    rewind.play = None;
    if rewind.loading {
        // Ignore keys that repeat faster than frames arrive.
        return;
    }
    match rewind.step(to) {
        Some(capture) => cmds.push(request(&rewind.id, capture)),
        None => model.note(match to {
            Step::Forward => nothing_later(model),
            Step::By(ms) if ms > 0 => nothing_later(model),
            _ => "There is nothing before this.",
        }),
    }
}

/// Steps by so many of the chosen steps.
fn by(model: &mut Model, steps: i64, cmds: &mut Vec<Cmd>) {
    let step_ms = model.pane.rewind.as_ref().map_or(0, Rewind::step_ms);
    step(model, Step::By(steps * step_ms), cmds);
}

fn zoom(model: &mut Model, is_in: bool) {
    if let Some(rewind) = &mut model.pane.rewind
        && !rewind.zoom(is_in)
    {
        model.note(if is_in {
            "This is the smallest step."
        } else {
            "This is the largest step."
        });
    }
}

/// Freezes the screen that is shown, and selects on it.
fn select(model: &mut Model) {
    let (Some(area), Some(size)) = (model.layout().pane, model.pane_size()) else {
        return;
    };
    let Some(rewind) = model.pane.rewind.take_if(|rewind| rewind.screen.is_some()) else {
        return;
    };
    if let Some(screen) = &rewind.screen {
        let crop = crop::crop(screen, area, model.pane.pan, false);
        let mut still = Scroll::still(rewind.id, size, screen, (crop.top, crop.left));
        still.select(Shape::Text);
        model.pane.scroll = Some(Box::new(still));
    }
}

fn play(model: &mut Model) {
    let now = model.now.ms;
    if let Some(rewind) = &mut model.pane.rewind
        && !rewind.toggle(now)
    {
        let end = nothing_later(model);
        model.note(format!("{end} There is nothing more to play."));
    }
}

fn speed(model: &mut Model, factor: f64) {
    if let Some(rewind) = &mut model.pane.rewind {
        rewind.speed = (rewind.speed * factor).clamp(*SPEEDS.start(), *SPEEDS.end());
    }
}

fn copy(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let screen = model
        .pane
        .rewind
        .as_ref()
        .and_then(|rewind| rewind.screen.as_ref());
    if let Some(screen) = screen {
        let text = screen.text(true);
        cmds.push(Cmd::Effect(Effect::Copy(text, "the screen".to_owned())));
    }
}

/// Leaves the past, if it is shown, and SCROLL.
pub(super) fn close(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.pane.rewind.is_some() {
        leave(model, cmds);
    }
    super::leave(model);
}

/// Leaves the past, and the view if that was opened for a replay.
fn leave(model: &mut Model, cmds: &mut Vec<Cmd>) {
    model.pane.rewind = None;
    if model.options.replay.is_some() {
        cmds.push(Cmd::Quit(Exit::Silent));
    }
}

fn request(id: &SessionId, capture: Capture) -> Cmd {
    Cmd::Request(RequestKind::Past(id.clone()), Request::Capture(capture))
}
