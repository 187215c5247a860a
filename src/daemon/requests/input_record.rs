//! Records what was typed: in the input log of the session, and as events.

use std::rc::Rc;

use tokio::time::{Duration, sleep, timeout};

use crate::daemon::hub::Hub;
use crate::daemon::sessions::input::Input;
use crate::protocol::SessionId;

/// Longest wait for the echo of a key. Programs mostly react within a tenth of it.
const ECHO_PAUSE: Duration = Duration::from_millis(1);

/// Time in which a view draws the echo of a key. It takes a tenth of that.
const DRAW_PAUSE: Duration = Duration::from_millis(1);

/// Input that the program has, and the input log does not have yet. It is recorded when this value is dropped, or when
/// the session ends.
///
/// Most of the work for a key is to record it and to find out whether the program has read it. While that goes on, the
/// processor on which the kernel wakes the keeper and the view for the echo is mostly this one. So they come first if
/// somebody watches.
#[must_use]
pub(crate) struct Unrecorded {
    hub: Hub,
    id: SessionId,
    input: Rc<Input>,
}

impl Unrecorded {
    pub(crate) fn of(hub: &Hub, id: &SessionId, input: &Rc<Input>) -> Self {
        Self {
            hub: hub.clone(),
            id: id.clone(),
            input: input.clone(),
        }
    }

    /// Waits until the screen changes. Returns false if it does not.
    async fn echoes(&self) -> bool {
        let reaction = self.input.reaction();
        timeout(ECHO_PAUSE, reaction.notified()).await.is_ok()
    }

    /// Waits until the echo is on its way to those who watch.
    pub(crate) async fn after_echo(self) {
        if self.echoes().await {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until they have drawn it.
    pub(crate) async fn once_drawn(self) {
        if self.echoes().await {
            sleep(DRAW_PAUSE).await;
        }
    }
}

impl Drop for Unrecorded {
    fn drop(&mut self) {
        let typed = self.input.take_notes();
        self.hub.change(|state| state.record_typed(&self.id, typed));
    }
}
