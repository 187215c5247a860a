//! Handles error replies: shows them in the place that fits, or ignores them if something else
//! already shows the problem.

use super::daemon::{forget, list_less, refreshed, subscribe_to_less};
use super::{project, usage};
use crate::protocol::{Error, ErrorCode};
use crate::tui::copy;
use crate::tui::message::{Cmd, CopyFrom, RequestKind};
use crate::tui::model::{Link, Model};
use crate::tui::modes::normal::quit;
use crate::tui::modes::scroll::rewind;
use crate::tui::modes::{compare, form, found, insert, page};
use crate::tui::pane::{group, jump, runs};
use crate::tui::requests::refresh;

/// Handles an error reply.
pub(super) fn refused(model: &mut Model, tag: RequestKind, error: &Error, cmds: &mut Vec<Cmd>) {
    // The connection broke during the request. For requests that are repeated automatically, the
    // banner says enough.
    let lost = error.code == ErrorCode::DaemonUnavailable && model.link != Link::Up;
    if lost && comes_again(model, &tag) {
        return;
    }
    let gone = matches!(
        error.code,
        ErrorCode::SessionNotFound | ErrorCode::SessionRemoved
    );
    let id = match &tag {
        RequestKind::Record(id)
        | RequestKind::Watch(id)
        | RequestKind::Type(id, _)
        | RequestKind::Resize(id)
        | RequestKind::Kill(id, _) => Some(id),
        RequestKind::Restart(id) | RequestKind::Pause(id, _) | RequestKind::Sent(id, _) => Some(id),
        RequestKind::Decline(id)
        | RequestKind::Set(id)
        | RequestKind::Hold(id, _)
        | RequestKind::Url(id) => Some(id),
        RequestKind::Remove(id)
        | RequestKind::Log(id, _)
        | RequestKind::Details(id)
        | RequestKind::Typed(id) => Some(id),
        RequestKind::Past(id)
        | RequestKind::Card(id, _)
        | RequestKind::Compare(id)
        | RequestKind::Runs(id)
        | RequestKind::Copy(id, _) => Some(id),
        RequestKind::Project(request) => {
            project::refused(model, request, error);
            return;
        }
        // The job counts as searched, whatever the reason.
        RequestKind::Found(id, round) => {
            found::received(model, &id.clone(), *round, None);
            return;
        }
        // Its own pane says what is wrong with a job.
        RequestKind::Merged(id) => {
            group::received(model, &id.clone(), None);
            return;
        }
        RequestKind::Subscribe
        | RequestKind::List
        | RequestKind::Usage
        | RequestKind::Unwatch
        | RequestKind::Start
        | RequestKind::Disconnect(_)
        | RequestKind::Away => None,
        // The request was answered just before.
        RequestKind::Cancel => return,
    };
    if let (true, Some(id)) = (gone, id) {
        if let RequestKind::Copy(id, CopyFrom::Commands) = &tag {
            copy::forget(model, id, cmds);
        }
        forget(model, &id.clone());
        return;
    }
    if tag == RequestKind::Subscribe
        && error.code == ErrorCode::InvalidParams
        && subscribe_to_less(model, cmds)
    {
        return;
    }
    if tag == RequestKind::List && error.code == ErrorCode::InvalidParams && list_less(model, cmds)
    {
        return;
    }
    let name = id.map(|id| model.name_of(id)).unwrap_or_default();
    let what = match &tag {
        // These are conveniences.
        RequestKind::Unwatch | RequestKind::Away | RequestKind::Cancel => return,
        // It is repeated soon, and the missed values would be outdated.
        RequestKind::Usage => {
            usage::failed(model);
            return;
        }
        RequestKind::Details(id) => {
            page::failed(model, &id.clone());
            format!("The details of {name} are not available")
        }
        RequestKind::Typed(_)
        | RequestKind::Found(..)
        | RequestKind::Merged(_)
        | RequestKind::Project(_) => return,
        RequestKind::Card(id, _) => {
            if let Some(card) = model.cards.get_mut(id) {
                card.refused();
                model.dirty = true;
            }
            return;
        }
        RequestKind::Record(id) => {
            refreshed(model, &id.clone(), cmds);
            return;
        }
        RequestKind::Watch(id) => {
            if let Some(watch) = model.watches.iter_mut().find(|watch| watch.id == *id) {
                watch.problem = Some(crate::term::sanitize::clean(&error.message));
            }
            model.dirty = true;
            return;
        }
        // The job ended while typing; the status line shows that.
        RequestKind::Type(id, _) if error.code == ErrorCode::SessionNotRunning => {
            refresh(model, &id.clone(), cmds);
            return;
        }
        RequestKind::Type(id, _) => {
            if insert::lost::is_loss(error) {
                insert::lost::lose(model, id);
            }
            format!("Not typed into {name}")
        }
        RequestKind::Resize(_) => format!("{name} keeps its size"),
        RequestKind::Kill(id, _) => {
            quit::stay(model);
            refresh(model, &id.clone(), cmds);
            format!("{name} was not stopped")
        }
        RequestKind::Restart(_) => format!("{name} did not restart"),
        RequestKind::Pause(_, true) => format!("{name} was not paused"),
        RequestKind::Pause(_, false) => format!("{name} was not continued"),
        // The question was settled in another way.
        RequestKind::Decline(id) => {
            refresh(model, &id.clone(), cmds);
            return;
        }
        RequestKind::Sent(_, signal) => format!("{signal} was not sent to {name}"),
        // Its row has been removed already.
        RequestKind::Remove(id) => {
            refresh(model, id, cmds);
            "It was not removed".to_owned()
        }
        RequestKind::Past(_) => {
            rewind::failed(model);
            format!("The past of {name} cannot be shown")
        }
        RequestKind::Runs(id) => {
            runs::received(model, &id.clone(), None);
            jump::go_on(model, cmds);
            return;
        }
        RequestKind::Copy(_, from) => {
            // One message for several jobs.
            if *from == CopyFrom::Commands && model.commands.take().is_none() {
                return;
            }
            "Nothing was copied".to_owned()
        }
        RequestKind::Compare(id) => {
            compare::received(model, &id.clone(), None);
            format!("The log of {name} could not be read")
        }
        RequestKind::Log(..) => format!("The log of {name} could not be read"),
        RequestKind::Start => "Nothing was started".to_owned(),
        RequestKind::Disconnect(host) => format!("{host} is still connected"),
        RequestKind::Hold(id, on) => {
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
        RequestKind::Url(_) => format!("The URL of {name} is not available"),
        RequestKind::Set(_) => format!("{name} was not changed"),
        RequestKind::List => "The list is not available".to_owned(),
        RequestKind::Subscribe => "Changes will not show".to_owned(),
    };
    if matches!(tag, RequestKind::Start | RequestKind::Set(_)) {
        form::refused(model);
    }
    if let (RequestKind::Log(..), Some(scroll)) = (&tag, &mut model.scroll) {
        scroll.loading = None;
        scroll.jump = None;
    }
    let hint = error.hint.as_deref().map(|hint| format!("  {hint}"));
    model.fail(format!(
        "{what}: {}.{}",
        error.message.trim_end_matches('.'),
        hint.unwrap_or_default()
    ));
}

/// Whether the request is repeated after a reconnect.
fn comes_again(model: &Model, tag: &RequestKind) -> bool {
    match tag {
        RequestKind::Kill(id, _) => model
            .quitting
            .as_ref()
            .is_some_and(|quitting| quitting.left.contains(id)),
        // The next key requests the size again.
        RequestKind::Resize(_) => true,
        RequestKind::Hold(id, on) => *on && model.keyboards.held.contains(id),
        _ => false,
    }
}
