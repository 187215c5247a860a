//! The status line: the mode at the bottom left, then what it is about.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::bar::Bar;
use super::hints::{self, Hint};
use super::pane;
use super::{edit, menu, palette, question::question, reply};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::job::Job;
use crate::tui::model::layout::Kind;
use crate::tui::model::mode::{Help, Mode};
use crate::tui::model::rows::Row;
use crate::tui::model::scroll::{Part, Scroll};
use crate::tui::model::{Model, Selected};
use crate::tui::state::State;
use crate::tui::{text, units};

/// Draws the status line.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame<'_>) {
    match &model.mode {
        Mode::Normal => normal(model, area, frame),
        Mode::Insert(_) => insert(model, area, frame),
        Mode::Scroll(state, _) => scroll(model, state, area, frame),
        Mode::Filter(line) => edit::filter(model, line, area, frame),
        Mode::Prompt(form) => edit::prompt(model, form, area, frame),
        Mode::Confirm(confirm) => question(model, &confirm.ask, area, frame),
        Mode::Reply(state) => reply::line(model, state, area, frame),
        Mode::Palette(state) => palette::status(model, state, area, frame),
        Mode::Menu(state) => menu::draw(model, state, area, frame),
        Mode::Page(_) | Mode::Found(_) => {
            bar(model, area).draw(area, frame.buffer_mut());
        }
        Mode::Help(state) => help(model, state, area, frame),
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

fn normal(model: &Model, area: Rect, frame: &mut Frame<'_>) {
    let theme = &model.theme;
    let wide = area.width >= 60;
    let mut bar = bar(model, area);
    if let Some(job) = model.current() {
        job_items(model, job, &mut bar, wide);
        if wide {
            details(model, job, &mut bar);
        }
    } else if let Some(group) = model.group() {
        let n = group.jobs.len();
        let jobs = if n == 1 { "job" } else { "jobs" };
        bar.text(1, format!("{}: {n} {jobs}", group.title), theme.strong());
    }
    if let Some(quitting) = &model.quitting {
        let ended = quitting.total - quitting.left.len();
        let text = format!("stopped {ended} of {}, then closes", quitting.total);
        bar.right(0, vec![Span::styled(text, theme.state(&State::Stopping))]);
        if wide {
            bar.right(
                1,
                hints::spans(model, ("esc".to_owned(), "stay".to_owned())),
            );
        }
        bar.draw(area, frame.buffer_mut());
        return;
    }
    let kind = model.layout().kind;
    if kind == Kind::Stack && model.frame.open || kind == Kind::Zoom {
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
        let place = if wide { format!("[{place}]") } else { place };
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
    if kind != Kind::Stack {
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
    bar.draw(area, frame.buffer_mut());
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
    if wide || !matches!(state, State::Running | State::Done) {
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
    if let Some(cpu) = summary.cpu_percent {
        bar.text(8, format!("cpu {cpu:.0}%"), dim);
    }
    if let Some(memory) = summary.memory_bytes {
        bar.text(8, format!("mem {}", units::bytes(memory)), dim);
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

fn insert(model: &Model, area: Rect, frame: &mut Frame<'_>) {
    let theme = &model.theme;
    let wide = area.width >= 60;
    let mut bar = bar(model, area);
    let leave = hints::hint(model, Place::Insert, Action::Leave);
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
        bar.right(1, hints::spans(model, hint));
    }
    bar.draw(area, frame.buffer_mut());
}

fn scroll(model: &Model, scroll: &Scroll, area: Rect, frame: &mut Frame<'_>) {
    let theme = &model.theme;
    if let Some(line) = &scroll.input {
        edit::edit_line(model, "/", line, area, frame);
        return;
    }
    let mut bar = bar(model, area);
    let name = text::clip_middle(&model.name_of(&scroll.id), 24, theme.glyph("…"));
    bar.text(3, name, theme.strong());
    let lines = model
        .current()
        .map_or(0, |job| job.record.summary.output_lines);
    match scroll.loading {
        Some(Part::First) => bar.text(1, "reading the log", theme.dim()),
        _ => {
            // Lines above what is painted are known by number only once all of it is here.
            let below = scroll.total() - scroll.bottom();
            let total = usize::try_from(scroll.lines_then).unwrap_or(usize::MAX);
            let total = total.max(scroll.total());
            bar.text(1, format!("line {}/{total}", total - below), Style::new());
        }
    }
    if scroll.loading == Some(Part::Older) {
        bar.text(4, "reading older lines", theme.dim());
    }
    let new = lines.saturating_sub(scroll.lines_then);
    if new > 0 && scroll.loading != Some(Part::First) {
        bar.text(
            2,
            format!("{new} new below"),
            theme.state(&State::NeedsInput),
        );
    }
    if let Some(search) = &scroll.search {
        let found = match (search.at, search.rows.len()) {
            (_, 0) => "no match".to_owned(),
            (Some(at), n) => format!("{} of {n}", at + 1),
            (None, n) => format!("{n} matches"),
        };
        let shown = text::clip(&search.text, 20, theme.glyph("…"));
        bar.right(2, vec![Span::styled(format!("/{shown}"), theme.key())]);
        bar.right(1, vec![Span::raw(found)]);
    }
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
