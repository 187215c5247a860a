//! The task that renders output, one chunk of one session per turn.

use crate::daemon::hub::Hub;
use crate::daemon::state::output::render_chunk;
use crate::sys::failpoint;

/// Renders output; never returns.
pub(crate) async fn run(hub: Hub) {
    loop {
        let next = hub.change(|state| state.render_queue.next());
        match next {
            Some(id) => {
                failpoint::panic("render");
                hub.change(|state| render_chunk(state, &id));
                tokio::task::yield_now().await;
            }
            None => hub.dirty().await,
        }
    }
}
