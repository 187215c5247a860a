//! The terminal's answers to queries.
//!
//! Programs such as fish, vim and those that use crossterm wait for these answers. The values are
//! those of an xterm-256color with the colours of who watches, or dark ones.

use super::capabilities;
use super::colors::Colors;
use super::extras::Extra;
use super::keyboard::KittyFlags;
use super::pen::Pen;
use super::size::Size;

/// Maximum size of the pending answers, in bytes. A program that asks and never reads must not fill
/// the memory, and a terminal in canonical mode accepts no longer line anyway.
const MAX: usize = 4095;
/// Cell size (height, width) in pixels, reported to programs that ask for it. There are no pixels;
/// this is the size of a common font.
const CELL: (u32, u32) = (16, 8);

/// What DECRQM tells of a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// It is not known.
    Unknown = 0,
    /// It is set.
    Set = 1,
    /// It is reset.
    Reset = 2,
    /// It is set, and cannot be reset.
    AlwaysSet = 3,
    /// It is reset, and cannot be set.
    NeverSet = 4,
}

/// Answers to be sent to the program.
#[derive(Default, Debug)]
pub struct Replies {
    bytes: Vec<u8>,
    /// The colours that are reported.
    pub colors: Colors,
}

impl Replies {
    /// Takes the answers since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Whether a short answer would still be kept.
    pub fn have_room(&self) -> bool {
        self.bytes.len() + 32 <= MAX
    }

    /// DA1: a VT220 with colour.
    pub fn primary_attributes(&mut self) {
        self.say("\x1b[?62;22c");
    }

    /// DA2: a VT220 as in DA1, with the number of the xterm whose behaviour the tests confirm. tmux takes a VT420
    /// (41, xterm's default) for a terminal with margins at the sides (DECLRMM), which are missing here: it would
    /// scroll the panes beside each other together.
    pub fn secondary_attributes(&mut self) {
        self.say("\x1b[>1;379;0c");
    }

    /// DA3: no serial number.
    pub fn tertiary_attributes(&mut self) {
        self.say("\x1bP!|00000000\x1b\\");
    }

    /// XTVERSION.
    pub fn version(&mut self) {
        self.say(concat!(
            "\x1bP>|bgproc(",
            env!("CARGO_PKG_VERSION"),
            ")\x1b\\"
        ));
    }

    /// DSR 5: the terminal is ok.
    pub fn fine(&mut self) {
        self.say("\x1b[0n");
    }

    /// DSR 6: cursor position, with row and column counted from 0. Only a VT420 adds the page to DECXCPR.
    pub fn cursor(&mut self, private: bool, row: u16, col: u16) {
        let marker = marker(private);
        self.say(&format!(
            "\x1b[{marker}{};{}R",
            u32::from(row) + 1,
            u32::from(col) + 1
        ));
    }

    /// DSR of DEC: the devices that a terminal may have. Here are none but the keyboard, whose language is unknown.
    pub fn device(&mut self, number: u16, id: u16) {
        match number {
            15 => self.say("\x1b[?13n"),
            25 => self.say("\x1b[?21n"),
            26 => self.say("\x1b[?27;0n"),
            53 | 55 => self.say("\x1b[?53n"),
            56 => self.say("\x1b[?57;0n"),
            62 => self.say("\x1b[0*{"),
            63 => self.checksum(id, 0),
            75 => self.say("\x1b[?70n"),
            85 => self.say("\x1b[?83n"),
            _ => {}
        }
    }

    /// DECREQTPARM.
    pub fn parameters(&mut self, asked: u16) {
        self.say(&format!("\x1b[{};1;1;128;128;1;0x", asked + 2));
    }

    /// DSR 996: dark (1) or light (2).
    pub fn color_scheme(&mut self) {
        let scheme = 1 + u8::from(self.colors.is_light());
        self.say(&format!("\x1b[?997;{scheme}n"));
    }

    /// Mode 2048: the size in cells and in pixels.
    pub fn size(&mut self, size: Size) {
        let (rows, cols) = (u32::from(size.rows()), u32::from(size.cols()));
        self.say(&format!(
            "\x1b[48;{rows};{cols};{};{}t",
            rows * CELL.0,
            cols * CELL.1
        ));
    }

    /// The flags of the kitty keyboard protocol.
    pub fn kitty_keyboard(&mut self, flags: KittyFlags) {
        self.say(&format!("\x1b[?{}u", flags.bits()));
    }

    /// XTQMODKEYS: the level of modifyOtherKeys.
    pub fn other_keys(&mut self, level: u8) {
        self.say(&format!("\x1b[>4;{level}m"));
    }

    /// DECRQM: whether a mode is set.
    pub fn mode(&mut self, private: bool, mode: u16, setting: Setting) {
        let marker = marker(private);
        let value = setting as u8;
        self.say(&format!("\x1b[{marker}{mode};{value}$y"));
    }

    /// XTWINOPS reports: state, position, and sizes in pixels and in cells.
    pub fn window(&mut self, what: u16, size: Size) {
        let (rows, cols) = (u32::from(size.rows()), u32::from(size.cols()));
        match what {
            11 => self.say("\x1b[1t"),
            13 => self.say("\x1b[3;0;0t"),
            14 => self.say(&format!("\x1b[4;{};{}t", rows * CELL.0, cols * CELL.1)),
            16 => self.say(&format!("\x1b[6;{};{}t", CELL.0, CELL.1)),
            18 => self.say(&format!("\x1b[8;{rows};{cols}t")),
            19 => self.say(&format!("\x1b[9;{rows};{cols}t")),
            _ => {}
        }
    }

    /// DECRQSS: attributes, protection, margins, cursor style, conformance level, number of rows.
    pub fn setting(
        &mut self,
        what: &[u8],
        screen: &vt100::Screen,
        extra: &Extra,
        margins: (u16, u16),
    ) {
        let value = match what {
            b"m" => Pen::of_screen(screen, extra.style).parameters() + "m",
            b"r" => format!("{};{}r", u32::from(margins.0) + 1, u32::from(margins.1) + 1),
            b" q" => format!("{} q", cursor_style(screen.cursor_style())),
            b"\"p" => "62;1\"p".to_string(),
            b"\"q" => format!("{}\"q", u8::from(extra.is_protected)),
            // DECSLPP and DECSNLS: the number of rows.
            b"t" | b"*|" => {
                let what = String::from_utf8_lossy(what);
                format!("{}{what}", screen.size().0)
            }
            // DECSASD and DECSSDT: there is no status line.
            b"$}" => "0$}".to_string(),
            b"$~" => "0$~".to_string(),
            _ => return self.say("\x1bP0$r\x1b\\"),
        };
        self.say(&format!("\x1bP1$r{value}\x1b\\"));
    }

    /// DECRQCRA: the checksum of an area.
    pub fn checksum(&mut self, id: u16, sum: u16) {
        self.say(&format!("\x1bP{id}!~{sum:04X}\x1b\\"));
    }

    /// XTGETTCAP: the capabilities with these names.
    pub fn capabilities(&mut self, names: &[u8]) {
        self.say(&capabilities::answers(names));
    }

    /// OSC 4 with a `?`: reports colours of the palette. Requests to set them are ignored.
    pub fn palette_colors(&mut self, colors: &[u8], bell: bool) {
        let mut parts = colors.split(|&b| b == b';');
        while let (Some(index), Some(value)) = (parts.next(), parts.next()) {
            let index = std::str::from_utf8(index)
                .ok()
                .and_then(|index| index.parse().ok());
            if let (Some(index), b"?") = (index, value) {
                let color = spelt(self.colors.indexed(index));
                self.say(&format!("\x1b]4;{index};{color}{}", end(bell)));
            }
        }
    }

    /// OSC 10, 11 and 12 with a `?`: reports the colours of text, background and cursor. Requests to
    /// set them are ignored.
    pub fn dynamic_colors(&mut self, first: u16, colors: &[u8], bell: bool) {
        for (which, value) in (first..=12).zip(colors.split(|&b| b == b';')) {
            let color = match which {
                10 => self.colors.foreground,
                11 => self.colors.background,
                _ => self.colors.cursor,
            };
            if value == b"?" {
                self.say(&format!("\x1b]{which};{}{}", spelt(color), end(bell)));
            }
        }
    }

    fn say(&mut self, reply: &str) {
        // A truncated answer would look like typed text to the program.
        if self.bytes.len() + reply.len() <= MAX {
            self.bytes.extend_from_slice(reply.as_bytes());
        }
    }
}

fn marker(private: bool) -> &'static str {
    if private { "?" } else { "" }
}

/// The end of an answer that is a control string: the same as that of the query.
fn end(bell: bool) -> &'static str {
    if bell { "\x07" } else { "\x1b\\" }
}

/// A colour in X11 notation, with 16 bits per component.
fn spelt(color: u32) -> String {
    let [_, r, g, b] = color.to_be_bytes();
    format!("rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}")
}

/// The parameter of DECSCUSR. The default cursor is reported as a blinking block, which it is.
fn cursor_style(style: vt100::CursorStyle) -> u8 {
    use vt100::CursorStyle as Style;
    match style {
        Style::Default | Style::BlinkBlock => 1,
        Style::SteadyBlock => 2,
        Style::BlinkUnderline => 3,
        Style::SteadyUnderline => 4,
        Style::BlinkVerticalBar => 5,
        Style::SteadyVerticalBar => 6,
    }
}
