//! Colours as numbers: those of a dark xterm. Colour queries are answered with them, and pictures
//! are drawn with them.

use super::cell::Color;

/// Foreground and cursor colour, as `0xRRGGBB` like all colours here.
pub const FOREGROUND: u32 = 0xe5_e5_e5;
/// Background colour.
pub const BACKGROUND: u32 = 0;
/// xterm's first sixteen colours.
const BASE_COLORS: [u32; 16] = [
    0x00_00_00, 0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd, 0xe5_e5_e5,
    0x7f_7f_7f, 0xff_00_00, 0x00_ff_00, 0xff_ff_00, 0x5c_5c_ff, 0xff_00_ff, 0x00_ff_ff, 0xff_ff_ff,
];

/// The number of a colour; `None` for the terminal's default.
pub fn rgb(color: Color) -> Option<u32> {
    match color {
        Color::Default => None,
        Color::Idx(index) => Some(indexed(index)),
        Color::Rgb(r, g, b) => Some(u32::from_be_bytes([0, r, g, b])),
    }
}

/// The number of colour `index` of the 256.
pub fn indexed(index: u8) -> u32 {
    let level = |step: u8| {
        if step == 0 {
            0
        } else {
            55 + 40 * u32::from(step)
        }
    };
    match index {
        0..=15 => BASE_COLORS[usize::from(index)],
        16..=231 => {
            let at = index - 16;
            level(at / 36) << 16 | level(at / 6 % 6) << 8 | level(at % 6)
        }
        232.. => (8 + 10 * u32::from(index - 232)) * 0x01_01_01,
    }
}

/// A mixture of two colours: `share` quarters of `a`, the rest of `b`.
pub fn mixed(a: u32, b: u32, share: u32) -> u32 {
    let part = |shift: u32| {
        let (a, b) = (a >> shift & 0xff, b >> shift & 0xff);
        ((a * share + b * (4 - share)) / 4) << shift
    };
    part(16) | part(8) | part(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_equal_xterms() {
        assert_eq!(indexed(1), 0xcd_00_00);
        assert_eq!(indexed(16), 0);
        assert_eq!(indexed(208), 0xff_87_00);
        assert_eq!(indexed(255), 0xee_ee_ee);
        assert_eq!(rgb(Color::Rgb(1, 2, 3)), Some(0x01_02_03));
        assert_eq!(rgb(Color::Default), None);
    }

    #[test]
    fn a_mixture_lies_between_its_colours() {
        assert_eq!(mixed(0xff_00_80, 0, 4), 0xff_00_80);
        assert_eq!(mixed(0xff_00_80, 0, 2), 0x7f_00_40);
        assert_eq!(mixed(0xff_ff_ff, 0x10_20_30, 0), 0x10_20_30);
    }
}
