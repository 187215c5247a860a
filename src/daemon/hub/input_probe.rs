//! Asks the keeper whether programs wait for input.

use std::time::Duration;

use super::Hub;
use crate::protocol::SessionId;

/// How long to wait for an answer. A keeper answers in less than a millisecond, or later on an overloaded
/// machine. One that has not answered by then is stopped, or of a version that does not know the question. A client
/// waits a little longer before it looks for the reason of the silence (`client::silence`).
const PATIENCE: Duration = Duration::from_secs(1);

impl Hub {
    /// Checks now whether a session's program waits for input, and renders what it wrote before.
    pub(crate) async fn check_input(&self, id: &SessionId) {
        if !self.change(|state| state.inspect_locally(id)) {
            self.check_inputs(std::slice::from_ref(id)).await;
        }
    }

    /// Checks several sessions at once.
    pub(crate) async fn check_inputs(&self, ids: &[SessionId]) {
        let several = ids.len() > 1;
        let asked: Vec<_> = self.change(|state| {
            let asked = ids.iter().filter_map(|id| state.question(id, several));
            asked.collect()
        });
        let (asks, answers): (Vec<u64>, Vec<_>) = asked.into_iter().unzip();
        let all = async {
            for answer in answers {
                // Fails only if the question was dropped.
                let _ = answer.await;
            }
        };
        if tokio::time::timeout(PATIENCE, all).await.is_err() {
            self.change(|state| {
                let keeper = state.keeper.pid();
                state.input_probes.give_up(asks, keeper);
            });
        }
    }
}
