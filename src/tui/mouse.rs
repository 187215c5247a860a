//! Mouse handling. An event acts on what is under the pointer, in every mode.

use ratatui::layout::Rect;

use super::list::{fold, select, width};
use super::message::{Cmd, Effect};
use super::modes::{insert, normal, scroll};
use super::pane::{card, follow, links, live, load};
use super::{copy, hints};
use crate::protocol::SessionId;
use crate::term::keyparse::{Button, Mouse, MouseKind};
use crate::term::mousereport::report;
use crate::tui::crop;
use crate::tui::hit::{self, Hit};
use crate::tui::keymap::{KeyPress, chord};
use crate::tui::model::pointer::Held;
use crate::tui::model::rows::Row;
use crate::tui::model::{Model, Selected};
use crate::tui::scrollback::place::{Place, word_around};
use crate::tui::scrollback::selection::{Selection, Shape};
use crate::tui::scrollback::{GUTTER, Move, Scroll};

/// Rows per notch of the wheel, as in most terminals.
const NOTCH: isize = 3;

/// Handles a mouse event.
pub fn handle(model: &mut Model, mouse: Mouse, cmds: &mut Vec<Cmd>) {
    let hit = hit::at(model, mouse.col, mouse.row);
    if reaches_job(model, &mouse, &hit, cmds) {
        return;
    }
    match mouse.kind {
        MouseKind::ScrollUp => wheel(model, &hit, -NOTCH, cmds),
        MouseKind::ScrollDown => wheel(model, &hit, NOTCH, cmds),
        MouseKind::Down(Button::Left) => down(model, mouse, hit, cmds),
        MouseKind::Drag(Button::Left) => drag(model, mouse),
        MouseKind::Up(Button::Left) => up(model, mouse, cmds),
        _ => {}
    }
}

/// In INSERT, sends the event to a job that enabled mouse reports, in the job's coordinates. With
/// Shift held, the dashboard handles it.
fn reaches_job(model: &mut Model, mouse: &Mouse, hit: &Hit, cmds: &mut Vec<Cmd>) -> bool {
    let Some(id) = model.current_id().filter(|_| model.mode().types()).cloned() else {
        return false;
    };
    let held = model.pointer.held == Some(Held::Jobs);
    let area = match (hit, model.layout().pane) {
        (Hit::Pane(over, area), _) if *over == id => *area,
        // A drag that started in the pane stays in it, wherever the pointer is.
        (_, Some(area)) if held => area,
        _ => return false,
    };
    let Some(screen) = model.screen(&id) else {
        return false;
    };
    let modes = screen.modes();
    if modes.mouse == crate::term::modes::MouseMode::None || (mouse.shift && !held) {
        return false;
    }
    let crop = crop::crop(screen, area, model.pane.pan, true);
    let inside = |at: u16, from: u16, len: u16, cropped: u16, size: u16| {
        let at = at.clamp(from, from + len.saturating_sub(1)) - from;
        (at + cropped).min(size.saturating_sub(1))
    };
    let size = screen.size();
    let theirs = Mouse {
        col: inside(mouse.col, area.x, area.width, crop.left, size.cols()),
        row: inside(mouse.row, area.y, area.height, crop.top, size.rows()),
        ..*mouse
    };
    model.pointer.held = match mouse.kind {
        MouseKind::Down(_) => Some(Held::Jobs),
        MouseKind::Up(_) => None,
        _ => model.pointer.held,
    };
    if let Some(bytes) = report(&theirs, &modes) {
        insert::pass(model, &id, &bytes, cmds);
    }
    true
}

/// Scrolls the list, or scrolls the pane back through its log.
fn wheel(model: &mut Model, hit: &Hit, rows: isize, cmds: &mut Vec<Cmd>) {
    forget_left(model);
    if let Hit::Pane(id, _) = hit
        && Some(id) != model.current_id()
        && (rows < 0 || model.is_normal())
    {
        click_tile(model, id);
    }
    if model.needs().window {
        (model.mode().handlers().scroll)(model, rows);
        model.dirty = true;
        return;
    }
    match hit {
        Hit::Row(_) | Hit::List => {
            model.list.top = model.list.top.saturating_add_signed(rows);
            model.pointer.list_held_at = Some(model.list.cursor);
        }
        Hit::Pane(..) => wheel_pane(model, rows, cmds),
        Hit::Group if model.is_normal() => follow::nudge_by(model, rows, cmds),
        _ => return,
    }
    model.dirty = true;
}

/// The key that has left a mode goes to its job only if it is pressed again at once.
fn forget_left(model: &mut Model) {
    model.left = None;
}

fn wheel_pane(model: &mut Model, rows: isize, cmds: &mut Vec<Cmd>) {
    let typing = model.mode().types();
    if model.mode().scrolls() {
        load::go(model, Move::View, rows, cmds);
        leave_at_end(model, rows);
    } else if rows < 0 && (typing || model.is_normal()) {
        // A full-screen program without mouse reports gets no arrow keys for the wheel. tmux sends
        // none either, and in an editor they would move the cursor.
        let screen = model.current_id().and_then(|id| model.screen(id));
        if typing && screen.is_some_and(crop::is_full_screen) {
            return;
        }
        scroll::enter_by_wheel(model, cmds);
        if let Some(scroll) = &mut model.pane.scroll {
            load::move_or_wait(scroll, Move::View, rows);
        }
    } else if model.is_normal() {
        follow::nudge_by(model, rows, cmds);
    }
}

/// Leaves SCROLL, if the wheel opened it, once the wheel has scrolled down to the end.
fn leave_at_end(model: &mut Model, rows: isize) {
    let written = load::written(model);
    let Some(scroll) = &model.pane.scroll else {
        return;
    };
    let is_over = scroll.leaves_at_end
        && rows > 0
        && scroll.selection.is_none()
        && scroll.loading.is_none()
        && scroll.is_at_end()
        && scroll.text.end >= written;
    if is_over {
        scroll::leave_by_wheel(model);
    }
}

fn down(model: &mut Model, mouse: Mouse, hit: Hit, cmds: &mut Vec<Cmd>) {
    let count = model.pointer.click(model.now.ms, (mouse.col, mouse.row));
    model.dirty = true;
    model.pointer.held = None;
    forget_left(model);
    match hit {
        Hit::Hints(_) | Hit::Status(_) => {
            if let Some(key) = key_at(model, mouse.col, mouse.row) {
                press(model, &key, cmds);
            }
        }
        Hit::Row(at) => click_row(model, at),
        // A click on another tile of the grid selects it.
        Hit::Pane(id, _) if Some(&id) != model.current_id() => click_tile(model, &id),
        Hit::Pane(id, area) => press_pane(model, id, area, mouse, count, cmds),
        // A double click undoes what dragging has done.
        Hit::Divider if count == 2 => width::reset(model),
        Hit::Divider => model.pointer.held = Some(Held::Divider),
        Hit::Group => model.pointer.held = Some(Held::Group),
        Hit::List | Hit::Nothing => {}
    }
}

/// A click selects a row, a second click opens it. A click on a group header folds the group.
fn click_row(model: &mut Model, at: usize) {
    let Some(give_way) = model.mode().yields() else {
        return;
    };
    give_way(model);
    let before = model.pointer.clicked.take();
    select::row(model, at);
    let is_group = matches!(model.list.rows.get(at), Some(Row::Group(_)));
    if is_group {
        if let Selected::Group(key) = &model.list.selected {
            let close = !model.list.folded.contains(key);
            fold::group(model, close);
        }
    } else if before.as_ref() == Some(&model.list.selected) && model.is_normal() {
        normal::attach(model);
    } else {
        model.pointer.clicked = Some(model.list.selected.clone());
    }
}

/// A click on a tile selects it.
fn click_tile(model: &mut Model, id: &SessionId) {
    let Some(give_way) = model.mode().yields() else {
        return;
    };
    give_way(model);
    select::job(model, id);
}

/// In the pane, a held button selects; a double click selects a word, a triple click a line.
fn press_pane(
    model: &mut Model,
    id: SessionId,
    area: Rect,
    mouse: Mouse,
    count: u32,
    cmds: &mut Vec<Cmd>,
) {
    let area = text_area(model, area);
    if !shows_pane(model) || !area.contains((mouse.col, mouse.row).into()) {
        return;
    }
    hold_still(model, &id, area);
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    let Some(place) = place_at(scroll, area, mouse) else {
        release(model);
        return;
    };
    scroll.selection = None;
    match count {
        1 => {
            if !scroll.is_still && !scroll.follows {
                scroll.put(place);
            }
            scroll.pressed = Some(place);
            model.pointer.held = Some(Held::Selects);
            // A click alone changes nothing, so nothing is shown yet.
            return;
        }
        2 => {
            let (from, to) = word_around(&scroll.text, place);
            select_to(scroll, from, to, Shape::Text);
        }
        _ => select_to(scroll, place, place, Shape::Lines),
    }
    model.pointer.held = None;
    copy_selected(model, cmds);
}

/// If no log is shown, freezes the live screen, so that nothing moves under the selection.
fn hold_still(model: &mut Model, id: &SessionId, area: Rect) {
    let is_log = model
        .pane
        .scroll
        .as_ref()
        .is_some_and(|scroll| !scroll.is_still && !scroll.text.rows.is_empty());
    if is_log || model.mode().scrolls() {
        return;
    }
    if let Some(still) = live::freeze(model, id, area) {
        model.pane.scroll = Some(Box::new(still));
    }
}

/// The part of the pane `area` that shows the text of the job.
fn text_area(model: &Model, area: Rect) -> Rect {
    let log = model.pane.scroll.as_ref().filter(|scroll| !scroll.is_still);
    if log.is_some() || model.pane.rewind.is_some() {
        area
    } else {
        card::draw::above(model, area)
    }
}

fn drag(model: &mut Model, mouse: Mouse) {
    if model.pointer.held == Some(Held::Divider) && model.layout().divider.is_some() {
        width::set(model, mouse.col);
        return;
    }
    if model
        .pointer
        .held
        .take_if(|held| *held == Held::Group)
        .is_some()
    {
        let key = model.key("m").to_owned();
        model.note(format!(
            "Text is selected in the pane of one job: select the job. {key} gives the mouse to the terminal."
        ));
        return;
    }
    if model.pointer.held != Some(Held::Selects) {
        return;
    }
    let Some(area) = model.layout().pane.map(|area| text_area(model, area)) else {
        return;
    };
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    if let (Some(from), Some(to)) = (scroll.pressed, place_at(scroll, area, mouse)) {
        select_to(scroll, from, to, Shape::Text);
        model.dirty = true;
    }
}

/// Releasing the button copies the selection. A click without a selection opens the link under the pointer.
fn up(model: &mut Model, mouse: Mouse, cmds: &mut Vec<Cmd>) {
    let was_held = model.pointer.held.take();
    if was_held != Some(Held::Selects) {
        return;
    }
    let pressed = model
        .pane
        .scroll
        .as_mut()
        .and_then(|scroll| scroll.pressed.take());
    let has_selection = |scroll: &Scroll| scroll.selection.is_some();
    let is_click = pressed.is_some() && !model.pane.scroll.as_deref().is_some_and(has_selection);
    copy_selected(model, cmds);
    let pane = model.layout().pane.zip(model.current_id());
    let at = (mouse.col, mouse.row).into();
    if let Some((area, id)) = pane.filter(|_| is_click)
        && let Some(link) = links::at(model, id, text_area(model, area), at)
    {
        cmds.push(Cmd::Effect(Effect::Open(link)));
    }
}

fn copy_selected(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let selected = model
        .pane
        .scroll
        .as_ref()
        .filter(|scroll| scroll.selection.is_some())
        .map(|scroll| scroll.selected());
    match selected {
        // A drag over nothing must not replace what is on the clipboard.
        Some(text) if text.trim().is_empty() => model.note("There is nothing to copy there."),
        Some(text) => copy::lines(model, text, cmds),
        None => {}
    }
    if let Some(scroll) = &mut model.pane.scroll {
        scroll.selection = None;
    }
    release(model);
    model.dirty = true;
}

/// Shows the live screen again after text on it was selected.
fn release(model: &mut Model) {
    if !model.mode().scrolls() {
        model.pane.scroll.take_if(|scroll| scroll.is_still);
    }
}

/// Whether the mode works on the pane, and not on something in front of it.
fn shows_pane(model: &Model) -> bool {
    model.is_normal() || model.mode().types() || model.mode().scrolls()
}

fn select_to(scroll: &mut Scroll, from: Place, to: Place, shape: Shape) {
    scroll.selection = Some(Selection {
        anchor: from,
        shape,
    });
    scroll.cursor = to;
}

/// The place in the text under the pointer; outside the pane, the nearest place in it.
fn place_at(scroll: &Scroll, area: Rect, mouse: Mouse) -> Option<Place> {
    let y = mouse.row.clamp(area.y, area.bottom().saturating_sub(1)) - area.y;
    let gutter = if scroll.display.times { GUTTER } else { 0 };
    let x = mouse.col.clamp(area.x, area.right().saturating_sub(1)) - area.x;
    let row = scroll
        .view()
        .nth(usize::from(y))
        .or_else(|| scroll.view().last())?;
    let col = scroll.left + usize::from(x.saturating_sub(gutter));
    Some(Place { row, col })
}

/// The key shown at a position of the last two lines, if there is one.
fn key_at(model: &Model, col: u16, row: u16) -> Option<String> {
    let layout = model.layout();
    let at = |area: &Rect| area.contains((col, row).into());
    if let Some(area) = layout.hints.filter(at) {
        return hints::bar(model).key_at(area, col);
    }
    let area = layout.status.filter(at)?;
    model.mode().bar(model, area)?.key_at(area, col)
}

/// Presses a key that was clicked in the hints.
fn press(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    // It may be a sequence of keys, which is no key.
    if model.mode().types() && insert::leaves_by(model, name) {
        insert::leave(model);
        return;
    }
    let Some(key) = chord::key(name) else {
        return;
    };
    let handlers = model.mode().handlers();
    (handlers.key)(model, &KeyPress::new(key, Vec::new()), cmds);
}
