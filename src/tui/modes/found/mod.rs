//! FOUND: the search through all jobs.

mod block;
mod draw;
mod keys;
pub mod search;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use ratatui::layout::Rect;
use serde_json::Value;

use self::draw::height;
pub use self::keys::Action;
pub use self::search::Found;
use self::search::PER_JOB;
use super::scroll;
use crate::protocol::params::Log;
use crate::protocol::reply::HostState;
use crate::protocol::{Action as Request, SessionId};
use crate::tui::bar::Bar;
use crate::tui::hints;
use crate::tui::keymap::KeyPress;
use crate::tui::line::Edit;
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::model::rows::Row;
use crate::tui::model::{Link, Model};
use crate::tui::pattern::ignores_case;
use crate::tui::window::Canvas;

/// Opens the search.
pub fn open(model: &mut Model) {
    if model.jobs.is_empty() {
        model.note("There is no job to search.");
        return;
    }
    model.enter(Found::default());
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let height = height(model);
    let now = model.now.ms;
    let action = model.keymap.action(&press.name);
    let edit = Edit::of(&model.keymap, press);
    let Some(found) = model.state_mut::<Found>() else {
        return;
    };
    let page = isize::try_from(block::page(found, height)).unwrap_or(1);
    match action {
        Some(Action::Accept) => go(model, cmds),
        Some(Action::Leave) => {
            cancel(found, cmds);
            model.leave();
        }
        Some(Action::Down) => found.step(1),
        Some(Action::Up) => found.step(-1),
        Some(Action::PageDown) => found.step(page),
        Some(Action::PageUp) => found.step(-page),
        Some(Action::Context) => found.toggle_context(now),
        None => {
            let before = found.line.text();
            found.line.apply(edit);
            if found.line.text() != before {
                found.typed(now);
            }
        }
    }
}

fn paste(model: &mut Model, bytes: &[u8], _: &mut Vec<Cmd>) {
    let now = model.now.ms;
    if let Some(found) = model.state_mut::<Found>() {
        found.line.paste(bytes);
        found.typed(now);
    }
}

fn step(model: &mut Model, rows: isize) {
    if let Some(found) = model.state_mut::<Found>() {
        found.step(rows);
    }
}

impl Mode for Found {
    fn name(&self) -> &'static str {
        "FOUND"
    }

    fn handlers(&self) -> Handlers {
        Handlers {
            scroll: step,
            reconcile,
            ..Handlers::of_text(press, paste)
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            window: true,
            ..Needs::default()
        }
    }

    fn due(&self) -> Option<i64> {
        self.due
    }

    fn forget(&mut self, id: &SessionId) -> bool {
        self.drop_job(id);
        false
    }

    fn disconnected(&mut self, now_ms: i64) {
        self.lost(now_ms);
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(draw::bar(model, self, area))
    }

    fn hints(&self, model: &Model) -> Hints {
        Hints {
            keys: hints::hints(model, &[Action::Context]),
            exits: hints::hints(model, &[Action::Accept, Action::Leave]),
        }
    }

    fn draw(&self, model: &Model, _: Rect, canvas: &mut Canvas) {
        draw::draw(model, self, canvas);
    }
}

/// Starts the search when it is due, and sends requests up to the limit.
fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    let height = height(model);
    if model.daemon.link != Link::Up {
        // A request would be lost.
        return;
    }
    let due = model.state::<Found>().and_then(|found| found.due);
    let is_due = due.is_some_and(|at| at <= now);
    let jobs = if is_due { in_order(model) } else { Vec::new() };
    let unasked = if is_due { unasked(model) } else { Vec::new() };
    model.dirty |= is_due;
    let Some(found) = model.state_mut::<Found>() else {
        return;
    };
    if is_due {
        cancel(found, cmds);
        found.begin(jobs);
        found.unasked = unasked;
    }
    let text = found.line.text();
    while let Some(pattern) = found
        .pattern
        .as_ref()
        .map(|regex| regex.as_str().to_owned())
        && let Some(id) = found.next_job()
    {
        let params = Log {
            session_id: Some(id.to_string()),
            grep: Some(pattern),
            ignore_case: ignores_case(&text).then_some(true),
            context: found.context_asked(),
            max_matches: Some(PER_JOB),
            newest: Some(true),
            ..Log::default()
        };
        cmds.push(Cmd::Request(
            RequestKind::Found(id, found.round),
            Request::Log(params),
        ));
    }
    found.show(height);
}

/// Cancels the pending requests, because each of them reads a whole log.
fn cancel(found: &Found, cmds: &mut Vec<Cmd>) {
    for id in found.pending_jobs() {
        cmds.push(Cmd::Cancel(RequestKind::Found(id.clone(), found.round)));
    }
}

/// Handles the matches in a job; `None` if it could not be searched.
pub fn received(model: &mut Model, id: &SessionId, round: u64, value: Option<Value>) {
    if let Some(found) = model.state_mut::<Found>()
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
    let Some(found) = model.state::<Found>() else {
        return;
    };
    let Some(hit) = found.hit().cloned() else {
        return;
    };
    let text = found.line.text();
    cancel(found, cmds);
    model.leave();
    scroll::enter_at(model, &hit.id, &text, hit.offset, cmds);
}

/// All jobs: first those of the list in its order, then those that it does not show.
fn in_order(model: &Model) -> Vec<SessionId> {
    let mut places = Vec::new();
    for row in &model.list.rows {
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
        .filter(|job| job.host().is_none_or(|name| is_up(model, name)))
        .map(|job| job.id().clone())
        .collect()
}

/// Whether a host can be asked. Requests to others would keep those to this machine waiting.
fn is_up(model: &Model, name: &str) -> bool {
    let host = model.host(name);
    host.is_none_or(|host| host.state == HostState::Up)
}

/// The hosts with jobs that are not searched, since they are not connected.
fn unasked(model: &Model) -> Vec<String> {
    let hosts = model.hosts.iter().map(|host| host.name.as_str());
    let has_jobs = |name: &&str| model.jobs.iter().any(|job| job.host() == Some(name));
    let unasked = hosts.filter(|name| !is_up(model, name)).filter(has_jobs);
    unasked.map(str::to_owned).collect()
}
