//! Colours, and what stands in for them where there are none.
//!
//! `NO_COLOR` is obeyed here, for what is ours only: crossterm would strip the jobs' own colours too, so it is
//! told to keep its hands off (see [`super::terminal`]).

use ratatui::style::{Color, Modifier, Style};

use super::state::State;

/// How many colours our own parts may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// None: bold, dim and reverse only.
    None,
    /// The terminal's sixteen.
    Ansi,
    /// 24 bits.
    True,
}

/// How things look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// Colours of our own parts.
    pub depth: Depth,
    /// Glyphs and lines of ASCII only.
    pub ascii: bool,
    /// Panes without colour, too.
    pub mono: bool,
}

/// What the environment says about the terminal; empty where it says nothing.
#[derive(Clone, Debug, Default)]
pub struct TerminalFacts {
    /// The locale of characters: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    pub locale: String,
    /// `TERM`.
    pub term: String,
    /// `COLORTERM`.
    pub colorterm: String,
    /// `NO_COLOR`.
    pub no_color: String,
}

/// What a badge or a bar is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Nothing special: NORMAL, HELP.
    Calm,
    /// Keys reach a job: INSERT.
    Live,
    /// Looking back or choosing: SCROLL, FILTER, PROMPT.
    Busy,
    /// A question that ends something, or an error.
    Alarm,
}

impl Theme {
    /// The theme for a terminal, and for what was asked on the command line.
    pub fn detect(facts: &TerminalFacts, ascii: bool, mono: bool) -> Self {
        let locale = facts.locale.to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        let poor = matches!(facts.term.as_str(), "linux" | "dumb");
        let depth = if mono || !facts.no_color.is_empty() || facts.term == "dumb" {
            Depth::None
        } else if matches!(facts.colorterm.as_str(), "truecolor" | "24bit") {
            Depth::True
        } else {
            Depth::Ansi
        };
        Self {
            depth,
            ascii: ascii || poor || !utf8,
            mono,
        }
    }

    /// Glyph and word of a state.
    pub fn state(&self, state: &State) -> Style {
        let plain = Style::new();
        let (ansi, rgb) = match state {
            State::Queued | State::Killed(_) => (Color::DarkGray, Color::Rgb(0x99, 0x99, 0x99)),
            State::Starting => (Color::Cyan, Color::Rgb(0x56, 0xB4, 0xE9)),
            State::Running => (Color::Green, Color::Rgb(0x00, 0x9E, 0x73)),
            State::NeedsInput | State::NeedsPassword | State::Asked => {
                (Color::Yellow, Color::Rgb(0xF0, 0xE4, 0x42))
            }
            State::Stopping => (Color::Magenta, Color::Rgb(0xCC, 0x79, 0xA7)),
            State::Paused => (Color::Blue, Color::Rgb(0x00, 0x72, 0xB2)),
            State::Done => (Color::Reset, Color::Rgb(0x99, 0x99, 0x99)),
            State::Failed(_) | State::Died(_) | State::Lost => {
                (Color::Red, Color::Rgb(0xD5, 0x5E, 0x00))
            }
            State::Retrying(_) => (Color::Yellow, Color::Rgb(0xE6, 0x9F, 0x00)),
        };
        let coloured = match self.depth {
            Depth::None => plain,
            Depth::Ansi => plain.fg(ansi),
            Depth::True => plain.fg(rgb),
        };
        let bare = self.depth == Depth::None;
        let modifier = match state {
            State::NeedsInput | State::NeedsPassword | State::Asked if bare => {
                Modifier::BOLD | Modifier::REVERSED
            }
            State::NeedsInput
            | State::NeedsPassword
            | State::Asked
            | State::Failed(_)
            | State::Died(_) => Modifier::BOLD,
            State::Lost => Modifier::REVERSED,
            State::Done if self.depth != Depth::True => Modifier::DIM,
            State::Queued | State::Stopping | State::Paused | State::Killed(_) if bare => {
                Modifier::DIM
            }
            _ => Modifier::empty(),
        };
        coloured.add_modifier(modifier)
    }

    /// Less important text.
    pub fn dim(&self) -> Style {
        match self.depth {
            Depth::None => Style::new().add_modifier(Modifier::DIM),
            Depth::Ansi => Style::new().fg(Color::DarkGray),
            Depth::True => Style::new().fg(Color::Rgb(0x8a, 0x8f, 0x98)),
        }
    }

    /// Lines between parts.
    pub fn rule(&self) -> Style {
        match self.depth {
            Depth::True => Style::new().fg(Color::Rgb(0x4a, 0x4f, 0x58)),
            _ => self.dim(),
        }
    }

    /// The name of what is selected or spoken about.
    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The row under the cursor; the bar in front of it is there in every theme.
    pub fn selected(&self) -> Style {
        match self.depth {
            Depth::True => Style::new()
                .bg(Color::Rgb(0x2b, 0x30, 0x38))
                .add_modifier(Modifier::BOLD),
            _ => Style::new().add_modifier(Modifier::BOLD),
        }
    }

    /// A key in a hint.
    pub fn key(&self) -> Style {
        match self.depth {
            Depth::None => Style::new().add_modifier(Modifier::BOLD),
            Depth::Ansi => Style::new().fg(Color::Cyan),
            Depth::True => Style::new().fg(Color::Rgb(0x56, 0xB4, 0xE9)),
        }
    }

    /// The mode at the bottom left, and the verb of a question.
    pub fn badge(&self, tone: Tone) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let (ansi, rgb) = match tone {
            Tone::Calm => (Color::Blue, Color::Rgb(0x56, 0xB4, 0xE9)),
            Tone::Live => (Color::Green, Color::Rgb(0x00, 0x9E, 0x73)),
            Tone::Busy => (Color::Yellow, Color::Rgb(0xE6, 0x9F, 0x00)),
            Tone::Alarm => (Color::Red, Color::Rgb(0xD5, 0x5E, 0x00)),
        };
        match self.depth {
            Depth::None => bold.add_modifier(Modifier::REVERSED),
            Depth::Ansi => bold.fg(Color::Black).bg(ansi),
            Depth::True => bold.fg(Color::Black).bg(rgb),
        }
    }

    /// A toast.
    pub fn toast(&self, tone: Tone) -> Style {
        match (self.depth, tone) {
            (Depth::None, _) => Style::new().add_modifier(Modifier::REVERSED),
            (_, Tone::Alarm) => self.badge(Tone::Alarm).remove_modifier(Modifier::BOLD),
            (Depth::Ansi, _) => Style::new().fg(Color::Black).bg(Color::Gray),
            (Depth::True, _) => Style::new()
                .fg(Color::Rgb(0xe6, 0xe6, 0xe6))
                .bg(Color::Rgb(0x3a, 0x40, 0x4b)),
        }
    }

    /// Text that a search found; `here` is the one the search stands on.
    pub fn found(&self, here: bool) -> Style {
        if here {
            self.badge(Tone::Busy)
        } else {
            Style::new().add_modifier(Modifier::REVERSED)
        }
    }

    /// The glyph for a part of the frame.
    pub fn glyph(&self, unicode: &'static str) -> &'static str {
        if !self.ascii {
            return unicode;
        }
        match unicode {
            "│" => "|",
            "─" => "-",
            "┬" => "+",
            "▌" => ">",
            "▾" => "v",
            "▸" => ">",
            "╭" | "╮" | "╰" | "╯" | "├" | "┤" => "+",
            "…" => "~",
            "↻" => "~",
            "⇡" => "^",
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(locale: &str, term: &str, colorterm: &str, no_color: &str) -> TerminalFacts {
        TerminalFacts {
            locale: locale.to_owned(),
            term: term.to_owned(),
            colorterm: colorterm.to_owned(),
            no_color: no_color.to_owned(),
        }
    }

    #[test]
    fn the_terminal_decides_how_much_it_gets() {
        let rich = Theme::detect(
            &facts("en_US.UTF-8", "xterm", "truecolor", ""),
            false,
            false,
        );
        assert_eq!((rich.depth, rich.ascii), (Depth::True, false));
        let plain = Theme::detect(&facts("C", "xterm-256color", "", ""), false, false);
        assert_eq!((plain.depth, plain.ascii), (Depth::Ansi, true));
        let console = Theme::detect(&facts("C.UTF-8", "linux", "", ""), false, false);
        assert_eq!((console.depth, console.ascii), (Depth::Ansi, true));
        let bare = Theme::detect(&facts("C.utf8", "xterm", "truecolor", "1"), false, false);
        assert_eq!(
            (bare.depth, bare.ascii, bare.mono),
            (Depth::None, false, false)
        );
    }

    #[test]
    fn nothing_is_coloured_without_colour() {
        let theme = Theme {
            depth: Depth::None,
            ascii: false,
            mono: false,
        };
        for state in State::examples() {
            let style = theme.state(&state);
            assert_eq!((style.fg, style.bg), (None, None), "{state:?}");
        }
        for tone in [Tone::Calm, Tone::Live, Tone::Busy, Tone::Alarm] {
            assert_eq!(theme.badge(tone).bg, None);
            assert_eq!(theme.toast(tone).bg, None);
        }
    }
}
