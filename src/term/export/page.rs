//! A log as one page: what a terminal without end would show, with its colours.

use std::convert::Infallible;

use crate::term::screen::Screen;
use crate::term::snapshot::html::Page;
use crate::term::snapshot::rows_above;

/// Bytes that are painted before the rows that have scrolled off are taken.
const PIECE: usize = 512;

/// Writes a page.
pub struct Pages {
    screen: Screen,
    page: Page,
    /// Bytes since the last rows were taken: pieces begin at the same places however the log is read.
    painted: usize,
}

impl Pages {
    /// Rows that the screen has to keep: more than a piece can scroll by, of which the worst is a full screen of
    /// usual size with every four bytes.
    pub const SCROLLBACK: usize = 10_000;

    /// A page of what will be painted on `screen`, which keeps [`Self::SCROLLBACK`] rows.
    pub fn new(screen: Screen, title: &str) -> Self {
        Self {
            screen,
            page: Page::new(title, true),
            painted: 0,
        }
    }

    pub(super) fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(bytes.len().min(PIECE - self.painted));
            self.screen.feed(piece);
            self.painted += piece.len();
            if self.painted == PIECE {
                self.painted = 0;
                self.take_rows();
                out.extend(self.page.take().into_bytes());
            }
            bytes = rest;
        }
        // Answered when it was first seen.
        self.screen.take_replies();
    }

    pub(super) fn finish(mut self, out: &mut Vec<u8>) {
        self.take_rows();
        for row in 0..self.screen.size().rows() {
            self.page.row(&self.screen.row(row), None);
        }
        out.extend(self.page.finish().into_bytes());
    }

    fn take_rows(&mut self) {
        let Self { screen, page, .. } = self;
        let lines = screen.scrollback_len();
        if lines == 0 {
            return;
        }
        let Ok(()) = rows_above(screen, lines, |screen, row| {
            page.row(&screen.row(row), None);
            Ok::<(), Infallible>(())
        });
        screen.clear_scrollback();
    }
}
