//! What could not be done: said where it shows, in three parts, or passed over where something else says it.

use super::daemon::{forget, refresh, refreshed};
use super::msg::{Cmd, Tag};
use super::quit;
use crate::protocol::{Error, ErrorCode};
use crate::tui::model::mode::Mode;
use crate::tui::model::{Link, Model};

/// Takes in an error that answers a question.
pub(super) fn refusal(model: &mut Model, tag: Tag, error: &Error, cmds: &mut Vec<Cmd>) {
    // The way broke under the question; the banner says so already.
    if error.code == ErrorCode::DaemonUnavailable && model.link == Link::Down {
        return;
    }
    let gone = matches!(
        error.code,
        ErrorCode::SessionNotFound | ErrorCode::SessionRemoved
    );
    let id = match &tag {
        Tag::Record(id) | Tag::Watch(id) | Tag::Type(id) | Tag::Resize(id) | Tag::Kill(id) => {
            Some(id)
        }
        Tag::Restart(id) | Tag::Signal(id) | Tag::Sent(id, _) => Some(id),
        Tag::Decline(id) | Tag::Set(id) | Tag::Hold(id, _) | Tag::Url(id) => Some(id),
        Tag::Remove(id) | Tag::Log(id, _) => Some(id),
        Tag::Subscribe | Tag::List | Tag::Unwatch | Tag::Start => None,
    };
    if let (true, Some(id)) = (gone, id) {
        forget(model, &id.clone());
        return;
    }
    let name = id.map(|id| model.name_of(id)).unwrap_or_default();
    let what = match &tag {
        Tag::Unwatch => return,
        Tag::Record(id) => {
            refreshed(model, &id.clone(), cmds);
            return;
        }
        Tag::Watch(id) => {
            if let Some(watch) = model.watch.as_mut().filter(|watch| watch.id == *id) {
                watch.problem = Some(crate::term::sanitize::clean(&error.message));
            }
            model.dirty = true;
            return;
        }
        // It ended under the fingers, and the status line says so.
        Tag::Type(id) if error.code == ErrorCode::SessionNotRunning => {
            refresh(model, &id.clone(), cmds);
            return;
        }
        Tag::Type(_) => format!("Not typed into {name}"),
        Tag::Resize(_) => format!("{name} keeps its size"),
        Tag::Kill(id) => {
            quit::stay(model);
            refresh(model, &id.clone(), cmds);
            format!("{name} was not stopped")
        }
        Tag::Restart(_) => format!("{name} did not restart"),
        Tag::Signal(_) => format!("{name} was not paused or continued"),
        // It is settled in another way.
        Tag::Decline(id) => {
            refresh(model, &id.clone(), cmds);
            return;
        }
        Tag::Sent(_, signal) => format!("{signal} was not sent to {name}"),
        // Its row is gone already.
        Tag::Remove(id) => {
            refresh(model, id, cmds);
            "It was not removed".to_owned()
        }
        Tag::Log(..) => format!("The log of {name} could not be read"),
        Tag::Start => "Nothing was started".to_owned(),
        Tag::Hold(id, _) => {
            model.keyboards.held.remove(id);
            format!("The keyboard of {name} was not taken or given back")
        }
        Tag::Url(_) => format!("The URL of {name} could not be had"),
        Tag::Set(_) => format!("{name} was not changed"),
        Tag::List => "The list could not be had".to_owned(),
        Tag::Subscribe => "Changes will not show".to_owned(),
    };
    match &mut model.mode {
        Mode::Prompt(form) if matches!(tag, Tag::Start | Tag::Set(_)) => form.busy = false,
        Mode::Scroll(scroll, _) if matches!(tag, Tag::Log(..)) => scroll.loading = None,
        _ => {}
    }
    let hint = error.hint.as_deref().map(|hint| format!("  {hint}"));
    model.fail(format!(
        "{what}: {}.{}",
        error.message.trim_end_matches('.'),
        hint.unwrap_or_default()
    ));
}
