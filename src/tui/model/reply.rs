//! A one-line answer to a job, without opening it.

use super::line::Line;
use crate::protocol::SessionId;
use crate::protocol::record::InputState;

/// An answer that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// To which job.
    pub id: SessionId,
    /// What has been typed.
    pub line: Line,
    /// Whether it must not show.
    pub hidden: bool,
}

impl Reply {
    /// An empty answer to a job that is in `state`.
    pub fn new(id: SessionId, state: InputState) -> Self {
        Self {
            id,
            line: Line::default(),
            hidden: state == InputState::Password,
        }
    }

    /// Takes in what the job does with its input now. What was typed for a password is dropped before it would
    /// show; true if that happened.
    pub fn follow(&mut self, state: InputState) -> bool {
        match state {
            InputState::Password => self.hidden = true,
            InputState::Line if self.hidden => {
                self.hidden = false;
                return !std::mem::take(&mut self.line).is_empty();
            }
            // While it works nobody can tell; a secret stays one.
            _ => {}
        }
        false
    }

    /// Whether the job, in `state`, would show a secret that is sent now.
    pub fn would_show(&self, state: InputState) -> bool {
        let shows = matches!(
            state,
            InputState::Line | InputState::None | InputState::Closed
        );
        self.hidden && shows
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_becomes_visible() {
        let id = SessionId::parse("abcdefghijkl").unwrap();
        let mut reply = Reply::new(id, InputState::Line);
        reply.line.insert("user");
        assert!(!reply.follow(InputState::Password), "hidden from here on");
        assert!(reply.hidden);
        assert!(!reply.follow(InputState::None));
        assert!(reply.hidden && reply.would_show(InputState::None));
        assert!(reply.follow(InputState::Line), "dropped");
        assert!(!reply.hidden && reply.line.is_empty());
    }
}
