//! Processes large backlogs of output without painting those parts that scroll off or are painted
//! over before anybody can see them.

use super::Now;
use super::line_counter::LineCounter;
use super::output::{Output, OutputChanges};
use crate::protocol::status::Mode;
use crate::term::cost::{Affordable, affordable};
use crate::term::plain::{Checkpoint, marks};
use crate::term::redraw::{Abridged, abridge};
use crate::term::skim::{Stretch, skim};

/// Least backlog, in bytes, that is checked for parts that need not be painted. It is about as much
/// as fills a few screens.
const WORTH: usize = 16 * 1024;

/// Bytes painted between two checks. The number starts at the lower bound and doubles, up to the
/// upper bound, after each check that found nothing to skip.
const STEPS: std::ops::Range<usize> = 1024..64 * 1024;

/// Smallest number of bytes for which an abridged form is used. Below it, painting costs less.
const LEAST_ABRIDGED: usize = 4 * 1024;

/// Result of processing some output.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes processed.
    pub taken: usize,
    /// What was painted for this, as the number of bytes of text that cost as much: less than `taken` if parts were
    /// skipped, more if functions on the whole screen were among it.
    pub painted: usize,
    /// Changes that the output caused.
    pub news: OutputChanges,
}

impl Progress {
    fn add(&mut self, taken: usize, painted: usize, news: OutputChanges) {
        self.taken += taken;
        self.painted += painted;
        self.news.add(news);
    }
}

impl Output {
    /// Processes bytes that follow [`Output::end`] until what costs as much as about `most` bytes of text has been
    /// painted.
    pub fn catch_up(&mut self, bytes: &[u8], most: usize, now: Now) -> Progress {
        let mut progress = Progress::default();
        let mut step = STEPS.start;
        let cells = usize::from(self.size.rows()) * usize::from(self.size.cols());
        let worth = WORTH.max(4 * cells);
        while progress.taken < bytes.len() && progress.painted < most {
            let rest = self.of_one_size(&bytes[progress.taken..]);
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
                let news = self.feed_abridged(&abridged, &rest[..understood], now);
                progress.add(understood, abridged.bytes.len(), news);
                step = STEPS.start;
                continue;
            }
            let length = if look {
                step.max(understood)
            } else {
                rest.len()
            };
            let next = &rest[..length.min(rest.len())];
            let Affordable { length, cost } = affordable(next, self.size, most - progress.painted);
            let news = self.feed(&next[..length], now);
            progress.add(length, cost, news);
            step = STEPS.end.min(step * 2);
        }
        progress
    }

    /// The bytes at the beginning of some output that were written for one size.
    fn of_one_size<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let length = self.sizes().until(self.end) - self.end;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        &bytes[..length.min(bytes.len())]
    }

    /// Finds a stretch of `bytes` that scrolls off the screen before anybody can see it.
    fn skim(&mut self, bytes: &[u8]) -> Option<Stretch> {
        let end = self.end;
        let lines = self.renderer();
        let ready = lines.clean_offset() == end && lines.is_ordinary();
        let returns = self.mode == Mode::Pipe;
        let rows = self.size.rows().max(self.layout_at(end).size.rows());
        let rows = usize::from(rows);
        let every = usize::try_from(marks::EVERY).unwrap_or(usize::MAX);
        ready
            .then(|| skim(bytes, rows, returns, every))
            .flatten()
            .filter(|stretch| stretch.hidden > stretch.lead)
    }

    /// Processes the hidden bytes of a stretch whose lead has been fed.
    fn pass_over(&mut self, stretch: &Stretch, now: Now) {
        let (from, line) = (self.end, self.next_line());
        // The lead, which was written for the same size, is not empty.
        let size = self.layout_at(from.saturating_sub(1)).size;
        let ends = (stretch.hidden, stretch.newlines);
        for &(bytes, newlines) in stretch.places.iter().chain([&ends]) {
            let (offset, line) = (from + bytes as u64, line + newlines);
            self.checkpoints
                .push(Checkpoint::scrolled(size, offset, line));
        }
        self.end += stretch.hidden as u64;
        self.newlines += stretch.newlines;
        self.wrote(now);
        let alt_since = self.lines.alt_since();
        if let Some(at) = self.checkpoints.last() {
            self.lines = LineCounter::from(at).alt_known_since(alt_since);
        }
        let screen = self.screen();
        screen.feed(&stretch.attributes);
        // The stretch ends with a newline, so the cursor is in the first column.
        screen.feed(b"\r");
    }

    /// Finds a shorter byte sequence that paints the same screen: output that is painted over later
    /// is left out.
    fn abridge(&mut self, bytes: &[u8]) -> Option<Abridged> {
        let end = self.end;
        if self.layout_at(end).size != self.size {
            // The cursor of the lines is not that of the screen.
            return None;
        }
        let start = self.screen().start()?;
        let lines = self.renderer();
        let ready = lines.clean_offset() == end && lines.follows(start.row, start.col);
        let every = usize::try_from(2 * marks::EVERY).unwrap_or(usize::MAX);
        ready.then(|| abridge(bytes, &start, every))
    }

    /// Processes the abridged form of `bytes`.
    fn feed_abridged(&mut self, abridged: &Abridged, bytes: &[u8], now: Now) -> OutputChanges {
        self.renderer().feed_abridged(abridged);
        self.end += bytes.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.wrote(now);
        self.keep_checkpoints();
        self.paint(&abridged.bytes, now)
    }
}

/// Whether the abridged form is short enough to be painted instead.
fn is_shorter(abridged: &Abridged) -> bool {
    abridged.taken >= LEAST_ABRIDGED && abridged.bytes.len() < abridged.taken / 2
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::Timestamp;
    use crate::term::size::Size;

    fn size() -> Size {
        Size::new(6, 30)
    }

    /// A longer run of one kind of output (lines, frames, progress), or a little of any other.
    fn part() -> impl Strategy<Value = String> {
        let repeated = |part: String, count: usize| part.repeat(count);
        prop_oneof![
            3 => ("([a-z ]{0,40}|\x1b\\[(3[1-7]|9|29|4:3|0)m|\x1b\\[K|\r|é漢){1,5}\r\n", 100usize..900).prop_map(
                move |(line, count)| repeated(line, count)),
            3 => (vec((1u8..6, "[a-z漢]{0,9}(\x1b\\[1m|\x1b\\[m)?x"), 1..9), 100usize..400).prop_map(
                move |(rows, count)| {
                    let row = |(row, text)| format!("\x1b[{row};1H\x1b[K{text}");
                    repeated(rows.into_iter().map(row).collect(), count)
                }),
            1 => (1u8..100).prop_map(move |n| repeated(format!("\r\x1b[K{n} %"), 2000)),
            1 => "[a-z]{200}\x1b\\[[AM]",
            2 => "(\x07|\x1b\\[6n|\x1b\\]2;[a-z]\x07|\x1b\\[\\?1049[hl]|\x1b\\[(2;4)?r|\x1b\\([0B]|\x1b\\[[2J]){1,2}",
        ]
    }

    fn is_same(whole: &mut Output, short: &mut Output) -> Result<(), TestCaseError> {
        prop_assert_eq!(whole.end(), short.end());
        prop_assert_eq!(whole.total_lines(), short.total_lines());
        prop_assert_eq!(whole.next_line(), short.next_line());
        prop_assert_eq!(whole.newlines(), short.newlines());
        prop_assert_eq!(whole.alt_screen(), short.alt_screen());
        let (whole, short) = (whole.screen(), short.screen());
        prop_assert_eq!(whole.rows_ansi(false), short.rows_ansi(false));
        prop_assert_eq!(whole.cursor(), short.cursor());
        prop_assert_eq!(whole.title(), short.title());
        prop_assert_eq!(whole.ansi(), short.ansi());
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn skipped_painting_is_not_observable(
            parts in vec(part(), 1..5), pipe: bool, after in "[a-z\r\n]{0,50}",
        ) {
            let now = Now { boot: 0, wall: Timestamp(0) };
            let mode = if pipe { Mode::Pipe } else { Mode::Pty };
            let bytes = (parts.concat() + &after).into_bytes();
            let (mut whole, mut short) = (Output::new(mode, size()), Output::new(mode, size()));
            let (mut at, mut news) = (0, OutputChanges::default());
            while at < bytes.len() {
                let progress = short.catch_up(&bytes[at..], 8192, now);
                at += progress.taken;
                news.add(progress.news);
            }
            let long = whole.feed(&bytes, now);
            prop_assert_eq!((long.bells, long.title, long.replies), (news.bells, news.title, news.replies));
            is_same(&mut whole, &mut short)?;
            // From an exact checkpoint, lines have the same numbers as from the start.
            for at in short.checkpoints.iter().filter(|at| at.exact).step_by(3) {
                let offset = usize::try_from(at.offset).unwrap_or_default();
                let mut before = Output::new(mode, size());
                before.feed(&bytes[..offset], now);
                prop_assert_eq!(before.next_line(), at.line);
            }
            whole.feed(after.as_bytes(), now);
            short.feed(after.as_bytes(), now);
            is_same(&mut whole, &mut short)?;
        }
    }

    #[test]
    fn a_flood_costs_a_few_screens() {
        let now = Now {
            boot: 0,
            wall: Timestamp(0),
        };
        let frame: String = (1..7)
            .map(|n| format!("\x1b[{n};1H\x1b[Krow {n}"))
            .collect();
        for flood in ["a line of text\r\n".repeat(5000), frame.repeat(1000)] {
            let mut output = Output::new(Mode::Pty, size());
            let progress = output.catch_up(flood.as_bytes(), usize::MAX, now);
            assert_eq!(progress.taken, flood.len());
            assert!(progress.painted < 3000, "{}", progress.painted);
        }
    }

    #[test]
    fn a_turn_ends_early_if_each_byte_costs_a_screen() {
        let now = Now {
            boot: 0,
            wall: Timestamp(0),
        };
        for flood in ["\x1bc", "\x1b[?1049h\x1b[?1049l"] {
            let flood = flood.repeat(20_000);
            let mut output = Output::new(Mode::Pty, Size::new(100, 200));
            let progress = output.catch_up(flood.as_bytes(), 65_536, now);
            assert!(progress.painted >= 65_536, "{}", progress.painted);
            let taken = progress.taken;
            assert!((1..2000).contains(&taken), "{taken} of {flood:.8?}");
        }
    }
}
