//! A one-line reply to a job, without opening it.

use crate::protocol::SessionId;
use crate::protocol::status::InputState;
use crate::tui::line::Line;

/// A reply being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The job.
    pub id: SessionId,
    /// The text typed so far.
    pub line: Line,
    /// Whether the text is hidden.
    pub hidden: bool,
    /// The name of the job, as last known.
    pub name: String,
    /// Why nothing can be sent any more: `web was removed`. The reply stays open, as what is still typed would be
    /// commands in NORMAL.
    pub over: Option<String>,
}

impl Reply {
    /// An empty reply to a job in `state`.
    pub fn new(id: SessionId, name: String, state: InputState) -> Self {
        Self {
            id,
            name,
            over: None,
            line: Line::default(),
            hidden: state == InputState::Password,
        }
    }

    /// Handles a new input state of the job. Drops text typed for a password before it would become
    /// visible; returns true in that case.
    pub fn follow(&mut self, state: InputState) -> bool {
        match state {
            InputState::Password => self.hidden = true,
            InputState::Line if self.hidden => {
                self.hidden = false;
                return !std::mem::take(&mut self.line).is_empty();
            }
            // While the job works its state is unknown, so a secret stays hidden.
            _ => {}
        }
        false
    }

    /// Whether the job, in `state`, may show a secret that is sent now, or keep it: only a password prompt does not.
    pub fn would_show(&self, state: InputState) -> bool {
        self.hidden && state != InputState::Password
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_becomes_visible() {
        let id = SessionId::parse("abcdefghijkl").unwrap();
        let mut reply = Reply::new(id, "web".to_owned(), InputState::Line);
        reply.line.insert("user");
        assert!(!reply.follow(InputState::Password), "hidden from here on");
        assert!(reply.hidden);
        assert!(!reply.follow(InputState::None));
        assert!(reply.hidden && reply.would_show(InputState::None));
        // A shell that has given up its prompt edits the line itself, and shows it.
        for state in [InputState::Raw, InputState::Tui, InputState::Unknown] {
            assert!(!reply.follow(state) && reply.would_show(state), "{state:?}");
        }
        assert!(!reply.would_show(InputState::Password));
        assert!(reply.follow(InputState::Line), "dropped");
        assert!(!reply.hidden && reply.line.is_empty());
    }
}
