//! Applies messages to the model. Pure: effects to perform outside are returned as [`Cmd`]s.

mod answer;
mod away;
mod card;
mod confirm;
mod copy;
mod daemon;
mod filter;
mod found;
mod grid;
mod help;
mod hunt;
mod insert;
mod keyboard;
mod log;
mod look;
mod marks;
mod menu;
mod messages;
mod mouse;
pub mod msg;
mod normal;
mod notice;
mod open;
mod page;
mod pager;
mod palette;
mod prompt;
pub(in crate::tui) mod quit;
mod refusal;
mod reply;
mod rewind;
mod scroll;
mod select;
mod settle;
mod signal;
mod undo;
mod usage;
mod verbs;

pub(in crate::tui) use self::insert::lines as paste_lines;
pub(in crate::tui) use self::look::close;
pub use self::msg::{Cmd, CopyFrom, Done, Errand, Exit, Msg, News, Tag, What};

use super::chord;
use super::keymap::{Keymap, Place};
use super::model::Model;
use super::model::line::Line;
use super::model::mode::Mode;
use super::theme;
use crate::term::keyparse::{Event, Input, Key, KeyCode};

/// How long to wait for the rest of a key after its first byte, in milliseconds. Terminals send a
/// key in one write; only a slow line splits it.
const KEY_MS: i64 = 30;

/// How long to wait for the rest of a terminal report, in milliseconds.
const REPORT_MS: i64 = 2000;

/// Handles a message and returns the effects to perform.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Cmd> {
    model.now = msg.now;
    let mut cmds = Vec::new();
    if model.toasts.expire(msg.now.ms) {
        model.dirty = true;
    }
    if model.keyboards.expire(msg.now.ms) {
        model.dirty = true;
    }
    undo::expire(model, &mut cmds);
    match msg.what {
        What::Input(bytes) => {
            for input in model.keys.feed(&bytes) {
                take(model, &input, &mut cmds);
            }
            let pending = model.keys.is_pending();
            model.flush_at = pending.then_some(msg.now.ms + KEY_MS);
        }
        What::Tick => {
            if model.flush_at.is_some_and(|at| at <= msg.now.ms) {
                model.flush_at = None;
                for input in model.keys.flush() {
                    take(model, &input, &mut cmds);
                }
                // The rest of a report may take longer; it is not a key.
                let pending = model.keys.is_pending();
                model.flush_at = pending.then_some(msg.now.ms + REPORT_MS);
            }
            model.dirty = true;
        }
        What::Window(width, height) => {
            model.window = (width, height);
            model.dirty = true;
        }
        What::Continued => {
            model.dirty = true;
            cmds.push(Cmd::Redraw);
        }
        What::Suspend => cmds.push(Cmd::Suspend),
        What::Link(news) => daemon::hear(model, news, &mut cmds),
        What::Done(Done::Said(text)) => model.note(text),
        What::Done(Done::Failed(text)) => model.fail(text),
        What::Done(Done::NoBrowser(url)) => open::no_browser(model, url, &mut cmds),
        What::Done(Done::Suggested {
            dir,
            targets,
            history,
        }) => prompt::suggested(model, &dir, targets, history),
        What::HangUp => cmds.push(Cmd::Quit(Exit::Silent)),
        What::Terminate => cmds.push(Cmd::Quit(Exit::Closed)),
    }
    settle::settle(model, &mut cmds);
    // Before quitting, send the pending removals, because they can no longer be undone.
    if let Some(at) = cmds.iter().position(|cmd| matches!(cmd, Cmd::Quit(_))) {
        let mut last = Vec::new();
        undo::flush(model, &mut last);
        cmds.splice(at..at, last);
    }
    cmds
}

/// Handles one key, paste or report, by mode.
fn take(model: &mut Model, input: &Input, cmds: &mut Vec<Cmd>) {
    if let Event::Focus(focused) = input.event {
        model.focused = focused;
    } else if let Event::Mouse(mouse) = input.event {
        mouse::take(model, mouse, cmds);
        return;
    } else if let Event::Reply(reply) = &input.event
        && model.theme.asks
        && let Some(answer) = theme::answer(reply)
    {
        model.dirty |= model.theme.hear(answer);
        return;
    }
    if let Mode::Insert(_) = model.mode {
        insert::take(model, input, cmds);
        return;
    }
    match &input.event {
        Event::Key(key) => {
            model.dirty = true;
            let name = chord::name(*key);
            press(model, *key, &name, input, cmds);
        }
        Event::Paste(bytes) => {
            model.dirty = true;
            paste(model, bytes);
        }
        // These are reports that the dashboard did not request.
        Event::Mouse(_) | Event::Focus(_) | Event::Reply(_) => {}
    }
}

fn press(model: &mut Model, key: Key, name: &str, input: &Input, cmds: &mut Vec<Cmd>) {
    let place = model.mode.place();
    match place {
        Place::Normal => normal::press(model, name, input, cmds),
        Place::Reply => reply::press(model, key, name, cmds),
        Place::Palette => palette::press(model, key, name, cmds),
        Place::Copy | Place::Signal => menu::press(model, name, cmds),
        Place::Page => page::press(model, name, cmds),
        Place::Found => found::press(model, key, name, cmds),
        Place::Scroll => scroll::press(model, key, name, cmds),
        Place::Filter => filter::press(model, key, name),
        Place::Prompt => prompt::press(model, key, name, cmds),
        Place::Confirm => confirm::press(model, name, cmds),
        Place::Help => help::press(model, key, name),
        Place::Insert | Place::Grid | Place::Rewind | Place::Line => {}
    }
}

/// Inserts pasted text where text is typed. In NORMAL it is refused, because it would be read as
/// commands.
fn paste(model: &mut Model, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    match &mut model.mode {
        Mode::Filter(line) => {
            line.insert(&text);
            model.filter = line.text();
            model.stale = true;
        }
        Mode::Found(found) => found::paste(found, &text, model.now.ms),
        Mode::Prompt(form) if !form.busy => form.line().insert(&text),
        Mode::Reply(reply) => reply.line.insert(&text),
        Mode::Palette(palette) => palette.line.insert(&text),
        Mode::Scroll(scroll, _) => {
            if let Some(line) = &mut scroll.input {
                line.insert(&text);
            }
        }
        Mode::Normal => {
            let name = model.current().map(|job| job.name.clone());
            model.note(match name {
                Some(name) => {
                    format!(
                        "The paste was not sent. To paste into {name} press {} first.",
                        model.key("i")
                    )
                }
                None => "There is no job to paste into.".to_owned(),
            });
        }
        _ => {}
    }
}

/// Edits a line; `false` if the key has no meaning there.
fn edit(keymap: &Keymap, line: &mut Line, key: Key, name: &str) -> bool {
    if let Some(action) = keymap.action(Place::Line, name) {
        return line.edit(action);
    }
    match key.code {
        KeyCode::Char(c) if !key.ctrl && !key.alt => {
            line.insert(&c.to_string());
            true
        }
        _ => false,
    }
}
