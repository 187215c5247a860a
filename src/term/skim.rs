//! Finds plain output that scrolls off before anybody can see it.
//!
//! In a flood of plain text, once a screenful has followed, nothing remains of earlier text except
//! the attributes that it switched on. Text, SGR and erase-in-line therefore need not be painted if
//! enough of the same kind follows; anything else must be painted. Output that uses cursor
//! addressing is handled by [`redraw`](super::redraw).

use super::control::Function;
use super::control::sgr::{Attribute, attributes, begins_with_reset};
use super::scan::text_len;

/// Bytes of SGR sequences above which those are dropped that later ones replace.
const MAX_ATTRIBUTES: usize = 4096;

/// Maximum length in bytes of the lead (a screenful of lines).
const MAX_LEAD: usize = 64 * 1024;

/// Plain output, divided into a part to paint and a part that need not be painted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// Bytes to paint first. They bring the cursor to the last line.
    pub lead: usize,
    /// Bytes after the lead that need not be painted. They end with a newline.
    pub hidden: usize,
    /// Newlines in the hidden bytes.
    pub newlines: u64,
    /// SGR sequences that remain in effect after the hidden bytes.
    pub attributes: Vec<u8>,
    /// Bells in the hidden bytes.
    pub bells: u32,
    /// Line starts in the hidden bytes, about one for each requested interval: the offset from the
    /// first hidden byte, and the newlines before it.
    pub places: Vec<(usize, u64)>,
}

/// Finds output at the beginning of `bytes` that need not be painted on a screen of `rows` rows. No
/// sequence may be incomplete before `bytes`. `returns` is whether LF also moves the cursor to the
/// first column. A place is recorded about every `every` bytes. Returns `None` if too few of the
/// bytes are plain.
pub fn skim(bytes: &[u8], rows: usize, returns: bool, every: usize) -> Option<Stretch> {
    let newline = |at: &usize| bytes[*at] == b'\n';
    // Give up if the lead is too long: in an endless line nothing can be skipped.
    let near = &bytes[..bytes.len().min(MAX_LEAD)];
    let mut walk = Walk::default();
    while walk.newlines <= rows as u64 {
        walk.pass_line(near, 0).then_some(())?;
    }
    let lead = walk.at;
    let mut walk = Walk::at(lead);
    let mut places = vec![walk.clone()];
    while walk.pass_line(bytes, walk.at + every) {
        places.push(walk.clone());
    }
    // The output after the hidden bytes must push all of them off the screen.
    let end = (lead..walk.at).rev().filter(newline).nth(rows)? + 1;
    if !returns && !bytes[..end].ends_with(b"\r\n") {
        return None;
    }
    let before = places.partition_point(|place| place.at <= end);
    places.truncate(before);
    let mut walk = places.last()?.clone();
    while walk.at < end {
        walk.pass_line(bytes, 0);
    }
    let inner = places[1..].iter().filter(|place| place.at < end);
    let places = inner
        .map(|place| (place.at - lead, place.newlines))
        .collect();
    Some(Stretch {
        lead,
        hidden: end - lead,
        newlines: walk.newlines,
        attributes: walk.attributes,
        bells: walk.bells,
        places,
    })
}

/// A position in plain output, and what was passed on the way to it.
#[derive(Clone, Default)]
struct Walk {
    at: usize,
    newlines: u64,
    bells: u32,
    attributes: Vec<u8>,
}

impl Walk {
    fn at(at: usize) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }

    /// Advances past the first newline at or after offset `least`. Returns false at the end of
    /// `bytes` or at anything that is not plain.
    fn pass_line(&mut self, bytes: &[u8], least: usize) -> bool {
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.newlines += 1;
                    self.at += 1;
                    if self.at > least {
                        return true;
                    }
                }
                b'\r' => self.at += 1,
                0..=0x1f | 0x7f => {
                    let rest = &bytes[self.at..];
                    self.at += match Function::first_sgr(rest) {
                        Some((params, length)) => {
                            self.keep_attributes(params, &rest[..length]);
                            length
                        }
                        None => match Function::first(rest) {
                            Some((Function::Bell, length)) => {
                                self.bells += 1;
                                length
                            }
                            Some((
                                Function::EraseInLine(_) | Function::Tab | Function::Backspace,
                                length,
                            )) => length,
                            // Everything else has to be painted. Some control characters change the
                            // character set, for example.
                            _ => return false,
                        },
                    };
                }
                _ => self.at += text_len(&bytes[self.at..]),
            }
        }
        false
    }

    /// Keeps an SGR sequence. A reset makes the sequences before it ineffective, so they are
    /// dropped.
    fn keep_attributes(&mut self, params: &[u8], sequence: &[u8]) {
        let kept = &mut self.attributes;
        if begins_with_reset(params) {
            kept.clear();
        }
        kept.extend_from_slice(sequence);
        if kept.len() > MAX_ATTRIBUTES {
            *kept = compacted(kept);
        }
    }
}

/// SGR sequences that set the same as `sequences`, without what later ones replace.
fn compacted(sequences: &[u8]) -> Vec<u8> {
    let mut kept: Vec<Attribute> = Vec::new();
    let mut rest = sequences;
    while let Some((params, length)) = Function::first_sgr(rest) {
        rest = &rest[length..];
        for attribute in attributes(params).filter(|one| *one != Attribute::Unknown) {
            if attribute == Attribute::Reset {
                kept.clear();
            }
            kept.retain(|before| !attribute.replaces(*before));
            kept.push(attribute);
        }
    }
    let sequences = kept.iter().map(|attribute| format!("\x1b[{attribute}m"));
    sequences.collect::<String>().into_bytes()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::pen::Pen;
    use crate::term::plain::{Checkpoint, Layout, LayoutKind, Plain};
    use crate::term::screen::Screen;
    use crate::term::size::Size;

    #[test]
    fn only_plain_output_is_skipped() {
        let lines = |line: &str| line.repeat(100).into_bytes();
        assert!(skim(&lines("plain\r\n"), 10, false, 99).is_some());
        assert!(skim(&lines("\x1b[31mred\x1b[K\r\n"), 10, false, 99).is_some());
        assert!(skim(&lines("up\x1b[A\r\n"), 10, false, 99).is_none());
        assert!(skim(&lines("\x1b]2;title\x07\r\n"), 10, false, 99).is_none());
        assert!(skim(&lines("\x0eline drawing\r\n"), 10, false, 99).is_none());
        assert!(
            skim(&lines("raw\n"), 10, false, 99).is_none(),
            "the cursor's column is unknown"
        );
        assert!(skim(&lines("piped\n"), 10, true, 99).is_some());
        assert!(
            skim(&lines("plain\r\n")[..70], 10, false, 99).is_none(),
            "too little output"
        );
    }

    #[test]
    fn no_attribute_is_forgotten_however_many_follow() {
        let mut bytes = b"y\r\n".repeat(11);
        bytes.extend(b"\x1b[9;4:3;44m");
        bytes.extend(b"\x1b[31mred\x1b[1m\x1b[2m\r\n".repeat(1000));
        bytes.extend(b"y\r\n".repeat(50));
        let mut pen = Pen::default();
        let kept = skim(&bytes, 10, false, 99).unwrap().attributes;
        assert!(kept.len() <= MAX_ATTRIBUTES);
        let mut rest = &*kept;
        while let Some((params, length)) = Function::first_sgr(rest) {
            pen.apply(params);
            rest = &rest[length..];
        }
        let mut expected = Pen::default();
        expected.apply(b"9;4:3;44;31;2");
        assert_eq!((pen, rest.len()), (expected, 0));
    }

    #[test]
    fn attributes_since_the_last_reset_are_remembered() {
        let mut bytes = b"y\r\n".repeat(11);
        bytes.extend(b"\x1b[1m\x1b[0mx\x1b[31mred\r\n");
        bytes.extend(b"y\r\n".repeat(50));
        assert_eq!(
            skim(&bytes, 10, false, 99).unwrap().attributes,
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
        fn skipped_output_would_not_have_been_visible(
            // No `g`: a checkpoint does not contain moved tab stops, so a tab could become a
            // different number of blanks.
            before in "[a-fh-z\r\n\x1b\\[A]{0,60}", bytes in simple(), after in "[a-z\r\n]{0,50}",
        ) {
            let size = Size::new(8, 40);
            let layout = Layout { size, kind: LayoutKind::Terminal };
            let stretch = skim(&bytes, 8, false, 99);
            // If nothing was skipped in any, the test would fail.
            let stretch = stretch.ok_or_else(|| TestCaseError::reject("nothing is skipped"))?;
            // Start where no sequence is incomplete.
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
