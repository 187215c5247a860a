//! A log as one HTML page: what an endless terminal would show, with colours.

use std::convert::Infallible;

use crate::term::screen::Screen;
use crate::term::snapshot::html::Page;
use crate::term::snapshot::rows_above;

/// Number of bytes that are painted before the rows that have scrolled off are collected.
const PIECE: usize = 512;

/// Writes a page.
pub struct Pages {
    screen: Screen,
    page: Page,
    /// Bytes painted since rows were last collected. Pieces start at the same offsets however the
    /// log is read.
    painted: usize,
}

impl Pages {
    /// Number of scrollback rows that the screen must keep: more than one piece can scroll off. The
    /// worst case is a full screen of usual size for every four bytes.
    pub const SCROLLBACK: usize = 10_000;

    /// Creates a page from what will be painted on `screen`, which must keep [`Self::SCROLLBACK`]
    /// rows.
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
        // Queries were already answered when the output was first read.
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
