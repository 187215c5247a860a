//! Sends the changes of a screen to a client, at a rate that the client can take.

use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::sessions::frames::{Frames, Shown};
use crate::daemon::transport::outbox::Outbox;
use crate::engine::registry::Principal;
use crate::engine::sync_update::HOLD_MS;
use crate::protocol::SessionId;
use crate::term::pace::Pace;

/// Approximate cost of a frame, including the client that paints it. With many watchers each gets fewer frames,
/// so that the job runs as fast as with few.
const EACH: Duration = Duration::from_micros(500);

/// Sends the screen and then its changes, until the session is removed or no longer shared with `principal`: at
/// once after quiet, so that a typed key is shown when it is echoed, and at the interval `pace` while output
/// continues.
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
    let mut times = Pace::default();
    let mut typed = 0;
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
                times.drew(frames.age(), pace);
            }
            let turn = frames.next_turn(pace);
            Some((turn, pace))
        });
        let Some((turn, pace)) = next else { return };
        changed.notified().await;
        if must_wait(&hub, &id, &mut times, &mut typed, pace) {
            tokio::time::sleep_until(turn).await;
        }
        painted(&hub, &id, &changed).await;
    }
}

/// Waits until the program has painted the whole screen (mode 2026). `changed` is notified of changes. A program
/// that paints all the time may be within an update whenever one looks, so this waits for one at most.
async fn painted(hub: &Hub, id: &SessionId, changed: &Notify) {
    let end = Instant::now() + Duration::from_millis(HOLD_MS);
    while let ms @ 1.. = incomplete_ms(hub, id) {
        let end = end.min(Instant::now() + Duration::from_millis(ms));
        if tokio::time::timeout_at(end, changed.notified())
            .await
            .is_err()
        {
            return;
        }
    }
}

/// How long the screen is still incomplete, in milliseconds. See `Output::update_left`.
fn incomplete_ms(hub: &Hub, id: &SessionId) -> u64 {
    let state = hub.read();
    let session = state.sessions.get(id);
    session.map_or(0, |session| session.output.update_left(now()))
}

/// Waits until a screen that nobody needs to watch is complete.
pub(crate) async fn complete(hub: &Hub, id: &SessionId) {
    if incomplete_ms(hub, id) == 0 {
        return;
    }
    let changed = Rc::new(Notify::new());
    let _viewer = Watching::new(hub, id, &changed);
    painted(hub, id, &changed).await;
}

/// Whether the next frame has to wait for its turn. After a key it has not.
fn must_wait(hub: &Hub, id: &SessionId, times: &mut Pace, typed: &mut u64, pace: Duration) -> bool {
    let state = hub.read();
    let Some(io) = state.sessions.io(id) else {
        return false;
    };
    let now_typed = io.input.as_ref().map_or(0, |input| input.typed());
    if std::mem::replace(typed, now_typed) != now_typed {
        times.refill();
    }
    let age = io.frames.as_ref().map(|frames| frames.age());
    age.is_some_and(|age| !times.wait(age, pace).is_zero())
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
            state.rest_later(&self.id);
        });
    }
}
