//! Theme files. They contain a table per shade, `[dark]` and `[light]`, with a line per role:
//! `failed = "#d55e00"`, or `toast = { fg = "black", bg = "#cccccc" }`.

use std::collections::BTreeMap;
use std::fmt;

use ratatui::style::Color;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::background::Shade;
use super::role::Role;
use super::scheme::{Paint, Scheme};
use crate::config::{self, Known, Wrong, names_of};

/// Names of the terminal's sixteen colours, and `default` for its own text or background colour.
/// They differ from ratatui's `Color::from_str`, whose `white` is the bright one, which also
/// accepts `4` and `#+12345`, and whose error lists no names.
const NAMED: [(&str, Color); 17] = [
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// The contents of a theme file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    dark: BTreeMap<Role, Ink>,
    light: BTreeMap<Role, Ink>,
}

/// The colours of a role: a text colour, or a table with both colours.
struct Ink(Paint);

/// The table with both colours.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Both {
    fg: Option<Hue>,
    bg: Option<Hue>,
}

/// One colour.
struct Hue(Color);

/// Parses a theme; colours that it does not set come from `rest`.
pub(super) fn read(text: &str, rest: Scheme) -> Result<Scheme, Wrong> {
    let known = |path: &[&str]| {
        let (what, names) = match path.len() {
            0 => ("table", names_of::<File>()),
            1 => ("role", names_of::<Role>()),
            _ => ("part", names_of::<Both>()),
        };
        let place = " in a theme";
        Known {
            what,
            place: place.into(),
            names,
        }
    };
    let File { dark, light } = config::read(text, known)?;
    let mut scheme = rest;
    for (shade, roles) in [(Shade::Dark, dark), (Shade::Light, light)] {
        for (role, Ink(paint)) in roles {
            scheme.set(role, shade, paint);
        }
    }
    Ok(scheme)
}

impl<'de> Deserialize<'de> for Ink {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(InkVisitor).map(Ink)
    }
}

struct InkVisitor;

impl<'de> Visitor<'de> for InkVisitor {
    type Value = Paint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a colour, or a table of fg and bg")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Paint, E> {
        Ok(Paint {
            fg: Some(color(word).map_err(E::custom)?),
            bg: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Paint, A::Error> {
        let Both { fg, bg } = Both::deserialize(MapAccessDeserializer::new(table))?;
        Ok(Paint {
            fg: fg.map(|Hue(color)| color),
            bg: bg.map(|Hue(color)| color),
        })
    }
}

impl<'de> Deserialize<'de> for Hue {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let word = String::deserialize(value)?;
        color(&word).map(Hue).map_err(D::Error::custom)
    }
}

fn color(word: &str) -> Result<Color, String> {
    if let Some((_, color)) = NAMED.iter().find(|(name, _)| *name == word) {
        return Ok(*color);
    }
    let hex = word
        .strip_prefix('#')
        .filter(|hex| hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
        Some(rgb) => {
            let [_, r, g, b] = rgb.to_be_bytes();
            Ok(Color::Rgb(r, g, b))
        }
        None => {
            let names = NAMED.map(|(name, _)| name).join(", ");
            Err(format!("\"{word}\" is no colour. Known: #rrggbb, {names}"))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;

    fn error(text: &str) -> String {
        let wrong = read(text, Scheme::BARE).unwrap_err();
        wrong.at(Path::new("mine.toml"), text).to_string()
    }

    #[test]
    fn a_file_sets_only_the_roles_that_it_names() {
        let text =
            "[dark]\nfailed = \"#d55E00\"\n[light]\ntoast = { fg = \"black\", bg = \"#CCCCCC\" }\n";
        let scheme = read(text, Scheme::default()).unwrap();
        let failed = scheme.paint(Role::Failed, Shade::Dark);
        assert_eq!(
            (failed.fg, failed.bg),
            (Some(Color::Rgb(0xd5, 0x5e, 0)), None)
        );
        let toast = scheme.paint(Role::Toast, Shade::Light);
        assert_eq!(
            (toast.fg, toast.bg),
            (Some(Color::Black), Some(Color::Rgb(0xcc, 0xcc, 0xcc)))
        );
        let rest = Scheme::default().paint(Role::Failed, Shade::Light);
        assert_eq!(scheme.paint(Role::Failed, Shade::Light), rest);
    }

    #[test]
    fn reports_the_position_of_an_error() {
        assert_eq!(
            error("[dark]\n  faild = \"red\"\n"),
            "mine.toml:2:3: unknown role \"faild\" in a theme. Did you mean \"failed\"?"
        );
        assert!(error("[drak]\n").starts_with("mine.toml:1:2: unknown table \"drak\""));
        assert!(
            error("[dark]\nkey = \"#12345\"")
                .starts_with("mine.toml:2:7: \"key\": \"#12345\" is no colour")
        );
        assert!(error("[dark]\nkey = \"#+12345\"").contains("is no colour"));
        assert!(error("[dark]\nkey = 1").contains("must be a colour, or a table"));
        assert!(error("[dark]\nkey = { fgg = \"red\" }").contains("Did you mean \"fg\"?"));
    }
}
