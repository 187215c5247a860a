//! Restores what people were told of the running sessions, so that nobody is told again.

use std::path::Path;

use tokio::time::{Duration, sleep};

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::state::State;
use crate::daemon::storage::input_log;
use crate::engine::unsettled::unsettled;
use crate::protocol::Timestamp;

/// How long a question waits for whoever has asked it. A client that goes on connects again within two seconds.
const ASKER_BACK: Duration = Duration::from_secs(30);

/// Restores the prompts and the questions of which an earlier daemon has told.
pub(super) fn restore(state: &mut State) {
    for (id, left) in unsettled(&state.events.bus.past) {
        let dir = state.sessions.store.dir(&id);
        let session = state.sessions.get_mut(&id);
        let Some(session) = session.filter(|session| session.life.status().has_process()) else {
            continue;
        };
        if let Some((prompt, at)) = left.prompt
            && !was_typed_since(&dir, at)
        {
            session.input.was_notified(prompt);
        }
        let mut open = left.questions;
        open.retain(|question| question.until > now().wall);
        state.human_requests.restore(&id, open);
    }
}

/// Withdraws the restored questions, once whoever has asked them should be back.
pub(super) fn expect_askers(hub: &Hub) {
    let hub = hub.clone();
    tokio::task::spawn_local(async move {
        sleep(ASKER_BACK).await;
        hub.change(State::withdraw_unrepeated);
    });
}

/// Whether something was typed into a session since `at`, which ended the prompt.
fn was_typed_since(dir: &Path, at: Timestamp) -> bool {
    let typed = input_log::read(dir);
    typed.last().is_some_and(|entry| entry.at >= at)
}
