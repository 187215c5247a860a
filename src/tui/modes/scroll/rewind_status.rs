//! The status line of SCROLL while a past screen is shown.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::protocol::Timestamp;
use crate::tui::bar::Bar;
use crate::tui::model::Model;
use crate::tui::model::rewind::Rewind;
use crate::tui::{status, text, units};

/// The status line with the time shown: ` SCROLL  web  12:44:52  3m12s ago  playing 2x`.
pub(super) fn bar(model: &Model, rewind: &Rewind, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = status::bar(model, area);
    let name = text::clip_middle(&model.name_of(&rewind.id), 24, theme.glyph("…"));
    bar.text(3, name, theme.strong());
    match rewind.moment {
        None => bar.text(1, "reading the log", theme.dim()),
        Some(moment) => {
            if let Some(at) = moment.at.map(Timestamp::millis) {
                let time = units::clock_seconds(at, &model.zone);
                bar.text(0, time, theme.key());
                // The present screen may have been written long ago.
                if moment.next.is_some() {
                    let ago = units::uptime((model.now.ms - at).max(0));
                    bar.text(2, format!("{ago} ago"), Style::new());
                }
            }
            let place = match (moment.previous, moment.next) {
                (None, _) => Some("the beginning"),
                (_, None) if is_over(model, rewind) => Some("the end"),
                (_, None) => Some("now"),
                _ => None,
            };
            if let Some(place) = place {
                bar.text(4, place, theme.dim());
            }
            let out = units::bytes(moment.offset);
            bar.text(6, format!("out {out}"), theme.dim());
        }
    }
    let speed = speed(rewind.speed);
    match rewind.play {
        Some(_) => bar.right(
            1,
            vec![Span::styled(format!("playing {speed}"), theme.key())],
        ),
        None if rewind.speed != 1.0 => bar.right(3, vec![Span::styled(speed, theme.dim())]),
        None => {}
    }
    bar
}

/// Whether the job has ended, so that its last screen is not one of now.
fn is_over(model: &Model, rewind: &Rewind) -> bool {
    model.job(&rewind.id).is_some_and(|job| !job.is_going())
}

/// That nothing has happened later than what is shown.
pub(super) fn nothing_later(model: &Model) -> &'static str {
    let rewind = model.pane.rewind.as_ref();
    if rewind.is_some_and(|rewind| is_over(model, rewind)) {
        "This is how it ended."
    } else {
        "This is how it is now."
    }
}

/// `2x`, `1/4x`.
fn speed(speed: f64) -> String {
    if speed >= 1.0 {
        format!("{speed:.0}x")
    } else {
        format!("1/{:.0}x", 1.0 / speed)
    }
}
