//! Sends the changes of a screen to a client, at a rate that the client can take.

use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::sessions::frames::{Frames, Shown};
use crate::daemon::transport::outbox::Outbox;
use crate::engine::registry::Principal;
use crate::protocol::SessionId;

/// Approximate cost of a frame, including the client that paints it. With many watchers each gets fewer frames,
/// so that the job runs as fast as with few.
const EACH: Duration = Duration::from_micros(500);

/// Sends the screen and then its changes, until the session is removed or no longer shared with `principal`.
pub(crate) async fn run(
    hub: Hub,
    principal: Principal,
    id: SessionId,
    changed: Rc<Notify>,
    outbox: Rc<Outbox>,
    pace: Duration,
) {
    let _viewer = Watching::new(&hub, &id, &changed);
    let mut last: Option<Rc<Shown>> = None;
    loop {
        // Wait first: a slow client gets a newer frame later instead of an older one now.
        outbox.room_for_frame().await;
        let next = hub.change(|state| {
            let (session, io) = state.sessions.both_mut(&id)?;
            if !principal.sees(session) {
                return None;
            }
            let pace = pace.max(EACH * u32::try_from(io.watchers.len()).unwrap_or(u32::MAX));
            let frames = io.frames.as_mut()?;
            if let Some(line) = frames.next(&id, &mut session.output, &mut last, now().wall) {
                outbox.push_frame(line);
            }
            Some(frames.next_turn(pace))
        });
        let Some(next) = next else { return };
        changed.notified().await;
        tokio::time::sleep_until(next).await;
    }
}

/// Counts as a watcher of the session while this value lives.
struct Watching {
    hub: Hub,
    id: SessionId,
    changed: Rc<Notify>,
}

impl Watching {
    fn new(hub: &Hub, id: &SessionId, changed: &Rc<Notify>) -> Self {
        hub.change(|state| {
            if let Some((session, io)) = state.sessions.both_mut(id) {
                session.viewers += 1;
                io.watchers.push(changed.clone());
                io.frames.get_or_insert_with(|| Box::new(Frames::new()));
            }
        });
        Self {
            hub: hub.clone(),
            id: id.clone(),
            changed: changed.clone(),
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.hub.change(|state| {
            if let Some((session, io)) = state.sessions.both_mut(&self.id) {
                session.viewers = session.viewers.saturating_sub(1);
                io.watchers
                    .retain(|watcher| !Rc::ptr_eq(watcher, &self.changed));
                if io.watchers.is_empty()
                    && let Some(frames) = io.frames.take()
                {
                    let (made, sent) = (frames.made, frames.sent);
                    tracing::debug!(session = %self.id, made, sent, "the last watcher left");
                }
            }
            state.rest_later();
        });
    }
}
