//! MESSAGES: the message history with times, newest first.

use ratatui::style::Style;

use super::draw::Line;
use crate::tui::model::Model;
use crate::tui::model::toast::Kind;
use crate::tui::state::State;
use crate::tui::{text, units};

/// A blank, `12:45:03` and two blanks.
const TIME: usize = 11;

/// The page for a window of `width` columns. The time is on the first line of each message.
pub(super) fn lines(model: &Model, width: usize) -> Vec<Line> {
    let theme = &model.theme;
    let room = width.saturating_sub(TIME + 1).max(8);
    let mut lines = Vec::new();
    for said in model.toasts.said().rev() {
        let count = match said.count {
            1 => String::new(),
            n => format!(" (x{n})"),
        };
        let style = match said.kind {
            Kind::Note => Style::new(),
            Kind::Error => theme.state(&State::Failed(1)),
        };
        let time = units::clock_seconds(said.at, &model.zone);
        let parts = text::wrap(&format!("{}{count}", said.text), room);
        for (at, part) in parts.into_iter().enumerate() {
            let mut line = vec![(TIME, part, style)];
            if at == 0 {
                line.insert(0, (1, time.clone(), theme.dim()));
            }
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines.push(vec![(
            1,
            "There are no messages yet.".to_owned(),
            theme.dim(),
        )]);
    }
    lines
}
