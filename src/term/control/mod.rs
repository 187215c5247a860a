//! The control functions of a terminal: what each sequence is. Every reader of output shares this
//! table.
//!
//! A control function (the term of ECMA-48 and DEC STD 070) is a control character, an escape
//! sequence, a control sequence or a control string. [`scan`](super::scan) finds where it begins
//! and ends. Here it becomes a [`Function`], whose parameters have their defaults and their ranges.
//! What a function does is decided by each reader, which matches on it.

pub mod area;
pub mod charset;
pub mod image;
pub mod mode;
pub mod query;
pub mod sgr;
pub mod tabs;

use self::area::Area;
use self::charset::{Charset, CharsetChange};
use self::image::Image;
use self::mode::Modes;
use self::query::Query;
use self::tabs::TabChange;
use super::keyboard::{KeyboardChange, KittyFlags};
use super::scan::{Csi, Token};

/// A control function. Counts are at least 1, and positions are counted from 0. Neither is limited
/// by the size of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function<'a> {
    /// BEL.
    Bell,
    /// BS.
    Backspace,
    /// HT.
    Tab,
    /// LF, VT, FF.
    LineFeed,
    /// CR.
    CarriageReturn,
    /// SO, SI, SCS, LS2, LS3, SS2, SS3: designates or activates a character set.
    Charset(CharsetChange),
    /// HTS, TBC.
    TabStop(TabChange),
    /// DECSC, SCOSC.
    SaveCursor,
    /// DECRC, SCORC.
    RestoreCursor,
    /// IND.
    Index,
    /// NEL.
    NextLine,
    /// RI.
    ReverseIndex,
    /// RIS.
    Reset,
    /// DECSTR.
    SoftReset,
    /// DECALN: fills the screen with E.
    AlignmentPattern,
    /// DECKPAM, DECKPNM.
    ApplicationKeypad(bool),
    /// CUU.
    CursorUp(u16),
    /// CUD.
    CursorDown(u16),
    /// CUF.
    CursorRight(u16),
    /// CUB.
    CursorLeft(u16),
    /// CNL: the beginning of a line below.
    NextLines(u16),
    /// CPL: the beginning of a line above.
    PreviousLines(u16),
    /// CHA, HPA.
    CursorColumn(u16),
    /// VPA.
    CursorRow(u16),
    /// CUP, HVP: row and column.
    CursorPosition(u16, u16),
    /// HPR: the same as CUF, which more terminals have.
    ColumnRelative(u16),
    /// VPR: the same as CUD, which more terminals have.
    RowRelative(u16),
    /// CHT.
    TabForward(u16),
    /// CBT.
    TabBackward(u16),
    /// ICH.
    InsertCharacters(u16),
    /// DCH.
    DeleteCharacters(u16),
    /// ECH.
    EraseCharacters(u16),
    /// IL.
    InsertLines(u16),
    /// DL.
    DeleteLines(u16),
    /// SU.
    ScrollUp(u16),
    /// SD.
    ScrollDown(u16),
    /// REP: repeats the last character.
    Repeat(u16),
    /// ED.
    EraseInDisplay(Erase),
    /// EL.
    EraseInLine(Erase),
    /// DECSCA: whether the characters that follow are protected from DECSED, DECSEL and DECSERA.
    Protect(bool),
    /// DECSED: ED, except for protected characters.
    SelectiveEraseInDisplay(Erase),
    /// DECSEL: EL, except for protected characters.
    SelectiveEraseInLine(Erase),
    /// DECSERA: erases an area, except for protected characters.
    SelectiveEraseArea(Area),
    /// DECERA: erases an area.
    EraseArea(Area),
    /// DECFRA: fills an area with a character.
    FillArea(char, Area),
    /// XTCHECKSUM: what DECRQCRA counts.
    ChecksumKind(u16),
    /// SGR, with its parameters; see [`sgr::attributes`].
    Sgr(&'a [u8]),
    /// SM, DECSET (true), RM, DECRST (false).
    SetModes(Modes<'a>, bool),
    /// DECSTBM: first and last row of the scroll region. Without a parameter, the last row is as
    /// large as possible.
    SetMargins(u16, u16),
    /// DECSCUSR.
    CursorStyle,
    /// The kitty keyboard protocol and modifyOtherKeys: how keys are reported.
    Keyboard(KeyboardChange),
    /// OSC 0 and 2: the title.
    Title(&'a [u8]),
    /// XTWINOPS 22.
    PushTitle,
    /// XTWINOPS 23.
    PopTitle,
    /// OSC 9;4: the progress of the program, as what follows `9;4;`.
    Progress(&'a [u8]),
    /// OSC 133: a mark of a shell, as what follows `133;`.
    ShellMark(&'a [u8]),
    /// OSC 7: the directory, as a URL.
    Directory(&'a [u8]),
    /// OSC 8: the link of the text that follows, as its parameters, `;` and its target.
    Link(&'a [u8]),
    /// An image, which is not displayed.
    Image(Image),
    /// Something that the program asks.
    Query(Query<'a>),
    /// A control function that has no meaning here.
    Unknown,
}

/// What ED and EL erase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Erase {
    /// 0: from the cursor to the end.
    ToEnd,
    /// 1: from the beginning to the cursor.
    ToCursor,
    /// 2: everything.
    All,
    /// 3: the scrollback (ED only).
    Scrollback,
    /// A parameter that has no meaning.
    Unknown,
}

impl<'a> Function<'a> {
    /// The control function that a token is. Text is none.
    #[inline(always)]
    pub fn of(token: &Token<'a>) -> Self {
        match token {
            Token::Control(byte) => Self::of_control(*byte),
            Token::Csi(csi) => Self::of_csi(csi),
            Token::Escape(inter, last) => Self::of_escape(inter, *last),
            Token::Osc(data, bell) => Self::of_osc(data, *bell),
            Token::Dcs(data) => Self::of_dcs(data),
            Token::LongDcs(data) => Image::of_dcs(data).map_or(Self::Unknown, Self::Image),
            Token::LongOsc(data) => Self::of_long_osc(data),
            Token::Apc(data) => Image::of_apc(data).map_or(Self::Unknown, Self::Image),
            Token::Text(_) | Token::Invalid | Token::Ignored => Self::Unknown,
        }
    }

    /// The control function at the beginning of `bytes` and its length. `None` if it is incomplete,
    /// malformed, a control string or text.
    #[inline(always)]
    pub fn first(bytes: &'a [u8]) -> Option<(Self, usize)> {
        match bytes {
            [0x1b, b'[', ..] => {
                let csi = Csi::first(bytes)?;
                Some((Self::of_csi(&csi), csi.length()))
            }
            [0x1b, b'P' | b'X' | b']'..=b'_', ..] => None,
            [0x1b, last @ 0x30..=0x7e, ..] => Some((Self::of_escape(&[], *last), 2)),
            [0x1b, inter @ 0x20..=0x2f, last @ 0x30..=0x7e, ..] => {
                Some((Self::of_escape(&[*inter], *last), 3))
            }
            [byte @ (0..=0x1a | 0x1c..=0x1f | 0x7f), ..] => Some((Self::of_control(*byte), 1)),
            _ => None,
        }
    }

    #[inline]
    fn of_control(byte: u8) -> Self {
        match byte {
            0x07 => Self::Bell,
            0x08 => Self::Backspace,
            b'\t' => Self::Tab,
            b'\n' | 0x0b | 0x0c => Self::LineFeed,
            b'\r' => Self::CarriageReturn,
            0x0e => Self::Charset(CharsetChange::Lock(1)),
            0x0f => Self::Charset(CharsetChange::Lock(0)),
            _ => Self::Unknown,
        }
    }

    #[inline(never)]
    fn of_escape(inter: &[u8], last: u8) -> Self {
        match (inter, last) {
            ([], b'7') => Self::SaveCursor,
            ([], b'8') => Self::RestoreCursor,
            ([], b'=' | b'>') => Self::ApplicationKeypad(last == b'='),
            ([], b'D') => Self::Index,
            ([], b'E') => Self::NextLine,
            ([], b'H') => Self::TabStop(TabChange::Set),
            ([], b'M') => Self::ReverseIndex,
            ([], b'N') => Self::Charset(CharsetChange::Single(2)),
            ([], b'O') => Self::Charset(CharsetChange::Single(3)),
            ([], b'Z') => Self::Query(Query::PrimaryAttributes),
            ([], b'c') => Self::Reset,
            ([], b'n') => Self::Charset(CharsetChange::Lock(2)),
            ([], b'o') => Self::Charset(CharsetChange::Lock(3)),
            ([b'#'], b'8') => Self::AlignmentPattern,
            ([slot @ b'('..=b'+'], set) => {
                let slot = usize::from(slot - b'(');
                Self::Charset(CharsetChange::Designate(slot, Charset::named(set)))
            }
            _ => Self::Unknown,
        }
    }

    /// The parameters and the length of the SGR sequence at the beginning of `bytes`, if there is
    /// one. It is by far the most common sequence, and readers that skip it need no other.
    #[inline(always)]
    pub fn first_sgr(bytes: &'a [u8]) -> Option<(&'a [u8], usize)> {
        let csi = Csi::first(bytes)?;
        is_sgr(&csi).then(|| (csi.params, csi.length()))
    }

    /// The most common ones are found in the code of the caller.
    #[inline(always)]
    fn of_csi(csi: &Csi<'a>) -> Self {
        if is_sgr(csi) {
            return Self::Sgr(csi.params);
        }
        Self::of_other_csi(csi)
    }

    #[inline(never)]
    fn of_other_csi(csi: &Csi<'a>) -> Self {
        let count = || csi.number(0, 1);
        let position = |index| csi.number(index, 1) - 1;
        let erase = || Erase::new(csi.number(0, 0));
        match (csi.marker, csi.inter, csi.last) {
            (0, 0, b'@') => Self::InsertCharacters(count()),
            (0, 0, b'A') => Self::CursorUp(count()),
            (0, 0, b'B') => Self::CursorDown(count()),
            (0, 0, b'C') => Self::CursorRight(count()),
            (0, 0, b'D') => Self::CursorLeft(count()),
            (0, 0, b'E') => Self::NextLines(count()),
            (0, 0, b'F') => Self::PreviousLines(count()),
            (0, 0, b'G' | b'`') => Self::CursorColumn(position(0)),
            (0, 0, b'H' | b'f') => Self::CursorPosition(position(0), position(1)),
            (0, 0, b'I') => Self::TabForward(count()),
            (0, 0, b'J') => Self::EraseInDisplay(erase()),
            (0, 0, b'K') => Self::EraseInLine(erase()),
            (b'?', 0, b'J') => Self::SelectiveEraseInDisplay(erase()),
            (b'?', 0, b'K') => Self::SelectiveEraseInLine(erase()),
            (0, b'"', b'q') => match csi.number(0, 0) {
                0 | 2 => Self::Protect(false),
                1 => Self::Protect(true),
                _ => Self::Unknown,
            },
            (0, b'$', b'z') => Self::EraseArea(Area::of(csi, 0)),
            (0, b'$', b'{') => Self::SelectiveEraseArea(Area::of(csi, 0)),
            (0, b'$', b'x') => match fill(csi.number(0, 0)) {
                Some(c) => Self::FillArea(c, Area::of(csi, 1)),
                None => Self::Unknown,
            },
            (0, b'#', b'y') => Self::ChecksumKind(csi.number(0, 0)),
            (0, 0, b'L') => Self::InsertLines(count()),
            (0, 0, b'M') => Self::DeleteLines(count()),
            (0, 0, b'P') => Self::DeleteCharacters(count()),
            (0, 0, b'S') => Self::ScrollUp(count()),
            // With more parameters it is highlight mouse tracking.
            (0, 0, b'T') if csi.params.iter().all(u8::is_ascii_digit) => Self::ScrollDown(count()),
            (0, 0, b'X') => Self::EraseCharacters(count()),
            (0, 0, b'Z') => Self::TabBackward(count()),
            (0, 0, b'a') => Self::ColumnRelative(count()),
            (0, 0, b'b') => Self::Repeat(count()),
            (0, 0, b'd') => Self::CursorRow(position(0)),
            (0, 0, b'e') => Self::RowRelative(count()),
            (0, 0, b'g') => match csi.number(0, 0) {
                0 => Self::TabStop(TabChange::Clear),
                3 => Self::TabStop(TabChange::ClearAll),
                _ => Self::Unknown,
            },
            (0 | b'?', 0, b'h' | b'l') => Self::SetModes(Modes::of(*csi), csi.last == b'h'),
            (0, b'!', b'p') => Self::SoftReset,
            (0, b' ', b'q') => Self::CursorStyle,
            (0, 0, b'r') => Self::SetMargins(position(0), csi.number(1, u16::MAX) - 1),
            // With parameters, these are other functions.
            (0, 0, b's') if csi.params.is_empty() => Self::SaveCursor,
            (0, 0, b'u') if csi.params.is_empty() => Self::RestoreCursor,
            // With a second parameter of 1, only the title of the icon.
            (0, 0, b't') if csi.number(0, 0) == 22 && csi.number(1, 0) != 1 => Self::PushTitle,
            (0, 0, b't') if csi.number(0, 0) == 23 && csi.number(1, 0) != 1 => Self::PopTitle,
            (b'=' | b'>' | b'<', 0, b'u') | (b'>', 0, b'm' | b'n') => {
                keyboard(csi).map_or(Self::Unknown, Self::Keyboard)
            }
            _ => Query::of_csi(csi).map_or(Self::Unknown, Self::Query),
        }
    }

    #[inline(never)]
    fn of_dcs(data: &'a [u8]) -> Self {
        let image = Image::of_dcs(data).map(Self::Image);
        image.unwrap_or_else(|| Query::of_dcs(data).map_or(Self::Unknown, Self::Query))
    }

    #[inline(never)]
    fn of_long_osc(data: &'a [u8]) -> Self {
        let image = data.strip_prefix(b"1337;").and_then(Image::of_osc);
        image.map_or(Self::Unknown, Self::Image)
    }

    #[inline(never)]
    fn of_osc(data: &'a [u8], bell: bool) -> Self {
        let end = data.iter().position(|&b| b == b';').unwrap_or(data.len());
        let (number, rest) = (&data[..end], data.get(end + 1..).unwrap_or_default());
        match number {
            b"0" | b"2" => Self::Title(rest),
            b"7" => Self::Directory(rest),
            b"8" => Self::Link(rest),
            b"133" => Self::ShellMark(rest),
            b"1337" => Image::of_osc(rest).map_or(Self::Unknown, Self::Image),
            b"9" if rest.starts_with(b"4;") => Self::Progress(&rest[2..]),
            _ => Query::of_osc(number, rest, bell).map_or(Self::Unknown, Self::Query),
        }
    }
}

/// The character with which DECFRA fills: one that is displayed, of ASCII or Latin-1.
fn fill(number: u16) -> Option<char> {
    let byte = u8::try_from(number).ok()?;
    matches!(byte, b' '..=b'~' | 0xa0..).then_some(char::from(byte))
}

fn keyboard(csi: &Csi<'_>) -> Option<KeyboardChange> {
    let flags = KittyFlags::new(csi.number(0, 0));
    Some(match (csi.marker, csi.last, csi.number(0, 0)) {
        (b'=', b'u', _) => KeyboardChange::Set(flags, csi.number(1, 1)),
        (b'>', b'u', _) => KeyboardChange::Push(flags),
        (b'<', b'u', _) => KeyboardChange::Pop(csi.number(0, 1)),
        (b'>', b'm', 4) => KeyboardChange::OtherKeys(csi.number(1, 0)),
        // Without a parameter, all of xterm's key resources are reset.
        (b'>', b'm', 0) | (b'>', b'n', 4) => KeyboardChange::OtherKeys(0),
        _ => return None,
    })
}

fn is_sgr(csi: &Csi<'_>) -> bool {
    (csi.marker, csi.inter, csi.last) == (0, 0, b'm')
}

impl Erase {
    fn new(number: u16) -> Self {
        match number {
            0 => Self::ToEnd,
            1 => Self::ToCursor,
            2 => Self::All,
            3 => Self::Scrollback,
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic)]
mod tests;
