//! The status line: the mode at the bottom left, then what it is about.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::bar::Bar;
use super::hints::{self, Hint};
use super::top::marked;
use super::{edit, menu, palette, question::question, reply};
use super::{pane, rewind};
use crate::term::sanitize::clean;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::job::Job;
use crate::tui::model::layout::Kind;
use crate::tui::model::mode::{Help, Mode};
use crate::tui::model::rows::Row;
use crate::tui::model::scroll::selection::Shape;
use crate::tui::model::scroll::{Part, Scroll};
use crate::tui::model::sort::Sort;
use crate::tui::model::usage;
use crate::tui::model::{Model, Selected};
use crate::tui::state::State;
use crate::tui::{text, units};

/// Draws the status line.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame<'_>) {
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

/// The status line of the modes in which it has no line to edit.
pub(super) fn items(model: &Model, area: Rect) -> Option<Bar> {
    match &model.mode {
        Mode::Normal => Some(normal(model, area)),
        Mode::Insert(_) => Some(insert(model, area)),
        Mode::Scroll(state, _) if state.input.is_none() => Some(scroll(model, state, area)),
        Mode::Confirm(confirm) => Some(question(model, &confirm.ask, area)),
        Mode::Menu(menu) => Some(menu::bar(model, menu, area)),
        _ => None,
    }
}

/// A bar that begins with the mode.
fn bar(model: &Model, area: Rect) -> Bar {
    begin(model, area, model.mode.name())
}

/// A bar that begins with a badge.
pub(super) fn begin(model: &Model, area: Rect, word: &str) -> Bar {
    let wide = area.width >= 60;
    let style = model.theme.badge(model.mode.tone());
    let (gap, air) = if wide { (2, 1) } else { (1, 0) };
    Bar::new(gap).badge(format!(" {word} "), style, air)
}

fn normal(model: &Model, area: Rect) -> Bar {
    let theme = &model.theme;
    let wide = area.width >= 60;
    let mut bar = bar(model, area);
    let kind = model.layout().kind;
    if kind == Kind::Grid {
        bar.text(3, "grid", theme.dim());
    }
    if let Some(job) = model.current() {
        job_items(model, job, &mut bar, wide);
        if wide && kind != Kind::Grid {
            details(model, job, &mut bar);
        }
    } else if let Some(group) = model.group() {
        let n = group.jobs.len();
        let jobs = if n == 1 { "job" } else { "jobs" };
        bar.text(1, format!("{}: {n} {jobs}", group.title), theme.strong());
    }
    if let Some(peek) = model
        .peek
        .as_ref()
        .filter(|peek| !peek.follows && !peek.is_still)
    {
        new_below(model, peek, &mut bar);
    }
    if let Some(quitting) = &model.quitting {
        let ended = quitting.total - quitting.left.len();
        let text = format!("stopped {ended} of {}, then closes", quitting.total);
        bar.right(0, vec![Span::styled(text, theme.state(&State::Stopping))]);
        if wide {
            let stay = ("esc".to_owned(), "stay".to_owned());
            bar.right(1, hints::spans(model, stay));
        }
        return bar;
    }
    if kind == Kind::Grid {
        let seen = match area.width {
            // What most wonder about first; a narrow window says what it does to this job.
            100.. => "tiles show the bottom left of each screen, jobs are not resized".to_owned(),
            _ => pane::how_seen(model),
        };
        bar.right(4, vec![Span::styled(seen, theme.dim())]);
    } else if kind == Kind::Stack && model.frame.open || kind == Kind::Zoom {
        if let Some(question) = pane::question(model, beside(area)) {
            bar.text(1, question, theme.state(&State::Asked));
        }
        let seen = pane::how_seen(model);
        if who_types(model).is_none() && !seen.is_empty() {
            bar.right(4, vec![Span::styled(seen, theme.dim())]);
        }
    } else if who_types(model).is_none()
        && let Some(place) = place_in_list(model)
    {
        // Where there is no top line to say so.
        let sorted = match (model.layout().top, model.sort) {
            (None, sort) if sort != Sort::default() => format!(" by {}", sort.name()),
            _ => String::new(),
        };
        let seen = pane::how_seen(model);
        let place = match wide {
            true if pane::is_remarkable(&seen) => seen,
            true => format!("[{place}{sorted}]"),
            false => place,
        };
        if model.layout().top.is_none() && !model.marked.is_empty() {
            bar.right(2, vec![Span::styled(marked(model), theme.key())]);
        }
        bar.right(3, vec![Span::styled(place, theme.dim())]);
    }
    if let Some(words) = who_types(model) {
        bar.right(
            2,
            vec![Span::styled(words, theme.state(&State::NeedsInput))],
        );
    }
    if kind == Kind::Zoom {
        for (rank, action) in [(5, Action::Type), (5, Action::Scroll), (4, Action::Zoom)] {
            add_hint(
                model,
                &mut bar,
                rank,
                hints::hint(model, Place::Normal, action),
            );
        }
    }
    if !matches!(kind, Kind::Stack | Kind::Grid) {
        add_hint(
            model,
            &mut bar,
            1,
            hints::hint(model, Place::Normal, Action::Help),
        );
    }
    if kind == Kind::Zoom {
        add_hint(
            model,
            &mut bar,
            1,
            hints::hint(model, Place::Normal, Action::Quit),
        );
    }
    bar
}

/// Who else types into the job in the pane, or that nobody else may.
pub(super) fn who_types(model: &Model) -> Option<&'static str> {
    let id = model.current_id()?;
    if model.keyboards.agent_types(id) {
        Some("agent is typing")
    } else if model.keyboards.held.contains(id) {
        Some("you hold the keyboard")
    } else {
        None
    }
}

/// Columns for a question, where name, state, time and the way out have theirs.
fn beside(area: Rect) -> usize {
    usize::from(area.width).saturating_sub(56)
}

fn add_hint(model: &Model, bar: &mut Bar, rank: u8, hint: Option<Hint>) {
    if let Some(hint) = hint {
        bar.right(rank, hints::spans(model, hint));
    }
}

/// `web ● running 2h04m`; without the word where there is little room.
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

fn details(model: &Model, job: &Job, bar: &mut Bar) {
    let dim = model.theme.dim();
    let summary = &job.record.summary;
    if let Some(pid) = summary.pid {
        bar.text(5, format!("pid {pid}"), dim);
    } else if !job.is_alive() {
        let took = i64::try_from(summary.runtime_ms).unwrap_or(i64::MAX);
        bar.text(5, format!("took {}", units::took(took)), dim);
    }
    if job.is_alive() {
        let roomy = model.window.0 >= 100;
        let name = |name: &'static str| if roomy { name } else { "" };
        let mut used = Vec::new();
        used.extend(usage::percent(summary).map(|cpu| format!("{}{cpu}", name("cpu "))));
        let memory = summary.memory_bytes.map(units::bytes);
        used.extend(memory.map(|memory| format!("{}{memory}", name("mem "))));
        if !used.is_empty() {
            let gap = if roomy { "  " } else { " " };
            bar.text(5, used.join(gap), dim);
        }
        let ports: Vec<String> = job.ports().iter().map(|port| format!(":{port}")).collect();
        match ports.as_slice() {
            [] => {}
            [port] => bar.text(4, port.clone(), dim),
            [port, rest @ ..] => bar.text(4, format!("{port} +{}", rest.len()), dim),
        }
    }
    bar.text(
        6,
        format!("out {}", units::bytes(summary.output_bytes)),
        dim,
    );
    bar.text(7, format!("{}x{}", summary.cols, summary.rows), dim);
}

fn place_in_list(model: &Model) -> Option<String> {
    let jobs: Vec<usize> = model
        .rows
        .iter()
        .filter_map(|row| match row {
            Row::Job(index) => Some(*index),
            Row::Group(_) => None,
        })
        .collect();
    let Selected::Job(id) = &model.selected else {
        return None;
    };
    let at = jobs
        .iter()
        .position(|&index| model.jobs.get(index).is_some_and(|job| job.id() == id))?;
    Some(format!("{}/{}", at + 1, jobs.len()))
}

fn insert(model: &Model, area: Rect) -> Bar {
    let theme = &model.theme;
    let wide = area.width >= 60;
    let mut bar = bar(model, area);
    let leave = hints::hint(model, Place::Insert, Action::Leave);
    if let Mode::Insert(typing) = &model.mode
        && !typing.also.is_empty()
    {
        let ids = typing.jobs();
        let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
        let mode = model.mode.name();
        bar = begin(
            model,
            area,
            &format!("{mode}  TYPING INTO {} JOBS", ids.len()),
        );
        let room = usize::from(area.width).saturating_sub(50).max(8);
        let names = text::clip(&names.join(", "), room, theme.glyph("…"));
        bar.text(2, names, theme.strong());
        if let Some(hint) = leave {
            bar.right(0, hints::spans(model, hint));
        }
        return bar;
    }
    match model.current() {
        Some(job) if job.is_alive() => {
            job_items(model, job, &mut bar, wide);
            let asked = model.layout().title.is_none();
            let asked = asked.then(|| pane::question(model, beside(area)));
            match asked.flatten() {
                Some(question) => bar.text(1, question, theme.state(&State::Asked)),
                None => match who_types(model) {
                    Some(words) => {
                        bar.right(
                            2,
                            vec![Span::styled(words, theme.state(&State::NeedsInput))],
                        );
                    }
                    None => bar.right(2, vec![Span::styled("keys go to the job", theme.dim())]),
                },
            }
        }
        Some(job) => {
            let name = text::clip_middle(&job.name, 24, theme.glyph("…"));
            let how = match job.state() {
                State::Done => "0".to_owned(),
                State::Failed(code) => code.to_string(),
                other => other.word(),
            };
            let words = format!("{name} has exited ({how}).");
            bar.text(0, words, theme.state(&job.state()));
            let restart = hints::hint(model, Place::Normal, Action::Restart);
            add_hint(model, &mut bar, 2, restart);
        }
        None => {}
    }
    if let Some(hint) = leave {
        bar.right(0, hints::spans(model, hint));
    }
    bar
}

fn scroll(model: &Model, scroll: &Scroll, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = bar(model, area);
    let name = text::clip_middle(&model.name_of(&scroll.id), 24, theme.glyph("…"));
    bar.text(3, name, theme.strong());
    if scroll.loading == Some(Part::First) {
        bar.text(1, "reading the log", theme.dim());
        return bar;
    }
    bar.text(1, line_number(scroll), Style::new());
    if let Some(shape) = scroll.selection.map(|selection| selection.shape) {
        let word = match shape {
            Shape::Text => "selecting",
            Shape::Lines => "selecting lines",
            Shape::Block => "selecting a block",
        };
        bar.text(2, word, theme.key());
    }
    if let Some(hunt) = scroll.hunt {
        let way = if hunt.older { "older" } else { "newer" };
        bar.text(1, format!("searching {way} lines"), theme.dim());
    } else {
        match scroll.loading {
            Some(Part::Older) => bar.text(4, "reading older lines", theme.dim()),
            Some(Part::Around(_)) => bar.text(4, "reading the log there", theme.dim()),
            _ => {}
        }
    }
    new_below(model, scroll, &mut bar);
    // While it is still looked for, nobody knows.
    if let Some(search) = scroll.search.as_ref().filter(|_| scroll.hunt.is_none()) {
        // What is not here is not counted.
        let more = if scroll.text.has_older() || !scroll.has_end {
            "+"
        } else {
            ""
        };
        let found = match (search.at(scroll.cursor), search.found.len()) {
            (_, 0) => "no match".to_owned(),
            (Some(at), n) => format!("{} of {n}{more}", at + 1),
            (None, 1) => format!("1 match{more}"),
            (None, n) => format!("{n} matches{more}"),
        };
        let sign = if scroll.is_filtered() { "only /" } else { "/" };
        let shown = text::clip(&clean(&search.text), 20, theme.glyph("…"));
        bar.right(2, vec![Span::styled(format!("{sign}{shown}"), theme.key())]);
        bar.right(1, vec![Span::raw(found)]);
    }
    bar
}

/// `line 1243/1260`: the line of the cursor. Where the end is not here, only how far the cursor is.
fn line_number(scroll: &Scroll) -> String {
    let total = usize::try_from(scroll.lines_then).unwrap_or(usize::MAX);
    let rows = scroll.text.rows.len();
    if !scroll.has_end && rows > 0 {
        let (first, end) = (scroll.text.first, scroll.text.end.max(1));
        let row = scroll.text.rows.get(scroll.cursor.row);
        let at = row.map_or(0, |row| row.offset).saturating_sub(first);
        return format!("{}%", at * 100 / end);
    }
    let below = scroll.lines_below();
    let total = total.max(below + usize::from(rows > 0));
    format!("line {}/{total}", total - below)
}

/// `6 new below`, once there are.
fn new_below(model: &Model, scroll: &Scroll, bar: &mut Bar) {
    let lines = model
        .current()
        .map_or(0, |job| job.record.summary.output_lines);
    let new = lines.saturating_sub(scroll.lines_then);
    if new > 0 && scroll.lines_then > 0 && scroll.loading != Some(Part::First) {
        let text = format!("{new} new below");
        bar.text(2, text, model.theme.state(&State::NeedsInput));
    }
}

/// How far one has read a page.
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
