//! The modes that a program can set and reset.

use crate::term::scan::Csi;

/// Defines the modes. A line has the private marker (DECSET and DECRST, not SM and RM), the number
/// and the name of a mode.
macro_rules! modes {
    ($($(#[$doc:meta])* $private:literal, $number:literal, $name:ident;)*) => {
        /// A mode.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Mode {
            $($(#[$doc])* $name,)*
            /// A mode that has no meaning here.
            Unknown,
        }

        impl Mode {
            /// The mode with a number. `private` says that it is one of DECSET, not of SM.
            pub fn new(private: bool, number: u16) -> Self {
                match (private, number) {
                    $(($private, $number) => Self::$name,)*
                    _ => Self::Unknown,
                }
            }
        }
    };
}

modes! {
    /// IRM: characters push the rest of the row to the right.
    false, 4, Insert;
    /// LNM: LF also returns to the first column.
    false, 20, NewLine;
    /// DECCKM: cursor keys send `ESC O` instead of `CSI`.
    true, 1, CursorKeys;
    /// DECOM: rows count from the top margin.
    true, 6, Origin;
    /// DECAWM: text continues in the next row.
    true, 7, AutoWrap;
    /// Presses of mouse buttons are reported.
    true, 9, MousePress;
    /// The cursor blinks.
    true, 12, BlinkingCursor;
    /// DECTCEM: the cursor is visible.
    true, 25, ShowCursor;
    /// Reverse wraparound: from the first column, BS and CUB continue at the end of the row above if its text
    /// continues in this one.
    true, 45, ReverseWrap;
    /// The alternate screen.
    true, 47, AlternateScreen;
    /// DECNKM: the keypad sends `ESC O` sequences.
    true, 66, Keypad;
    /// Presses and releases of mouse buttons are reported.
    true, 1000, MouseRelease;
    /// Also movement while a button is pressed.
    true, 1002, MouseDrag;
    /// Also movement without a pressed button.
    true, 1003, MouseAny;
    /// Focus changes are reported.
    true, 1004, Focus;
    /// Mouse coordinates are UTF-8 characters.
    true, 1005, MouseUtf8;
    /// Mouse reports use the SGR encoding.
    true, 1006, MouseSgr;
    /// Extended reverse wraparound: also if it does not, and from the first row to the last.
    true, 1045, ReverseWrapExtended;
    /// The alternate screen, cleared when it is left.
    true, 1047, AlternateScreenCleared;
    /// Saves the cursor, and restores it.
    true, 1048, SaveCursor;
    /// Saves the cursor and shows a clear alternate screen.
    true, 1049, AlternateScreenSaved;
    /// A paste is enclosed in markers.
    true, 2004, BracketedPaste;
    /// The terminal shows no half-painted screen.
    true, 2026, SynchronizedUpdate;
    /// Several code points that look like one character take the place of one.
    true, 2027, GraphemeClusters;
    /// Changes between dark and light colours are reported.
    true, 2031, ColorScheme;
    /// Changes of the size are reported.
    true, 2048, SizeReports;
}

impl Mode {
    /// Whether the mode switches the alternate screen.
    pub fn is_alternate_screen(self) -> bool {
        matches!(
            self,
            Self::AlternateScreen | Self::AlternateScreenCleared | Self::AlternateScreenSaved
        )
    }
}

/// The modes that one sequence sets or resets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modes<'a>(Csi<'a>);

impl<'a> Modes<'a> {
    /// The modes in the parameters of a sequence.
    pub(super) fn of(csi: Csi<'a>) -> Self {
        Self(csi)
    }

    /// The modes in order, each with its number.
    pub fn iter(self) -> impl Iterator<Item = (u16, Mode)> + 'a {
        let is_private = self.0.marker == b'?';
        self.0
            .numbers()
            .map(move |number| (number, Mode::new(is_private, number)))
    }

    /// Whether one of them switches the alternate screen.
    pub fn has_alternate_screen(self) -> bool {
        self.iter().any(|(_, mode)| mode.is_alternate_screen())
    }
}
