//! What a program can ask the terminal.

use super::area::Area;
use crate::term::scan::Csi;

/// A query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query<'a> {
    /// DA1, DECID: the primary device attributes.
    PrimaryAttributes,
    /// DA2: the secondary device attributes.
    SecondaryAttributes,
    /// DA3: the tertiary device attributes.
    TertiaryAttributes,
    /// XTVERSION: name and version of the terminal.
    Version,
    /// DSR 5: the status of the terminal.
    Status,
    /// DSR 6 and, if private, DECXCPR: the position of the cursor.
    Cursor {
        /// Whether the query has the private marker, as the answer then must.
        private: bool,
    },
    /// DSR of DEC: the state of a device that a terminal may have (15 printer, 25 keys that programs define, 26
    /// keyboard, 53 and 55 locator, 56 its type, 62 space for macros, 63 checksum of the memory, 75 data integrity,
    /// 85 sessions).
    Device {
        /// The device.
        number: u16,
        /// The number of the query, for a checksum.
        id: u16,
    },
    /// DECRQM: whether a mode is set.
    Mode {
        /// Whether the mode is one of DECSET.
        private: bool,
        /// Number of the mode.
        number: u16,
    },
    /// DSR 996: whether colours are dark or light.
    ColorScheme,
    /// The flags of the kitty keyboard protocol.
    KittyKeyboard,
    /// XTQMODKEYS: the level of modifyOtherKeys.
    OtherKeys,
    /// DECREQTPARM: the parameters of the line, with the parameter of the query (0 or 1).
    Parameters(u16),
    /// XTWINOPS 11 to 19: state, position or a size of the window.
    Window(u16),
    /// DECRQSS: a setting, named by the end of the sequence that sets it.
    Setting(&'a [u8]),
    /// DECRQCRA: the checksum of an area.
    Checksum {
        /// The number of the query, which the answer has too.
        id: u16,
        /// The area.
        area: Area,
    },
    /// XTGETTCAP: terminfo capabilities, named in hexadecimal.
    Capabilities(&'a [u8]),
    /// OSC 4: colours of the palette, or a request to set them.
    PaletteColors {
        /// Index and value of each colour. A value `?` is a query.
        colors: &'a [u8],
        /// Whether the query ended with BEL, as the answer then must.
        bell: bool,
    },
    /// OSC 10 to 12: colours of text, background and cursor, or a request to set them.
    DynamicColors {
        /// Number of the first colour.
        first: u16,
        /// The values of it and of the ones that follow. A value `?` is a query.
        colors: &'a [u8],
        /// Whether the query ended with BEL.
        bell: bool,
    },
}

impl<'a> Query<'a> {
    /// The query that a control sequence is, if it is one.
    pub(super) fn of_csi(csi: &Csi<'a>) -> Option<Self> {
        let number = csi.number(0, 0);
        Some(match (csi.marker, csi.inter, csi.last, number) {
            (0, 0, b'c', 0) => Self::PrimaryAttributes,
            (b'>', 0, b'c', 0) => Self::SecondaryAttributes,
            (b'=', 0, b'c', 0) => Self::TertiaryAttributes,
            (b'>', 0, b'q', 0) => Self::Version,
            (0, 0, b'n', 5) => Self::Status,
            (marker @ (0 | b'?'), 0, b'n', 6) => Self::Cursor {
                private: marker == b'?',
            },
            (marker @ (0 | b'?'), b'$', b'p', _) => Self::Mode {
                private: marker == b'?',
                number,
            },
            (b'?', 0, b'n', 996) => Self::ColorScheme,
            (b'?', 0, b'n', 15 | 25 | 26 | 53 | 55 | 56 | 62 | 63 | 75 | 85) => Self::Device {
                number,
                id: csi.number(1, 0),
            },
            (b'?', 0, b'u', _) => Self::KittyKeyboard,
            (b'?', 0, b'm', 4) => Self::OtherKeys,
            (0, 0, b'x', 0 | 1) => Self::Parameters(number),
            (0, b'*', b'y', id) => Self::Checksum {
                id,
                area: Area::of(csi, 2),
            },
            (0, 0, b't', 11 | 13 | 14 | 16 | 18 | 19) => Self::Window(number),
            _ => return None,
        })
    }

    /// The query that an operating system command is, if it is one. `values` follow its number.
    pub(super) fn of_osc(number: &[u8], values: &'a [u8], bell: bool) -> Option<Self> {
        let colors = values;
        Some(match number {
            b"4" => Self::PaletteColors { colors, bell },
            [b'1', digit @ b'0'..=b'2'] => Self::DynamicColors {
                first: 10 + u16::from(digit - b'0'),
                colors,
                bell,
            },
            _ => return None,
        })
    }

    /// The query that a device control string is, if it is one.
    pub(super) fn of_dcs(data: &'a [u8]) -> Option<Self> {
        match data {
            [b'$', b'q', setting @ ..] => Some(Self::Setting(setting)),
            [b'+', b'q', names @ ..] => Some(Self::Capabilities(names)),
            _ => None,
        }
    }
}
