//! COPY and SIGNAL in the status line: letters and what they stand for.

use ratatui::layout::Rect;

use super::bar::Bar;
use super::{hints, status};
use crate::tui::model::Model;
use crate::tui::model::menu::Menu;
use crate::tui::text;

/// The status line of a menu: whole items, as many as fit.
pub(super) fn bar(model: &Model, menu: &Menu, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = status::begin(model, area, menu.name());
    let name = match menu.ids.as_slice() {
        [id] => model.name_of(id),
        several => format!("{} jobs", several.len()),
    };
    if area.width >= 60 {
        let name = text::clip_middle(&name, 24, theme.glyph("…"));
        bar.text(9, name, theme.strong());
    }
    let lines = model
        .keymap
        .lines()
        .filter(|bound| bound.binding.place == menu.place);
    for (rank, bound) in (1..).zip(lines) {
        if let Some(key) = bound.keys.first() {
            let label = bound.binding.label();
            bar.left(rank, hints::spans(model, (key.clone(), label)));
        }
    }
    bar
}
