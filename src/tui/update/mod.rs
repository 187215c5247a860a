//! Applies messages to the model. Pure: what is to be done outside is returned as [`Cmd`]s.

mod away;
mod daemon;
mod errors;
mod notify;
mod reconcile;
mod replies;
pub(in crate::tui) mod seen;
mod usage;

use super::keymap::KeyPress;
use super::message::{Cmd, Done, Event, Exit, Msg};
use super::model::Model;
use super::modes::{form, normal};
use super::{mouse, removal, theme};
use crate::term::keyparse::{self, Input};

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
    removal::expire(model, &mut cmds);
    match msg.event {
        Event::Input(bytes) => {
            for input in model.keys.feed(&bytes) {
                handle(model, input, &mut cmds);
            }
            let pending = model.keys.is_pending();
            model.flush_at = pending.then_some(msg.now.ms + KEY_MS);
        }
        Event::Tick => {
            if model.flush_at.is_some_and(|at| at <= msg.now.ms) {
                model.flush_at = None;
                for input in model.keys.flush() {
                    handle(model, input, &mut cmds);
                }
                // The rest of a report may take longer; it is not a key.
                let pending = model.keys.is_pending();
                model.flush_at = pending.then_some(msg.now.ms + REPORT_MS);
            }
            model.dirty = true;
        }
        Event::Window(width, height) => {
            model.window = (width, height);
            model.dirty = true;
        }
        Event::Continued => {
            model.dirty = true;
            cmds.push(Cmd::Redraw);
        }
        Event::Suspend => cmds.push(Cmd::Suspend),
        Event::Link(news) => daemon::link_event(model, news, &mut cmds),
        Event::Done(Done::Note(text)) => model.note(text),
        Event::Done(Done::Failed(text)) => model.fail(text),
        Event::Done(Done::NoBrowser(url)) => normal::no_browser(model, url, &mut cmds),
        Event::Done(Done::Suggested {
            dir,
            targets,
            history,
        }) => form::suggested(model, &dir, targets, history),
        Event::HangUp => cmds.push(Cmd::Quit(Exit::Silent)),
        Event::Terminate => cmds.push(Cmd::Quit(Exit::Closed)),
    }
    reconcile::reconcile(model, &mut cmds);
    // Before quitting, send the pending removals, because they can no longer be undone.
    if let Some(at) = cmds.iter().position(|cmd| matches!(cmd, Cmd::Quit(_))) {
        let mut last = Vec::new();
        removal::flush(model, &mut last);
        cmds.splice(at..at, last);
    }
    cmds
}

/// Handles one key, paste or report.
fn handle(model: &mut Model, input: Input, cmds: &mut Vec<Cmd>) {
    use keyparse::Event;
    let handlers = model.mode().handlers();
    match input.event {
        Event::Focus(focused) => model.focused = focused,
        Event::Mouse(mouse) => mouse::handle(model, mouse, cmds),
        Event::Reply(reply) => {
            // Other reports were not requested by the dashboard.
            if model.theme.asks
                && let Some(answer) = theme::answer(&reply)
            {
                model.dirty |= model.theme.answered(answer);
            }
        }
        Event::Key(key) => {
            // What is typed into a job shows when the job echoes it.
            model.dirty |= !model.mode().types();
            (handlers.key)(model, &KeyPress::new(key, input.raw), cmds);
        }
        Event::Paste(bytes) => {
            model.dirty |= !model.mode().types();
            (handlers.paste)(model, &bytes, cmds);
        }
    }
}
