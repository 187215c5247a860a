//! SCROLL: moving through the log of a job.

mod find;
mod keys;
pub mod rewind;
mod rewind_status;
mod status;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod find_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod rewind_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use ratatui::layout::Rect;

use self::find::Find;
pub use self::keys::{Action, RewindAction};
pub use self::rewind::reconcile as reconcile_past;
use super::filter::Action as SearchAction;
use super::help;
use super::insert::{self, Insert};
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::crop;
use crate::tui::keymap::{KeyAction, KeyPress, SCROLL};
use crate::tui::list::select;
use crate::tui::message::Cmd;
use crate::tui::model::mode::{Frame, Handlers, Hints, Mode, Needs};
use crate::tui::model::typing::Letter;
use crate::tui::model::{Model, READ_ONLY};
use crate::tui::options::Replay;
use crate::tui::pane::{jump, load};
use crate::tui::scrollback::Move;
use crate::tui::scrollback::seek::{Direction, JumpTarget};
use crate::tui::scrollback::selection::Shape;
use crate::tui::window::Canvas;
use crate::tui::{copy, hints, requests};

/// Minimum width in columns of the window for hints of several words.
const WIDE: u16 = 60;

/// The mode. What is scrolled is the log in the pane, which the model holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScrollBack {
    /// The job.
    id: SessionId,
    /// The frame to restore on leaving.
    back: Frame,
    /// The search line, while it is open.
    find: Option<Find>,
    /// INSERT and its frame, if the wheel has opened this over it.
    over: Option<(Insert, Frame)>,
}

/// Enters SCROLL on the selected job; `page_up` if the key for a page up was used.
pub fn enter(model: &mut Model, page_up: bool, cmds: &mut Vec<Cmd>) {
    if model.current().is_none() {
        model.note_no_job("There is no job whose log to scroll through.");
        return;
    }
    let back = model.mode().back().unwrap_or(model.frame);
    let before = model.frame;
    model.frame = Frame {
        open: true,
        grid: false,
        ..model.frame
    };
    let shown = model.pane.scroll.take().filter(|scroll| !scroll.is_still);
    let Some(mut scroll) = shown.or_else(|| load::begin(model, cmds)) else {
        model.frame = before;
        return;
    };
    scroll.follows = false;
    if page_up {
        let page = isize::try_from(scroll.height()).unwrap_or(1);
        load::move_or_wait(&mut scroll, Move::Page, -page);
    }
    let id = scroll.id.clone();
    model.pane.scroll = Some(scroll);
    model.enter(ScrollBack {
        id,
        back,
        find: None,
        over: None,
    });
}

/// Enters SCROLL as the wheel does, which leaves it again at the end.
pub fn enter_by_wheel(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let insert = model.state::<Insert>().cloned();
    let over = insert.zip(Some(model.frame));
    enter(model, false, cmds);
    if let Some(mode) = model.state_mut::<ScrollBack>() {
        mode.over = over;
    }
    if let Some(scroll) = &mut model.pane.scroll {
        scroll.leaves_at_end = true;
    }
}

/// Returns to where the wheel has opened SCROLL: to the live screen, or to INSERT.
pub fn leave_by_wheel(model: &mut Model) {
    let mode = model.state_mut::<ScrollBack>();
    let over = mode.and_then(|mode| mode.over.take());
    leave(model);
    if let Some((insert, frame)) = over {
        insert::go_on(model, insert, frame);
    }
}

/// Enters SCROLL as its key does: on the past screens of a full-screen program, whose log is no text, else on the log.
pub fn open(model: &mut Model, cmds: &mut Vec<Cmd>) {
    open_as(model, false, cmds);
}

/// Enters SCROLL a page up.
pub fn page_up(model: &mut Model, cmds: &mut Vec<Cmd>) {
    open_as(model, true, cmds);
}

fn open_as(model: &mut Model, page_up: bool, cmds: &mut Vec<Cmd>) {
    enter(model, page_up, cmds);
    let is_full = model.current().is_some_and(|job| {
        // The list alone shows no screen.
        let screen = model.screen(job.id()).map(crop::is_full_screen);
        let summary = &job.record.summary;
        let left_no_text = summary.output_bytes > 0 && summary.output_lines == 0;
        screen.unwrap_or(job.record.alt_screen) || (left_no_text && !job.is_going())
    });
    if is_full && model.mode().scrolls() {
        rewind::open_now(model, cmds);
    }
}

/// Enters SCROLL and opens the search line. Closing the line without a search leads back to where one was.
pub fn find(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let was_live = model
        .pane
        .scroll
        .as_ref()
        .is_none_or(|scroll| scroll.follows);
    enter(model, false, cmds);
    find::open(model, was_live);
}

/// Enters SCROLL and plays the recording of the selected job from its beginning.
pub fn replay(model: &mut Model, cmds: &mut Vec<Cmd>) {
    enter(model, false, cmds);
    if model.pane.scroll.is_some() {
        let from_the_beginning = Replay {
            from_ms: None,
            speed: 1.0,
        };
        rewind::replay(model, from_the_beginning, cmds);
        if let Some(rewind) = &mut model.pane.rewind {
            // Its key was pressed in NORMAL, and leads back there.
            rewind.is_direct = true;
        }
    }
}

/// Enters SCROLL on a job, with a search, at the line that starts at `offset`.
pub fn enter_at(
    model: &mut Model,
    id: &SessionId,
    search: &str,
    offset: Option<u64>,
    cmds: &mut Vec<Cmd>,
) {
    if model.job(id).is_none() {
        model.note("This job was removed; its log is gone.");
        return;
    }
    select::job(model, id);
    let before = cmds.len();
    enter(model, false, cmds);
    let offset = offset.unwrap_or_else(|| load::written(model));
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    scroll.search(search);
    scroll.land_at(offset);
    // Request the part around the offset instead of the end.
    cmds.truncate(before);
    load::load_around(model, offset, cmds);
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    // The key that leaves INSERT: the wheel may have left it before, which whoever types need not have noticed.
    if model.keymap.action(&press.name) == Some(Action::ToNormal) {
        return rewind::close(model, cmds);
    }
    if rewind::press(model, press, cmds) {
        return;
    }
    let Some(scroll) = &mut model.pane.scroll else {
        return leave(model);
    };
    if scroll.input.is_some() {
        find::press(model, press, cmds);
        return;
    }
    // Any key cancels the search in progress.
    scroll.jump = None;
    let height = isize::try_from(scroll.height()).unwrap_or(1);
    let (half, page) = ((height / 2).max(1), (height - 1).max(1));
    let Some(action) = model.keymap.action(&press.name) else {
        let name = &press.name;
        let back = hints::sentence(model, Action::Leave, "goes back");
        model.note(format!("No command on \"{name}\" in SCROLL.{back}"));
        return;
    };
    match action {
        Action::LineDown => load::go(model, Move::Cursor, 1, cmds),
        Action::LineUp => load::go(model, Move::Cursor, -1, cmds),
        Action::HalfDown => load::go(model, Move::Page, half, cmds),
        Action::HalfUp => load::go(model, Move::Page, -half, cmds),
        Action::PageDown => load::go(model, Move::Page, page, cmds),
        Action::PageUp => load::go(model, Move::Page, -page, cmds),
        Action::Top => top(model, cmds),
        Action::ColumnLeft => scroll.step(false),
        Action::ColumnRight => scroll.step(true),
        Action::NextWord => scroll.word(true),
        Action::PreviousWord => scroll.word(false),
        Action::FirstColumn => scroll.to_column(Some(0)),
        Action::LastColumn => scroll.to_column(None),
        Action::PanLeft => scroll.pan(false),
        Action::PanRight => scroll.pan(true),
        Action::SelectText => scroll.select(Shape::Text),
        Action::SelectLines => scroll.select(Shape::Lines),
        Action::SelectBlock => scroll.select(Shape::Block),
        Action::SelectOutput => {
            if !scroll.select_output() {
                model.note("The shell sends no marks (OSC 133) that tell output from prompts.");
            }
        }
        Action::OtherEnd => scroll.other_end(),
        Action::CopySelection => {
            let text = scroll.selected();
            scroll.selection = None;
            copy::lines(model, text, cmds);
        }
        // Leave one level at a time.
        Action::Leave if scroll.selection.is_some() => scroll.selection = None,
        Action::Live | Action::Leave | Action::ToNormal => leave(model),
        Action::Search => find::open(model, false),
        Action::OnlyMatches => {
            if scroll.search.is_some() {
                scroll.filter()
            } else {
                jump::nothing_yet(model)
            }
        }
        Action::Older => jump::jump(model, JumpTarget::Match, Direction::Older, cmds),
        Action::Newer => jump::jump(model, JumpTarget::Match, Direction::Newer, cmds),
        Action::NextError => jump::jump(model, JumpTarget::Error, Direction::Newer, cmds),
        Action::PreviousError => jump::jump(model, JumpTarget::Error, Direction::Older, cmds),
        Action::NextPrompt => jump::jump(model, JumpTarget::Boundary, Direction::Newer, cmds),
        Action::PreviousPrompt => jump::jump(model, JumpTarget::Boundary, Direction::Older, cmds),
        Action::Times => load::times(model, cmds),
        Action::Pager => requests::pager(model, cmds),
        Action::Type => {
            if model.options.read_only {
                model.note(READ_ONLY);
            } else {
                let zoom = model.frame.zoom;
                insert::enter(model, zoom);
            }
        }
        Action::Rewind => rewind::enter(model, cmds),
        Action::Forward => {
            let key = model.keymap.instead_of(SCROLL, "<");
            model.note(format!("This is how it is now. {key} goes back."));
        }
        Action::Redraw => cmds.push(Cmd::Redraw),
        Action::Palette => model.open_commands(),
        Action::Help => help::open(model),
    }
}

/// What a letter does on the log.
fn letter(model: &Model, name: &str) -> Letter {
    use Action::{
        ColumnLeft, ColumnRight, FirstColumn, HalfDown, HalfUp, LastColumn, LineDown, LineUp, Live,
        NextWord, PageDown, PageUp, PanLeft, PanRight, PreviousWord, Top,
    };
    match model.keymap.action(name) {
        None => Letter::Nothing,
        Some(Action::Search | Action::Type | Action::Palette | Action::Help) => Letter::Opens,
        Some(
            LineDown | LineUp | ColumnLeft | ColumnRight | NextWord | PreviousWord | FirstColumn
            | LastColumn | PanLeft | PanRight | HalfDown | HalfUp | PageDown | PageUp | Top | Live,
        ) => Letter::Motion,
        Some(_) => Letter::Reads,
    }
}

/// Goes to the start of the log.
fn top(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    scroll.go(Move::Page, isize::MIN + 1);
    scroll.to_column(Some(0));
    // The pending part is no longer needed.
    if scroll.text.has_older() {
        let first = scroll.text.first;
        scroll.land_at(first);
        load::load_around(model, first, cmds);
    }
}

fn paste(model: &mut Model, bytes: &[u8], _: &mut Vec<Cmd>) {
    find::paste(model, bytes);
}

/// Returns to the live screen.
pub fn leave(model: &mut Model) {
    if let Some(mode) = model.take::<ScrollBack>() {
        model.frame = mode.back;
        model.pane.scroll = None;
    }
}

impl Mode for ScrollBack {
    fn name(&self) -> &'static str {
        "SCROLL"
    }

    fn handlers(&self) -> Handlers {
        Handlers {
            reconcile: find::reconcile,
            ..Handlers::of_text(press, paste)
        }
    }

    fn due(&self) -> Option<i64> {
        self.find.as_ref().and_then(Find::due)
    }

    fn job(&self) -> Option<&SessionId> {
        Some(&self.id)
    }

    fn scrolls(&self) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        Needs {
            hints: true,
            ..Needs::default()
        }
    }

    fn back(&self) -> Option<Frame> {
        Some(self.back)
    }

    fn yields(&self) -> Option<fn(&mut Model)> {
        Some(leave)
    }

    fn reads(&self, model: &Model) -> Option<&'static str> {
        let is_text = model
            .pane
            .scroll
            .as_ref()
            .is_some_and(|scroll| scroll.input.is_some());
        match model.pane.rewind {
            Some(_) => Some(RewindAction::CONTEXT.name),
            None => Some(Action::CONTEXT.name).filter(|_| !is_text),
        }
    }

    fn letter(&self, model: &Model, name: &str) -> Letter {
        match model.pane.rewind {
            Some(_) => rewind::letter(model, name),
            None => letter(model, name),
        }
    }

    fn forget(&mut self, id: &SessionId) -> bool {
        self.id == *id
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        if let Some(past) = &model.pane.rewind {
            return Some(rewind_status::bar(model, past, area));
        }
        let scroll = model.pane.scroll.as_ref()?;
        let is_typed = scroll.input.is_some();
        (!is_typed).then(|| status::bar(model, scroll, area))
    }

    fn status(&self, model: &Model, area: Rect, canvas: &mut Canvas) {
        let input = model
            .pane
            .scroll
            .as_ref()
            .and_then(|scroll| scroll.input.as_ref());
        if let (Some(line), Some(scroll)) = (input, &model.pane.scroll) {
            let beside = status::found_width(scroll, line);
            let area = crate::tui::status::edit_line(model, "/", line, beside, area, canvas);
            status::found_beside(model, scroll, line, area, canvas.buffer_mut());
        }
    }

    fn hints(&self, model: &Model) -> Hints {
        let Some(scroll) = model
            .pane
            .scroll
            .as_ref()
            .filter(|_| model.pane.rewind.is_none())
        else {
            use RewindAction::{
                Back, Forward, HalfDown, HalfUp, Help, Leave, Play, ZoomIn, ZoomOut,
            };
            return Hints {
                keys: hints::hints(
                    model,
                    &[Back, Forward, Play, HalfUp, HalfDown, ZoomIn, ZoomOut, Help],
                ),
                exits: match model.pane.rewind.as_ref() {
                    Some(rewind) if rewind.is_direct && model.options.replay.is_none() => {
                        hints::labelled(model, Leave, "leave").into_iter().collect()
                    }
                    _ => hints::hints(model, &[Leave]),
                },
            };
        };
        if scroll.input.is_some() {
            let accept = hints::labelled(model, SearchAction::Accept, "search");
            let leave = hints::labelled(model, SearchAction::Leave, "cancel");
            return Hints {
                keys: accept.into_iter().collect(),
                exits: leave.into_iter().collect(),
            };
        }
        if scroll.selection.is_some() {
            let drops = match model.window.0 {
                WIDE.. => "drop selection",
                _ => "drop",
            };
            return Hints {
                keys: hints::hints(model, &[Action::CopySelection, Action::OtherEnd]),
                exits: Vec::from_iter(hints::labelled(model, Action::Leave, drops)),
            };
        }
        let mut actions = Vec::new();
        if scroll.search.is_some() {
            actions.extend([Action::Older, Action::Newer, Action::OnlyMatches]);
        }
        actions.extend([Action::Search, Action::SelectText, Action::Type]);
        actions.extend([Action::PreviousError, Action::Times, Action::Top]);
        actions.push(Action::Help);
        Hints {
            keys: hints::hints(model, &actions),
            exits: hints::hints(model, &[Action::Live, Action::Leave]),
        }
    }
}
