//! Who knows that a program needs input: people, who are notified, and agents, who are shown it.

use std::collections::HashSet;

use super::needs;
use crate::protocol::Scope;
use crate::protocol::status::InputState;

/// Maximum number of scopes of which it is known that they know.
const SHOWN: usize = 64;

/// Who knows it.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The state that people were notified of; cleared when the program stops waiting.
    notified: Option<InputState>,
    /// Scopes that know that the program waits; cleared when something is typed.
    shown: HashSet<Scope>,
}

impl Told {
    /// Something was typed. Until a line that the terminal collects is ended, the program goes on waiting for the line
    /// of which people were notified: `is_part` is whether these bytes have ended none.
    pub(super) fn typed(&mut self, is_part: bool) {
        if !is_part {
            self.notified = None;
        }
        self.shown.clear();
    }

    /// Whether a scope has not yet been shown that the program needs input.
    pub(super) fn is_news_to(&self, scope: &Scope, state: InputState) -> bool {
        needs(state) && !self.shown.contains(scope)
    }

    /// Records that a scope has been shown the state.
    pub(super) fn show(&mut self, scope: &Scope, state: InputState) {
        if self.is_news_to(scope, state) {
            if self.shown.len() >= SHOWN {
                self.shown.clear();
            }
            self.shown.insert(scope.clone());
        }
    }

    /// Records that people have been notified of a state.
    pub(super) fn was_notified(&mut self, state: InputState) {
        self.notified = Some(state);
    }

    /// The state of which people should be notified, after a check that gave `state`. There is one
    /// notification each time the program begins to wait for a line or a password, and none if it
    /// waits only for a moment: `is_quiet` is whether it has waited longer.
    pub(super) fn news(&mut self, state: InputState, is_quiet: bool) -> Option<InputState> {
        match state {
            state if needs(state) => {
                if !is_quiet || self.notified == Some(state) {
                    return None;
                }
                self.notified = Some(state);
                self.notified
            }
            InputState::Unknown => None,
            _ => {
                self.notified = None;
                None
            }
        }
    }
}
