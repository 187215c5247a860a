//! DETAILS and MESSAGES: pages to read.

use serde_json::Value;

use super::msg::{Cmd, Errand, Tag};
use crate::protocol::params::{Log, StatusParams, Stream};
use crate::protocol::reply::LogLines;
use crate::protocol::{Action as Request, Record, SessionId};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::details::Details;
use crate::tui::model::mode::Mode;
use crate::tui::model::page::{Page, Subject};
use crate::tui::view::page;

/// Maximum number of recorded writes shown.
const TYPED: u64 = 100;

/// Opens the details of the selected job.
pub(super) fn details(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(id) = model.current().map(|job| job.id().clone()) else {
        model.note("There is no job to tell about.");
        return;
    };
    let subject = Subject::Details(Box::new(Details::new(id.clone())));
    model.mode = Mode::Page(Box::new(Page { subject, top: 0 }));
    ask(model, &id, cmds);
}

/// Handles a key.
pub(super) fn press(model: &mut Model, name: &str, cmds: &mut Vec<Cmd>) {
    let action = model.keymap.action(Place::Page, name);
    let (lines, height) = page::size(model);
    let last = lines.saturating_sub(height);
    if action == Some(Action::Copy) {
        let what = match &model.mode {
            Mode::Page(page) => page.name().to_lowercase(),
            _ => return,
        };
        let text = page::plain(model);
        cmds.push(Cmd::Errand(Errand::Copy(text, format!("the {what}"))));
        return;
    }
    let Mode::Page(page) = &mut model.mode else {
        return;
    };
    let top = page.top.min(last);
    page.top = match action {
        Some(Action::LineDown) => top + 1,
        Some(Action::LineUp) => top.saturating_sub(1),
        Some(Action::PageDown) => top + height,
        Some(Action::PageUp) => top.saturating_sub(height),
        Some(Action::Top) => 0,
        Some(Action::Last) => last,
        Some(Action::Leave) => {
            model.mode = Mode::Normal;
            return;
        }
        _ => {
            model.note(format!("No command on \"{name}\" here. Esc goes back."));
            return;
        }
    }
    .min(last);
}

/// After an event of a job: requests its open page again, once for several events in a row.
pub(super) fn heard(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if about(model, id).is_some() {
        ask(model, id, cmds);
    }
}

/// Requests the open page again, if it is the details of a job.
pub(super) fn refresh(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Mode::Page(page) = &model.mode else {
        return;
    };
    if let Subject::Details(about) = &page.subject {
        let id = about.id.clone();
        ask(model, &id, cmds);
    }
}

/// Stores the record; requests it again if more has happened since.
pub(super) fn record_came(model: &mut Model, id: &SessionId, value: Value, cmds: &mut Vec<Cmd>) {
    let Some(about) = about(model, id) else {
        return;
    };
    let again = about.asked.take() == Some(true);
    if let Ok(record) = serde_json::from_value::<Record>(value) {
        about.record = Some(Box::new(record));
        model.dirty = true;
    }
    if again {
        ask(model, id, cmds);
    }
}

/// Stores the typed input.
pub(super) fn typed_came(model: &mut Model, id: &SessionId, value: Value) {
    if let (Some(about), Ok(typed)) = (about(model, id), serde_json::from_value::<LogLines>(value))
    {
        about.typed = typed.lines;
        model.dirty = true;
    }
}

/// Handles an error reply.
pub(super) fn failed(model: &mut Model, id: &SessionId) {
    if let Some(about) = about(model, id) {
        about.asked = None;
    }
}

fn about<'a>(model: &'a mut Model, id: &SessionId) -> Option<&'a mut Details> {
    match &mut model.mode {
        Mode::Page(page) => match &mut page.subject {
            Subject::Details(about) if about.id == *id => Some(about),
            _ => None,
        },
        _ => None,
    }
}

fn ask(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    let Some(about) = about(model, id) else {
        return;
    };
    if let Some(again) = &mut about.asked {
        *again = true;
        return;
    }
    about.asked = Some(false);
    let params = StatusParams {
        session_id: id.to_string(),
        detail: Some(true),
    };
    cmds.push(Cmd::Ask(Tag::Details(id.clone()), Request::Status(params)));
    let typed = Log {
        session_id: id.to_string(),
        stream: Some(Stream::Input),
        tail: Some(TYPED),
        ..Log::default()
    };
    cmds.push(Cmd::Ask(Tag::Typed(id.clone()), Request::Log(typed)));
}
