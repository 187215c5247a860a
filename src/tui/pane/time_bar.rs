//! The time bar below a past screen: when the part of the recording begins and ends that it covers, where its runs
//! begin, and the moment that is shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::protocol::Timestamp;
use crate::tui::model::Model;
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
    let summary = &job.record.summary;
    let runs = model.runs.of(&rewind.id);
    let first = runs
        .first()
        .map_or(summary.created_at, |run| run.started_at);
    let end = summary.ended_at.map_or(model.now.ms, Timestamp::millis);
    let whole = (first.millis(), end.max(first.millis() + 1));
    let shown = shown(rewind, whole);
    let (from, to) = window(whole, shown, rewind.span_ms());
    let clock = |at: i64| units::clock_seconds(at, &model.zone);
    let last = if job.is_going() && to == whole.1 {
        "now".to_owned()
    } else {
        clock(to)
    };
    let step = match area.width {
        WITH_STEP.. => format!("  step {}", units::uptime(rewind.step_ms())),
        _ => String::new(),
    };
    let before = format!("{} ", clock(from));
    let after = format!(" {last}{step}");
    let taken = text::width(&before) + text::width(&after);
    let length = usize::from(area.width).saturating_sub(taken + 2);
    if length < 3 {
        return;
    }
    let x = |at: usize| area.x + u16::try_from(at).unwrap_or(area.width);
    let start = text::width(&before);
    let width = usize::from(area.width);
    buf.set_stringn(area.x, area.y, &before, width, theme.plain());
    buf.set_stringn(
        x(start + length),
        area.y,
        &after,
        width - start - length,
        theme.plain(),
    );
    let rule = theme.glyph("─").repeat(length);
    buf.set_stringn(x(start), area.y, rule, length, theme.rule());
    let ends = [(0, from > whole.0, "├"), (length - 1, to < whole.1, "┤")];
    for (at, goes_on, sign) in ends {
        let sign = if goes_on { "…" } else { sign };
        buf.set_string(x(start + at), area.y, theme.glyph(sign), theme.dim());
    }
    let place = |at: i64| {
        let part = (at - from) as f64 / (to - from) as f64;
        ((length - 1) as f64 * part.clamp(0.0, 1.0)).round() as usize
    };
    let begins = runs.iter().skip(1).map(|run| run.started_at.millis());
    for at in begins.filter(|at| (from..=to).contains(at)) {
        buf.set_string(
            x(start + place(at)),
            area.y,
            theme.glyph("┬"),
            theme.plain(),
        );
    }
    let mark = State::Running.glyph(theme.ascii);
    buf.set_string(x(start + place(shown)), area.y, mark, theme.key());
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
