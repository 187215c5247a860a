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
    if selected {
        buf.set_style(line, theme.selected());
        put(buf, line, 0, theme.glyph("▌"), theme.key());
    }
    let glyph_style = state_style(model, job, &state);
    put(buf, line, 1, state.glyph(theme.ascii), glyph_style);
    let row = Row::of(model, job, &state, columns);
    let columns = row.columns;
    let name = text::clip_middle(job.bare_name(), row.name_room(), theme.glyph("…"));
    put(
        buf,
        line,
        LEAD,
        &name,
        name_style(model, job, &state, selected),
    );
    underline_hits(model, &name, line, buf);
    let word_style = match (row.is_quiet, job.record.summary.progress) {
        (true, _) => theme.dim(),
        (false, Some(progress)) if state.runs() => progress::style(progress, theme),
        (false, _) => glyph_style,
    };
    put(buf, line, LEAD + row.word_at, &row.word, word_style);
    let mut x = LEAD + columns.body;
    if columns.time > 0 {
        x += 1 + columns.time;
        let at = x - text::width(&row.time);
        put(buf, line, at, &row.time, theme.dim());
    }
    live(model, job, columns, x, line, buf);
    for width in [columns.cpu, columns.spark] {
        x += width + usize::from(width > 0);
    }
    let marks = marks(model, job, columns.marks);
    put(buf, line, x + 1, &marks, theme.key());
}

/// The word and the time of a row, and its columns, which depend on them.
struct Row {
    columns: Columns,
    word: String,
    /// Column of the word in the body.
    word_at: usize,
    /// Whether the glyph already shows the state, so that the word is about something else.
    is_quiet: bool,
    time: String,
}

impl Row {
    fn of(model: &Model, job: &Job, state: &State, columns: Columns) -> Self {
        let (words, mut columns) = match in_queue(job, state, columns) {
            Some((word, columns)) => (vec![word], columns),
            None => (state_words(job, state), columns),
        };
        let is_quiet = words.is_empty();
        let mut words = if is_quiet {
            quiet_words(job, columns)
        } else {
            words
        };
        let mut time = time(model, job, columns);
        if columns.is_word_for_time && !is_quiet {
            // When it is tried again belongs to the state.
            if matches!(state, State::Retrying(_)) {
                words.insert(0, format!("{} {time}", state.word()));
            }
            columns.body += 1 + columns.time;
            columns.time = 0;
            time.clear();
        }
        let name = text::width(job.bare_name());
        let (word, word_at) = place(&words, !is_quiet, name, columns);
        let used = if word.is_empty() {
            name
        } else {
            word_at + text::width(&word)
        };
        if used >= columns.body && text::width(&time) > columns.time {
            // `seen 59m` needs the blank before it.
            time = time.trim_start_matches("seen ").to_owned();
        }
        Self {
            columns,
            word,
            word_at,
            is_quiet,
            time,
        }
    }

    /// Columns for the name.
    fn name_room(&self) -> usize {
        if self.word.is_empty() {
            self.columns.body
        } else {
            self.word_at.saturating_sub(1)
        }
    }
}

/// Whether what is shown of a job is old: what was last known of a host that is not connected may not be so any more.
fn is_old(job: &Job) -> bool {
    job.record.summary.seen_at.is_some()
}

fn state_style(model: &Model, job: &Job, state: &State) -> Style {
    if is_old(job) {
        model.theme.dim()
    } else {
        model.theme.state(state)
    }
}

fn name_style(model: &Model, job: &Job, state: &State, selected: bool) -> Style {
    let theme = &model.theme;
    let is_active = (job.is_going() && !state.waits()) || state.failed();
    if selected {
        theme.selected_name()
    } else if is_active && !is_old(job) {
        Style::new()
    } else {
        theme.dim().remove_modifier(Modifier::BOLD)
    }
}

/// Underlines where the filter matches the name.
fn underline_hits(model: &Model, name: &str, line: Rect, buf: &mut Buffer) {
    let style = model.theme.key().add_modifier(Modifier::UNDERLINED);
    for at in model.query().hits(name) {
        let x = LEAD + text::width(&name[..at]);
        let letter: String = name[at..].chars().take(1).collect();
        put(buf, line, x, &letter, style);
    }
}

/// The words of a row whose glyph does not say everything, longest first: the state, or the progress that the program
/// reports.
pub(super) fn state_words(job: &Job, state: &State) -> Vec<String> {
    match state.row_words() {
        words if words.is_empty() => progress::words(job),
        words => words,
    }
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
    // When a job has ended does not change any more. Whether one still runs is not known.
    if let Some(seen) = job.record.summary.seen_at.filter(|_| job.is_going()) {
        return match columns.time {
            0 => String::new(),
            _ => units::seen(model.now.ms.saturating_sub(seen.millis())),
        };
    }
    let mut time = model.time_of(job);
    if let Some(ms) = job.until_start(model.now.ms)
        && text::width(&time) > columns.time
    {
        time = units::until_roughly(ms);
    }
    text::clip(&time, columns.time, "")
}

/// Current activity: CPU and output. For a finished job, how long it took.
fn live(model: &Model, job: &Job, columns: Columns, x: usize, line: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let now = model.now.ms;
    let end = x + columns.cpu + columns.spark + usize::from(columns.spark > 0) + 1;
    if job.is_going() {
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

/// Columns of a name for which a shorter word for the state is taken.
const LEAST_NAME: usize = 8;

/// The word of a row and its column in the body: in the word column, or at the end of the body if there is none. The
/// word of a state that is too long for it begins further left, and the name gives way; other words are left out for it.
fn place(words: &[String], is_state: bool, name: usize, columns: Columns) -> (String, usize) {
    let least = if is_state { name.min(LEAST_NAME) } else { name };
    let fits = |word: &&String| match columns.word_at {
        Some(at) => at + text::width(word) <= columns.body && (is_state || name < at),
        None => least + 1 + text::width(word) <= columns.body,
    };
    let shortest = words.last().filter(|_| is_state);
    let word = words.iter().find(fits).or(shortest);
    let word = word.cloned().unwrap_or_default();
    let end = columns.body.saturating_sub(text::width(&word));
    let at = columns.word_at.map_or(end, |at| at.min(end));
    (word, at)
}

/// Draws text at a column of a line, cut at the end.
pub(super) fn put(buf: &mut Buffer, line: Rect, x: usize, text: &str, style: Style) {
    let room = usize::from(line.width).saturating_sub(x);
    if room > 0 {
        let x = line.x + u16::try_from(x).unwrap_or(line.width);
        buf.set_stringn(x, line.y, text, room, style);
    }
}
