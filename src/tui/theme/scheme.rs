//! A theme's colours: for each role, on dark and on light terminals.

use std::path::Path;

use ratatui::style::{Color, Style};

use super::background::Shade;
use super::file;
use super::role::Role;
use crate::config::ConfigError;
use crate::protocol::suggest::nearest;

/// The built-in themes, the default first: name and file.
const BUILT_IN: [(&str, &str); 6] = [
    (
        "okabe-ito",
        include_str!("../../../assets/themes/okabe-ito.toml"),
    ),
    (
        "high-contrast",
        include_str!("../../../assets/themes/high-contrast.toml"),
    ),
    (
        "terminal",
        include_str!("../../../assets/themes/terminal.toml"),
    ),
    (
        "gruvbox",
        include_str!("../../../assets/themes/gruvbox.toml"),
    ),
    ("nord", include_str!("../../../assets/themes/nord.toml")),
    (
        "catppuccin",
        include_str!("../../../assets/themes/catppuccin.toml"),
    ),
];

/// The colours of one role; `None` keeps the colour that is already there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Paint {
    /// Text colour.
    pub fg: Option<Color>,
    /// Background colour.
    pub bg: Option<Color>,
}

impl Paint {
    /// The colours as a style.
    pub fn style(self) -> Style {
        Style {
            fg: self.fg,
            bg: self.bg,
            ..Style::new()
        }
    }
}

/// The colours of a theme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheme {
    dark: [Paint; Role::ALL.len()],
    light: [Paint; Role::ALL.len()],
}

/// Why a theme cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// There is no theme with this name.
    #[error("there is no theme \"{name}\". {hint}")]
    Unknown {
        /// Its name.
        name: String,
        /// The nearest name, or all names.
        hint: String,
    },
    /// Its file is invalid.
    #[error(transparent)]
    File(#[from] ConfigError),
}

impl Default for Scheme {
    fn default() -> Self {
        Self::built_in(BUILT_IN[0].0).unwrap_or(Self::BARE)
    }
}

impl Scheme {
    /// No colours.
    pub(super) const BARE: Self = {
        let none = Paint { fg: None, bg: None };
        Self {
            dark: [none; Role::ALL.len()],
            light: [none; Role::ALL.len()],
        }
    };

    /// Names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A built-in theme.
    pub fn built_in(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        // A test parses each of them.
        file::read(text, Self::BARE).ok()
    }

    /// The theme with this name: the file `NAME.toml` in `dir`, or else a built-in one. Colours
    /// that a file does not set come from the default theme.
    ///
    /// # Errors
    /// If there is no such theme or its file is invalid.
    pub fn load(dir: &Path, name: &str) -> Result<Self, ThemeError> {
        let plain = !name.is_empty() && !name.contains(['/', '\0']);
        if plain {
            let path = dir.join(format!("{name}.toml"));
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    let read = file::read(&text, Self::default());
                    return Ok(read.map_err(|wrong| wrong.at(&path, &text))?);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {}
                Err(source) => return Err(ConfigError::Unreadable { path, source }.into()),
            }
        }
        Self::built_in(name).ok_or_else(|| ThemeError::Unknown {
            name: name.to_owned(),
            hint: match nearest(name, Self::names()) {
                Some(near) => format!("Did you mean \"{near}\"?"),
                None => format!(
                    "Built in: {}; yours are NAME.toml in {}",
                    Self::names().collect::<Vec<_>>().join(", "),
                    dir.display()
                ),
            },
        })
    }

    /// The colours of `role` on a terminal of this shade.
    pub fn paint(&self, role: Role, shade: Shade) -> Paint {
        match shade {
            Shade::Dark => self.dark[role as usize],
            Shade::Light => self.light[role as usize],
        }
    }

    /// Sets the colours of `role` on terminals of this shade.
    pub(super) fn set(&mut self, role: Role, shade: Shade, paint: Paint) {
        match shade {
            Shade::Dark => self.dark[role as usize] = paint,
            Shade::Light => self.light[role as usize] = paint,
        }
    }
}
