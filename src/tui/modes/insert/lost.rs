//! Keys after others that were lost: they would be another text, so they are not sent.
//!
//! The connection to a host or to the daemon breaks while somebody types. What was on its way is gone, and who looks at
//! the keyboard sees that later than the next keys are pressed. So nothing more is sent until the person says so, with
//! a key that is pressed after a pause: one that is pressed in a row with others is a part of the text.

use ratatui::layout::Rect;

use super::Insert;
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::tui::bar::Bar;
use crate::tui::keymap::{KeyPress, NORMAL};
use crate::tui::model::Model;
use crate::tui::status::add_hint;
use crate::tui::text;

/// How long no key was pressed when one is no part of a text any more, in milliseconds.
const PAUSE_MS: i64 = 600;

/// The action of NORMAL whose key types on.
const TYPE: &str = "type";

/// Whether this error of an input means that it has not arrived, or may not have.
pub fn is_loss(error: &Error) -> bool {
    matches!(
        error.code,
        ErrorCode::HostUnreachable | ErrorCode::DaemonUnavailable
    )
}

/// Notes that something which was typed into a job is lost.
pub fn lose(model: &mut Model, id: &SessionId) {
    let now = model.now.ms;
    if let Some(insert) = model.state_mut::<Insert>()
        && insert.jobs().contains(id)
    {
        insert.lost_at = Some(now);
        model.dirty = true;
    }
}

/// Whether keys are not sent to a job now, because others are lost.
pub(super) fn holds_back(model: &Model, id: &SessionId) -> bool {
    let insert = model.state::<Insert>();
    insert.is_some_and(|insert| insert.lost_at.is_some() && insert.jobs().contains(id))
}

/// Handles a key if others are lost; returns whether that is so.
pub(super) fn press(model: &mut Model, press: &KeyPress) -> bool {
    let now = model.now.ms;
    let types_on = model.keymap.keys_named(NORMAL, TYPE).contains(&press.name);
    let Some(insert) = model.state_mut::<Insert>() else {
        return false;
    };
    let Some(last) = insert.lost_at else {
        return false;
    };
    let types_on = types_on && now - last >= PAUSE_MS;
    insert.lost_at = (!types_on).then_some(now);
    model.dirty = true;
    true
}

/// Shows which key types on.
pub(super) fn hint(model: &Model, bar: &mut Bar) {
    let types_on = model.keymap.key_named(NORMAL, TYPE);
    let hint = types_on.map(|key| (key.to_owned(), "type on".to_owned()));
    add_hint(model, bar, 0, hint);
}

/// Says what is going on, in as many words as fit beside the hints.
pub(super) fn words(model: &Model, bar: &mut Bar, area: Rect) {
    let words = ["keys were lost; no more are sent", "keys were lost", "lost"].map(str::to_owned);
    let words = text::worded(&words, bar.room(area, 0), model.theme.glyph("…"));
    bar.text(0, words, model.theme.strong());
}
