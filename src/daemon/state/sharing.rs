//! What follows when a person shares a session with agents, or shares it no longer.

use super::State;
use crate::engine::registry::{Access, Principal};
use crate::protocol::SessionId;
use crate::protocol::record::Share;

impl State {
    /// Sets what agents of other scopes may do with a session. Their waits on it, and their questions about it, end if
    /// that does not include them any more.
    pub(crate) fn share(&mut self, id: &SessionId, share: Share) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.share = share;
            self.events.bus.set_shared(id, !share.is_none());
        }
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let shut_out = self.waiters.waits.shut_out(session);
        let withdrawn = self.human_requests.asked_by(id, |scope| {
            !Principal::of(scope.clone()).may(Access::Type, session)
        });
        // Whoever waits finds that there is no such session.
        self.resolve(shut_out);
        for number in withdrawn {
            self.withdraw_question(number, id, "cancelled");
        }
    }
}
