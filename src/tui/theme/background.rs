//! Whether the terminal is dark or light. Until the terminal has answered, the environment decides, with dark as
//! the default.

use crate::term::colors::is_light;

/// Brightness of the background.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shade {
    /// Light text on dark.
    #[default]
    Dark,
    /// Dark text on light.
    Light,
}

impl Shade {
    /// The shade of a background colour, as `0xRRGGBB`.
    pub fn of_color(color: u32) -> Self {
        if is_light(color) {
            Self::Light
        } else {
            Self::Dark
        }
    }

    /// The shade in `COLORFGBG`, which holds the numbers of two of the sixteen colours, the
    /// background last.
    pub fn of_colorfgbg(value: &str) -> Self {
        match value.rsplit(';').next() {
            Some("7" | "9" | "10" | "11" | "12" | "13" | "14" | "15") => Self::Light,
            _ => Self::Dark,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_shade_from_colorfgbg() {
        assert_eq!(Shade::of_colorfgbg("0;15"), Shade::Light);
        assert_eq!(Shade::of_colorfgbg("0;default;7"), Shade::Light);
        assert_eq!(Shade::of_colorfgbg("15;0"), Shade::Dark);
        assert_eq!(Shade::of_colorfgbg("7;8"), Shade::Dark);
        assert_eq!(Shade::of_colorfgbg(""), Shade::Dark);
    }
}
