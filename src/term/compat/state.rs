//! The terminal's state that the emulator has no notion of, and what text and control characters do with it.

use super::{Charsets, Core, REPLACEMENT, TabStops, columns};
use crate::term::replies::Replies;
use crate::term::size::Size;
use crate::term::title::Title;

/// State of the terminal beside the emulator's.
pub struct State {
    pub(super) size: Size,
    pub(super) charsets: Charsets,
    pub(super) tabs: TabStops,
    pub(super) modes: Flags,
    /// First and last row of the scroll region, from 0.
    pub(super) margins: (u16, u16),
    /// What DECSC saved, on the primary and on the alternate screen.
    pub(super) saved: [Option<Saved>; 2],
    /// The last character shown, for REP.
    pub(super) last_char: Option<char>,
    /// The last thing was CR, so the cursor is in the first column.
    after_cr: bool,
    /// Bells rung since they were last taken.
    pub bells: u32,
    /// The window title.
    pub title: Title,
    /// Answers to queries.
    pub replies: Replies,
}

/// Modes that the emulator does not keep, or keeps and does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags {
    /// IRM: characters push the rest of the row to the right.
    pub insert: bool,
    /// DECAWM: text goes on in the next row.
    pub wrap: bool,
    /// LNM: LF returns to the first column too.
    pub newline: bool,
    /// DECOM: rows count from the top margin.
    pub origin: bool,
    /// Mode 1004: focus is reported.
    pub focus: bool,
}

/// What DECSC saves beside what the emulator saves.
pub(super) struct Saved {
    charsets: Charsets,
    origin: bool,
    wrap: bool,
    /// The drawing attributes, as bytes that set them. The emulator has one place for both screens.
    attrs: String,
}

impl State {
    /// The state of an empty terminal.
    pub fn new(size: Size) -> Self {
        Self {
            size,
            charsets: Charsets::default(),
            tabs: TabStops::default(),
            modes: Flags::new(),
            margins: (0, size.rows() - 1),
            saved: [None, None],
            last_char: None,
            after_cr: false,
            bells: 0,
            title: Title::default(),
            replies: Replies::default(),
        }
    }

    /// Takes note of a new size. A terminal forgets its margins then.
    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.margins = (0, size.rows() - 1);
    }

    /// There is nothing any more for REP to repeat.
    pub(super) fn forget_last_char(&mut self) {
        self.last_char = None;
    }

    /// First and last row of the scroll region, from 0.
    pub fn margins(&self) -> (u16, u16) {
        self.margins
    }

    /// Whether DECRC on that screen brings origin mode back.
    pub fn saved_origin(&self, alternate: bool) -> bool {
        let saved = &self.saved[usize::from(alternate)];
        saved.as_ref().is_some_and(|saved| saved.origin)
    }

    /// The modes that the emulator does not tell.
    pub fn flags(&self) -> Flags {
        self.modes
    }

    /// Whether all that decides where text and cursor go is as in an empty terminal.
    pub(super) fn is_ordinary(&self) -> bool {
        let focus = self.modes.focus;
        self.modes
            == (Flags {
                focus,
                ..Flags::new()
            })
            && self.charsets == Charsets::default()
            && self.tabs.standard()
            && self.margins == (0, self.size.rows() - 1)
    }

    /// Back to the state of an empty terminal (RIS). What was answered and rung stays.
    pub(super) fn reset(&mut self) {
        *self = Self {
            bells: self.bells,
            title: std::mem::take(&mut self.title),
            replies: std::mem::take(&mut self.replies),
            ..Self::new(self.size)
        };
    }

    /// A run of text of the stream.
    pub(super) fn text(&mut self, core: &mut Core<'_>, text: &str) {
        self.after_cr = false;
        if self.special() || !(text.is_ascii() || harmless(text)) {
            self.print(core, text);
        } else {
            self.last_char = text.chars().next_back();
            core.keep(text.as_bytes());
        }
    }

    /// Takes note of output that was passed on unseen.
    pub(super) fn passed(&mut self, bytes: &[u8]) {
        self.after_cr = false;
        let shown = |b: &&u8| (0x20..0x7f).contains(*b);
        // After a colour the last byte is an `m` of no text: only a text that ends the run is sure to be one.
        let end = bytes.iter().rposition(|b| *b == 0x1b).unwrap_or(0);
        let sequence = bytes[end..].starts_with(b"\x1b")
            && bytes[end..].iter().position(|b| *b == b'm') == Some(bytes.len() - end - 1);
        self.last_char = bytes
            .last()
            .filter(shown)
            .filter(|_| !sequence)
            .map(|&b| char::from(b));
    }

    /// Bytes that are no text.
    pub(super) fn invalid(&mut self, core: &mut Core<'_>) {
        if self.special() {
            return self.print(core, "\u{fffd}");
        }
        self.after_cr = false;
        self.last_char = Some(REPLACEMENT);
        core.put(REPLACEMENT.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Whether each character needs a look.
    pub(super) fn special(&self) -> bool {
        self.modes.insert || !self.modes.wrap || !self.charsets.plain()
    }

    /// Text that needs a look at each character.
    pub(super) fn print(&mut self, core: &mut Core<'_>, text: &str) {
        self.after_cr = false;
        let mut run = String::with_capacity(text.len());
        for c in text
            .chars()
            .filter(|&c| c == char::REPLACEMENT_CHARACTER || safe(c))
        {
            let c = match self.charsets.map(c) {
                char::REPLACEMENT_CHARACTER => REPLACEMENT,
                c => c,
            };
            self.last_char = Some(c);
            if self.modes.insert || !self.modes.wrap {
                core.put(run.as_bytes());
                run.clear();
                self.make_room(core, columns(c).unwrap_or(0));
            }
            run.push(c);
        }
        core.put(run.as_bytes());
    }

    /// Makes room for `width` columns at the cursor: insert mode pushes the row to the right, and without
    /// autowrap a character that does not fit replaces the last one.
    fn make_room(&mut self, core: &mut Core<'_>, width: u16) {
        let cols = self.size.cols();
        let (_, col) = core.cursor();
        if width == 0 {
            return;
        }
        if col + width > cols {
            if self.modes.wrap {
                core.put(b"\r\n");
            } else {
                core.go_col(cols - width);
            }
        }
        if self.modes.insert {
            core.put(format!("\x1b[{width}@").as_bytes());
        }
    }

    /// A control character.
    pub(super) fn control(&mut self, core: &mut Core<'_>, byte: u8) {
        let after_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
        match byte {
            0x07 => self.bells = self.bells.saturating_add(1),
            0x08 => {
                self.settle(core);
                core.keep(b"\x08");
            }
            b'\t' if self.tabs.standard() => core.keep(b"\t"),
            b'\t' => self.tab(core, 1),
            b'\n' | 0x0b | 0x0c if self.modes.newline => core.put(b"\r\n"),
            b'\n' | 0x0b | 0x0c => {
                if !after_cr {
                    self.settle(core);
                }
                core.keep(&[byte]);
            }
            b'\r' => core.keep(b"\r"),
            0x0e => self.charsets.lock(1),
            0x0f => self.charsets.lock(0),
            _ => {}
        }
    }

    /// An escape sequence.
    pub(super) fn escape(&mut self, core: &mut Core<'_>, inter: &[u8], last: u8) {
        self.after_cr = false;
        match (inter, last) {
            ([], b'7') => self.save(core),
            ([], b'8') => self.restore(core),
            ([], b'=' | b'>') => core.put(&[0x1b, last]),
            ([], b'D') => {
                self.settle(core);
                core.put(b"\n");
            }
            ([], b'E') => core.put(b"\r\n"),
            ([], b'M') => {
                self.settle(core);
                // The emulator would scroll the region from outside of it.
                if core.cursor().0 > 0 || self.margins.0 == 0 {
                    core.put(b"\x1bM");
                }
            }
            ([], b'H') => {
                let col = core.cursor().1.min(self.size.cols() - 1);
                self.tabs.set(col);
            }
            ([], b'Z') => self.replies.primary_attributes(),
            ([], b'c') => {
                self.reset();
                core.put(b"\x1bc");
            }
            ([], b'N') => self.charsets.single(2),
            ([], b'O') => self.charsets.single(3),
            ([], b'n') => self.charsets.lock(2),
            ([], b'o') => self.charsets.lock(3),
            ([b'#'], b'8') => self.alignment_pattern(core),
            ([slot @ b'('..=b'+'], _) => self.charsets.designate(*slot, last),
            _ => {}
        }
    }

    /// Ends a pending wrap: the emulator counts it as a column of its own, and a terminal does not.
    pub(super) fn settle(&self, core: &mut Core<'_>) {
        if core.cursor().1 >= self.size.cols() {
            core.go_col(self.size.cols() - 1);
        }
    }

    /// Moves over tab stops, to the left when `count` is negative.
    pub(super) fn tab(&self, core: &mut Core<'_>, count: i32) {
        let last = self.size.cols() - 1;
        let col = core.cursor().1.min(last);
        let stops = u16::try_from(count.unsigned_abs()).unwrap_or(u16::MAX);
        let to = if count > 0 {
            self.tabs.forward(col, stops, last)
        } else {
            self.tabs.back(col, stops)
        };
        core.go_col(to);
    }

    /// Clears tab stops (TBC).
    pub(super) fn clear_tabs(&mut self, core: &mut Core<'_>, which: u16) {
        match which {
            0 => self.tabs.clear(core.cursor().1.min(self.size.cols() - 1)),
            3 => self.tabs.clear_all(),
            _ => {}
        }
    }

    /// DECSC.
    pub(super) fn save(&mut self, core: &mut Core<'_>) {
        let screen = core.screen();
        let slot = usize::from(screen.alternate_screen());
        self.saved[slot] = Some(Saved {
            charsets: self.charsets,
            origin: self.modes.origin,
            wrap: self.modes.wrap,
            attrs: screen.attributes_formatted(),
        });
        core.put(b"\x1b7");
    }

    /// DECRC; without a DECSC before it, the cursor goes home and everything is as in an empty terminal.
    pub(super) fn restore(&mut self, core: &mut Core<'_>) {
        let slot = usize::from(core.screen().alternate_screen());
        core.put(b"\x1b8");
        // A pending wrap comes back too, but not where its character has gone meanwhile: the emulator could not
        // repaint that.
        let (row, col) = core.cursor();
        let last = self.size.cols() - 1;
        if col > last
            && core
                .screen()
                .cell(row, last)
                .is_some_and(|cell| !cell.has_contents())
        {
            core.go_col(last);
        }
        match &self.saved[slot] {
            None => {
                self.charsets = Charsets::default();
                self.modes.origin = false;
                core.put(b"\x1b[m");
            }
            Some(saved) => {
                self.charsets = saved.charsets;
                self.modes.origin = saved.origin;
                self.modes.wrap = saved.wrap;
                let attrs = saved.attrs.clone();
                core.put(attrs.as_bytes());
            }
        }
    }

    /// DECALN: the screen full of E, margins and origin as in an empty terminal.
    fn alignment_pattern(&mut self, core: &mut Core<'_>) {
        self.margins = (0, self.size.rows() - 1);
        self.modes.origin = false;
        let attrs = core.screen().attributes_formatted();
        core.put(b"\x1b[?6l\x1b[r\x1b[m");
        let row = "E".repeat(usize::from(self.size.cols()));
        for at in 0..self.size.rows() {
            core.go(at, 0);
            core.put(row.as_bytes());
        }
        core.go(0, 0);
        core.put(attrs.as_bytes());
    }

    /// An operating system command.
    pub(super) fn osc(&mut self, data: &[u8], bell: bool) {
        let (number, rest) = match data.iter().position(|&b| b == b';') {
            Some(at) => (&data[..at], &data[at + 1..]),
            None => (data, &b""[..]),
        };
        #[cfg(any(test, feature = "test-hooks"))]
        fail_if_asked(number);
        match number {
            b"0" | b"2" => self.title.set(rest),
            _ => self.replies.colors(number, rest, bell),
        }
    }

    /// A device control string: a query, or nothing we know.
    pub(super) fn dcs(&mut self, core: &mut Core<'_>, data: &[u8]) {
        if let Some(what) = data.strip_prefix(b"$q") {
            self.replies
                .status_string(what, core.screen(), self.margins);
        } else if let Some(names) = data.strip_prefix(b"+q") {
            self.replies.no_capability(names);
        }
    }
}

impl Flags {
    /// The modes of an empty terminal.
    pub fn new() -> Self {
        Self {
            insert: false,
            wrap: true,
            newline: false,
            origin: false,
            focus: false,
        }
    }
}

impl Default for Flags {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether the emulator does the right thing with a character. U+FE0F makes it panic at the right margin, C1
/// controls would be executed, and U+FFFD vanishes.
fn safe(c: char) -> bool {
    !matches!(c, '\u{80}'..='\u{9f}' | '\u{fe0f}' | '\u{fffd}')
}

/// Whether all characters of a text are [`safe`]. The first bytes of those that are not are rare ones.
fn harmless(text: &str) -> bool {
    let suspect = |b: &u8| matches!(b, 0xc2 | 0xef);
    !text.as_bytes().iter().any(suspect) || text.chars().all(safe)
}

/// Stands in for a fault of the emulator, of which no input is known.
#[cfg(any(test, feature = "test-hooks"))]
#[allow(clippy::panic, reason = "a panic is what is to be contained")]
fn fail_if_asked(osc: &[u8]) {
    if osc == b"bgproc-test-panic" {
        panic!("a test asked for this");
    }
}
