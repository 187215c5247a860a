//! Tests that colours have enough contrast, as defined by WCAG 2.2.

use ratatui::style::Color;

use super::{Role, Scheme, Shade};

/// The dark and light backgrounds that each theme is made for.
pub(in crate::tui) const BACKGROUNDS: [(&str, u32, u32); 6] = [
    ("okabe-ito", 0x00_0000, 0xff_ffff),
    ("okabe-ito", 0x1e_1e1e, 0xfd_f6e3),
    ("high-contrast", 0x00_0000, 0xff_ffff),
    ("gruvbox", 0x28_2828, 0xfb_f1c7),
    ("nord", 0x2e_3440, 0xec_eff4),
    ("catppuccin", 0x1e_1e2e, 0xef_f1f5),
];

/// Minimum contrast of text (WCAG 1.4.3).
const TEXT: f64 = 4.5;
/// Minimum contrast of the colours of states that the default theme has from Okabe and Ito as they are. That is what
/// WCAG 1.4.11 asks of signs; the words beside them say the same.
const STATE: f64 = 3.0;
/// These colours: running, stopping, failed and lost.
const STATES: [u32; 3] = [0x00_9e73, 0xcc_79a7, 0xd5_5e00];
/// Minimum contrast of lines, bars and other drawings, which carry no information of their own.
pub(in crate::tui) const LINE: f64 = 1.3;

fn channels(color: Color) -> [u8; 3] {
    match color {
        Color::Rgb(r, g, b) => [r, g, b],
        // Levels of the colour cube of the 256 colours, and its greys.
        Color::Indexed(at @ 232..) => [8 + 10 * (at - 232); 3],
        Color::Indexed(at @ 16..) => {
            let levels = [0, 95, 135, 175, 215, 255];
            let at = usize::from(at - 16);
            [levels[at / 36], levels[at / 6 % 6], levels[at % 6]]
        }
        other => unreachable!("{other:?} is the terminal's"),
    }
}

fn luminance(color: Color) -> f64 {
    let [r, g, b] = channels(color).map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.03928 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The contrast of two colours: from 1 to 21.
pub(in crate::tui) fn contrast(one: Color, other: Color) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// So much of `one`, the rest from `other`.
pub(in crate::tui) fn mix(one: Color, other: Color, part: f64) -> Color {
    let (one, other) = (channels(one), channels(other));
    let [r, g, b] = [0, 1, 2].map(|at| {
        let mixed = f64::from(one[at]) * part + f64::from(other[at]) * (1.0 - part);
        mixed.round() as u8
    });
    Color::Rgb(r, g, b)
}

/// Minimum contrast of text in this colour.
pub(in crate::tui) fn least(fg: Color) -> f64 {
    let is_state = |state| fg == rgb(state) || fg == super::indexed(rgb(state));
    if STATES.into_iter().any(is_state) {
        STATE
    } else {
        TEXT
    }
}

/// The colour `0xRRGGBB`.
pub(in crate::tui) fn rgb(value: u32) -> Color {
    let [_, r, g, b] = value.to_be_bytes();
    Color::Rgb(r, g, b)
}

#[test]
fn contrast_is_measured_as_it_should_be() {
    assert!((contrast(rgb(0), rgb(0xff_ffff)) - 21.0).abs() < 0.01);
    assert!((contrast(rgb(0x76_7676), rgb(0xff_ffff)) - 4.54).abs() < 0.01);
}

#[test]
fn everything_can_be_read_on_dark_and_on_light() {
    let mut poor = Vec::new();
    for (name, dark, light) in BACKGROUNDS {
        let scheme = Scheme::built_in(name).unwrap_or_else(|| unreachable!("{name}"));
        for (shade, ground) in [(Shade::Dark, rgb(dark)), (Shade::Light, rgb(light))] {
            for depth in ["24 bits", "256"] {
                let exact = |color| match depth {
                    "256" => super::indexed(color),
                    _ => color,
                };
                for role in Role::ALL {
                    let paint = scheme.paint(role, shade);
                    let Some(fg) = paint.fg.map(exact) else {
                        continue;
                    };
                    let selected = scheme.paint(Role::Selected, shade).bg.map(exact);
                    // Parts of a row are also drawn on the selected row.
                    let mut grounds = vec![paint.bg.map(exact).unwrap_or(ground)];
                    if paint.bg.is_none() {
                        grounds.extend(selected);
                    }
                    let least = if role == Role::Rule { LINE } else { least(fg) };
                    for ground in grounds {
                        let found = contrast(fg, ground);
                        // The ground of the selected row is ours to choose.
                        let is_row = Some(ground) == selected && role != Role::Rule;
                        let least = if is_row { TEXT } else { least };
                        if found < least {
                            poor.push(format!("{name} {shade:?} {depth} {role:?} on {ground:?}: {found:.2} < {least}"));
                        }
                    }
                }
            }
        }
    }
    assert!(poor.is_empty(), "\n{}", poor.join("\n"));
}

#[test]
fn every_theme_that_is_built_in_fills_every_role() {
    for name in Scheme::names() {
        let scheme = Scheme::built_in(name);
        assert!(scheme.is_some(), "{name} cannot be read");
        for role in Role::ALL.into_iter().filter(|role| *role != Role::Selected) {
            for shade in [Shade::Dark, Shade::Light] {
                let paint = scheme.map(|scheme| scheme.paint(role, shade));
                let has = paint.is_some_and(|paint| paint.fg.is_some());
                assert!(has, "{name} {shade:?} {role:?}");
            }
        }
    }
}
