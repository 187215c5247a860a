//! What status lines share: the mode at the bottom left, the job, who types into it, and a line that
//! is edited.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::bar::Bar;
use super::hints;
use super::line::{Line, draw};
use super::model::Model;
use super::model::job::Job;
use super::model::mode::Hint;
use super::scrollback::{Part, Scroll};
use super::state::State;
use super::text;
use super::theme::Tone;
use crate::tui::window::Canvas;

/// A bar that starts with the mode.
pub fn bar(model: &Model, area: Rect) -> Bar {
    begin(model, area, model.mode().name())
}

/// A bar that starts with a badge.
pub fn begin(model: &Model, area: Rect, word: &str) -> Bar {
    let wide = area.width >= 60;
    let style = model.theme.badge(model.mode().tone());
    let (gap, air) = if wide { (2, 1) } else { (1, 0) };
    let mut bar = Bar::new(gap).badge(format!(" {word} "), style, air);
    let alarms = Alarms::of(model);
    // A question needs its room more, and the line of the only such job says the same.
    let current = model.current().map(Job::state);
    let own = current.is_some_and(|state| state.needs_input());
    let is_own = own && alarms.total() == 1;
    let least = is_own || model.mode().tone() == Tone::Alarm;
    let rank = if least { 4 } else { 1 };
    let short = alarms.spans(model, false);
    for (at, (span, short)) in alarms.spans(model, wide).into_iter().zip(short).enumerate() {
        // Questions stay longest.
        bar.right_or(rank, vec![span], vec![short], at > 0);
    }
    bar
}

/// What a person should look at.
pub struct Alarms {
    /// Number of jobs that wait for a person.
    pub asks: usize,
    /// Number of failed jobs that nobody has looked at.
    pub failed: usize,
}

impl Alarms {
    /// The present alarms.
    pub fn of(model: &Model) -> Self {
        Self {
            asks: model.counts().input,
            failed: model.unseen_failures(),
        }
    }

    /// Number of jobs.
    pub fn total(&self) -> usize {
        self.asks + self.failed
    }

    /// `1 asks` (`2 ask`) and `2 failed`, or `1?` and `2✗` if there is little room.
    fn spans(&self, model: &Model, wide: bool) -> Vec<Span<'static>> {
        let all = [
            (
                self.asks,
                if self.asks == 1 { "asks" } else { "ask" },
                State::NeedsInput,
            ),
            (self.failed, "failed", State::Failed(1)),
        ];
        let there = all.into_iter().filter(|(n, ..)| *n > 0);
        there
            .map(|(n, word, state)| {
                let words = if wide {
                    format!("{n} {word}")
                } else {
                    format!("{n}{}", state.glyph(model.theme.ascii))
                };
                Span::styled(words, model.theme.state(&state))
            })
            .collect()
    }

    /// Columns of the alarms in a bar, with the gap before each of them.
    pub fn width(model: &Model, area: Rect) -> usize {
        let wide = area.width >= 60;
        let spans = Self::of(model).spans(model, wide);
        spans
            .iter()
            .map(|span| span.width() + if wide { 2 } else { 1 })
            .sum()
    }
}

/// Who else is typing into the job in the pane, or that agents may not.
pub fn who_types(model: &Model) -> Option<String> {
    let id = model.current_id()?;
    if model.keyboards.agent_types(id) {
        let agent = model.keyboards.agent(id).unwrap_or("agent");
        Some(format!("{agent} is typing"))
    } else if model.holds_keyboard(id) {
        Some(HOLDS.to_owned())
    } else {
        None
    }
}

/// Adds who else is typing, in its short form if the line is not `wide` or has no room for the long one. Returns
/// whether somebody is.
pub fn add_who_types(model: &Model, bar: &mut Bar, wide: bool) -> bool {
    let Some(words) = who_types(model) else {
        return false;
    };
    let short = match words.as_str() {
        HOLDS => "held by you".to_owned(),
        _ => words.clone(),
    };
    let styled = |words| vec![Span::styled(words, model.theme.state(&State::NeedsInput))];
    let words = if wide { words } else { short.clone() };
    bar.right_or(2, styled(words), styled(short), false);
    true
}

/// Said of a job that agents may not type into.
const HOLDS: &str = "you hold the keyboard";

/// Columns left for a question beside name, state, time and the key that leaves.
pub fn beside(area: Rect) -> usize {
    usize::from(area.width).saturating_sub(56)
}

/// Adds a hint on the right.
pub fn add_hint(model: &Model, bar: &mut Bar, rank: u8, hint: Option<Hint>) {
    if let Some(hint) = hint {
        hints::right(model, bar, rank, hint);
    }
}

/// `web ● running 2h04m`; without the word if there is little room.
pub fn job_items(model: &Model, job: &Job, bar: &mut Bar, wide: bool) {
    let theme = &model.theme;
    let state = job.state();
    let name = text::clip_middle(&job.name, if wide { 24 } else { 14 }, theme.glyph("…"));
    let mut sign = state.glyph(theme.ascii).to_owned();
    if wide {
        sign = format!("{sign} {}", job.word());
    }
    let time = model.time_of(job);
    let mut spans = vec![
        Span::styled(name, theme.strong()),
        Span::raw(" "),
        Span::styled(sign, theme.state(&state)),
    ];
    if wide && !time.is_empty() {
        spans.push(Span::raw(format!(" {time}")));
    }
    bar.left(0, spans);
    if !(wide || state.runs() || state == State::Done) {
        // The words of the list are short, but do not say who asks.
        let words = state.row_words();
        let first = words.first().filter(|_| state != State::Asked);
        let word = first.cloned().unwrap_or_else(|| job.word());
        let short = words.last().unwrap_or(&word).clone();
        bar.text_or(2, word, short, theme.state(&state));
    }
    if !wide && !time.is_empty() {
        bar.text(3, time, Style::new());
    }
}

/// The mode, a prompt sign, and the edited line; a line that is too long loses its start. The alarms
/// are at the right end, if there is room for them. Returns the area left of them. `beside` is the
/// number of columns that the caller draws there, for which the alarms are shortened.
pub fn edit_line(
    model: &Model,
    sign: &str,
    line: &Line,
    beside: usize,
    area: Rect,
    canvas: &mut Canvas,
) -> Rect {
    let badge_text = format!(" {} ", model.mode().name());
    let x = u16::try_from(text::width(&badge_text) + 1).unwrap_or(0);
    let buf = canvas.buffer_mut();
    buf.set_stringn(
        area.x,
        area.y,
        &badge_text,
        usize::from(area.width),
        model.theme.badge(model.mode().tone()),
    );
    // The text, and the cursor after it.
    let text = text::width(sign) + text::width(&line.text()) + 1;
    let area = alarms(model, usize::from(x) + text, beside, area, buf);
    let field = Rect::new(
        (area.x + x).min(area.right()),
        area.y,
        area.width.saturating_sub(x),
        1,
    );
    draw::field(&model.theme, sign, line, true, field, canvas);
    area
}

/// Draws the alarms at the right end of a line whose text needs `text` columns, as long as they
/// leave room for it. Returns the area left of them. If possible, `beside` columns are left free
/// before them.
pub fn alarms(model: &Model, text: usize, beside: usize, area: Rect, buf: &mut Buffer) -> Rect {
    let room = usize::from(area.width).saturating_sub(text);
    let present = Alarms::of(model);
    for (wide, beside, most) in [
        (true, beside, 2),
        (false, beside, 2),
        (false, 0, 2),
        (false, 0, 1),
    ] {
        if wide && area.width < 60 {
            continue;
        }
        let gap: u16 = if wide { 2 } else { 1 };
        let mut spans = present.spans(model, wide);
        spans.truncate(most);
        let words: usize = spans.iter().map(Span::width).sum();
        // What is left of them ends with a blank, and so do they.
        let widths = words + usize::from(gap) * spans.len();
        if spans.is_empty() || widths + beside > room {
            continue;
        }
        let left = area.width - u16::try_from(widths).unwrap_or(area.width);
        let mut x = area.x + left + gap - 1;
        for span in spans {
            buf.set_span(x, area.y, &span, area.right().saturating_sub(x));
            x += u16::try_from(span.width()).unwrap_or(0) + gap;
        }
        return Rect {
            width: left,
            ..area
        };
    }
    area
}

/// `6 new below`, if there are new lines.
pub fn new_below(model: &Model, scroll: &Scroll, bar: &mut Bar) {
    let lines = model
        .current()
        .map_or(0, |job| job.record.summary.output_lines);
    let new = lines.saturating_sub(scroll.lines_then);
    if new > 0 && scroll.lines_then > 0 && scroll.loading != Some(Part::First) {
        let text = format!("{new} new below");
        bar.text(2, text, model.theme.state(&State::NeedsInput));
    }
}
