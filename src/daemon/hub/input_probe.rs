//! Asking what programs do with their input.

use std::time::Duration;

use super::Hub;
use crate::protocol::SessionId;

/// For so long an answer is waited for where somebody asks. A keeper answers in less
/// than a millisecond, and later on a machine that has too much to do; one that has
/// not answered by then is stopped, or of a version that does not know the question.
const PATIENCE: Duration = Duration::from_secs(2);

impl Hub {
    /// Looks now at what a session's program does with its input, and at what it
    /// wrote before.
    pub(crate) async fn see_input(&self, id: &SessionId) {
        if !self.change(|state| state.look_here(id)) {
            self.see_inputs(std::slice::from_ref(id)).await;
        }
    }

    /// The same of several, at once.
    pub(crate) async fn see_inputs(&self, ids: &[SessionId]) {
        let several = ids.len() > 1;
        let asked: Vec<_> = self.change(|state| {
            let asked = ids.iter().filter_map(|id| state.question(id, several));
            asked.collect()
        });
        let (asks, answers): (Vec<u64>, Vec<_>) = asked.into_iter().unzip();
        let all = async {
            for answer in answers {
                // It is forgotten only with what was asked.
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
