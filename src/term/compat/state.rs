//! The terminal state that the emulator does not have, and how text and control characters change
//! it.

use super::blanks::Blanks;
use super::{Charsets, Core, REPLACEMENT, TabStops, columns, switch_to};
use crate::protocol::terminal_progress::TerminalProgress;
use crate::term::extras::{Extras, Marker, split};
use crate::term::keyboard::Keyboard;
use crate::term::modes::Reports;
use crate::term::paint;
use crate::term::replies::Replies;
use crate::term::scan::Token;
use crate::term::shell_report::ShellReport;
use crate::term::size::Size;
use crate::term::style::Style;
use crate::term::title::Title;

/// State of the terminal in addition to the emulator's.
pub struct State {
    pub(super) size: Size,
    pub(super) charsets: Charsets,
    pub(super) tabs: TabStops,
    pub(super) modes: Flags,
    /// First and last row of the scroll region, counted from 0.
    pub(super) margins: (u16, u16),
    /// Attributes and links that the emulator's cells have no room for.
    pub extras: Extras,
    /// What of the emulator's attributes shows in blank cells.
    pub(super) blanks: Blanks,
    /// State saved by DECSC, on the primary and on the alternate screen.
    pub(super) saved: [Option<Saved>; 2],
    /// The last printed character, for REP.
    pub(super) last_char: Option<char>,
    /// Whether the next character wraps although the emulator does not know: the row with the pending wrap has
    /// scrolled away.
    pub(super) wraps_next: bool,
    /// Whether the last token was CR, so that the cursor is in the first column.
    pub(super) after_cr: bool,
    /// What DECRQCRA counts (XTCHECKSUM).
    pub(super) checksum_kind: u16,
    /// Number of bells since they were last taken.
    pub bells: u32,
    /// How many times the program has begun a synchronized update (mode 2026).
    pub updates: u64,
    /// The progress that the program reports.
    pub progress: Option<TerminalProgress>,
    /// What a shell reports about itself.
    pub shell: ShellReport,
    /// The window title.
    pub title: Title,
    /// How keys are reported.
    pub(super) keyboard: Keyboard,
    /// Answers to queries.
    pub replies: Replies,
}

/// Modes that the emulator does not have, or has but does not report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags {
    /// IRM: characters push the rest of the row to the right.
    pub insert: bool,
    /// DECAWM: text continues in the next row.
    pub wrap: bool,
    /// Mode 45: BS and CUB go back over a wrap.
    pub reverse_wrap: bool,
    /// Mode 1045: BS and CUB go back to any row.
    pub reverse_wrap_extended: bool,
    /// LNM: LF also returns to the first column.
    pub newline: bool,
    /// DECOM: rows count from the top margin.
    pub origin: bool,
    /// Mode 1004: focus changes are reported.
    pub focus: bool,
    /// Mode 2031: changes between dark and light colours are reported.
    pub color_scheme: bool,
    /// Mode 2048: changes of the size are reported.
    pub size: bool,
    /// Mode 2026: the program is painting, and the screen is not complete.
    pub updating: bool,
}

/// State that DECSC saves in addition to the emulator's. As in xterm, autowrap is not part of it.
pub(super) struct Saved {
    charsets: Charsets,
    origin: bool,
    /// Attributes, as the bytes that set them. The emulator saves only one set for both screens.
    attrs: String,
    /// Attributes that the emulator lacks. A link is not saved, as in other terminals.
    style: Style,
    is_protected: bool,
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
            extras: Extras::default(),
            blanks: Blanks::default(),
            saved: [None, None],
            last_char: None,
            wraps_next: false,
            after_cr: false,
            checksum_kind: 0,
            bells: 0,
            updates: 0,
            progress: None,
            shell: ShellReport::default(),
            title: Title::default(),
            keyboard: Keyboard::default(),
            replies: Replies::default(),
        }
    }

    /// First and last row that a program can address: in origin mode, those of the scroll region.
    pub(super) fn addressed_rows(&self) -> (u16, u16) {
        if self.modes.origin {
            self.margins
        } else {
            (0, self.size.rows() - 1)
        }
    }

    /// What the program has asked to be told, on the primary or the alternate screen.
    pub fn reports(&self, alternate: bool) -> Reports {
        Reports {
            focus: self.modes.focus,
            color_scheme: self.modes.color_scheme,
            size: self.modes.size,
            keys: self.keyboard.protocol(alternate),
        }
    }

    /// Takes over what another screen's program has asked to be told and has told, and the colours that it is told.
    pub fn take_reports(&mut self, other: &Self) {
        self.keyboard.clone_from(&other.keyboard);
        self.progress = other.progress;
        self.shell.clone_from(&other.shell);
        self.title.clone_from(&other.title);
        self.replies.colors.clone_from(&other.replies.colors);
        self.modes = Flags {
            focus: other.modes.focus,
            color_scheme: other.modes.color_scheme,
            size: other.modes.size,
            ..self.modes
        };
    }

    /// Records a new size. As in a terminal, this resets the margins.
    pub fn resize(&mut self, size: Size) {
        self.size = size;
        if self.modes.size {
            self.replies.size(size);
        }
        self.margins = (0, size.rows() - 1);
    }

    /// First and last row of the scroll region, counted from 0.
    pub fn margins(&self) -> (u16, u16) {
        self.margins
    }

    /// Whether DECRC on the primary or alternate screen would restore origin mode.
    pub fn saved_origin(&self, alternate: bool) -> bool {
        let saved = &self.saved[usize::from(alternate)];
        saved.as_ref().is_some_and(|saved| saved.origin)
    }

    /// Modes that the emulator does not report.
    pub fn flags(&self) -> Flags {
        self.modes
    }

    /// Whether everything that affects the position of text and cursor has its default.
    pub(super) fn is_ordinary(&self) -> bool {
        let Flags {
            insert,
            wrap,
            newline,
            origin,
            ..
        } = self.modes;
        !insert
            && wrap
            && !newline
            && !origin
            && !self.wraps_back()
            && self.charsets == Charsets::default()
            && self.tabs.standard()
            && self.margins == (0, self.size.rows() - 1)
            && !self.wraps_next
            && self.extras.now().link.is_none()
            && !self.extras.now().is_protected
    }

    /// Resets to the state of an empty terminal (RIS). Bells, title and pending answers are kept.
    pub(super) fn reset(&mut self) {
        *self = Self {
            bells: self.bells,
            updates: self.updates,
            title: std::mem::take(&mut self.title),
            replies: std::mem::take(&mut self.replies),
            ..Self::new(self.size)
        };
    }

    /// Handles a run of text.
    pub(super) fn text(&mut self, core: &mut Core<'_>, text: &str) {
        self.after_cr = false;
        if self.changes_text()
            || !(text.is_ascii() || harmless(text) && !combines(text))
            || self.wrapping(core, text).is_some()
        {
            self.print(core, text);
        } else {
            self.last_char = text.chars().next_back();
            core.keep(&Token::Text(text));
        }
    }

    /// Records output that was passed on without interpretation.
    pub(super) fn passed(&mut self, bytes: &[u8]) {
        self.after_cr = false;
        let shown = |b: &&u8| (0x20..0x7f).contains(*b);
        // After a colour sequence the last byte is its `m`. Use the last byte only if it is known
        // to be text.
        let end = bytes.iter().rposition(|b| *b == 0x1b).unwrap_or(0);
        let sequence = bytes[end..].starts_with(b"\x1b")
            && bytes[end..].iter().position(|b| *b == b'm') == Some(bytes.len() - end - 1);
        self.last_char = bytes
            .last()
            .filter(shown)
            .filter(|_| !sequence)
            .map(|&b| char::from(b));
    }

    /// Handles an invalid byte sequence.
    pub(super) fn invalid(&mut self, core: &mut Core<'_>) {
        if self.changes_text() || self.wrapping(core, "\u{fffd}").is_some() {
            return self.print(core, "\u{fffd}");
        }
        self.after_cr = false;
        self.last_char = Some(REPLACEMENT);
        core.put(REPLACEMENT.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Whether output must be looked at token by token.
    pub(in crate::term) fn special(&self) -> bool {
        self.changes_text() || !self.blanks.are_plain()
    }

    /// Whether text must be processed character by character.
    fn changes_text(&self) -> bool {
        self.modes.insert
            || !self.modes.wrap
            || !self.charsets.plain()
            || self.extras.is_active()
            || self.wraps_next
            // A wide character has no room.
            || self.size.cols() < 2
    }

    /// Prints text character by character.
    pub(super) fn print(&mut self, core: &mut Core<'_>, text: &str) {
        self.after_cr = false;
        if std::mem::take(&mut self.wraps_next) && self.modes.wrap {
            self.feeding(core, |core| core.put(b"\r\n"));
        }
        let marker = self.marker(core);
        let mut wrapping = self.wrapping(core, text);
        let cols = self.size.cols();
        let mut run = String::with_capacity(text.len());
        // Whether the run ends with a character that still lacks its marker.
        let mut is_open = false;
        // Whether the rest of its row has come up blank, and has no colour yet.
        let mut is_fresh = false;
        for c in text
            .chars()
            .filter(|&c| c == char::REPLACEMENT_CHARACTER || safe(c))
            .filter(|&c| columns(c).is_none_or(|width| width <= cols))
        {
            let c = match self.charsets.map(c) {
                char::REPLACEMENT_CHARACTER => REPLACEMENT,
                c => c,
            };
            self.last_char = Some(c);
            if columns(c) == Some(0) {
                if is_open || run.is_empty() && !ends_with_marker(core) {
                    run.push(c);
                } else {
                    core.put(run.as_bytes());
                    run.clear();
                    self.combine(core, c);
                }
                continue;
            }
            if is_open {
                run.extend(marker);
            }
            if is_fresh {
                self.color_rest(core, &mut run);
            }
            is_open = columns(c).is_some();
            is_fresh = wrapping
                .as_mut()
                .is_some_and(|text| text.scrolls(columns(c).unwrap_or(0)));
            if self.modes.insert || !self.modes.wrap {
                core.put(run.as_bytes());
                run.clear();
                self.make_room(core, columns(c).unwrap_or(0));
            }
            run.push(c);
        }
        if is_open {
            run.extend(marker);
        }
        if is_fresh {
            self.color_rest(core, &mut run);
        }
        core.put(run.as_bytes());
    }

    /// Writes a run, and colours the rest of the row, which has come up blank.
    fn color_rest(&self, core: &mut Core<'_>, run: &mut String) {
        core.put(std::mem::take(run).as_bytes());
        self.erasing(core, |core| core.put(b"\x1b[K"));
    }

    /// The marker of the next character, if it needs one.
    pub(super) fn marker(&mut self, core: &mut Core<'_>) -> Option<char> {
        let marker = self.extras.marker(|| used(core.screen()));
        marker.map(Marker::char)
    }

    /// Adds a combining character to a character that has its marker already: writes it again, because the marker
    /// is the last character of a cell.
    fn combine(&self, core: &mut Core<'_>, c: char) {
        let Some((col, cell)) = paint::before_cursor(core.screen()) else {
            return core.put(c.encode_utf8(&mut [0; 4]).as_bytes());
        };
        let attributes = core.screen().attributes_formatted();
        let (_, marker) = split(&cell);
        let text = &cell[..cell.len() - marker.map_or(0, |marker| marker.char().len_utf8())];
        let marker = marker.map(|marker| marker.char().to_string());
        let marker = marker.unwrap_or_default();
        core.go_col(col);
        core.put(format!("{text}{c}{marker}{attributes}").as_bytes());
    }

    /// Makes room for `width` columns at the cursor. Insert mode pushes the row to the right.
    /// Without autowrap, a character that does not fit replaces the last one of the row.
    fn make_room(&mut self, core: &mut Core<'_>, width: u16) {
        let cols = self.size.cols();
        let (_, col) = core.cursor();
        if width == 0 {
            return;
        }
        if col + width > cols {
            if self.modes.wrap {
                return self.make_room_below(core, width);
            }
            core.go_col(cols - width);
        }
        if self.modes.insert {
            core.put(insert_columns(width).as_bytes());
        }
    }

    /// Makes room for `width` columns at the start of the next row, into which the next character
    /// wraps. The emulator itself has to wrap, because only then it knows that the line continues;
    /// so the cursor returns to where it was, with the wrap pending if it was.
    fn make_room_below(&mut self, core: &mut Core<'_>, width: u16) {
        let (row, col) = core.cursor();
        let (top, bottom) = self.margins;
        if row == bottom {
            // The wrap scrolls, and the row that comes up is empty.
            return;
        }
        let end = paint::end_of_row(core.screen(), row).filter(|_| col >= self.size.cols());
        let is_pending = col >= self.size.cols();
        if row + 1 == self.size.rows() || row + 1 == top || (is_pending && end.is_none()) {
            // There is no next row, or no way back.
            core.put(format!("\r\n{}", insert_columns(width)).as_bytes());
            return;
        }
        let attributes = core.screen().attributes_formatted();
        core.put(format!("\r\x1b[B{}\x1b[A", insert_columns(width)).as_bytes());
        match end {
            // Only writing the last character makes a wrap pending.
            Some((last, text)) => {
                core.go_col(last);
                core.put(text.as_bytes());
                core.put(attributes.as_bytes());
            }
            None => core.go_col(col),
        }
    }

    /// Ends a pending wrap. The emulator counts it as an additional column, unlike a terminal.
    pub(super) fn settle(&self, core: &mut Core<'_>) {
        if core.cursor().1 >= self.size.cols() {
            core.go_col(self.size.cols() - 1);
        }
    }

    /// Moves by `count` tab stops; to the left if `count` is negative.
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

    /// DECSC: saves the cursor state.
    pub(super) fn save(&mut self, core: &mut Core<'_>) {
        let screen = core.screen();
        let slot = usize::from(screen.alternate_screen());
        self.saved[slot] = Some(Saved {
            charsets: self.charsets,
            origin: self.modes.origin,
            attrs: screen.attributes_formatted(),
            style: self.extras.now().style,
            is_protected: self.extras.now().is_protected,
        });
        core.put(b"\x1b7");
    }

    /// DECRC: restores the cursor state. Without an earlier DECSC, the cursor goes home and
    /// everything is reset.
    pub(super) fn restore(&mut self, core: &mut Core<'_>) {
        let slot = usize::from(core.screen().alternate_screen());
        core.put(b"\x1b8");
        // A pending wrap is restored too, unless its character has been erased meanwhile, because
        // the emulator could not repaint that state.
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
                self.extras.set_style(Style::default());
                self.extras.protect(false);
                core.put(b"\x1b[m");
            }
            Some(saved) => {
                self.charsets = saved.charsets;
                self.modes.origin = saved.origin;
                self.extras.set_style(saved.style);
                self.extras.protect(saved.is_protected);
                let attrs = saved.attrs.clone();
                core.put(attrs.as_bytes());
            }
        }
    }

    /// DECALN: fills the screen with E and resets margins and origin mode.
    pub(super) fn alignment_pattern(&mut self, core: &mut Core<'_>) {
        let (rows, cols) = (usize::from(self.size.rows()), usize::from(self.size.cols()));
        if !core.may_touch(rows * cols) {
            return;
        }
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
}

impl Flags {
    /// The modes of an empty terminal.
    pub fn new() -> Self {
        Self {
            insert: false,
            wrap: true,
            reverse_wrap: false,
            reverse_wrap_extended: false,
            newline: false,
            origin: false,
            focus: false,
            color_scheme: false,
            size: false,
            updating: false,
        }
    }
}

impl Default for Flags {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether the cell before the cursor has a marker.
fn ends_with_marker(core: &mut Core<'_>) -> bool {
    paint::before_cursor(core.screen()).is_some_and(|(_, cell)| split(&cell).1.is_some())
}

/// The markers of all cells, of both screens.
fn used(screen: &vt100::Screen) -> Vec<Marker> {
    let mut copy = vt100::Parser::default();
    *copy.screen_mut() = screen.clone();
    let mut used = Vec::new();
    for _ in 0..2 {
        let (rows, cols) = copy.screen().size();
        for row in 0..rows.get() {
            let cells = (0..cols.get()).filter_map(|col| copy.screen().cell(row, col));
            used.extend(cells.filter_map(|cell| split(cell.contents()).1));
        }
        copy.process(switch_to(!copy.screen().alternate_screen()));
    }
    used
}

/// Whether the emulator handles a character correctly. U+FE0F makes it panic at the right margin,
/// C1 controls would be executed, U+FFFD would vanish, and markers are not text.
fn safe(c: char) -> bool {
    !matches!(c, '\u{80}'..='\u{9f}' | '\u{fe0f}' | '\u{fffd}') && Marker::of(c).is_none()
}

/// Whether all characters of a text are [`safe`]. The first bytes of unsafe characters are rare, so
/// most texts need one scan only.
fn harmless(text: &str) -> bool {
    let suspect = |b: &u8| matches!(b, 0xc2 | 0xef | 0xf3);
    !text.as_bytes().iter().any(suspect) || text.chars().all(safe)
}

/// Whether a text begins with a character that joins the cell before, which may have a marker.
fn combines(text: &str) -> bool {
    text.chars().next().and_then(columns) == Some(0)
}

/// The sequence that inserts `width` blank columns at the cursor.
fn insert_columns(width: u16) -> String {
    format!("\x1b[{width}@")
}
