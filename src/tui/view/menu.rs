//! COPY and SIGNAL in the status line: the job and the letters.

use ratatui::layout::Rect;

use super::bar::Bar;
use super::{hints, status};
use crate::tui::keymap::Action;
use crate::tui::model::Model;
use crate::tui::model::menu::Menu;
use crate::tui::text;

/// The status line of a menu: as many whole entries as fit; the key that leaves is dropped last.
pub(super) fn bar(model: &Model, menu: &Menu, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = status::begin(model, area, menu.name());
    let whom = match menu.ids.as_slice() {
        [id] => text::clip_middle(&model.name_of(id), 16, theme.glyph("…")),
        several => format!("{} jobs", several.len()),
    };
    bar.text(5, whom, theme.strong());
    let lines = model.keymap.lines();
    let lines = lines.filter(|bound| bound.binding.place == menu.place);
    for (rank, bound) in (6..).zip(lines) {
        let Some(key) = bound.keys.first() else {
            continue;
        };
        let hint = hints::spans(model, (key.clone(), bound.binding.label()));
        match bound.binding.action {
            Action::Leave => bar.right(1, hint),
            // SIGKILL ends what no other signal ends, so keep it longer.
            Action::SendKill => bar.left(6, hint),
            _ => bar.left(rank, hint),
        }
    }
    bar
}
