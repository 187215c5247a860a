//! Theme files: a table a shade, `[dark]` and `[light]`; a line a role: `failed = "#d55e00"`, or
//! `toast = { fg = "black", bg = "#cccccc" }`.

use ratatui::style::Color;
use toml::de::DeTable;

use super::background::Shade;
use super::role::Role;
use super::scheme::{Paint, Scheme};
use crate::config::{Entry, Wrong};
use crate::protocol::suggest::nearest;

/// The terminal's sixteen by name, and its own text or background.
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

/// Reads a theme; what it leaves out is as in `rest`.
pub(super) fn read(text: &str, rest: Scheme) -> Result<Scheme, Wrong> {
    let mut scheme = rest;
    for (name, value) in DeTable::parse(text)?.get_ref() {
        let entry = Entry {
            key: name.get_ref(),
            value,
        };
        let shade = match entry.key {
            "dark" => Shade::Dark,
            "light" => Shade::Light,
            other => return Err(unknown(other, name.span(), "table", ["dark", "light"])),
        };
        for (name, value) in entry.table()? {
            let entry = Entry {
                key: name.get_ref(),
                value,
            };
            let role = Role::ALL.into_iter().find(|role| role.name() == entry.key);
            let Some(role) = role else {
                let names = Role::ALL.map(Role::name);
                return Err(unknown(entry.key, name.span(), "role", names));
            };
            scheme.set(role, shade, paint(&entry)?);
        }
    }
    Ok(scheme)
}

/// A colour of the text, or a table of both.
fn paint(entry: &Entry<'_, '_>) -> Result<Paint, Wrong> {
    if entry.value.get_ref().is_str() {
        return Ok(Paint {
            fg: Some(color(entry)?),
            bg: None,
        });
    }
    let mut paint = Paint::default();
    for (name, value) in entry.table()? {
        let entry = Entry {
            key: name.get_ref(),
            value,
        };
        match entry.key {
            "fg" => paint.fg = Some(color(&entry)?),
            "bg" => paint.bg = Some(color(&entry)?),
            other => return Err(unknown(other, name.span(), "part", ["fg", "bg"])),
        }
    }
    Ok(paint)
}

fn color(entry: &Entry<'_, '_>) -> Result<Color, Wrong> {
    let word = entry.word()?;
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
            let message = format!("\"{word}\" is no colour. Known: #rrggbb, {names}");
            Err(Wrong::new(entry.value.span(), message))
        }
    }
}

fn unknown<const N: usize>(
    word: &str,
    span: std::ops::Range<usize>,
    what: &str,
    known: [&str; N],
) -> Wrong {
    let hint = match nearest(word, known) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => format!("Known: {}", known.join(", ")),
    };
    Wrong::new(
        span,
        format!("unknown {what} \"{word}\" in a theme. {hint}"),
    )
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
    fn a_file_fills_the_roles_that_it_names() {
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
    fn what_makes_no_sense_has_its_place() {
        assert_eq!(
            error("[dark]\n  faild = \"red\"\n"),
            "mine.toml:2:3: unknown role \"faild\" in a theme. Did you mean \"failed\"?"
        );
        assert!(error("[drak]\n").starts_with("mine.toml:1:2: unknown table \"drak\""));
        assert!(
            error("[dark]\nkey = \"#12345\"").starts_with("mine.toml:2:7: \"#12345\" is no colour")
        );
        assert!(error("[dark]\nkey = \"#+12345\"").contains("is no colour"));
        assert!(error("[dark]\nkey = 1").contains("\"key\" needs a table"));
        assert!(error("[dark]\nkey = { fgg = \"red\" }").contains("Did you mean \"fg\"?"));
    }
}
