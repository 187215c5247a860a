//! FOUND: the search through all jobs.

use serde_json::Value;

use super::msg::{Cmd, Tag};
use super::{edit, scroll};
use crate::protocol::params::Log;
use crate::protocol::{Action as Request, SessionId};
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::found::{Found, PER_JOB};
use crate::tui::model::mode::Mode;
use crate::tui::model::rows::Row;
use crate::tui::model::{Link, Model};
use crate::tui::pattern::ignores_case;
use crate::tui::view::found::height;

/// Opens the search.
pub(super) fn open(model: &mut Model) {
    if model.jobs.is_empty() {
        model.note("There is no job to look through.");
        return;
    }
    model.mode = Mode::Found(Box::default());
}

/// Handles a key.
pub(super) fn press(model: &mut Model, key: Key, name: &str, cmds: &mut Vec<Cmd>) {
    let page = isize::try_from(height(model)).unwrap_or(1).max(1);
    let now = model.now.ms;
    let action = model.keymap.action(Place::Found, name);
    let Mode::Found(found) = &mut model.mode else {
        return;
    };
    match action {
        Some(Action::Accept) => go(model, cmds),
        Some(Action::Leave) => {
            cancel(found, cmds);
            model.mode = Mode::Normal;
        }
        Some(Action::Down) => found.step(1),
        Some(Action::Up) => found.step(-1),
        Some(Action::PageDown) => found.step(page),
        Some(Action::PageUp) => found.step(-page),
        _ => {
            let before = found.line.text();
            edit(&model.keymap, &mut found.line, key, name);
            if found.line.text() != before {
                found.typed(now);
            }
        }
    }
}

/// Inserts pasted text.
pub(super) fn paste(found: &mut Found, text: &str, now: i64) {
    found.line.insert(text);
    found.typed(now);
}

/// Starts the search when it is due, and sends requests up to the limit.
pub(super) fn settle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    let height = height(model);
    if model.link != Link::Up {
        // A request would be lost.
        return;
    }
    let is_due = matches!(&model.mode, Mode::Found(found) if found.due.is_some_and(|at| at <= now));
    let jobs = if is_due { in_order(model) } else { Vec::new() };
    let Mode::Found(found) = &mut model.mode else {
        return;
    };
    if is_due {
        cancel(found, cmds);
        found.begin(jobs);
        model.dirty = true;
    }
    let text = found.line.text();
    while let Some(pattern) = found
        .pattern
        .as_ref()
        .map(|regex| regex.as_str().to_owned())
        && let Some(id) = found.ask_next()
    {
        let params = Log {
            session_id: id.to_string(),
            grep: Some(pattern),
            ignore_case: ignores_case(&text).then_some(true),
            max_matches: Some(PER_JOB),
            newest: Some(true),
            ..Log::default()
        };
        cmds.push(Cmd::Ask(Tag::Found(id, found.round), Request::Log(params)));
    }
    found.show(height);
}

/// Cancels the pending requests, because each of them reads a whole log.
fn cancel(found: &Found, cmds: &mut Vec<Cmd>) {
    for id in found.on_their_way() {
        cmds.push(Cmd::Cancel(Tag::Found(id.clone(), found.round)));
    }
}

/// Handles the matches in a job; `None` if it could not be searched.
pub(super) fn came(model: &mut Model, id: &SessionId, round: u64, value: Option<Value>) {
    if let Mode::Found(found) = &mut model.mode
        && found.round == round
    {
        // Until the next search starts, `round` is still that of the cancelled search.
        let value = value.filter(|_| found.pattern.is_some());
        found.receive(
            id,
            value.and_then(|value| serde_json::from_value(value).ok()),
        );
        model.dirty = true;
    }
}

/// Goes to the selected match.
fn go(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Mode::Found(found) = &model.mode else {
        return;
    };
    let Some(hit) = found.hit().cloned() else {
        return;
    };
    let text = found.line.text();
    cancel(found, cmds);
    model.mode = Mode::Normal;
    scroll::enter_at(model, &hit.id, &text, hit.offset, cmds);
}

/// All jobs: first those of the list in its order, then those that it does not show.
fn in_order(model: &Model) -> Vec<SessionId> {
    let mut places = Vec::new();
    for row in &model.rows {
        match row {
            Row::Job(index) => places.push(*index),
            Row::Group(group) if group.folded => places.extend(&group.jobs),
            Row::Group(_) => {}
        }
    }
    let rest = (0..model.jobs.len()).filter(|index| !places.contains(index));
    let rest: Vec<usize> = rest.collect();
    let all = places.iter().chain(&rest);
    all.filter_map(|&index| model.jobs.get(index))
        .map(|job| job.id().clone())
        .collect()
}
