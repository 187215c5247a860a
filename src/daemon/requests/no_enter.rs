//! Text that a model types without Enter. The model may take it for an answer that the program has.

use super::target::{Target, edits_lines};
use crate::daemon::hub::Hub;
use crate::protocol::SessionId;
use crate::protocol::reply::Polled;
use crate::protocol::status::InputState;

/// Characters of the shortest text of which a line editor is sure to leave the end unread: a program that reads a
/// single key has read it.
const SHORTEST: usize = 2;

/// Text without Enter and without other keys.
pub(super) struct NoEnter {
    text: String,
    /// Whether the terminal collects lines, so that the program gets nothing before Enter.
    is_collected: bool,
}

impl NoEnter {
    /// `None` if the bytes contain a key other than text, or go into a pipe.
    pub(super) fn of(target: &Target, bytes: &[u8]) -> Option<Self> {
        let is_collected = target.line_discipline()?.canonical;
        let text = text(bytes)?.to_owned();
        Some(Self { text, is_collected })
    }

    /// Whether the text still stands at the prompt, as far as can be known: the program goes on to wait, and nothing but
    /// the echo came.
    pub(super) fn stands(&self, hub: &Hub, id: &SessionId, polled: &Polled) -> bool {
        let output = polled.output.trim();
        let is_echo = output == self.text.trim();
        match polled.input_state {
            InputState::Line => self.is_collected && is_echo,
            InputState::Password => self.is_collected && output.is_empty(),
            InputState::Raw => {
                let is_long = self.text.chars().count() >= SHORTEST;
                !self.is_collected && is_echo && is_long && edits_lines(&hub.read(), id)
            }
            _ => false,
        }
    }
}

/// The bytes as text, if they contain something to be seen and no control character.
fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.trim().is_empty() && !text.contains(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_can_be_taken_for_an_answer() {
        assert_eq!(text("naïve answer".as_bytes()), Some("naïve answer"));
        let keys: [&[u8]; 6] = [b"", b" ", b"yes\r", b"yes\n", b"\x03", b"\x1b[A"];
        for keys in keys {
            assert_eq!(text(keys), None, "{keys:?}");
        }
        assert_eq!(text(b"\xff"), None);
    }
}
