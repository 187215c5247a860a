//! Telling a client what changes on a screen, at a pace it can take.

use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;

use super::frames::{Frames, Shown};
use super::hub::{Hub, now};
use super::outbox::Outbox;
use crate::engine::registry;
use crate::protocol::SessionId;

/// What a frame takes of the machine with the client that paints it, about. With many
/// watchers all of them have fewer frames, so that the job goes on as if there were few.
const EACH: Duration = Duration::from_micros(500);

/// Sends the screen, and then what changes, until the session is gone, or not
/// shared with the viewer any more.
pub(super) async fn run(
    hub: Hub,
    viewer: registry::Principal,
    id: SessionId,
    changed: Rc<Notify>,
    outbox: Rc<Outbox>,
    pace: Duration,
) {
    let _viewer = Watching::new(&hub, &id, &changed);
    let mut last: Option<Rc<Shown>> = None;
    loop {
        // A slow client gets a newer frame later, not an older one now.
        outbox.room_for_frame().await;
        let next = {
            let state = &mut *hub.state();
            let session = state.registry.get_mut(&id).filter(|s| viewer.sees(s));
            let driver = state.drivers.get_mut(&id);
            let (Some(session), Some(driver)) = (session, driver) else {
                return;
            };
            let pace = pace.max(EACH * u32::try_from(driver.watchers.len()).unwrap_or(u32::MAX));
            let Some(frames) = driver.frames.as_mut() else {
                return;
            };
            if let Some(line) = frames.next(&id, &mut session.output, &mut last, now().wall) {
                outbox.push_frame(line);
            }
            frames.next_turn(pace)
        };
        changed.notified().await;
        tokio::time::sleep_until(next).await;
    }
}

/// Counts as a viewer for as long as it lives.
struct Watching {
    hub: Hub,
    id: SessionId,
    changed: Rc<Notify>,
}

impl Watching {
    fn new(hub: &Hub, id: &SessionId, changed: &Rc<Notify>) -> Self {
        let mut state = hub.state();
        if let Some(session) = state.registry.get_mut(id) {
            session.viewers += 1;
        }
        if let Some(driver) = state.drivers.get_mut(id) {
            driver.watchers.push(changed.clone());
            driver.frames.get_or_insert_with(|| Box::new(Frames::new()));
        }
        Self {
            hub: hub.clone(),
            id: id.clone(),
            changed: changed.clone(),
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut state = self.hub.state();
        if let Some(session) = state.registry.get_mut(&self.id) {
            session.viewers = session.viewers.saturating_sub(1);
        }
        if let Some(driver) = state.drivers.get_mut(&self.id) {
            driver
                .watchers
                .retain(|watcher| !Rc::ptr_eq(watcher, &self.changed));
            if driver.watchers.is_empty()
                && let Some(frames) = driver.frames.take()
            {
                let (made, told) = (frames.made, frames.told);
                tracing::debug!(session = %self.id, made, told, "nobody watches any more");
            }
        }
        state.rest_later();
    }
}
