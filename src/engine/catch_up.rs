//! Output that nobody has looked at yet, and much of it: what nobody can have seen is not painted.

use super::Now;
use super::output::{News, Output};
use crate::protocol::record::Mode;
use crate::term::plain::{Checkpoint, Plain, marks};
use crate::term::redraw::{Abridged, abridge};
use crate::term::skim::{Stretch, skim};

/// Bytes for which it is worth a look whether they have to be painted: those of a few screens.
const WORTH: usize = 16 * 1024;

/// Bytes that are painted before the next look: at first, and where the looks before were in vain.
const STEPS: std::ops::Range<usize> = 1024..64 * 1024;

/// Bytes that have to be understood at least, so that it costs less than painting them.
const LEAST_ABRIDGED: usize = 4 * 1024;

/// What looking at some output has come to.
#[derive(Debug, Default)]
pub struct Progress {
    /// How many bytes were looked at.
    pub taken: usize,
    /// How many were painted for them.
    pub painted: usize,
    /// What they have brought.
    pub news: News,
}

impl Progress {
    fn add(&mut self, taken: usize, painted: usize, news: News) {
        self.taken += taken;
        self.painted += painted;
        self.news.add(news);
    }
}

impl Output {
    /// Takes of the bytes that follow [`Output::end`] as many as can be had by painting `most`,
    /// or a little more.
    pub fn catch_up(&mut self, bytes: &[u8], most: usize, now: Now) -> Progress {
        let mut progress = Progress::default();
        let mut step = STEPS.start;
        let cells = usize::from(self.size.rows()) * usize::from(self.size.cols());
        let worth = WORTH.max(4 * cells);
        while progress.taken < bytes.len() && progress.painted < most {
            let rest = &bytes[progress.taken..];
            let look = rest.len() >= worth;
            if let Some(stretch) = look.then(|| self.skim(rest)).flatten() {
                let mut news = self.feed(&rest[..stretch.lead], now);
                self.pass_over(&stretch, now);
                news.screen = true;
                news.bells += stretch.bells;
                progress.add(stretch.lead + stretch.hidden, stretch.lead, news);
                step = STEPS.start;
                continue;
            }
            let abridged = look.then(|| self.abridge(rest)).flatten();
            let understood = abridged.as_ref().map_or(0, |abridged| abridged.taken);
            if let Some(abridged) = abridged.filter(is_shorter) {
                let news = self.feed_abridged(&abridged, now);
                progress.add(understood, abridged.bytes.len(), news);
                step = STEPS.start;
                continue;
            }
            let length = if look {
                step.max(understood)
            } else {
                rest.len()
            };
            let length = length.min(rest.len()).min(most);
            let news = self.feed(&rest[..length], now);
            progress.add(length, length, news);
            step = STEPS.end.min(step * 2);
        }
        progress
    }

    /// What scrolls by.
    fn skim(&self, bytes: &[u8]) -> Option<Stretch> {
        let clean = self.lines.clean_offset() == self.end;
        let returns = self.mode == Mode::Pipe;
        let rows = usize::from(self.size.rows());
        let every = usize::try_from(marks::EVERY).unwrap_or(usize::MAX);
        (clean && self.lines.is_ordinary())
            .then(|| skim(bytes, rows, returns, every))
            .flatten()
            .filter(|stretch| stretch.hidden > stretch.lead)
    }

    /// Takes the hidden bytes of a stretch whose lead has been fed.
    fn pass_over(&mut self, stretch: &Stretch, now: Now) {
        let row = self.size.rows() - 1;
        let (from, line) = (self.end, self.next_line());
        let ends = (stretch.hidden, stretch.newlines);
        for &(bytes, newlines) in stretch.places.iter().chain([&ends]) {
            self.checkpoints.push(Checkpoint {
                offset: from + bytes as u64,
                line: line + newlines,
                row,
                alt: false,
                exact: true,
            });
        }
        self.end += stretch.hidden as u64;
        self.wrote(now);
        if let Some(at) = self.checkpoints.last() {
            self.lines = Plain::resume(self.layout(), *at);
        }
        self.lines.set_keep_final(false);
        self.lines.set_track_touched(false);
        let screen = self.screen();
        screen.feed(&stretch.attributes);
        // The stretch has ended with a newline.
        screen.feed(b"\r");
    }

    /// What is painted over.
    fn abridge(&self, bytes: &[u8]) -> Option<Abridged> {
        let start = self.screen.as_ref()?.start()?;
        let clean = self.lines.clean_offset() == self.end;
        let every = usize::try_from(2 * marks::EVERY).unwrap_or(usize::MAX);
        (clean && self.lines.follows(start.row, start.col)).then(|| abridge(bytes, &start, every))
    }

    fn feed_abridged(&mut self, abridged: &Abridged, now: Now) -> News {
        self.end += abridged.taken as u64;
        self.wrote(now);
        self.lines.feed_abridged(abridged);
        self.keep_checkpoints();
        self.paint(&abridged.bytes)
    }
}

/// Whether it is worth to be painted instead.
fn is_shorter(abridged: &Abridged) -> bool {
    abridged.taken >= LEAST_ABRIDGED && abridged.bytes.len() < abridged.taken / 2
}
