//! The time bar below a past screen: when the part of the recording begins and ends that it covers, where its runs
//! begin, and the moment that is shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::protocol::Timestamp;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::rewind::Rewind;
use crate::tui::units;
use crate::tui::{state::State, text};

/// Minimum width in columns of a bar with the step.
const WITH_STEP: u16 = 48;

/// Draws `12:40:03 ├──┬─────●──┤ now  step 10s`. A bar that goes on has `…` at that end.
pub fn draw(model: &Model, rewind: &Rewind, area: Rect, buf: &mut Buffer) {
    let Some(job) = model.job(&rewind.id) else {
        return;
    };
    let theme = &model.theme;
    let whole = recorded(model, job);
    let shown = shown(rewind, whole);
    let (from, to) = window(whole, shown, rewind.span_ms());
    let before = format!("{} ", units::clock_seconds(from, &model.zone));
    let last = if job.is_going() && to == whole.1 {
        "now".to_owned()
    } else {
        units::clock_seconds(to, &model.zone)
    };
    let step = match area.width {
        WITH_STEP.. => format!("  step {}", units::uptime(rewind.step_ms())),
        _ => String::new(),
    };
    let after = format!(" {last}{step}");
    let room = usize::from(area.width);
    let lead = text::width(&before);
    let length = room.saturating_sub(lead + text::width(&after) + 2);
    if length < 3 {
        return;
    }
    let rail = Rail {
        area,
        lead,
        length,
        from,
        to,
    };
    buf.set_stringn(area.x, area.y, &before, room, theme.plain());
    let end = lead + length;
    buf.set_stringn(rail.x(length), area.y, &after, room - end, theme.plain());
    rail.draw(model, whole, buf);
    let runs = model.runs.of(&rewind.id).iter();
    let begins = runs.skip(1).map(|run| run.started_at.millis());
    for at in begins.filter(|at| (from..=to).contains(at)) {
        let sign = theme.glyph("┬");
        buf.set_string(rail.x_of(at), area.y, sign, theme.plain());
    }
    let mark = State::Running.glyph(theme.ascii);
    buf.set_string(rail.x_of(shown), area.y, mark, theme.key());
}

/// When the recording of a job begins and ends, in milliseconds.
fn recorded(model: &Model, job: &Job) -> (i64, i64) {
    let summary = &job.record.summary;
    let first = model.runs.of(job.id()).first();
    let first = first.map_or(summary.created_at, |run| run.started_at);
    let end = summary.ended_at.map_or(model.now.ms, Timestamp::millis);
    (first.millis(), end.max(first.millis() + 1))
}

/// The line between the two times.
struct Rail {
    /// The area of the bar.
    area: Rect,
    /// Columns before the line.
    lead: usize,
    length: usize,
    /// The time of the left end, in milliseconds.
    from: i64,
    to: i64,
}

impl Rail {
    fn x(&self, column: usize) -> u16 {
        self.area.x + u16::try_from(self.lead + column).unwrap_or(self.area.width)
    }

    /// Where a time is on the line.
    fn x_of(&self, at: i64) -> u16 {
        let part = (at - self.from) as f64 / (self.to - self.from) as f64;
        let last = (self.length - 1) as f64;
        self.x((last * part.clamp(0.0, 1.0)).round() as usize)
    }

    /// Draws the line and its ends. `whole` is the time of the whole recording.
    fn draw(&self, model: &Model, whole: (i64, i64), buf: &mut Buffer) {
        let theme = &model.theme;
        let y = self.area.y;
        let rule = theme.glyph("─").repeat(self.length);
        buf.set_stringn(self.x(0), y, rule, self.length, theme.rule());
        let ends = [
            (0, self.from > whole.0, "├"),
            (self.length - 1, self.to < whole.1, "┤"),
        ];
        for (column, goes_on, sign) in ends {
            let sign = if goes_on { "…" } else { sign };
            buf.set_string(self.x(column), y, theme.glyph(sign), theme.dim());
        }
    }
}

/// The time of the shown moment. One without a time is before all output; until the first arrives, the present is
/// shown.
fn shown(rewind: &Rewind, (first, end): (i64, i64)) -> i64 {
    rewind
        .moment
        .map_or(end, |moment| moment.at.map_or(first, Timestamp::millis))
}

/// The part of the recording that the bar covers: so much of it, with the shown moment in the middle if possible.
fn window((first, end): (i64, i64), shown: i64, span: i64) -> (i64, i64) {
    if end - first <= span {
        return (first, end);
    }
    let from = (shown - span / 2).clamp(first, end - span);
    (from, from + span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::reply::ScreenMoment;
    use crate::tui::crop::split;

    #[test]
    fn the_bar_covers_all_or_the_part_around_the_moment() {
        assert_eq!(window((0, 50), 20, 60), (0, 50));
        assert_eq!(window((0, 1000), 500, 60), (470, 530));
        assert_eq!(window((0, 1000), 10, 60), (0, 60));
        assert_eq!(window((0, 1000), 1000, 60), (940, 1000));
    }

    #[test]
    fn the_beginning_is_at_the_left_end() {
        let mut rewind = Rewind::new(crate::tui::tests::jobs::id("web"));
        assert_eq!(
            shown(&rewind, (10, 90)),
            90,
            "the present, until a frame is there"
        );
        let moment = |previous, at: Option<i64>| ScreenMoment {
            offset: 0,
            at: at.map(Timestamp),
            previous,
            next: Some(7),
            next_at: None,
        };
        rewind.moment = Some(moment(None, None));
        assert_eq!(shown(&rewind, (10, 90)), 10);
        rewind.moment = Some(moment(Some(3), Some(50)));
        assert_eq!(shown(&rewind, (10, 90)), 50);
    }

    #[test]
    fn a_low_pane_has_no_bar() {
        let area = Rect::new(2, 1, 40, 10);
        let (screen, bar) = split(area);
        assert_eq!((screen.height, bar), (9, Some(Rect::new(2, 10, 40, 1))));
        assert_eq!(split(Rect { height: 5, ..area }).1, None);
    }
}
