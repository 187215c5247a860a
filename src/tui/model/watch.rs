//! The live screen of a watched job.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::protocol::SessionId;
use crate::protocol::colors::TerminalColors;
use crate::protocol::event::ScreenUpdate;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// State of a watched screen.
pub struct Watch {
    /// The job.
    pub id: SessionId,
    /// Requested frames per second.
    pub fps: u32,
    /// The colours of the terminal, as the daemon was told them.
    pub colors: Option<TerminalColors>,
    /// The screen with its lines wrapped to the pane, if they need to be.
    pub wrapped: Option<Wrapped>,
    /// The screen; `None` until the first frame has arrived.
    pub screen: Option<Screen>,
    /// Number of lines of clean text at the time of this screen, if the daemon reports it.
    pub lines: Option<u64>,
    /// Why there is no screen.
    pub problem: Option<String>,
}

/// A screen whose lines are wrapped to a width.
pub struct Wrapped {
    /// The number and the size of the screen that it was made from, and the width.
    made_from: (u64, Size, u16),
    screen: Screen,
}

impl Wrapped {
    /// What became of `screen`, wrapped to `width`.
    pub fn new(screen: &Screen, width: u16, wrapped: Screen) -> Self {
        Self {
            made_from: (screen.seq(), screen.size(), width),
            screen: wrapped,
        }
    }

    /// Whether it shows `screen` as it is now, at this width.
    pub fn is_of(&self, screen: &Screen, width: u16) -> bool {
        self.made_from == (screen.seq(), screen.size(), width)
    }

    /// The screen.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }
}

impl Watch {
    /// A watch without a screen.
    pub fn new(id: SessionId, fps: u32, colors: Option<TerminalColors>) -> Self {
        Self {
            id,
            fps,
            colors,
            wrapped: None,
            screen: None,
            lines: None,
            problem: None,
        }
    }

    /// The screen as it is shown: with its lines wrapped, if they need to be.
    pub fn shown(&self) -> Option<&Screen> {
        let wrapped = self.wrapped.as_ref().map(Wrapped::screen);
        wrapped.or(self.screen.as_ref())
    }

    /// Applies a `screen` event, and returns the rows that have changed. A full frame replaces the screen. A change
    /// is ignored if there is no screen or its size differs, because the daemon sends a full frame after every
    /// resize.
    pub fn apply(&mut self, update: &ScreenUpdate) -> Option<Range<u16>> {
        let bytes = STANDARD.decode(&update.bytes).ok()?;
        let size = Size::new(update.rows, update.cols);
        if update.full {
            let mut screen = Screen::new(size);
            switch(&mut screen, update);
            screen.feed(&bytes);
            self.screen = Some(screen);
            self.wrapped = None;
            self.lines = update.output_lines;
            self.problem = None;
            return Some(0..size.rows());
        }
        match &mut self.screen {
            Some(screen) if screen.size() == size => {
                switch(screen, update);
                let restarted = screen.feed(&bytes).restarted;
                self.lines = update.output_lines;
                let changed = update.changed_rows.filter(|_| !restarted);
                Some(changed.map_or(0..size.rows(), |(first, end)| first..end))
            }
            _ => None,
        }
    }
}

/// Switches to the alternate screen, or back. The bytes of an update then paint all of it.
fn switch(screen: &mut Screen, update: &ScreenUpdate) {
    match (screen.alt_screen(), update.alt_screen) {
        (false, true) => {
            screen.feed(b"\x1b[?1049h");
        }
        (true, false) => {
            screen.feed(b"\x1b[?1049l");
        }
        _ => {}
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
            changed_rows: None,
            alt_screen: false,
        }
    }

    #[test]
    fn knows_the_alternate_screen() {
        let mut watch = Watch::new(SessionId::parse("abcdefghijkl").unwrap(), 30, None);
        for (alt_screen, full) in [(false, true), (true, false), (false, false), (true, true)] {
            let update = ScreenUpdate {
                alt_screen,
                ..update("\x1b[2J\x1b[Htext", full)
            };
            watch.apply(&update).unwrap();
            let screen = watch.screen.as_ref().unwrap();
            assert_eq!(
                (screen.alt_screen(), &*screen.text(true)),
                (alt_screen, "text")
            );
        }
    }

    #[test]
    fn ignores_a_change_without_a_full_frame() {
        let mut watch = Watch::new(SessionId::parse("abcdefghijkl").unwrap(), 30, None);
        assert_eq!(watch.apply(&update("x", false)), None);
        assert_eq!(watch.apply(&update("one", true)), Some(0..5));
        assert_eq!(watch.apply(&update(" two", false)), Some(0..5));
        assert_eq!(watch.screen.as_ref().unwrap().text(true), "one two");
        assert!(watch.apply(&update("new", true)).is_some());
        assert_eq!(watch.screen.as_ref().unwrap().text(true), "new");
    }
}
