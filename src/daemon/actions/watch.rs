//! `watch` and `unwatch`: sends a screen and its changes.

use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::output::set_colors;
use crate::daemon::tasks::watch as watcher;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::bounds::MAX_FPS;
use crate::protocol::colors::TerminalColors;
use crate::protocol::params::{Unwatch, Watch};
use crate::protocol::reply::Done;
use crate::protocol::{Error, Role};
use crate::term::colors::{Colors, parse};

/// Sends `screen` events until `unwatch`.
pub(super) fn watch(hub: &Hub, client: &Rc<Client>, params: Watch) -> Answer {
    let fps = params.max_fps.unwrap_or(MAX_FPS);
    if !(1..=MAX_FPS).contains(&fps) {
        return Err(Error::invalid(format!(
            "`maxFps` must be between 1 and {MAX_FPS}, not {fps}"
        )));
    }
    let id = find(hub, client, &params.session_id, Access::Read)?;
    if let Some(colors) = params.colors {
        let colors = read_colors(&colors)?;
        // Programs see them, so whoever may only look does not set them. Those of people are the usual ones.
        let reads_only = client.greeting.policy.read_only;
        let may_type = !reads_only && find(hub, client, &params.session_id, Access::Type).is_ok();
        let is_person = !reads_only && client.principal.role == Role::Human;
        hub.change(|state| {
            if may_type {
                set_colors(state, &id, &colors);
            }
            if is_person {
                state.colors = Some(colors);
            }
        });
    }
    let pace = Duration::from_secs(1) / fps;
    let (changed, outbox) = (Rc::new(Notify::new()), client.outbox.clone());
    let principal = client.principal.clone();
    let task = watcher::run(hub.clone(), principal, id.clone(), changed, outbox, pace);
    let (watcher, watched) = (Rc::downgrade(client), id.clone());
    let task = async move {
        task.await;
        // Nothing is left to watch. The task of an earlier `watch` was aborted, so the entry is that of this one.
        if let Some(client) = watcher.upgrade() {
            client.watches.borrow_mut().remove(&watched);
        }
    };
    let handle = tokio::task::spawn_local(task).abort_handle();
    if let Some(before) = client.watches.borrow_mut().insert(id, handle) {
        before.abort();
    }
    answer(Done {})
}

/// Reads the colours of a terminal. Those that it does not name are as usual.
fn read_colors(told: &TerminalColors) -> Result<Colors, Error> {
    let read = |text: &String| {
        parse(text).ok_or_else(|| {
            Error::invalid(format!("`colors` has `{text}`, which is not a colour"))
                .hint("a colour is `#rrggbb`")
        })
    };
    let usual = Colors::default();
    let color = |text: &Option<String>| text.as_ref().map(read).transpose();
    let foreground = color(&told.foreground)?.unwrap_or(usual.foreground);
    Ok(Colors {
        foreground,
        background: color(&told.background)?.unwrap_or(usual.background),
        cursor: color(&told.cursor)?.unwrap_or(foreground),
        palette: told
            .palette
            .iter()
            .take(16)
            .map(read)
            .collect::<Result<_, _>>()?,
    })
}

/// Stops sending `screen` events.
pub(super) fn unwatch(hub: &Hub, client: &Client, params: Unwatch) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Read)?;
    match client.watches.borrow_mut().remove(&id) {
        Some(handle) => {
            handle.abort();
            answer(Done {})
        }
        None => Err(Error::invalid(format!(
            "Session {id} is not watched by this connection"
        ))),
    }
}
