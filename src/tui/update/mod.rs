//! Applies messages to the model. Pure: what is to be done outside is returned as [`Cmd`]s.

mod alert;
mod away;
mod daemon;
mod errors;
mod events;
mod gone;
mod listed;
mod notify;
mod project;
mod queues;
mod reconcile;
mod replies;
pub(in crate::tui) mod seen;
mod usage;

use super::keymap::KeyPress;
use super::message::{Cmd, Done, Event, Exit, Msg};
use super::model::Model;
use super::modes::{form, held, insert, normal};
use super::{mouse, removal};
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
        model.expire_alerts();
        model.dirty = true;
    }
    if model.keyboards.expire(msg.now.ms) {
        model.dirty = true;
    }
    removal::expire(model, &mut cmds);
    held::expire(model, &mut cmds);
    match msg.event {
        Event::Input(bytes) => {
            let inputs = model.keys.feed(&bytes);
            handle_read(model, inputs, &mut cmds);
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
    // Before quitting, send what was typed, the loss of the focus, and the pending removals, because they can no longer
    // be undone.
    if let Some(at) = cmds.iter().position(|cmd| matches!(cmd, Cmd::Quit(_))) {
        let mut last = Vec::new();
        model.settling.end();
        insert::settle(model, &mut last);
        model.focused = false;
        insert::focus::reconcile(model, &mut last);
        removal::flush(model, &mut last);
        cmds.splice(at..at, last);
    }
    cmds
}

/// Handles what was read at once.
fn handle_read(model: &mut Model, inputs: Vec<Input>, cmds: &mut Vec<Cmd>) {
    let inputs = insert::with_alt(model, inputs);
    let mut inputs = inputs.into_iter();
    let mut judged = 0;
    while !inputs.as_slice().is_empty() {
        if judged == 0 {
            let (keys, are_held) = held::burst(model, inputs.as_slice(), cmds);
            if are_held {
                inputs.nth(keys.saturating_sub(1));
                continue;
            }
            judged = keys;
        }
        if let Some(input) = inputs.next() {
            handle(model, input, cmds);
        }
        judged = judged.saturating_sub(1);
    }
}

/// Handles one key, paste or report.
fn handle(model: &mut Model, input: Input, cmds: &mut Vec<Cmd>) {
    use keyparse::Event;
    match input.event {
        Event::Focus(focused) => {
            model.focused = focused;
            insert::focus::reconcile(model, cmds);
        }
        Event::Mouse(mouse) => mouse::handle(model, mouse, cmds),
        Event::Reply(reply) => {
            // Other reports were not requested by the dashboard.
            if model.answers.are_pending {
                let can = model.answers.can;
                model.answers.note(&reply);
                let background = model.answers.background;
                model.dirty |= model.answers.can != can;
                model.dirty |= background.is_some_and(|color| model.theme.set_background(color));
            }
        }
        Event::Key(key) => {
            // What is typed into a job shows when the job echoes it.
            model.dirty |= !model.mode().types();
            held::key(model, &KeyPress::new(key, input.raw), cmds);
        }
        Event::KeyReport => insert::report(model, &input.raw, cmds),
        Event::Paste(bytes) => {
            model.dirty |= !model.mode().types();
            let handlers = model.mode().handlers();
            (handlers.paste)(model, &bytes, cmds);
        }
    }
}
