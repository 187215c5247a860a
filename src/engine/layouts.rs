//! How the bytes of a log are laid out as lines: each at the size that the terminal had when it was written.
//!
//! Line numbers are permanent, and a program that moves the cursor up makes other lines at another size. So what counts
//! lines and what reads them must change the size at the same bytes.

use super::sizes::Sizes;
use crate::term::plain::{Checkpoint, Layout, LayoutKind, Rendered, render_parts};

/// The layouts of one log.
#[derive(Clone, Debug)]
pub struct Layouts {
    kind: LayoutKind,
    sizes: Sizes,
}

impl Layouts {
    /// The layouts of a log from such a source, whose terminal has had these sizes.
    pub fn new(kind: LayoutKind, sizes: Sizes) -> Self {
        Self { kind, sizes }
    }

    /// The layout of the byte at `offset`.
    pub fn at(&self, offset: u64) -> Layout {
        Layout {
            size: self.sizes.at(offset).unwrap_or_default(),
            kind: self.kind,
        }
    }

    /// Divides bytes that begin at `offset` where the layout changes. There is at least one part.
    pub fn parts<'b>(&self, offset: u64, bytes: &'b [u8]) -> Vec<(Layout, &'b [u8])> {
        let (mut at, mut rest) = (offset, bytes);
        let mut parts = Vec::with_capacity(1);
        loop {
            let length = self.sizes.until(at) - at;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let (part, later) = rest.split_at(length.min(rest.len()));
            parts.push((self.at(at), part));
            at += part.len() as u64;
            rest = later;
            if rest.is_empty() {
                return parts;
            }
        }
    }

    /// Renders bytes that begin at a checkpoint.
    pub fn render(&self, bytes: &[u8], at: Checkpoint) -> Rendered {
        render_parts(&self.parts(at.offset, bytes), at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Now;
    use crate::engine::output::Output;
    use crate::protocol::Timestamp;
    use crate::protocol::status::Mode;
    use crate::term::plain::Plain;
    use crate::term::plain::reader::{Reader, Shown};
    use crate::term::size::Size;

    const NOW: Now = Now {
        boot: 0,
        wall: Timestamp(0),
    };

    /// Output, and the size after it.
    fn part() -> impl Strategy<Value = (String, Size)> {
        let repeated = |(line, count): (String, usize)| line.repeat(count);
        let text = prop_oneof![
            3 => ("[a-z ]{0,50}\r\n", 1..700_usize).prop_map(repeated),
            3 => ("([a-z]{1,20}\r\n){1,9}\x1b\\[[1-9]A", 1..200_usize).prop_map(repeated),
            2 => ("[a-z]{1,70}\r", 1..50_usize).prop_map(repeated),
            2 => "[a-z漢]{0,70}(\r\n)?",
            1 => ("(\x1b\\[[1-9];1H\x1b\\[K[a-z]{1,50}){1,5}", 1..400_usize).prop_map(repeated),
            1 => "\x1b\\[\\?1049[hl]",
            1 => "\x1b\\[(3|31|2;3)",
        ];
        (text, (2..12_u16, 5..60_u16))
            .prop_map(|(text, (rows, cols))| (text, Size::new(rows, cols)))
    }

    fn lines_from(
        layouts: &Layouts,
        log: &[u8],
        at: Checkpoint,
        piece: usize,
    ) -> Vec<(u64, String)> {
        let mut lines = Vec::new();
        let mut take = |line: Shown<'_>| {
            lines.push((line.n, line.text.to_owned()));
            true
        };
        let mut reader = Reader::new(layouts.at(at.offset), at);
        let mut offset = at.offset;
        for bytes in log[usize::try_from(at.offset).unwrap_or_default()..].chunks(piece) {
            for (layout, part) in layouts.parts(offset, bytes) {
                assert!(reader.resize(layout.size, &mut take) && reader.feed(part, &mut take));
            }
            offset += bytes.len() as u64;
        }
        reader.finish(&mut take);
        lines
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What counts lines while they are written, a new daemon, and all readers agree.
        #[test]
        fn lines_have_the_same_numbers_for_all_whatever_the_sizes(
            parts in vec(part(), 1..8), piece in 500..5000_usize,
        ) {
            let size = Size::new(10, 40);
            let mut output = Output::new(Mode::Pty, size);
            let mut log = Vec::new();
            for (text, size) in &parts {
                output.catch_up(text.as_bytes(), usize::MAX, NOW);
                log.extend_from_slice(text.as_bytes());
                output.resize(*size);
            }
            let layouts = output.layouts();
            let start = Checkpoint { exact: true, ..Checkpoint::at(0) };
            let mut plain = Plain::new(layouts.at(0));
            for (layout, part) in layouts.parts(0, &log) {
                plain.resize(layout.size);
                plain.feed(part);
            }
            let drawn: Vec<_> = [plain.drain_final(), plain.live()].concat();
            let drawn: Vec<_> = drawn.into_iter().map(|line| (line.n, line.text)).collect();
            prop_assert_eq!(output.total_lines(), drawn.len() as u64);
            prop_assert_eq!(&lines_from(&layouts, &log, start, piece), &drawn);
            for at in output.checkpoints().iter().filter(|at| at.exact).step_by(3) {
                let from = usize::try_from(at.line).unwrap_or_default() - 1;
                prop_assert_eq!(&lines_from(&layouts, &log, *at, piece), &drawn[from..], "{:?}", at);
            }
            let mut next = Output::new(Mode::Pty, output.size());
            next.restore_sizes(output.sizes().kept());
            for bytes in log.chunks(piece) {
                next.catch_up(bytes, usize::MAX, NOW);
            }
            prop_assert_eq!(next.total_lines(), drawn.len() as u64);
            prop_assert_eq!(next.next_line(), output.next_line());
        }
    }

    #[test]
    fn a_part_has_one_size_and_no_byte_is_lost() {
        let mut sizes = Sizes::new(Size::new(24, 80));
        sizes.push(3, Size::new(10, 80));
        sizes.push(5, Size::new(24, 80));
        let layouts = Layouts::new(LayoutKind::Terminal, sizes);
        let parts = |offset: u64, bytes: &'static [u8]| {
            let parts: Vec<(Layout, &[u8])> = layouts.parts(offset, bytes);
            let part = |(layout, bytes): &(Layout, &[u8])| (layout.size.rows(), bytes.len());
            parts.iter().map(part).collect::<Vec<_>>()
        };
        assert_eq!(parts(0, b"0123456"), [(24, 3), (10, 2), (24, 2)]);
        assert_eq!(parts(3, b"34"), [(10, 2)]);
        assert_eq!(parts(4, b""), [(10, 0)]);
    }
}
