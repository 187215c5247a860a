//! The last line: the keys that can be pressed now, from the key bindings and the mode.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::bar::Bar;
use super::keymap::KeyAction;
use super::model::Model;
use super::model::mode::Hint;

/// Draws the hints of the mode. Whole hints are dropped from the right; those that leave the mode
/// are dropped last.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    bar(model).draw(area, buf);
}

/// The hints as a bar.
pub fn bar(model: &Model) -> Bar {
    let hints = model.mode().hints(model);
    let spaced = |gap| {
        let mut bar = Bar::new(gap);
        for (rank, hint) in (2..).zip(hints.keys.clone()) {
            left(model, &mut bar, rank, hint);
        }
        for hint in hints.exits.clone() {
            left(model, &mut bar, 1, hint);
        }
        bar
    };
    let bar = spaced(2);
    // The keys of a menu are shown nowhere else: they move closer together before one is left out.
    if hints.exits.is_empty() && !bar.is_whole(Rect::new(0, 0, model.window.0, 1)) {
        spaced(1)
    } else {
        bar
    }
}

/// Adds a hint on the left of a bar.
pub fn left(model: &Model, bar: &mut Bar, rank: u8, hint: Hint) {
    let spans = spans(model, &hint);
    bar.left_hint(rank, hint.0, spans);
}

/// Adds a hint on the right of a bar.
pub fn right(model: &Model, bar: &mut Bar, rank: u8, hint: Hint) {
    let spans = spans(model, &hint);
    bar.right_hint(rank, hint.0, spans);
}

/// A hint with its styles.
fn spans(model: &Model, (key, label): &Hint) -> Vec<Span<'static>> {
    let label = if label.is_empty() {
        String::new()
    } else {
        format!(" {label}")
    };
    vec![
        Span::styled(key.clone(), model.theme.key()),
        Span::styled(label, Style::new()),
    ]
}

/// The hint for an action, labelled with its name; `None` if it has no key.
pub fn hint<A: KeyAction>(model: &Model, action: A) -> Option<Hint> {
    let key = model.keymap.key(action)?;
    Some((key.to_owned(), action.binding().label()))
}

/// The hints for those of the actions that have a key.
pub fn hints<A: KeyAction>(model: &Model, actions: &[A]) -> Vec<Hint> {
    let found = actions.iter().filter_map(|&action| hint(model, action));
    found.collect()
}

/// The hints for actions that scroll a page; none if its height shows all of its lines.
pub fn to_scroll<A: KeyAction>(
    model: &Model,
    (lines, height): (usize, usize),
    actions: &[A],
) -> Vec<Hint> {
    if lines > height {
        hints(model, actions)
    } else {
        Vec::new()
    }
}

/// A hint for an action with a label of its own; `None` if the action has no key.
pub fn labelled<A: KeyAction>(model: &Model, action: A, label: &str) -> Option<Hint> {
    Some((model.keymap.key(action)?.to_owned(), label.to_owned()))
}

/// A sentence about the key of an action, to be appended to others: ` esc goes back.`; empty if the action has no key.
pub fn sentence<A: KeyAction>(model: &Model, action: A, does: &str) -> String {
    let key = model.keymap.key(action);
    key.map_or_else(String::new, |key| format!(" {key} {does}."))
}
