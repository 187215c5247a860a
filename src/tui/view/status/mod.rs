//! The status line: the mode at the bottom left, then the state of that mode.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

mod insert;
mod normal;
mod scroll;

use super::bar::Bar;
use super::hints::{self, Hint};
use super::rewind;
use super::{edit, menu, palette, question::question, reply};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::mode::{Help, Mode};
use crate::tui::state::State;
use crate::tui::text;

/// Draws the status line.
pub(in crate::tui::view) fn draw(model: &Model, area: Rect, frame: &mut Frame<'_>) {
    if let Some(past) = model.past() {
        rewind::status(model, past, area, frame);
        return;
    }
    if let Some(items) = items(model, area) {
        items.draw(area, frame.buffer_mut());
        return;
    }
    match &model.mode {
        Mode::Scroll(state, _) => {
            if let Some(line) = &state.input {
                edit::edit_line(model, "/", line, area, frame);
            }
        }
        Mode::Filter(line) => edit::filter(model, line, area, frame),
        Mode::Prompt(form) => edit::prompt(model, form, area, frame),
        Mode::Page(page) => read(model, page.top, area, frame),
        Mode::Found(found) => super::found::status(model, found, area, frame),
        Mode::Reply(state) => reply::line(model, state, area, frame),
        Mode::Palette(state) => palette::status(model, state, area, frame),
        Mode::Help(state) => help(model, state, area, frame),
        _ => bar(model, area).draw(area, frame.buffer_mut()),
    }
}

/// The status line of modes without line editing.
pub(in crate::tui::view) fn items(model: &Model, area: Rect) -> Option<Bar> {
    match &model.mode {
        Mode::Normal => Some(normal::bar(model, area)),
        Mode::Insert(_) => Some(insert::bar(model, area)),
        Mode::Scroll(state, _) if state.input.is_none() => Some(scroll::bar(model, state, area)),
        Mode::Confirm(confirm) => Some(question(model, &confirm.ask, area)),
        Mode::Menu(menu) => Some(menu::bar(model, menu, area)),
        _ => None,
    }
}

/// A bar that starts with the mode.
fn bar(model: &Model, area: Rect) -> Bar {
    begin(model, area, model.mode.name())
}

/// A bar that starts with a badge.
pub(in crate::tui::view) fn begin(model: &Model, area: Rect, word: &str) -> Bar {
    let wide = area.width >= 60;
    let style = model.theme.badge(model.mode.tone());
    let (gap, air) = if wide { (2, 1) } else { (1, 0) };
    Bar::new(gap).badge(format!(" {word} "), style, air)
}

/// Who else is typing into the job in the pane, or that agents may not.
pub(in crate::tui::view) fn who_types(model: &Model) -> Option<&'static str> {
    let id = model.current_id()?;
    if model.keyboards.agent_types(id) {
        Some("agent is typing")
    } else if model.keyboards.held.contains(id) {
        Some("you hold the keyboard")
    } else {
        None
    }
}

/// Columns left for a question beside name, state, time and the key that leaves.
fn beside(area: Rect) -> usize {
    usize::from(area.width).saturating_sub(56)
}

fn add_hint(model: &Model, bar: &mut Bar, rank: u8, hint: Option<Hint>) {
    if let Some(hint) = hint {
        bar.right(rank, hints::spans(model, hint));
    }
}

/// `web ● running 2h04m`; without the word if there is little room.
fn job_items(model: &Model, job: &Job, bar: &mut Bar, wide: bool) {
    let theme = &model.theme;
    let state = job.state();
    let name = text::clip_middle(&job.name, if wide { 24 } else { 14 }, theme.glyph("…"));
    let mut sign = state.glyph(theme.ascii).to_owned();
    if wide {
        sign = format!("{sign} {}", state.word());
    }
    let time = job.time(model.now.ms);
    let mut spans = vec![
        Span::styled(name, theme.strong()),
        Span::raw(" "),
        Span::styled(sign, theme.state(&state)),
    ];
    if wide && !time.is_empty() {
        spans.push(Span::raw(format!(" {time}")));
    }
    bar.left(0, spans);
    if !wide && !matches!(state, State::Running | State::Done) {
        bar.text(3, state.word(), theme.state(&state));
    }
    if !wide && !time.is_empty() {
        bar.text(2, time, Style::new());
    }
}

/// The position in a page.
fn read(model: &Model, top: usize, area: Rect, frame: &mut Frame<'_>) {
    let mut bar = bar(model, area);
    let (lines, height) = super::page::size(model);
    let bottom = (top + height).min(lines);
    let place = format!("{bottom}/{lines}");
    bar.right(2, vec![Span::styled(place, model.theme.dim())]);
    add_hint(
        model,
        &mut bar,
        1,
        hints::hint(model, Place::Page, Action::Copy),
    );
    bar.draw(area, frame.buffer_mut());
}

fn help(model: &Model, help: &Help, area: Rect, frame: &mut Frame<'_>) {
    let theme = &model.theme;
    let mut bar = bar(model, area);
    if help.filter.is_empty() {
        bar.text(2, "type to narrow", theme.dim());
    } else {
        bar.text(0, help.filter.clone(), theme.strong());
    }
    let page = super::help::page(model);
    let bottom = (help.top + page.height).min(page.lines);
    bar.right(
        2,
        vec![Span::styled(
            format!("{bottom}/{}", page.lines),
            theme.dim(),
        )],
    );
    if model.layout().hints.is_none()
        && let Some(hint) = hints::hint(model, Place::Help, Action::Leave)
    {
        bar.right(1, hints::spans(model, hint));
    }
    bar.draw(area, frame.buffer_mut());
}
