//! A past screen, and the status line with its time.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::status::begin;
use crate::protocol::Timestamp;
use crate::tui::model::Model;
use crate::tui::model::rewind::Rewind;
use crate::tui::{pane, text, units};

/// Draws the past screen.
pub(super) fn draw(model: &Model, rewind: &Rewind, area: Rect, frame: &mut Frame<'_>) {
    let Some(screen) = &rewind.screen else {
        return;
    };
    let crop = pane::crop(screen, area, model.pan, false);
    pane::draw(screen, area, crop, model.theme.mono, frame.buffer_mut());
    if let Some(at) = pane::cursor(screen, area, crop)
        && let Some(cell) = frame.buffer_mut().cell_mut(at)
    {
        cell.modifier.toggle(ratatui::style::Modifier::REVERSED);
    }
}

/// Draws the status line with the time shown: ` SCROLL  web  12:44:52  3m12s ago  playing 2x`.
pub(super) fn status(model: &Model, rewind: &Rewind, area: Rect, frame: &mut Frame<'_>) {
    let theme = &model.theme;
    let mut bar = begin(model, area, model.mode.name());
    let name = text::clip_middle(&model.name_of(&rewind.id), 24, theme.glyph("…"));
    bar.text(3, name, theme.strong());
    match rewind.moment {
        None => bar.text(1, "reading the log", theme.dim()),
        Some(moment) => {
            if let Some(at) = moment.at.map(Timestamp::millis) {
                let time = units::clock_seconds(at, &model.zone);
                bar.text(0, time, theme.key());
                let ago = units::uptime((model.now.ms - at).max(0));
                bar.text(2, format!("{ago} ago"), Style::new());
            }
            let place = match (moment.previous, moment.next) {
                (None, _) => Some("the beginning"),
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
    bar.draw(area, frame.buffer_mut());
}

/// `2x`, `1/4x`.
fn speed(speed: f64) -> String {
    if speed >= 1.0 {
        format!("{speed:.0}x")
    } else {
        format!("1/{:.0}x", 1.0 / speed)
    }
}
