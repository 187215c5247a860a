//! Handles error replies: shows them in the place that fits, or ignores them if something else
//! already shows the problem.

use super::daemon::{forget, refresh, refreshed, subscribe_to_less};
use super::log;
use super::msg::{Cmd, Tag};
use super::{found, page, quit, rewind, usage};
use crate::protocol::{Error, ErrorCode};
use crate::tui::model::mode::Mode;
use crate::tui::model::{Link, Model};

/// Handles an error reply.
pub(super) fn refusal(model: &mut Model, tag: Tag, error: &Error, cmds: &mut Vec<Cmd>) {
    // The connection broke during the request. Requests that are repeated automatically are
    // ignored, because the banner shows the reason.
    let lost = error.code == ErrorCode::DaemonUnavailable && model.link != Link::Up;
    if lost && (!tag.acts() || comes_again(model, &tag)) {
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
        Tag::Remove(id) | Tag::Log(id, _) | Tag::Details(id) | Tag::Typed(id) => Some(id),
        Tag::Past(id) | Tag::Card(id, _) | Tag::Runs(id) | Tag::Copy(id, _) => Some(id),
        // The job counts as searched, whatever the reason.
        Tag::Found(id, round) => {
            found::came(model, &id.clone(), *round, None);
            return;
        }
        Tag::Subscribe | Tag::List | Tag::Usage | Tag::Unwatch | Tag::Start | Tag::Away => None,
        // The request was answered just before.
        Tag::Cancel => return,
    };
    if let (true, Some(id)) = (gone, id) {
        forget(model, &id.clone());
        return;
    }
    if tag == Tag::Subscribe
        && error.code == ErrorCode::InvalidParams
        && subscribe_to_less(model, cmds)
    {
        return;
    }
    let name = id.map(|id| model.name_of(id)).unwrap_or_default();
    let what = match &tag {
        // These are conveniences.
        Tag::Unwatch | Tag::Away | Tag::Cancel => return,
        // It is repeated soon, and the missed values would be outdated.
        Tag::Usage => {
            usage::failed(model);
            return;
        }
        Tag::Details(id) => {
            page::failed(model, &id.clone());
            format!("There is nothing to tell about {name}")
        }
        Tag::Typed(_) | Tag::Found(..) => return,
        Tag::Card(id, _) => {
            if let Some(card) = model.cards.get_mut(id) {
                card.refused();
                model.dirty = true;
            }
            return;
        }
        Tag::Record(id) => {
            refreshed(model, &id.clone(), cmds);
            return;
        }
        Tag::Watch(id) => {
            if let Some(watch) = model.watches.iter_mut().find(|watch| watch.id == *id) {
                watch.problem = Some(crate::term::sanitize::clean(&error.message));
            }
            model.dirty = true;
            return;
        }
        // The job ended while typing; the status line shows that.
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
        // The question was settled in another way.
        Tag::Decline(id) => {
            refresh(model, &id.clone(), cmds);
            return;
        }
        Tag::Sent(_, signal) => format!("{signal} was not sent to {name}"),
        // Its row has been removed already.
        Tag::Remove(id) => {
            refresh(model, id, cmds);
            "It was not removed".to_owned()
        }
        Tag::Past(_) => {
            rewind::failed(model);
            format!("The past of {name} cannot be shown")
        }
        Tag::Runs(id) => {
            log::runs_came(model, &id.clone(), None, cmds);
            return;
        }
        Tag::Copy(..) => "Nothing was copied".to_owned(),
        Tag::Log(..) => format!("The log of {name} could not be read"),
        Tag::Start => "Nothing was started".to_owned(),
        Tag::Hold(id, on) => {
            // The state stays as before; after a reconnect, held keyboards are taken again.
            match (lost, on) {
                (true, _) => {}
                (false, true) => {
                    model.keyboards.held.remove(id);
                }
                (false, false) => {
                    model.keyboards.held.insert(id.clone());
                }
            }
            format!("The keyboard of {name} was not taken or given back")
        }
        Tag::Url(_) => format!("The URL of {name} could not be had"),
        Tag::Set(_) => format!("{name} was not changed"),
        Tag::List => "The list could not be had".to_owned(),
        Tag::Subscribe => "Changes will not show".to_owned(),
    };
    match &mut model.mode {
        Mode::Prompt(form) if matches!(tag, Tag::Start | Tag::Set(_)) => form.busy = false,
        _ => {}
    }
    if let (Tag::Log(..), Some(scroll)) = (&tag, model.scroll_mut()) {
        scroll.loading = None;
        scroll.hunt = None;
    }
    let hint = error.hint.as_deref().map(|hint| format!("  {hint}"));
    model.fail(format!(
        "{what}: {}.{}",
        error.message.trim_end_matches('.'),
        hint.unwrap_or_default()
    ));
}

/// Whether the request is repeated after a reconnect.
fn comes_again(model: &Model, tag: &Tag) -> bool {
    match tag {
        Tag::Kill(id) => model
            .quitting
            .as_ref()
            .is_some_and(|quitting| quitting.left.contains(id)),
        Tag::Hold(id, on) => *on && model.keyboards.held.contains(id),
        _ => false,
    }
}
