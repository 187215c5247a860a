//! Output of which only the end can be seen.
//!
//! A flood of plain text scrolls by: once a windowful has followed, nothing of
//! it is left on a screen but the attributes that were switched on. So text,
//! SGR and erase-in-line need not be painted when enough of the same kind comes
//! after; anything else has to be.

/// Bytes of SGR sequences remembered at most.
const MAX_ATTRIBUTES: usize = 4096;

/// What of some simple output has to be painted, and what need not be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// Bytes to paint first: they bring the cursor to the last line.
    pub lead: usize,
    /// Bytes after them that need not be painted; they end with a newline.
    pub hidden: usize,
    /// Newlines among the hidden.
    pub newlines: u64,
    /// SGR sequences that the hidden leave in force.
    pub attributes: Vec<u8>,
}

/// Finds what need not be painted of `bytes`, on a screen of so many rows where
/// no sequence is unfinished. `None` if anything in it is more than text, or
/// there is too little of it. `returns`: LF returns the carriage by itself.
pub fn skim(bytes: &[u8], rows: usize, returns: bool) -> Option<Stretch> {
    let newline = |at: &usize| bytes[*at] == b'\n';
    let lead = (0..bytes.len()).filter(newline).nth(rows)? + 1;
    let end = (lead..bytes.len()).rev().filter(newline).nth(rows)? + 1;
    let (seen, last) = (&bytes[..end], &bytes[end..]);
    if !returns && !seen.ends_with(b"\r\n") {
        return None;
    }
    // Every part of it has to be simple: the lead must reach the last line, and
    // the end must push all that is hidden off the screen.
    scan(&bytes[..lead])?;
    scan(last)?;
    let found = scan(&bytes[lead..end])?;
    let (newlines, attributes) = (found.newlines, found.attributes);
    Some(Stretch {
        lead,
        hidden: end - lead,
        newlines,
        attributes,
    })
}

/// What a scan has found.
#[derive(Default)]
struct Found {
    newlines: u64,
    attributes: Vec<u8>,
}

/// Counts the newlines and collects the attributes of simple output.
fn scan(bytes: &[u8]) -> Option<Found> {
    let mut stretch = Found::default();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => stretch.newlines += 1,
            0x1b => {
                let length = sequence(&bytes[at..])?;
                if bytes[at + length - 1] == b'm' {
                    keep_attribute(&mut stretch.attributes, &bytes[at..at + length]);
                }
                at += length;
                continue;
            }
            // Tab, CR, BS and BEL; of the other controls some change the character set.
            b'\t' | b'\r' | 0x07 | 0x08 => {}
            0..=0x1f | 0x7f => return None,
            _ => {}
        }
        at += 1;
    }
    Some(stretch)
}

/// Length of the SGR or EL sequence that `bytes` begins with.
fn sequence(bytes: &[u8]) -> Option<usize> {
    let parameters = bytes.strip_prefix(b"\x1b[")?;
    let length = parameters
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    matches!(parameters[length], b'm' | b'K').then_some(length + 3)
}

/// A reset makes what came before it void.
fn keep_attribute(attributes: &mut Vec<u8>, sequence: &[u8]) {
    if matches!(sequence, b"\x1b[m" | b"\x1b[0m") || sequence.starts_with(b"\x1b[0;") {
        attributes.clear();
    }
    attributes.extend_from_slice(sequence);
    if attributes.len() > MAX_ATTRIBUTES {
        attributes.drain(..attributes.len() - MAX_ATTRIBUTES / 2);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::plain::{Checkpoint, Layout, LayoutKind, Plain};
    use crate::term::screen::Screen;
    use crate::term::size::Size;

    #[test]
    fn only_simple_output_is_passed_over() {
        let lines = |line: &str| line.repeat(100).into_bytes();
        assert!(skim(&lines("plain\r\n"), 10, false).is_some());
        assert!(skim(&lines("\x1b[31mred\x1b[K\r\n"), 10, false).is_some());
        assert!(skim(&lines("up\x1b[A\r\n"), 10, false).is_none());
        assert!(skim(&lines("\x1b]2;title\x07\r\n"), 10, false).is_none());
        assert!(skim(&lines("\x0eline drawing\r\n"), 10, false).is_none());
        assert!(
            skim(&lines("raw\n"), 10, false).is_none(),
            "the column is not known"
        );
        assert!(skim(&lines("piped\n"), 10, true).is_some());
        assert!(
            skim(&lines("plain\r\n")[..70], 10, false).is_none(),
            "too little"
        );
    }

    #[test]
    fn attributes_since_the_last_reset_are_kept() {
        let mut bytes = b"y\r\n".repeat(11);
        bytes.extend(b"\x1b[1m\x1b[0mx\x1b[31mred\r\n");
        bytes.extend(b"y\r\n".repeat(50));
        assert_eq!(
            skim(&bytes, 10, false).unwrap().attributes,
            b"\x1b[0m\x1b[31m"
        );
    }

    fn simple() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => "[a-z]{0,30}\r\n",
            1 => "\x1b\\[(|0|1|31|0;4)m",
            1 => "\x1b\\[(|1|2)K",
            1 => "[a-z]{20,70}",
            1 => Just("\t漢\u{8}\r".to_owned()),
        ];
        proptest::collection::vec(piece, 60..120).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_passed_over_would_not_have_been_seen(
            // No `g`: tab stops that were moved are not in a checkpoint, and a tab
            // is then one blank or several.
            before in "[a-fh-z\r\n\x1b\\[A]{0,60}", bytes in simple(), after in "[a-z\r\n]{0,50}",
        ) {
            let size = Size::new(8, 40);
            let layout = Layout { size, kind: LayoutKind::Terminal };
            let Some(stretch) = skim(&bytes, 8, false) else { return Ok(()) };
            // Begins where no sequence is unfinished.
            let before = [before.as_bytes(), b"\x18"].concat();
            let lead = [&before[..], &bytes[..stretch.lead]].concat();
            let rest = [&bytes[stretch.lead + stretch.hidden..], after.as_bytes()].concat();
            let whole = [&before[..], &bytes, after.as_bytes()].concat();

            let mut painted = Screen::new(size);
            painted.feed(&whole);
            let mut skimmed = Screen::new(size);
            skimmed.feed(&lead);
            skimmed.feed(&stretch.attributes);
            skimmed.feed(b"\r");
            skimmed.feed(&rest);
            prop_assert_eq!(painted.rows_ansi(true), skimmed.rows_ansi(true));
            prop_assert_eq!(painted.cursor(), skimmed.cursor());

            let mut all = Plain::new(layout);
            all.feed(&whole);
            let mut first = Plain::new(layout);
            first.feed(&lead);
            let mut from = Plain::resume(layout, Checkpoint {
                offset: (lead.len() + stretch.hidden) as u64,
                // The lead has ended a line, and the next one is counted here.
                line: first.total_lines() + 1 + stretch.newlines,
                row: size.rows() - 1,
                alt: false,
                exact: true,
            });
            from.feed(&rest);
            prop_assert_eq!(all.total_lines(), from.total_lines());
            let (all, from) = (all.live(), from.live());
            let common = all.len().min(from.len());
            prop_assert_eq!(&all[all.len() - common..], &from[from.len() - common..]);
        }
    }
}
