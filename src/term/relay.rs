//! Filters a job's live output for somebody's own terminal.
//!
//! What lines of text and progress bars need passes unchanged: text, colours, links, cursor
//! movement and erasing. Everything with a wider effect is dropped: queries, whose answers the
//! terminal would type into the shell; the clipboard; titles; modes, which would outlast the job;
//! and full-screen programs, which need a terminal of their own size.

use super::control::charset::Charsets;
use super::control::sgr::{Attribute, attributes};
use super::control::{Erase, Function};
use super::scan::{Scanner, Token};

/// A filter for one stream of output.
#[derive(Debug, Default)]
pub struct Relay {
    scanner: Scanner,
    charsets: Charsets,
    /// Whether colours and links pass too.
    colours: bool,
    /// Whether a full-screen program uses the alternate screen.
    alt: bool,
    /// Whether attributes are set.
    drawn: bool,
    /// Whether a link is open.
    link: bool,
    /// Whether text has been written on the current line.
    in_line: bool,
}

impl Relay {
    /// Creates a filter. `colours` says whether colours and links pass.
    pub fn new(colours: bool) -> Self {
        Self {
            colours,
            ..Self::default()
        }
    }

    /// Appends the part of `bytes` that may reach the terminal. The result does not depend on how
    /// the stream is split.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut scanner = std::mem::take(&mut self.scanner);
        let mut pos = 0;
        while let Some(token) = scanner.next(bytes, &mut pos) {
            self.token(token, out);
        }
        self.scanner = scanner;
    }

    /// Appends the bytes that reset the terminal: attributes off, link closed.
    pub fn rest(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.drawn) {
            out.extend_from_slice(b"\x1b[0m");
        }
        if std::mem::take(&mut self.link) {
            out.extend_from_slice(b"\x1b]8;;\x1b\\");
        }
    }

    /// As [`rest`](Self::rest), and starts a new line if necessary. Also resets the filter, because
    /// a new run of the job knows nothing of the state that the previous one left.
    pub fn end_line(&mut self, out: &mut Vec<u8>) {
        self.rest(out);
        if std::mem::take(&mut self.in_line) {
            out.extend_from_slice(b"\r\n");
        }
        self.scanner = Scanner::default();
        self.charsets = Charsets::default();
        self.alt = false;
    }

    fn token(&mut self, token: Token<'_>, out: &mut Vec<u8>) {
        if self.alt && !leaves_alternate(&token) {
            return;
        }
        match token {
            Token::Text(text) => self.text(text, out),
            Token::Invalid => self.text("\u{fffd}", out),
            Token::Ignored => {}
            _ => self.function(&token, out),
        }
    }

    fn text(&mut self, text: &str, out: &mut Vec<u8>) {
        self.in_line = true;
        if self.charsets.plain() && !text.contains(char::is_control) {
            return out.extend_from_slice(text.as_bytes());
        }
        for c in text.chars() {
            let c = self.charsets.map(c);
            // C1 controls, which would begin sequences, are dropped.
            if !c.is_control() {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }

    fn function(&mut self, token: &Token<'_>, out: &mut Vec<u8>) {
        use Function::*;
        match Function::of(token) {
            LineFeed => {
                self.in_line = false;
                out.push(b'\n');
            }
            Sgr(params) if self.colours => {
                self.drawn = attributes(params).last() != Some(Attribute::Reset);
                out.extend(token.bytes());
            }
            Bell
            | Backspace
            | Tab
            | CarriageReturn
            | SaveCursor
            | RestoreCursor
            | Index
            | NextLine
            | ReverseIndex
            | CursorUp(_)
            | CursorDown(_)
            | CursorRight(_)
            | CursorLeft(_)
            | NextLines(_)
            | PreviousLines(_)
            | CursorColumn(_)
            | CursorRow(_)
            | CursorPosition(..)
            | ColumnRelative(_)
            | RowRelative(_)
            | TabForward(_)
            | TabBackward(_)
            | InsertCharacters(_)
            | DeleteCharacters(_)
            | EraseCharacters(_)
            | InsertLines(_)
            | DeleteLines(_)
            | ScrollUp(_)
            | Repeat(_)
            | EraseInLine(_)
            | SelectiveEraseInLine(_) => out.extend(token.bytes()),
            // Not the scrollback.
            EraseInDisplay(Erase::ToEnd | Erase::ToCursor | Erase::All)
            | SelectiveEraseInDisplay(Erase::ToEnd | Erase::ToCursor | Erase::All) => {
                out.extend(token.bytes());
            }
            Charset(change) => self.charsets.apply(change),
            // A full reset would also change the viewer's settings. Programs mean the screen, so
            // clear that.
            Reset => {
                self.rest(out);
                self.charsets = Charsets::default();
                (self.alt, self.in_line) = (false, false);
                out.extend_from_slice(b"\x1b[H\x1b[2J");
            }
            SetModes(modes, on) if modes.has_alternate_screen() => self.alt = on,
            Link(link) => self.link(link, out),
            _ => {}
        }
    }

    fn link(&mut self, link: &[u8], out: &mut Vec<u8>) {
        // The link's own parameters come first, then its target.
        let Some(place) = memchr::memchr(b';', link).map(|at| at + 1) else {
            return;
        };
        if self.colours && link.iter().all(u8::is_ascii_graphic) {
            self.link = place < link.len();
            out.extend_from_slice(b"\x1b]8;");
            out.extend_from_slice(link);
            out.extend_from_slice(b"\x1b\\");
        }
    }
}

/// Whether a token ends the alternate screen.
fn leaves_alternate(token: &Token<'_>) -> bool {
    match Function::of(token) {
        Function::Reset => true,
        Function::SetModes(modes, false) => modes.has_alternate_screen(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passed(bytes: &[u8], colours: bool) -> String {
        let mut relay = Relay::new(colours);
        let mut out = Vec::new();
        relay.feed(bytes, &mut out);
        relay.rest(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_progress_bar_passes_unchanged() {
        let bar = "10 %\r\x1b[K\x1b[?K\x1b[32m20 %\x1b[0m\x08\t\x1b[2A\x1b[3Gé 漢\r\n\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\";
        assert_eq!(passed(bar.as_bytes(), true), bar);
        assert_eq!(
            passed(b"\x1b[38;5;0mred\x1b]8;;x\x07 on", true),
            "\x1b[38;5;0mred\x1b]8;;x\x1b\\ on\x1b[0m\x1b]8;;\x1b\\"
        );
        assert_eq!(passed(b"\x1b[31mred\x1b[m\r", false), "red\r");
    }

    #[test]
    fn queries_and_lasting_modes_are_dropped() {
        for bytes in [
            &b"\x1b[c\x1b[>c\x1b[=c\x1bZ\x1b[5n\x1b[6n\x1b[?6n\x1b[?2026$p\x1b[18t\x1b[21t\x1b[x\x1b[>q"[..],
            b"\x1b]52;c;aGk=\x07\x1b]4;1;?\x1b\\\x1b]10;?\x07\x1b]11;?\x07\x1b]0;title\x07\x1b]7;x\x07",
            b"\x1bP+q544e\x1b\\\x1bP$qm\x1b\\\x1b_G\x1b\\\x1b^x\x1b\\\x1bX\x1b\\\x05",
            b"\x1b[?1000h\x1b[?1006h\x1b[?25l\x1b[?2004h\x1b[?7l\x1b[4h\x1b[20h\x1b[2;3r\x1b=\x1b>\x1b[>4;2m\x1b[>1u",
            b"\x1b(0\x1b)0\x0e\x0f\x1b(B\x1b[!p\x1b[3J\x1b[5;1;1;1;1T\x1b[5 q\x1b#8\x1b%G",
            "\u{9b}5n\u{9d}52;c;x\u{9c}\u{90}".as_bytes(),
        ] {
            let out = passed(bytes, true);
            let text = out.replace("5n", "").replace("52;c;x", "");
            assert_eq!(text, "", "{}", bytes.escape_ascii());
        }
        assert_eq!(passed(b"\x9b6n", true), "\u{fffd}6n");
        assert_eq!(passed(b"\x1b(0lqk\x1b(B", true), "┌─┐");
    }

    #[test]
    fn full_screen_programs_are_dropped() {
        let vim =
            b"one\r\n\x1b[?1049h\x1b[2J\x1b[Hfile\x1b[?25l\x1b[31m\x1b[?1049ltwo\r\n\x1bcthree";
        assert_eq!(passed(vim, true), "one\r\ntwo\r\n\x1b[H\x1b[2Jthree");
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_split(
            bytes in proptest::collection::vec(
                prop_oneof![2 => any::<u8>(), 5 => Just(0x1b), 5 => Just(b'['), 3 => b'0'..=b'9', 3 => b'@'..=b'z'],
                0..60,
            ),
            piece in 1..9_usize,
        ) {
            let mut relay = Relay::new(true);
            let mut out = Vec::new();
            for piece in bytes.chunks(piece) {
                relay.feed(piece, &mut out);
            }
            relay.rest(&mut out);
            prop_assert_eq!(String::from_utf8_lossy(&out), passed(&bytes, true));
        }
    }
}
