//! The row of a job: `[cursor][glyph] name  [port or exit]  [time]  [cpu]  [sparkline]  [marks]`.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::columns::{Columns, LEAD};
use super::marks::marks;
use super::progress;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::usage;
use crate::tui::state::State;
use crate::tui::{text, units};

/// Draws the row.
pub(super) fn draw(
    model: &Model,
    job: &Job,
    columns: Columns,
    selected: bool,
    line: Rect,
    buf: &mut Buffer,
) {
    let theme = &model.theme;
    let state = job.state();
    // What was last known of a host that is not connected may not be so any more.
    let is_old = job.record.summary.seen_at.is_some();
    let style = if is_old {
        theme.dim()
    } else {
        theme.state(&state)
    };
    if selected {
        buf.set_style(line, theme.selected());
        put(buf, line, 0, theme.glyph("▌"), theme.key());
    }
    put(buf, line, 1, state.glyph(theme.ascii), style);
    let progress = progress::words(job);
    let (words, columns) = match in_queue(job, &state, columns) {
        Some((word, columns)) => (vec![word], columns),
        None => (state.row_words(), columns),
    };
    let (words, is_quiet) = match words {
        words if !words.is_empty() => (words, false),
        _ if !progress.is_empty() => (progress, false),
        _ => (quiet_words(job, columns), true),
    };
    let time = time(model, job, columns);
    let words_of_state: &[String] = if is_quiet { &[] } else { &words };
    let columns = fit(model, job, words_of_state, text::width(&time), columns);
    let (word, word_at) = place(&words, !is_quiet, text::width(job.bare_name()), columns);
    let name_room = if word.is_empty() {
        columns.body
    } else {
        word_at.saturating_sub(1)
    };
    let name = text::clip_middle(job.bare_name(), name_room, theme.glyph("…"));
    let name_style = if selected {
        theme.selected_name()
    } else if !is_old && ((job.is_alive() && !state.waits()) || state.failed()) {
        Style::new()
    } else {
        theme.dim().remove_modifier(Modifier::BOLD)
    };
    put(buf, line, LEAD, &name, name_style);
    for at in model.query().hits(&name) {
        let x = LEAD + text::width(&name[..at]);
        let letter: String = name[at..].chars().take(1).collect();
        put(
            buf,
            line,
            x,
            &letter,
            theme.key().add_modifier(Modifier::UNDERLINED),
        );
    }
    let word_style = match (is_quiet, job.record.summary.progress) {
        (true, _) => theme.dim(),
        (false, Some(progress)) if state.runs() => progress::style(progress, theme),
        (false, _) => style,
    };
    put(buf, line, LEAD + word_at, &word, word_style);
    let mut x = LEAD + columns.body;
    if columns.time > 0 {
        x += 1 + columns.time;
        put(buf, line, x - text::width(&time), &time, theme.dim());
    }
    live(model, job, columns, x, line, buf);
    for width in [columns.cpu, columns.spark] {
        x += width + usize::from(width > 0);
    }
    let marks = marks(model, job, columns.marks);
    put(buf, line, x + 1, &marks, theme.key());
}

/// `queued #2`, with the place in the queue, and the columns of the row in which it fits. Nothing of such a job moves, so
/// it takes the columns of what does. `None` if there is no place, or no room for it where other states are.
fn in_queue(job: &Job, state: &State, columns: Columns) -> Option<(String, Columns)> {
    let waiting = job.record.summary.waiting.as_ref();
    let place = waiting?.place.filter(|_| *state == State::Queued)?;
    let word = format!("{} #{place}", state.word());
    let taken = |width: usize| width + usize::from(width > 0);
    let wide = Columns {
        body: columns.body + taken(columns.cpu) + taken(columns.spark),
        cpu: 0,
        spark: 0,
        ..columns
    };
    let has_room = |columns: &Columns| {
        columns.word_at.is_some_and(|at| {
            text::width(job.bare_name()) < at && at + text::width(&word) <= columns.body
        })
    };
    let columns = [columns, wide].into_iter().find(has_room)?;
    Some((word, columns))
}

/// The time of the row; empty if it has no column.
fn time(model: &Model, job: &Job, columns: Columns) -> String {
    let mut time = match job.record.summary.seen_at {
        Some(seen) => units::ago(model.now.ms.saturating_sub(seen.millis())),
        None => model.time_of(job),
    };
    if let Some(ms) = job.until_start(model.now.ms)
        && text::width(&time) > columns.time
    {
        time = units::until_roughly(ms);
    }
    text::clip(&time, columns.time, "")
}

/// The columns of a row whose name would be cut: it takes the columns that are empty in this row, and beside a
/// state also that of the time. A state without a time stands where times end, whatever the length of the name. The rows
/// of jobs that run keep theirs, which change all the time.
fn fit(model: &Model, job: &Job, state: &[String], time: usize, columns: Columns) -> Columns {
    let mut fitted = columns;
    let is_steady = !state.is_empty() || !job.is_alive();
    if !is_steady {
        return fitted;
    }
    if time == 0 && fitted.time > 0 && !state.is_empty() && fitted.word_at.is_none() {
        fitted.body += fitted.time + 1;
        fitted.time = 0;
    }
    let word = state.last().map_or(0, |word| text::width(word) + 1);
    let needs = text::width(job.bare_name()) + word;
    if needs > fitted.body && !has_live(model, job, columns) {
        let taken = |width: usize| width + usize::from(width > 0);
        fitted.body += taken(fitted.cpu) + taken(fitted.spark);
        (fitted.cpu, fitted.spark) = (0, 0);
    }
    if needs > fitted.body && fitted.time > 0 {
        let blank = fitted.time.saturating_sub(time);
        fitted.body += blank;
        fitted.time -= blank;
    }
    if needs > fitted.body && !state.is_empty() && fitted.time > 0 {
        fitted.body += fitted.time + 1;
        fitted.time = 0;
    }
    fitted
}

/// Whether [`live`] draws anything.
fn has_live(model: &Model, job: &Job, columns: Columns) -> bool {
    if !job.is_alive() {
        return job.state() == State::Done && columns.spark > 0;
    }
    let summary = &job.record.summary;
    let draws_spark = columns.spark > 0 && summary.pid.is_some();
    let spark = model.sparks.get(job.id()).copied().unwrap_or_default();
    let is_moving = !spark.is_new() || progress::bar(job, 1, true).is_some();
    (columns.cpu > 0 && usage::percent(summary).is_some()) || (draws_spark && is_moving)
}

/// Current activity: CPU and output. For a finished job, how long it took.
fn live(model: &Model, job: &Job, columns: Columns, x: usize, line: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let now = model.now.ms;
    let end = x + columns.cpu + columns.spark + usize::from(columns.spark > 0) + 1;
    if job.is_alive() {
        let summary = &job.record.summary;
        if let (Some(cpu), true) = (usage::percent(summary), columns.cpu > 0) {
            let right = x + 1 + columns.cpu;
            put(
                buf,
                line,
                right - text::width(&cpu).min(columns.cpu),
                &cpu,
                theme.dim(),
            );
        }
        if columns.spark > 0 && job.record.summary.pid.is_some() {
            let spark = model.sparks.get(job.id()).copied();
            let spark = spark.unwrap_or_default();
            let (shown, style) = match (
                progress::bar(job, columns.spark, theme.ascii),
                summary.progress,
            ) {
                (Some(bar), Some(progress)) => (bar, progress::style(progress, theme)),
                _ if spark.is_new() || spark.next_change(now).is_none() => {
                    (spark.text(now, theme.ascii), theme.rule())
                }
                _ => (spark.text(now, theme.ascii), theme.state(&State::Running)),
            };
            put(buf, line, end - columns.spark, &shown, style);
        }
    } else if job.state() == State::Done && columns.spark > 0 {
        let took = format!("took {}", took(job));
        let room = end - x - 1;
        if text::width(&took) <= room {
            put(buf, line, end - text::width(&took), &took, theme.dim());
        }
    }
}

/// The word where the glyph already shows the state: the port of a running job, or the duration of
/// a finished one if it has no other place.
fn quiet_words(job: &Job, columns: Columns) -> Vec<String> {
    if job.state() == State::Done && columns.spark == 0 && columns.word_at.is_some() {
        return vec![took(job)];
    }
    let port = job.ports().first().map(|port| format!(":{port}"));
    match (job.state(), port) {
        (State::Ready, Some(port)) => vec![format!("ready {port}"), port],
        (State::Ready, None) => vec!["ready".to_owned()],
        (_, port) => port.into_iter().collect(),
    }
}

fn took(job: &Job) -> String {
    let ms = i64::try_from(job.record.summary.runtime_ms).unwrap_or(i64::MAX);
    units::took(ms)
}

/// Columns of a name that stay beside a state, if there is a shorter word for the state, and if there is none.
const LEAST_NAMES: [usize; 2] = [8, 3];

/// The word of a row and its column in the body: in the word column; else further left, beside the
/// name; or, for a state, over the end of the name.
fn place(words: &[String], is_state: bool, name: usize, columns: Columns) -> (String, usize) {
    let beside = |name: usize| move |word: &&String| name + 1 + text::width(word) <= columns.body;
    let in_column = columns.word_at.and_then(|at| {
        let fits = |word: &&String| text::width(word) <= columns.body - at;
        words.iter().filter(|_| name < at).find(fits)
    });
    let over = || {
        let mut least = LEAST_NAMES.into_iter();
        let words = || words.iter().filter(|_| is_state);
        least.find_map(|least| words().find(beside(least)))
    };
    let word = in_column
        .or_else(|| words.iter().find(beside(name)))
        .or_else(over)
        .cloned()
        .unwrap_or_default();
    let right = columns.body.saturating_sub(text::width(&word));
    let at = columns.word_at.map_or(right, |at| at.min(right));
    (word, at.max(if in_column.is_some() { 0 } else { right }))
}

/// Draws text at a column of a line, cut at the end.
pub(super) fn put(buf: &mut Buffer, line: Rect, x: usize, text: &str, style: Style) {
    let room = usize::from(line.width).saturating_sub(x);
    if room > 0 {
        let x = line.x + u16::try_from(x).unwrap_or(line.width);
        buf.set_stringn(x, line.y, text, room, style);
    }
}
