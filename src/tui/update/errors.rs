//! Handles error replies: shows them in the place that fits, or ignores them if something else
//! already shows the problem.

use super::daemon::{list_less, subscribe_to_less};
use super::events::refreshed;
use super::gone::forget;
use super::{project, usage};
use crate::protocol::{Error, ErrorCode};
use crate::term::sanitize::clean;
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
    let lost = error.code == ErrorCode::DaemonUnavailable && model.daemon.link != Link::Up;
    if lost && comes_again(model, &tag) {
        return;
    }
    if is_told_elsewhere(model, &tag, error) {
        return;
    }
    if let (true, Some(id)) = (error.code.is_gone(), tag.job()) {
        if let RequestKind::Copy(id, CopyFrom::Commands) = &tag {
            copy::forget(model, id, cmds);
        }
        forget(model, std::slice::from_ref(id), cmds);
        return;
    }
    if error.code == ErrorCode::InvalidParams && asks_for_less(model, &tag, cmds) {
        return;
    }
    if is_no_news(model, &tag, error, cmds) {
        return;
    }
    take_back(model, &tag, error, lost, cmds);
    let name = tag.job().map(|id| model.name_of(id)).unwrap_or_default();
    let Some(what) = what_failed(&tag, &name) else {
        return;
    };
    let hint = error.hint.as_deref().map(|hint| format!("  {hint}"));
    model.fail(format!(
        "{what}: {}.{}",
        error.message.trim_end_matches('.'),
        hint.unwrap_or_default()
    ));
}

/// Hands the error to the part of the view that shows it, also if the job is gone; `false` if there is none.
fn is_told_elsewhere(model: &mut Model, tag: &RequestKind, error: &Error) -> bool {
    match tag {
        RequestKind::Project(request) => project::refused(model, request, error),
        // The job counts as searched, whatever the reason.
        RequestKind::Found(id, round) => found::received(model, id, *round, None),
        // Its own pane says what is wrong with a job.
        RequestKind::Merged(id) => group::received(model, id, None),
        _ => return false,
    }
    true
}

/// Sends what an older daemon understands; `false` if that was tried already, or there is nothing less to ask for.
fn asks_for_less(model: &mut Model, tag: &RequestKind, cmds: &mut Vec<Cmd>) -> bool {
    match tag {
        RequestKind::Subscribe => subscribe_to_less(model, cmds),
        RequestKind::List => list_less(model, cmds),
        _ => false,
    }
}

/// Handles an error that needs no message, because the request was a convenience or something else shows the problem;
/// `false` if it needs one.
fn is_no_news(model: &mut Model, tag: &RequestKind, error: &Error, cmds: &mut Vec<Cmd>) -> bool {
    match tag {
        RequestKind::Typed(_) | RequestKind::Unwatch | RequestKind::Away => {}
        // An older daemon has none, or they are asked for again with the next event.
        RequestKind::Queues => {}
        // The request was answered just before.
        RequestKind::Cancel => {}
        // It is repeated soon, and the missed values would be outdated.
        RequestKind::Usage => usage::failed(model),
        RequestKind::Card(id, _) => {
            if let Some(card) = model.cards.get_mut(id) {
                card.refused();
                model.dirty = true;
            }
        }
        RequestKind::Record(id) => refreshed(model, id, cmds),
        RequestKind::Watch(id) => {
            if let Some(watch) = model.watches.iter_mut().find(|watch| watch.id == *id) {
                watch.problem = Some(clean(&error.message));
            }
            model.dirty = true;
        }
        // The job ended while typing; the status line shows that.
        RequestKind::Type(id, _) if error.code == ErrorCode::SessionNotRunning => {
            refresh(model, id, cmds);
        }
        // The question was settled in another way.
        RequestKind::Decline(id) => refresh(model, id, cmds),
        RequestKind::Runs(id) => {
            runs::received(model, id, None);
            jump::go_on(model, cmds);
        }
        // One message for several jobs.
        RequestKind::Copy(_, CopyFrom::Commands) => return model.commands.take().is_none(),
        _ => return false,
    }
    true
}

/// Takes back what was expected of the request. `lost`: the connection broke, and the request may have been carried out.
fn take_back(model: &mut Model, tag: &RequestKind, error: &Error, lost: bool, cmds: &mut Vec<Cmd>) {
    match tag {
        RequestKind::Details(id) => page::failed(model, id),
        RequestKind::Type(id, _) if insert::lost::is_loss(error) => insert::lost::lose(model, id),
        RequestKind::Resize(id) => insert::not_resized(model, id),
        RequestKind::Kill(id, _) => {
            quit::stay(model);
            refresh(model, id, cmds);
        }
        // Its row has been removed already.
        RequestKind::Remove(id) => refresh(model, id, cmds),
        RequestKind::Past(_) => rewind::failed(model),
        RequestKind::Compare(id) => compare::received(model, id, None),
        RequestKind::Log(..) => {
            if let Some(scroll) = &mut model.pane.scroll {
                scroll.loading = None;
                scroll.jump = None;
            }
        }
        RequestKind::Start(request) | RequestKind::Set(_, Some(request)) => {
            form::refused(model, *request);
        }
        // The state stays as before; after a reconnect, held keyboards are taken again.
        RequestKind::Hold(id, true) if !lost => {
            model.keyboards.held.remove(id);
        }
        RequestKind::Hold(id, false) if !lost => {
            model.keyboards.held.insert(id.clone());
        }
        _ => {}
    }
}

/// What was not done with the job of this name; `None` for requests whose errors are handled without a message.
fn what_failed(tag: &RequestKind, name: &str) -> Option<String> {
    Some(match tag {
        RequestKind::Details(_) => format!("The details of {name} are not available"),
        RequestKind::Type(..) => format!("Not typed into {name}"),
        RequestKind::Resize(_) => format!("{name} keeps its size"),
        RequestKind::Kill(..) => format!("{name} was not stopped"),
        RequestKind::Restart(_) => format!("{name} did not restart"),
        RequestKind::Pause(_, true) => format!("{name} was not paused"),
        RequestKind::Pause(_, false) => format!("{name} was not continued"),
        RequestKind::Sent(_, signal) => format!("{signal} was not sent to {name}"),
        RequestKind::Remove(_) => "It was not removed".to_owned(),
        RequestKind::Past(_) => format!("The past of {name} cannot be shown"),
        RequestKind::Copy(..) => "Nothing was copied".to_owned(),
        RequestKind::Compare(_) | RequestKind::Log(..) => {
            format!("The log of {name} could not be read")
        }
        RequestKind::Start(_) => "Nothing was started".to_owned(),
        RequestKind::Disconnect(host) => format!("{host} is still connected"),
        RequestKind::PauseQueue(queue, true) => format!("The queue {queue} was not paused"),
        RequestKind::PauseQueue(queue, false) => format!("The queue {queue} was not resumed"),
        RequestKind::Move(..) => format!("{name} was not moved"),
        RequestKind::Clear(_) => format!("The log of {name} was not cleared"),
        RequestKind::Hold(..) => format!("The keyboard of {name} was not taken or given back"),
        RequestKind::Url(_) => format!("The URL of {name} is not available"),
        RequestKind::Set(..) => format!("{name} was not changed"),
        RequestKind::List => "The list is not available".to_owned(),
        RequestKind::Subscribe => "Changes will not show".to_owned(),
        RequestKind::Away
        | RequestKind::Usage
        | RequestKind::Found(..)
        | RequestKind::Typed(_)
        | RequestKind::Cancel
        | RequestKind::Record(_)
        | RequestKind::Watch(_)
        | RequestKind::Unwatch
        | RequestKind::Decline(_)
        | RequestKind::Merged(_)
        | RequestKind::Card(..)
        | RequestKind::Runs(_)
        | RequestKind::Queues
        | RequestKind::Project(_) => return None,
    })
}

/// Whether the request is repeated after a reconnect.
fn comes_again(model: &Model, tag: &RequestKind) -> bool {
    match tag {
        RequestKind::Kill(id, _) => model
            .quitting
            .as_ref()
            .is_some_and(|quitting| quitting.left.contains(id)),
        // INSERT forgets the request when the connection breaks; the next key makes it again.
        RequestKind::Resize(_) => true,
        RequestKind::Hold(id, on) => *on && model.keyboards.held.contains(id),
        _ => false,
    }
}
