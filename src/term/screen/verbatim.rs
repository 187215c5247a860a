//! Output that goes to watchers as it is.
//!
//! To copy a screen, and to compare it with the copy later, costs the same for one new character as for many. A typed
//! key or a line of output needs neither: the bytes that the program has written do the same on a screen that shows
//! the same, if no state counts that a picture does not have.

use std::ops::Range;
use std::sync::Arc;

use super::Compat;
use super::picture::{Changes, Copy, Picture};
use crate::term::compat::sgr::{is_basic, shows_in_blanks};
use crate::term::control::Function;
use crate::term::scan::ascii_len;
use crate::term::size::{Size, joined};

/// Maximum number of bytes that are passed on at once. More of them cost those who draw them more than a comparison.
const MAX_AT_ONCE: usize = 512;

/// Maximum number of bytes after a copy of the screen. They are fed again if a comparison is needed after all.
const MAX: usize = 4096;

/// Erases the rest of a row. Line editors send it with each key.
const ERASE: &[u8] = b"\x1b[K";

/// The last copy of the screen, and what was fed since.
#[derive(Default)]
pub(super) struct Verbatim {
    /// `None` if there is no copy, or if what was fed since does not do the same on another screen.
    copy: Option<Arc<Copy>>,
    fed: Vec<u8>,
    /// The rows that parts of `fed` may have changed, with the end of each part. A picture is taken only between two.
    rows: Vec<(usize, Range<u16>)>,
    /// The end of what was fed before the last picture.
    pictured: usize,
}

/// Bytes that are about to be fed.
pub(super) struct Planned {
    /// The row of the cursor before them.
    row: u16,
    reach: Reach,
}

/// The rows that bytes may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    /// Those that the cursor passes, if it moves down by so many line feeds.
    Passed(u16),
    /// Any.
    All,
}

impl Verbatim {
    /// A picture of the screen. `copy` makes a copy of it.
    pub(super) fn picture(&mut self, copy: impl FnOnce() -> Copy) -> Picture {
        let copy = self.copy.get_or_insert_with(|| Arc::new(copy())).clone();
        self.pictured = self.fed.len();
        let fed = self.fed.clone();
        Picture { copy, fed }
    }

    /// Something has changed the screen that cannot be passed on.
    pub(super) fn interrupt(&mut self) {
        *self = Self::default();
    }

    /// Checks whether `bytes`, which are fed next, may be passed on. `cursor` is the position before them.
    pub(super) fn plan(
        &mut self,
        bytes: &[u8],
        compat: &Compat,
        (row, col): (u16, u16),
        size: Size,
    ) -> Option<Planned> {
        self.copy.as_ref()?;
        let fits = bytes.len() <= MAX_AT_ONCE && self.fed.len() + bytes.len() <= MAX;
        let plain = (fits && is_plain(compat)).then_some(bytes);
        let Some(reach) = plain.and_then(|bytes| reach(bytes, col, size.cols())) else {
            self.interrupt();
            return None;
        };
        Some(Planned { row, reach })
    }

    /// Notes that bytes were fed as planned. `row` is that of the cursor after them.
    pub(super) fn add(
        &mut self,
        planned: &Planned,
        bytes: &[u8],
        compat: &Compat,
        row: u16,
        size: Size,
    ) {
        if !is_plain(compat) {
            // A character is incomplete.
            return self.interrupt();
        }
        // A line feed that does not move the cursor scrolls.
        let touched = match planned.reach {
            Reach::Passed(lines) if planned.row.checked_add(lines) == Some(row) => {
                planned.row..row + 1
            }
            _ => 0..size.rows(),
        };
        self.fed.extend_from_slice(bytes);
        let end = self.fed.len();
        match self.rows.last_mut() {
            Some((last, rows)) if *last > self.pictured => {
                *last = end;
                *rows = joined(rows.clone(), touched);
            }
            _ => self.rows.push((end, touched)),
        }
    }

    /// The changes since a picture, if they can be passed on.
    pub(super) fn since(&self, picture: &Picture) -> Option<Changes> {
        let copy = self.copy.as_ref()?;
        let from = picture.fed.len();
        let later = self.rows.iter().rev().take_while(|(end, _)| *end > from);
        let rows = later.fold(0..0, |all, (_, rows)| joined(all, rows.clone()));
        Arc::ptr_eq(copy, &picture.copy).then(|| Changes {
            bytes: self.fed[from..].to_vec(),
            rows,
        })
    }
}

/// Whether output has no effect that depends on more than a picture has.
fn is_plain(compat: &Compat) -> bool {
    compat.is_ordinary() && !compat.state.special()
}

/// The rows that bytes may change on a screen without special modes with the cursor in column `col`. `None` if what they
/// do depends on more than a picture has.
///
/// A line feed counts only after a carriage return: without one, what it does depends on the bytes before.
fn reach(mut bytes: &[u8], col: u16, cols: u16) -> Option<Reach> {
    if !bytes.is_ascii() && str::from_utf8(bytes).ok()?.contains(is_c1) {
        return None;
    }
    let cols = usize::from(cols);
    // The column of the cursor at most.
    let mut col = usize::from(col);
    let (mut lines, mut is_local) = (0u16, true);
    loop {
        let text = ascii_len(bytes);
        col += text;
        is_local &= col <= cols;
        bytes = &bytes[text..];
        let length = match bytes {
            [] if is_local => return Some(Reach::Passed(lines)),
            [] => return Some(Reach::All),
            [b'\r', b'\n', ..] => {
                col = 0;
                lines = lines.saturating_add(1);
                2
            }
            [b'\r', ..] => {
                col = 0;
                1
            }
            [0x08, ..] => 1,
            [0x80..=0xff, ..] => {
                // It may be wide, or belong to the character before.
                is_local = false;
                col += 1;
                1
            }
            // Behind a full row, terminals erase its last character or nothing.
            _ if col < cols && bytes.starts_with(ERASE) => ERASE.len(),
            [0x1b, ..] => match Function::first_sgr(bytes) {
                Some((params, length)) if is_basic(params) && !shows_in_blanks(params) => length,
                _ => return None,
            },
            _ => return None,
        };
        bytes = &bytes[length..];
    }
}

/// Whether a character is a C1 control, with which a sequence may begin.
fn is_c1(c: char) -> bool {
    ('\u{80}'..'\u{a0}').contains(&c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::screen::Screen;

    #[test]
    fn tells_what_can_be_passed_on() {
        for (bytes, col, expected) in [
            ("", 0, Some(Reach::Passed(0))),
            ("abc", 3, Some(Reach::Passed(0))),
            ("abc", 8, Some(Reach::All)),
            ("ab\x08 \x08\r\n$ ", 0, Some(Reach::Passed(1))),
            ("\r\x1b[K\x1b[1;32mx\x1b[m", 9, Some(Reach::Passed(0))),
            ("12345678\x1b[K", 1, Some(Reach::Passed(0))),
            ("123456789\x1b[K", 1, None),
            ("é", 0, Some(Reach::All)),
            ("é\x1b[K", 0, Some(Reach::All)),
            ("\u{9b}2J", 0, None),
            ("\n", 0, None),
            ("\t", 0, None),
            ("\x07", 0, None),
            ("\x1b[2J", 0, None),
            ("\x1b[4:3m", 0, None),
            ("\x1b[", 0, None),
        ] {
            assert_eq!(reach(bytes.as_bytes(), col, 10), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_typed_key_is_passed_on() {
        let mut screen = Screen::new(Size::new(3, 10));
        screen.feed(b"\x1b[2;1H$ ");
        let before = screen.picture();
        screen.feed(b"l");
        screen.feed(b"s");
        let now = screen.picture();
        screen.feed(b"\r\n$ ");
        let changes = |since: &Picture| {
            let Changes { bytes, rows } = screen.changes(since);
            (String::from_utf8_lossy(&bytes).into_owned(), rows)
        };
        assert_eq!(changes(&now), ("\r\n$ ".to_owned(), 1..3));
        assert_eq!(changes(&before), ("ls\r\n$ ".to_owned(), 1..3));
        let last = screen.picture();
        screen.feed(b"x");
        assert_eq!(screen.changes(&last).rows, 2..3);
        // Both are the same screen with other output after it.
        assert!(Arc::ptr_eq(&before.copy, &last.copy));
        screen.feed(b"\x1b[2J");
        assert_eq!(screen.changes(&last).rows, 1..3);
    }

    /// What programs write that can mostly be passed on, and what makes a difference to that.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        const USUAL: [&str; 12] = [
            "\r\n",
            "\r\n",
            "\r",
            "\n",
            "\x08",
            "\x08 \x08",
            "\x1b[K",
            "\x1b[1;31m",
            "\x1b[m",
            "é",
            "日",
            "e\u{301}",
        ];
        const OTHER: [&str; 12] = [
            "\x1b[2J",
            "\x1b[2;2H",
            "\x1b[2;3r",
            "\x1b[r",
            "\x1b[?7l",
            "\x1b[?7h",
            "\x1b[4h",
            "\x1b[4l",
            "\x1b(0",
            "\x1b(B",
            "\x1b[9m",
            "\x1b[?1049h",
        ];
        prop_oneof![
            6 => "[ -~]{1,5}".prop_map(String::into_bytes),
            6 => prop::sample::select(USUAL.as_slice()).prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::sample::select(OTHER.as_slice()).prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::sample::select(vec![b"\xe6\x97".to_vec(), b"\x1b[1".to_vec(), b"\xff".to_vec()]),
        ]
    }

    /// What a screen shows, and what is invisible of it.
    fn state(screen: &Screen) -> (Vec<u8>, Vec<bool>) {
        let rows = 0..screen.size().rows();
        let wraps = rows.map(|row| screen.row_wrapped(row)).collect();
        (screen.ansi(), wraps)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn watchers_show_the_same(reads in prop::collection::vec((piece(), any::<(bool, bool)>()), 0..80)) {
            let size = Size::new(4, 9);
            let mut original = Screen::new(size);
            let empty = original.picture();
            let mut newest = empty.clone();
            // Each shows some earlier picture.
            let mut watchers = [0, 1].map(|_| (empty.clone(), Screen::new(size)));
            let mut fed = Vec::new();
            for (read, (first, second)) in reads {
                original.feed(&read);
                fed.extend(read);
                for ((shown, watcher), is_due) in watchers.iter_mut().zip([first, second]) {
                    if !is_due {
                        continue;
                    }
                    newest = original.picture();
                    let changes = original.changes(shown);
                    let others = |screen: &Screen| -> Vec<String> {
                        let others = (0..size.rows()).filter(|row| !changes.rows.contains(row));
                        others.map(|row| screen.row_ansi(row, false)).collect()
                    };
                    let unchanged = others(watcher);
                    watcher.feed(&changes.bytes);
                    *shown = newest.clone();
                    prop_assert_eq!(state(watcher), state(&original), "{:?}", String::from_utf8_lossy(&fed));
                    prop_assert_eq!(others(watcher), unchanged);
                }
            }
            drop(newest);
        }
    }
}
