//! Looks at every key before its mode does, and holds what is text.

use super::{confirm, hold, normal};
use crate::term::keyparse::{Event, Input, KeyCode};
use crate::tui::keymap::KeyPress;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::typing::{Letter, RUN_MS, is_text};

/// Handles a key: gives it to the mode, unless the keys in a row are text. An answer that follows its
/// question faster than a person reads waits for the next letter: `py` may become `python`.
pub fn key(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let letter = letter_of(press);
    let edits = matches!(
        press.key.code,
        KeyCode::Enter | KeyCode::Backspace | KeyCode::Esc
    );
    if letter.is_some() || edits {
        model.typing.answer = None;
    } else {
        answer(model, cmds);
    }
    let now = model.now.ms;
    let (types, watched) = (model.mode().types(), is_watched(model));
    match letter {
        Some(_) if types => model.typing.sent(now),
        Some(c) if watched => {
            let is_hasty = model.typing.continues(now) && !model.typing.is_pair;
            let letter = meaning(model, &press.name);
            if model.typing.press(now, c, letter) {
                let text = model.typing.take();
                if hold(model, text, cmds) {
                    return;
                }
            } else if is_hasty && confirm::acts(model, &press.name) {
                model.typing.answer = Some((press.clone(), now + RUN_MS + 1));
                return;
            }
        }
        _ => model.typing.clear(),
    }
    let handlers = model.mode().handlers();
    (handlers.key)(model, press, cmds);
    if (types && !model.mode().types()) || (watched && !is_watched(model)) {
        // The key has left INSERT, or has opened a place for text.
        model.typing.clear();
    }
}

/// Whether letters are keys in the current mode, and may be text that was typed by mistake.
fn is_watched(model: &Model) -> bool {
    let mode = model.mode();
    mode.declines().is_some() || mode.reads(model).is_some()
}

/// Gives the answer that has waited to its question, if no letter has followed in time.
pub fn expire(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let due = |answer: &(KeyPress, i64)| answer.1 <= model.now.ms;
    if model.typing.answer.as_ref().is_some_and(due) {
        answer(model, cmds);
    }
}

fn answer(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some((press, _)) = model.typing.answer.take()
        && confirm::acts(model, &press.name)
    {
        let handlers = model.mode().handlers();
        (handlers.key)(model, &press, cmds);
        model.dirty = true;
    }
}

/// Judges the letters at the beginning of one read, and holds them if they are text. Returns how many
/// were judged, and whether they are held. What begins with a key that opens a line to type into
/// belongs there.
pub fn burst(model: &mut Model, inputs: &[Input], cmds: &mut Vec<Cmd>) -> (usize, bool) {
    if !is_watched(model) {
        return (0, false);
    }
    let presses = inputs.iter().map_while(|input| match &input.event {
        Event::Key(key) => Some(KeyPress::new(*key, Vec::new())),
        _ => None,
    });
    let keys = presses.map_while(|press| Some((letter_of(&press)?, press.name)));
    let keys: Vec<(char, String)> = keys.collect();
    let opens = |name: &String| {
        if model.is_normal() {
            normal::opens_text(model, name)
        } else {
            meaning(model, name) == Letter::Opens
        }
    };
    if keys.first().is_some_and(|(_, name)| opens(name)) {
        return (1, false);
    }
    let meant = |(c, name): &(char, String)| (Some(*c), meaning(model, name));
    let letters: Vec<(Option<char>, Letter)> = keys.iter().map(meant).collect();
    let text = keys.iter().map(|(c, _)| c).collect();
    model.typing.is_pair = keys.len() == 2;
    let held = is_text(&letters) && hold(model, text, cmds);
    (keys.len(), held)
}

/// The letter of a key that prints one.
pub(super) fn letter_of(press: &KeyPress) -> Option<char> {
    match press.key.code {
        KeyCode::Char(c) if !press.key.ctrl && !press.key.alt => Some(c),
        _ => None,
    }
}

/// What a letter does now.
fn meaning(model: &Model, name: &str) -> Letter {
    match model.is_normal() {
        true => normal::meaning(model, name),
        false if confirm::acts(model, name) => Letter::Answer,
        false if model.mode().reads(model).is_some() => model.mode().letter(model, name),
        false => Letter::Command,
    }
}
