//! The status line of NORMAL: the job, its resource usage, and the position in the list.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::hints::{answers, hint};
use super::keys::Action;
use crate::tui::bar::Bar;
use crate::tui::list::marked;
use crate::tui::model::job::Job;
use crate::tui::model::layout::Kind;
use crate::tui::model::quitting::Quitting;
use crate::tui::model::rows::Row;
use crate::tui::model::sort::Sort;
use crate::tui::model::{Model, Selected, usage};
use crate::tui::pane::Shown;
use crate::tui::scrollback::Scroll;
use crate::tui::state::State;
use crate::tui::status::{self, add_hint, add_who_types, beside, job_items, new_below, who_types};
use crate::tui::{grid, hints, pane, units};

/// The status line.
pub(super) fn bar(model: &Model, area: Rect) -> Bar {
    let wide = area.width >= WIDE;
    let kind = model.layout().kind;
    let mut bar = status::bar(model, area);
    if model.options.read_only {
        bar.text(1, "READ ONLY", model.theme.strong());
    }
    add_selected(model, kind, wide, &mut bar);
    let is_scrolled = |scroll: &&Scroll| !scroll.follows && !scroll.is_still;
    if let Some(scroll) = model.pane.scroll.as_deref().filter(is_scrolled) {
        new_below(model, scroll, &mut bar);
    }
    if let Some(quitting) = &model.quitting {
        add_quitting(model, quitting, wide, &mut bar);
        return bar;
    }
    match kind {
        Kind::Grid => add_grid(model, area, &mut bar),
        Kind::Stack if model.frame.open => add_pane(model, area, &mut bar),
        Kind::Zoom => add_pane(model, area, &mut bar),
        _ => add_place(model, wide, &mut bar),
    }
    add_who_types(model, &mut bar, wide);
    add_keys(model, kind, &mut bar);
    bar
}

/// Columns from which details are shown.
const WIDE: u16 = 60;

/// What is selected.
fn add_selected(model: &Model, kind: Kind, wide: bool, bar: &mut Bar) {
    let theme = &model.theme;
    if kind == Kind::Grid {
        bar.text(3, "grid", theme.dim());
    }
    if let Some(job) = model.current() {
        job_items(model, job, bar, wide);
        if wide && kind != Kind::Grid {
            details(model, job, bar);
        } else if let Some(place) = job.place() {
            bar.text(6, place, theme.dim());
        }
    } else if let Some(group) = model.group() {
        let n = group.jobs.len();
        let jobs = if n == 1 { "job" } else { "jobs" };
        bar.text(1, format!("{}: {n} {jobs}", group.title), theme.strong());
    }
}

/// How many jobs are stopped; the view closes after the last one.
fn add_quitting(model: &Model, quitting: &Quitting, wide: bool, bar: &mut Bar) {
    let ended = quitting.total - quitting.left.len();
    let text = format!("stopped {ended} of {}, then closes", quitting.total);
    let style = model.theme.state(&State::Stopping);
    bar.right(0, vec![Span::styled(text, style)]);
    if wide {
        add_hint(model, bar, 1, hints::labelled(model, Action::Back, "stay"));
    }
}

/// How the tiles of the grid are shown, and which page of it.
fn add_grid(model: &Model, area: Rect, bar: &mut Bar) {
    let dim = model.theme.dim();
    let seen = match area.width {
        // In a wide window, answer the most common question; in a narrow one, show how this job
        // is displayed.
        100.. => "tiles show the end of each screen, jobs are not resized".to_owned(),
        _ => pane::how_shown(model).words(),
    };
    bar.right(4, vec![Span::styled(seen, dim)]);
    // Only if there is no top line that shows it.
    if let Some(page) = grid::page(model).filter(|_| model.layout().top.is_none()) {
        bar.right(2, vec![Span::styled(page, dim)]);
    }
}

/// What a pane with the whole width shows, and what its job asks.
fn add_pane(model: &Model, area: Rect, bar: &mut Bar) {
    let theme = &model.theme;
    if let Some(question) = pane::title::question(model, beside(area)) {
        // The pane shows it, too; in the zoom, only this line shows how to answer.
        let is_zoom = model.layout().kind == Kind::Zoom;
        bar.text(
            if is_zoom { 3 } else { 1 },
            question,
            theme.state(&State::Asked),
        );
    }
    let shown = pane::how_shown(model);
    if who_types(model).is_none() && shown != Shown::Nothing {
        bar.right(4, vec![Span::styled(shown.words(), theme.dim())]);
    }
}

/// The position in the list, and the marked jobs.
fn add_place(model: &Model, wide: bool, bar: &mut Bar) {
    let place = place_in_list(model).filter(|_| who_types(model).is_none());
    let Some(place) = place else {
        return;
    };
    let theme = &model.theme;
    // Only if there is no top line that shows it.
    let has_top = model.layout().top.is_some();
    let sorted = match model.list.sort {
        sort if !has_top && sort != Sort::default() => format!(" by {}", sort.name()),
        _ => String::new(),
    };
    let shown = pane::how_shown(model);
    let place = match wide {
        true if shown.is_remarkable() => shown.words(),
        true => format!("[{place}{sorted}]"),
        false => place,
    };
    if !has_top && !model.list.marked.is_empty() {
        bar.right(2, vec![Span::styled(marked(model), theme.key())]);
    }
    bar.right(3, vec![Span::styled(place, theme.dim())]);
}

/// The keys that help most.
fn add_keys(model: &Model, kind: Kind, bar: &mut Bar) {
    if kind == Kind::Zoom {
        let first = match model.current().filter(|_| !model.options.read_only) {
            None => Vec::new(),
            Some(job) if !job.is_going() => vec![(3, Action::Restart)],
            Some(job) if job.state().needs_input() => {
                let answers = (2..).zip(answers(job));
                answers.chain([(4, Action::Type)]).collect()
            }
            Some(_) => vec![(2, Action::Type)],
        };
        let keys = [(5, Action::Scroll), (4, Action::Zoom)];
        for (rank, action) in first.into_iter().chain(keys) {
            add_hint(model, bar, rank, hint(model, action));
        }
    }
    if !matches!(kind, Kind::Stack | Kind::Grid) {
        add_hint(model, bar, 1, hint(model, Action::Help));
    }
    if kind == Kind::Zoom {
        add_hint(model, bar, 1, hint(model, Action::Quit));
    }
}

fn details(model: &Model, job: &Job, bar: &mut Bar) {
    let dim = model.theme.dim();
    let summary = &job.record.summary;
    if let Some(pid) = summary.pid {
        bar.text(5, format!("pid {pid}"), dim);
    } else if let Some(place) = job.place() {
        bar.text(4, place, dim);
    } else if !job.is_going() {
        let took = i64::try_from(summary.runtime_ms).unwrap_or(i64::MAX);
        bar.text(5, format!("took {}", units::took(took)), dim);
    }
    if job.is_going() {
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
    // `cropped` says the size, too.
    if !matches!(pane::how_shown(model), Shown::Cropped(_)) {
        bar.text(7, format!("{}x{}", summary.cols, summary.rows), dim);
    }
}

fn place_in_list(model: &Model) -> Option<String> {
    let jobs: Vec<usize> = model
        .list
        .rows
        .iter()
        .filter_map(|row| match row {
            Row::Job(index) => Some(*index),
            Row::Group(_) => None,
        })
        .collect();
    let Selected::Job(id) = &model.list.selected else {
        return None;
    };
    let at = jobs
        .iter()
        .position(|&index| model.jobs.get(index).is_some_and(|job| job.id() == id))?;
    Some(format!("{}/{}", at + 1, jobs.len()))
}
