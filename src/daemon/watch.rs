//! Telling a client what changes on a screen, at a pace it can take.

use std::rc::Rc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::hub::{Hub, now};
use super::outbox::Outbox;
use crate::engine::registry;
use crate::protocol::event::ScreenUpdate;
use crate::protocol::{Event, EventKind, SessionId};
use crate::term::screen::Picture;
use crate::term::size::Size;

/// Sends the screen, and then what changes, until the session is gone, or not
/// shared with the viewer any more.
pub(super) async fn run(
    hub: Hub,
    viewer: registry::Viewer,
    id: SessionId,
    changed: Rc<Notify>,
    outbox: Rc<Outbox>,
    pace: Duration,
) {
    let _viewer = Viewer::new(&hub, &id, &changed);
    let mut last: Option<(Size, Picture)> = None;
    loop {
        // A slow client gets a newer frame later, not an older one now.
        outbox.room_for_frame().await;
        let Some(event) = frame(&hub, &viewer, &id, &mut last) else {
            return;
        };
        outbox.push_event(&event);
        let next = Instant::now() + pace;
        changed.notified().await;
        tokio::time::sleep_until(next).await;
    }
}

/// What has changed since `last`, which becomes what is there now.
fn frame(
    hub: &Hub,
    viewer: &registry::Viewer,
    id: &SessionId,
    last: &mut Option<(Size, Picture)>,
) -> Option<Event> {
    let mut state = hub.state();
    let session = state.registry.get_mut(id).filter(|s| viewer.sees(s))?;
    let output_lines = Some(session.output.total_lines());
    let screen = session.output.screen();
    let (bytes, full) = match last {
        Some((size, picture)) if *size == screen.size() => (screen.diff(picture), false),
        _ => (screen.ansi(), true),
    };
    *last = Some((screen.size(), screen.picture()));
    let update = ScreenUpdate {
        bytes: STANDARD.encode(bytes),
        rows: screen.size().rows(),
        cols: screen.size().cols(),
        screen_seq: screen.seq(),
        full,
        output_lines,
    };
    Some(Event {
        event: EventKind::Screen,
        seq: None,
        at: Some(now().wall),
        session_id: Some(id.clone()),
        data: serde_json::to_value(update).ok()?,
    })
}

/// Counts as a viewer for as long as it lives.
struct Viewer {
    hub: Hub,
    id: SessionId,
    changed: Rc<Notify>,
}

impl Viewer {
    fn new(hub: &Hub, id: &SessionId, changed: &Rc<Notify>) -> Self {
        let mut state = hub.state();
        if let Some(session) = state.registry.get_mut(id) {
            session.viewers += 1;
        }
        if let Some(driver) = state.drivers.get_mut(id) {
            driver.watchers.push(changed.clone());
        }
        Self {
            hub: hub.clone(),
            id: id.clone(),
            changed: changed.clone(),
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let mut state = self.hub.state();
        if let Some(session) = state.registry.get_mut(&self.id) {
            session.viewers = session.viewers.saturating_sub(1);
        }
        if let Some(driver) = state.drivers.get_mut(&self.id) {
            driver
                .watchers
                .retain(|watcher| !Rc::ptr_eq(watcher, &self.changed));
        }
        state.rest_later();
    }
}
