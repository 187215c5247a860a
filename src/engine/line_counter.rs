//! Counts the lines of a session. The renderer is created with the first byte, because its window
//! costs kilobytes and most sessions that wait in silence never need it.

use crate::term::plain::{Checkpoint, Layout, Plain};

/// Counts lines starting at a checkpoint.
#[derive(Debug)]
pub struct LineCounter {
    from: Checkpoint,
    /// An offset since which the alternate screen has not been switched; the last switch may be
    /// earlier.
    alt_since: u64,
    renderer: Option<Box<Plain>>,
}

impl LineCounter {
    /// Starts at `from`, before any further output.
    pub fn from(from: Checkpoint) -> Self {
        Self {
            from,
            alt_since: from.offset,
            renderer: None,
        }
    }

    /// Sets the offset since which the alternate screen is known to be unchanged.
    #[must_use]
    pub fn alt_known_since(mut self, offset: u64) -> Self {
        self.alt_since = offset;
        self
    }

    /// The renderer that takes the next bytes. It is created with this layout on first use.
    pub fn renderer(&mut self, layout: Layout) -> &mut Plain {
        let (from, alt_since) = (self.from, self.alt_since);
        self.renderer.get_or_insert_with(|| {
            let mut renderer = Plain::resume(layout, from);
            renderer.set_keep_final(false);
            renderer.set_track_touched(false);
            renderer.set_alt_since(alt_since);
            Box::new(renderer)
        })
    }

    /// See [`Plain::clean_offset`].
    pub fn clean_offset(&self) -> u64 {
        let renderer = self.renderer.as_ref();
        renderer.map_or(self.from.offset, |lines| lines.clean_offset())
    }

    /// See [`Plain::alt_screen`].
    pub fn alt_screen(&self) -> bool {
        let renderer = self.renderer.as_ref();
        renderer.map_or(self.from.alt, |lines| lines.alt_screen())
    }

    /// Whether it started on the alternate screen.
    pub fn starts_alt(&self) -> bool {
        self.from.alt
    }

    /// See [`Plain::alt_since`].
    pub fn alt_since(&self) -> u64 {
        let renderer = self.renderer.as_ref();
        renderer.map_or(self.alt_since, |lines| lines.alt_since())
    }

    /// See [`Plain::total_lines`].
    pub fn total_lines(&self) -> u64 {
        let before = self.from.line.saturating_sub(1);
        let renderer = self.renderer.as_ref();
        renderer.map_or(before, |lines| lines.total_lines())
    }

    /// Number of the line to which the next byte belongs.
    pub fn next_line(&self) -> u64 {
        let renderer = self.renderer.as_ref();
        let begins = renderer.map_or(self.total_lines() > 0, |lines| lines.ends_with_newline());
        (self.total_lines() + u64::from(begins)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::plain::LayoutKind;
    use crate::term::size::Size;

    #[test]
    fn before_the_first_byte_it_agrees_with_a_renderer() {
        for (line, row, alt) in [(1, 0, false), (7, 0, true), (9, 3, false), (1, 2, false)] {
            let layout = Layout {
                size: Size::new(4, 20),
                kind: LayoutKind::Terminal,
            };
            let at = Checkpoint {
                line,
                row,
                alt,
                ..Checkpoint::at(50)
            };
            let silent = LineCounter::from(at);
            let mut made = LineCounter::from(at);
            made.renderer(layout);
            let facts = |lines: &LineCounter| {
                let (total, next) = (lines.total_lines(), lines.next_line());
                (lines.clean_offset(), lines.alt_screen(), total, next)
            };
            assert_eq!(facts(&silent), facts(&made), "{at:?}");
        }
    }
}
