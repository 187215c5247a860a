//! The live screen of a job that is looked at.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::protocol::SessionId;
use crate::protocol::event::ScreenUpdate;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// What is known of a watched screen.
pub struct Watch {
    /// Whose screen it is.
    pub id: SessionId,
    /// Frames a second that were asked for.
    pub fps: u32,
    /// The screen; `None` until its first picture has come.
    pub screen: Option<Screen>,
    /// Lines of clean text that there were when it looked so, if the daemon says.
    pub lines: Option<u64>,
    /// Why there will be none.
    pub problem: Option<String>,
}

impl Watch {
    /// A watch that has seen nothing yet.
    pub fn new(id: SessionId, fps: u32) -> Self {
        Self {
            id,
            fps,
            screen: None,
            lines: None,
            problem: None,
        }
    }

    /// Takes in a `screen` event. A whole picture starts over; a change to a screen that is not there, or is of
    /// another size, is passed over: the daemon sends a whole one after every resize.
    pub fn apply(&mut self, update: &ScreenUpdate) -> bool {
        let Ok(bytes) = STANDARD.decode(&update.bytes) else {
            return false;
        };
        let size = Size::new(update.rows, update.cols);
        if update.full {
            let mut screen = Screen::new(size);
            screen.feed(&bytes);
            self.screen = Some(screen);
            self.lines = update.output_lines;
            self.problem = None;
            return true;
        }
        match &mut self.screen {
            Some(screen) if screen.size() == size => {
                screen.feed(&bytes);
                self.lines = update.output_lines;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn update(text: &str, full: bool) -> ScreenUpdate {
        ScreenUpdate {
            bytes: STANDARD.encode(text),
            rows: 5,
            cols: 20,
            screen_seq: 1,
            full,
            output_lines: None,
        }
    }

    #[test]
    fn a_change_needs_a_picture_to_change() {
        let mut watch = Watch::new(SessionId::parse("abcdefghijkl").unwrap(), 30);
        assert!(!watch.apply(&update("x", false)));
        assert!(watch.apply(&update("one", true)));
        assert!(watch.apply(&update(" two", false)));
        assert_eq!(watch.screen.as_ref().unwrap().text(true), "one two");
        assert!(watch.apply(&update("new", true)));
        assert_eq!(watch.screen.as_ref().unwrap().text(true), "new");
    }
}
