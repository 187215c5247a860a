//! Colours, and what stands in for them where there are none.
//!
//! `NO_COLOR` is obeyed here, for what is ours only: crossterm would strip the jobs' own colours too, so it is
//! told to keep its hands off (see [`super::terminal`]).

mod background;
#[cfg(test)]
mod contrast;
mod depth;
mod file;
mod role;
mod scheme;

use ratatui::style::{Color, Modifier, Style};

pub use self::background::{Answer, QUERY, Shade, answer};
pub use self::depth::Depth;
pub use self::role::Role;
pub use self::scheme::{Paint, Scheme, ThemeError};
use super::options::Options;
use super::state::State;
use crate::config::Background;

/// How things look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// Colours of our own parts.
    pub depth: Depth,
    /// Glyphs and lines of ASCII only.
    pub ascii: bool,
    /// Panes without colour, too.
    pub mono: bool,
    /// Whether the terminal may still say what its background is.
    pub asks: bool,
    shade: Shade,
    scheme: Scheme,
    /// The styles of the roles, as they come out of all that.
    styles: [Style; Role::ALL.len()],
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
    /// `COLORFGBG`.
    pub colorfgbg: String,
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
    /// The default theme on a dark terminal.
    pub fn new(depth: Depth, ascii: bool, mono: bool) -> Self {
        let mut theme = Self {
            depth,
            ascii,
            mono,
            asks: false,
            shade: Shade::Dark,
            scheme: Scheme::default(),
            styles: [Style::new(); Role::ALL.len()],
        };
        theme.settle();
        theme
    }

    /// The theme for a terminal, and for what was asked on the command line.
    pub fn detect(facts: &TerminalFacts, options: &Options) -> Self {
        let locale = facts.locale.to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        let poor = matches!(facts.term.as_str(), "linux" | "dumb");
        let depth = if options.mono || !facts.no_color.is_empty() || facts.term == "dumb" {
            Depth::None
        } else {
            Depth::detect(&facts.term, &facts.colorterm)
        };
        let shade = match options.background {
            Background::Dark => Shade::Dark,
            Background::Light => Shade::Light,
            Background::Auto => Shade::of_colorfgbg(&facts.colorfgbg),
        };
        let auto = options.background == Background::Auto;
        let mut theme = Self {
            asks: auto && depth != Depth::None && !poor,
            shade,
            scheme: options.theme,
            ..Self::new(depth, options.ascii || poor || !utf8, options.mono)
        };
        theme.settle();
        theme
    }

    /// Takes an answer of the terminal; says whether things look different now.
    pub fn hear(&mut self, answer: Answer) -> bool {
        match answer {
            Answer::Last => {
                self.asks = false;
                false
            }
            Answer::Shade(shade) => {
                let changed = shade != self.shade;
                self.shade = shade;
                self.settle();
                changed
            }
        }
    }

    /// Works the styles out.
    fn settle(&mut self) {
        let sixteen = match self.depth {
            Depth::Ansi => Scheme::built_in("terminal").unwrap_or(Scheme::BARE),
            _ => Scheme::BARE,
        };
        for role in Role::ALL {
            let paint = self.scheme.paint(role, self.shade);
            let exact = |color: Option<Color>| matches!(color, Some(Color::Rgb(..)));
            let paint = match self.depth {
                Depth::None => Paint::default(),
                Depth::True => paint,
                Depth::Indexed => Paint {
                    fg: paint.fg.map(indexed),
                    bg: paint.bg.map(indexed),
                },
                // What names one of the sixteen has it; for the rest they are chosen by hand.
                Depth::Ansi if exact(paint.fg) || exact(paint.bg) => {
                    sixteen.paint(role, self.shade)
                }
                Depth::Ansi => paint,
            };
            let mut modifier = role.modifier(self.depth);
            if paint.fg == Some(Color::Black) {
                // Many terminals paint bold black in bright black, which is grey.
                modifier.remove(Modifier::BOLD);
            }
            self.styles[role as usize] = paint.style().add_modifier(modifier);
        }
    }

    /// How a role looks.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Glyph and word of a state.
    pub fn state(&self, state: &State) -> Style {
        self.style(Role::of(state))
    }

    /// Less important text.
    pub fn dim(&self) -> Style {
        self.style(Role::Dim)
    }

    /// Lines between parts.
    pub fn rule(&self) -> Style {
        self.style(Role::Rule)
    }

    /// The name of what is selected or spoken about.
    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The row under the cursor; the bar in front of it is there in every theme.
    pub fn selected(&self) -> Style {
        self.style(Role::Selected)
    }

    /// A key in a hint.
    pub fn key(&self) -> Style {
        self.style(Role::Key)
    }

    /// The mode at the bottom left, and the verb of a question.
    pub fn badge(&self, tone: Tone) -> Style {
        self.style(match tone {
            Tone::Calm => Role::Calm,
            Tone::Live => Role::Live,
            Tone::Busy => Role::Busy,
            Tone::Alarm => Role::Alarm,
        })
    }

    /// A toast.
    pub fn toast(&self, tone: Tone) -> Style {
        match (self.depth, tone) {
            (Depth::None, _) | (_, Tone::Calm | Tone::Live | Tone::Busy) => self.style(Role::Toast),
            (_, Tone::Alarm) => self.badge(Tone::Alarm).remove_modifier(Modifier::BOLD),
        }
    }

    /// Text that a search found; `here` is the one the search stands on.
    pub fn found(&self, here: bool) -> Style {
        self.style(if here { Role::Busy } else { Role::Found })
    }

    /// The glyph for a part of the frame.
    pub fn glyph(&self, unicode: &'static str) -> &'static str {
        if !self.ascii {
            return unicode;
        }
        match unicode {
            "│" => "|",
            "━" => "=",
            "∗" => "*",
            "╭" | "╮" | "╰" | "╯" | "┤" => "+",
            "⇡" => "^",
            "├" => "|",
            "└" => "`",
            "⏎" => "$",
            "─" => "-",
            "┬" => "+",
            "▌" => ">",
            "▾" => "v",
            "▸" => ">",
            "…" => "~",
            "↻" => "~",
            other => other,
        }
    }
}

/// The nearest of the 256.
fn indexed(color: Color) -> Color {
    match color {
        Color::Rgb(r, g, b) => depth::nearest(r, g, b),
        other => other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn theme(vars: [&str; 5], options: &Options) -> Theme {
        let [locale, term, colorterm, no_color, colorfgbg] = vars.map(str::to_owned);
        let facts = TerminalFacts {
            locale,
            term,
            colorterm,
            no_color,
            colorfgbg,
        };
        Theme::detect(&facts, options)
    }

    #[test]
    fn the_terminal_decides_how_much_it_gets() {
        let options = Options::default();
        let detect = |vars| {
            let theme = theme(vars, &options);
            (theme.depth, theme.ascii, theme.asks)
        };
        let rich = ["en_US.UTF-8", "xterm", "truecolor", "", ""];
        assert_eq!(detect(rich), (Depth::True, false, true));
        let plain = ["C", "xterm-256color", "", "", ""];
        assert_eq!(detect(plain), (Depth::Indexed, true, true));
        let console = ["C.UTF-8", "linux", "", "", ""];
        assert_eq!(detect(console), (Depth::Ansi, true, false));
        let bare = ["C.utf8", "xterm", "truecolor", "1", ""];
        assert_eq!(detect(bare), (Depth::None, false, false));
        let dumb = ["C.utf8", "dumb", "truecolor", "", ""];
        assert_eq!(detect(dumb), (Depth::None, true, false));
    }

    #[test]
    fn nothing_is_coloured_without_colour() {
        let theme = Theme::new(Depth::None, false, false);
        for role in Role::ALL {
            let style = theme.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
        for tone in [Tone::Calm, Tone::Live, Tone::Busy, Tone::Alarm] {
            let toast = theme.toast(tone);
            assert_eq!((toast.fg, toast.bg), (None, None));
            assert!(toast.add_modifier.contains(Modifier::REVERSED));
        }
    }

    #[test]
    fn few_colours_are_those_of_the_terminal_and_256_the_nearest() {
        let running = |depth| Theme::new(depth, false, false).state(&State::Running).fg;
        assert_eq!(running(Depth::True), Some(Color::Rgb(0, 0x9e, 0x73)));
        assert_eq!(running(Depth::Indexed), Some(Color::Indexed(35)));
        assert_eq!(running(Depth::Ansi), Some(Color::Green));
        let badge = Theme::new(Depth::Ansi, false, false).badge(Tone::Calm);
        assert_eq!(badge.fg, Some(Color::Black));
        assert!(
            !badge.add_modifier.contains(Modifier::BOLD),
            "bold black is grey"
        );
        let own = Options {
            theme: Scheme::built_in("terminal").unwrap(),
            ..Options::default()
        };
        let own = theme(["C.UTF-8", "xterm", "truecolor", "", ""], &own);
        assert_eq!(own.state(&State::Running).fg, Some(Color::Green));
    }

    #[test]
    fn the_terminals_answer_changes_the_colours_and_the_last_one_ends_the_asking() {
        let mut theme = theme(
            ["C.UTF-8", "xterm", "truecolor", "", "15;0"],
            &Options::default(),
        );
        let before = theme.dim();
        assert!(!theme.hear(Answer::Shade(Shade::Dark)));
        assert!(theme.hear(Answer::Shade(Shade::Light)));
        assert_ne!(theme.dim(), before);
        assert!(theme.asks);
        assert!(!theme.hear(Answer::Last));
        assert!(!theme.asks);
        let said = Options {
            background: Background::Dark,
            ..Options::default()
        };
        let theme = super::tests::theme(["C.UTF-8", "xterm", "truecolor", "", "0;15"], &said);
        assert_eq!((theme.dim(), theme.asks), (before, false));
    }
}
