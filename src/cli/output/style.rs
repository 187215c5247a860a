//! Whether to use colours, and which.
//!
//! Colours only repeat what the words say.

use std::ffi::OsStr;

use clap::ValueEnum;

/// The value of `--color`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Whether text is coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// Coloured.
    Colour,
    /// Unchanged.
    Plain,
}

/// The meaning of a text, which selects its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Normal,
    /// Success.
    Good,
    /// A job that needs a person.
    Wants,
    /// A failure.
    Bad,
    /// A paused job, or one that is ending.
    Held,
    /// Something that is over or secondary.
    Faint,
    /// A heading.
    Strong,
    /// A command or other code within text.
    Code,
    /// One of several streams of lines, by number.
    Stream(usize),
}

/// Colours of streams: neither red nor faint, which have other meanings.
const STREAMS: [&str; 6] = ["36", "33", "32", "35", "34", "96"];

/// Decides by the flag, then the environment, then whether the stream is a terminal.
pub fn paint(choice: ColorChoice, tty: bool, var: impl Fn(&str) -> Option<String>) -> Paint {
    let set = |name: &str| var(name).is_some_and(|value| !value.is_empty());
    let forced = var("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    let colour = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if set("NO_COLOR") => false,
        ColorChoice::Auto if forced => true,
        ColorChoice::Auto => tty && !matches!(var("TERM").as_deref(), Some("dumb" | "")),
    };
    if colour { Paint::Colour } else { Paint::Plain }
}

/// Whether the terminal only prints, or its type is unknown.
pub fn is_dumb(var: impl Fn(&str) -> Option<String>) -> bool {
    var("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Reads a variable of the environment, for [`paint`].
pub fn environment(name: &str) -> Option<String> {
    std::env::var_os(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned())
}

impl Paint {
    /// `text` in the colour of `tone`.
    pub fn apply(self, tone: Tone, text: &str) -> String {
        match (self, tone.code()) {
            (Self::Colour, Some(code)) if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}

impl Tone {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Normal => None,
            Self::Good => Some("32"),
            Self::Wants => Some("1;33"),
            Self::Bad => Some("1;31"),
            Self::Held => Some("34"),
            Self::Faint => Some("2"),
            Self::Strong => Some("1"),
            Self::Code => Some("36"),
            Self::Stream(number) => Some(STREAMS[number % STREAMS.len()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(choice: ColorChoice, tty: bool, vars: &[(&str, &str)]) -> Paint {
        paint(choice, tty, |name| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_flag_precedes_the_environment_which_precedes_the_terminal() {
        use ColorChoice::{Always, Auto, Never};
        assert_eq!(decide(Auto, true, &[]), Paint::Colour);
        assert_eq!(decide(Auto, false, &[]), Paint::Plain);
        assert_eq!(decide(Auto, true, &[("NO_COLOR", "1")]), Paint::Plain);
        assert_eq!(decide(Auto, true, &[("NO_COLOR", "")]), Paint::Colour);
        assert_eq!(decide(Auto, true, &[("TERM", "dumb")]), Paint::Plain);
        assert_eq!(
            decide(Auto, false, &[("CLICOLOR_FORCE", "1")]),
            Paint::Colour
        );
        assert_eq!(
            decide(Auto, false, &[("CLICOLOR_FORCE", "0")]),
            Paint::Plain
        );
        assert_eq!(decide(Always, false, &[("NO_COLOR", "1")]), Paint::Colour);
        assert_eq!(
            decide(Never, true, &[("CLICOLOR_FORCE", "1")]),
            Paint::Plain
        );
    }
}
