//! Keys in the form that the program in a job has asked for.

use super::Insert;
use crate::protocol::SessionId;
use crate::term::keyboard::{KeyProtocol, KittyFlags};
use crate::term::keyparse::{Event, Input, Key};
use crate::term::keys::encode_pressed;
use crate::term::modes::Modes;
use crate::tui::keymap::KeyPress;
use crate::tui::model::Model;

/// What a job's program has asked for, as far as its screen is known.
fn modes(model: &Model, id: &SessionId) -> Modes {
    let screen = model.screen(id);
    screen.map_or_else(Modes::default, |screen| screen.modes())
}

/// The protocol that the shown job wants from the terminal of the view.
pub(super) fn wanted(model: &Model, id: &SessionId) -> KeyProtocol {
    modes(model, id).reports.keys
}

/// The bytes of a pressed key for a job: those that the terminal has sent, if the program understands them,
/// otherwise those that it expects.
pub(super) fn bytes(model: &Model, id: &SessionId, press: &KeyPress) -> Vec<u8> {
    let modes = modes(model, id);
    let asked = modes.reports.keys;
    // A terminal that sends such keys without having been switched is set up so.
    let is_own = asked.is_legacy() && !model.answers.can_switch();
    let fits = match Form::of(&press.raw) {
        Form::Kitty => !asked.kitty.is_empty() || is_own,
        Form::OtherKeys => asked.kitty.is_empty() && asked.other_keys > 0 || is_own,
        Form::Cursor => asked.is_legacy() && !modes.app_cursor,
        Form::Usual => asked.is_legacy(),
        Form::Foreign => false,
    };
    if fits {
        return press.raw.clone();
    }
    let mut modes = modes;
    if super::keys(model).kitty.has(KittyFlags::EVENT_TYPES) {
        // The terminal itself reports the release.
        modes.reports.keys = KeyProtocol {
            kitty: asked.kitty.without(KittyFlags::EVENT_TYPES),
            other_keys: 0,
        };
    }
    encode_pressed(press.key, modes)
}

/// Whether a job's program reads reports of keys that only the kitty protocol has.
pub(super) fn reads_reports(model: &Model, id: &SessionId) -> bool {
    !wanted(model, id).kitty.is_empty()
}

/// What was read at once while typing into a job whose program tells Alt from Escape, from a terminal that does not: an
/// ESC byte before a key is Alt there, as no one presses two keys at once. For all others nothing changes: the bytes are
/// passed on as they are.
pub fn with_alt(model: &Model, inputs: Vec<Input>) -> Vec<Input> {
    let insert = model.state::<Insert>();
    let Some(insert) = insert.filter(|insert| insert.sequence.is_empty()) else {
        return inputs;
    };
    if !insert.jobs().iter().any(|id| reads_reports(model, id)) {
        return inputs;
    }
    let leaves = |input: &Input| match input.event {
        Event::Key(key) => {
            let press = KeyPress::new(key, Vec::new());
            super::leaves(model, &press)
        }
        _ => false,
    };
    let mut out: Vec<Input> = Vec::with_capacity(inputs.len());
    for input in inputs {
        let is_escape = |before: &mut Input| before.raw == b"\x1b" && !leaves(before);
        let is_plain = !input.raw.starts_with(b"\x1b") && !leaves(&input);
        if let Event::Key(key) = input.event
            && is_plain
            && let Some(before) = out.pop_if(is_escape)
        {
            out.push(Input {
                event: Event::Key(Key { alt: true, ..key }),
                raw: [before.raw, input.raw].concat(),
            });
        } else {
            out.push(input);
        }
    }
    out
}

/// In which form the terminal has sent a key.
enum Form {
    /// Of the kitty protocol.
    Kitty,
    /// Of modifyOtherKeys.
    OtherKeys,
    /// A cursor key without modifiers.
    Cursor,
    /// As xterm always did.
    Usual,
    /// As another terminal does. Programs do not expect it, because their `TERM` is `xterm-256color`.
    Foreign,
}

impl Form {
    fn of(raw: &[u8]) -> Self {
        match raw {
            [0x1b, b'[', .., b'u'] => Self::Kitty,
            [0x1b, b'[', params @ .., _] if params.contains(&b':') => Self::Kitty,
            [0x1b, b'[', b'2', b'7', b';', .., b'~'] => Self::OtherKeys,
            [0x1b, b'[', b'A'..=b'D' | b'F' | b'H'] => Self::Cursor,
            // Home, End and F1 to F4 of tmux, the Linux console and rxvt, then F1 to F5 of the Linux console, and
            // cursor keys with a modifier of rxvt.
            [0x1b, b'[', b'1' | b'4' | b'7' | b'8', b'~']
            | [0x1b, b'[', b'1' | b'4' | b'7' | b'8', b';', .., b'~']
            | [0x1b, b'[', b'1', b'1'..=b'4', b'~']
            | [0x1b, b'[', b'1', b'1'..=b'4', b';', .., b'~']
            | [0x1b, b'[', b'[', _]
            | [0x1b, b'[' | b'O', b'a'..=b'd'] => Self::Foreign,
            _ => Self::Usual,
        }
    }
}
