//! Colours, and what replaces them on terminals without colour.
//!
//! `NO_COLOR` is handled here and only applies to the dashboard's own parts: jobs keep their colours.

mod background;
#[cfg(test)]
pub(in crate::tui) mod contrast;
mod depth;
mod file;
mod role;
mod scheme;

use ratatui::style::{Color, Modifier, Style};

pub use self::background::Shade;
pub use self::depth::Depth;
pub use self::role::Role;
pub use self::scheme::{Paint, Scheme, ThemeError};
use super::state::State;
use crate::config::Background;

/// The look of the dashboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// Number of colours of the dashboard's own parts.
    pub depth: Depth,
    /// Use only ASCII glyphs and lines.
    pub ascii: bool,
    /// How many colours jobs may show. `NO_COLOR` is about the dashboard's own parts only.
    pub panes: Depth,
    /// Whether the look depends on the background of the terminal.
    pub follows_terminal: bool,
    shade: Shade,
    scheme: Scheme,
    /// The resulting styles of the roles.
    styles: [Style; Role::ALL.len()],
}

/// The roles whose colours tell the names of jobs apart. Every theme makes them readable and different
/// from each other.
pub const NAME_COLORS: [Role; 5] = [
    Role::Starting,
    Role::Retrying,
    Role::Stopping,
    Role::Running,
    Role::Paused,
];

/// Environment variables about the terminal; empty if unset.
#[derive(Clone, Debug, Default)]
pub struct TerminalFacts {
    /// The character locale: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
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

/// The meaning of a badge or bar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Nothing special: NORMAL, HELP.
    Calm,
    /// Keys reach a job: INSERT.
    Live,
    /// Scrolling or choosing: SCROLL, FOUND, COPY.
    Busy,
    /// A line is edited: FILTER, PROMPT.
    Entry,
    /// A question that ends something, or an error.
    Alarm,
}

/// How the view should look, from the command line and the configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Appearance {
    /// Use only ASCII glyphs and lines.
    pub ascii: bool,
    /// Use no colour, not even the jobs' own.
    pub mono: bool,
    /// The colour theme.
    pub scheme: Scheme,
    /// The assumed brightness of the terminal's background.
    pub background: Background,
}

impl TerminalFacts {
    /// Whether the terminal answers queries.
    pub fn answers(&self) -> bool {
        !matches!(self.term.as_str(), "linux" | "dumb")
    }
}

impl Theme {
    /// The default theme on a dark terminal.
    pub fn new(depth: Depth, ascii: bool, mono: bool) -> Self {
        let mut theme = Self {
            depth,
            ascii,
            panes: if mono { Depth::None } else { Depth::True },
            follows_terminal: false,
            shade: Shade::Dark,
            scheme: Scheme::default(),
            styles: [Style::new(); Role::ALL.len()],
        };
        theme.resolve();
        theme
    }

    /// The theme for a terminal.
    pub fn detect(facts: &TerminalFacts, wanted: Appearance) -> Self {
        let locale = facts.locale.to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        let poor = !facts.answers();
        let depth = if wanted.mono || !facts.no_color.is_empty() || facts.term == "dumb" {
            Depth::None
        } else {
            Depth::detect(&facts.term, &facts.colorterm)
        };
        let shade = match wanted.background {
            Background::Dark => Shade::Dark,
            Background::Light => Shade::Light,
            Background::Auto => Shade::of_colorfgbg(&facts.colorfgbg),
        };
        let auto = wanted.background == Background::Auto;
        let panes = if wanted.mono {
            Depth::None
        } else {
            Depth::detect(&facts.term, &facts.colorterm)
        };
        let mut theme = Self {
            panes,
            follows_terminal: auto && depth != Depth::None && !poor,
            shade,
            scheme: wanted.scheme,
            ..Self::new(depth, wanted.ascii || poor || !utf8, wanted.mono)
        };
        theme.resolve();
        theme
    }

    /// Takes note of the background's colour, if the look depends on it. Returns whether the look has changed.
    pub fn set_background(&mut self, color: u32) -> bool {
        let shade = Shade::of_color(color);
        if !self.follows_terminal || shade == self.shade {
            return false;
        }
        self.shade = shade;
        self.resolve();
        true
    }

    /// Computes the styles.
    fn resolve(&mut self) {
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
                // Roles that use one of the sixteen colours keep it. For other roles, use the
                // hand-picked colours of the `terminal` theme.
                Depth::Ansi if exact(paint.fg) || exact(paint.bg) => {
                    sixteen.paint(role, self.shade)
                }
                Depth::Ansi => paint,
            };
            let is_plain = paint.bg.is_none() && matches!(paint.fg, None | Some(Color::Reset));
            let mut modifier = role.modifier(self.depth, is_plain);
            if paint.fg == Some(Color::Black) {
                // Many terminals draw bold black as bright black, which is grey.
                modifier.remove(Modifier::BOLD);
            }
            // Over a dim line, text is not dim.
            let style = paint.style().remove_modifier(Modifier::DIM);
            self.styles[role as usize] = style.add_modifier(modifier);
        }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The style of a state's glyph and word.
    pub fn state(&self, state: &State) -> Style {
        self.style(Role::of(state))
    }

    /// Less important text.
    pub fn dim(&self) -> Style {
        self.style(Role::Dim)
    }

    /// Separators.
    pub fn rule(&self) -> Style {
        self.style(Role::Rule)
    }

    /// Text in the colour of the terminal, also over a line.
    pub fn plain(&self) -> Style {
        Style::new().fg(Color::Reset).remove_modifier(Modifier::DIM)
    }

    /// The name of what is selected or mentioned.
    pub fn strong(&self) -> Style {
        self.plain().add_modifier(Modifier::BOLD)
    }

    /// The selected row. The bar in front of it is shown in every theme.
    pub fn selected(&self) -> Style {
        self.style(Role::Selected)
    }

    /// The name in the selected row: reversed if the row has no background of its own.
    pub fn selected_name(&self) -> Style {
        match self.selected().bg {
            Some(_) => self.strong(),
            None => self.strong().add_modifier(Modifier::REVERSED),
        }
    }

    /// A key in a hint.
    pub fn key(&self) -> Style {
        self.style(Role::Key)
    }

    /// The mode badge at the bottom left, and the verb of a question.
    pub fn badge(&self, tone: Tone) -> Style {
        self.style(match tone {
            Tone::Calm => Role::Calm,
            Tone::Live => Role::Live,
            Tone::Busy => Role::Busy,
            Tone::Entry => Role::Entry,
            Tone::Alarm => Role::Alarm,
        })
    }

    /// A toast.
    pub fn toast(&self, tone: Tone) -> Style {
        match tone {
            Tone::Alarm if self.depth != Depth::None => {
                self.badge(Tone::Alarm).remove_modifier(Modifier::BOLD)
            }
            _ => self.style(Role::Toast),
        }
    }

    /// The name of a job among those of others, in one of [`NAME_COLORS`]; without colour, the name alone.
    pub fn name(&self, color: usize) -> Style {
        let role = NAME_COLORS[color % NAME_COLORS.len()];
        Style {
            fg: self.style(role).fg,
            ..Style::new()
        }
    }

    /// A search match; `here` is the match at the cursor.
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
            "▲" => "^",
            "▾" | "▼" => "v",
            "▸" => ">",
            "…" => "~",
            "↻" => "~",
            other => other,
        }
    }
}

/// The nearest of the 256 colours.
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

    fn theme(vars: [&str; 5], wanted: Appearance) -> Theme {
        let [locale, term, colorterm, no_color, colorfgbg] = vars.map(str::to_owned);
        let facts = TerminalFacts {
            locale,
            term,
            colorterm,
            no_color,
            colorfgbg,
        };
        Theme::detect(&facts, wanted)
    }

    #[test]
    fn detects_the_look_from_the_terminal() {
        let usual = Appearance::default();
        let detect = |vars| {
            let theme = theme(vars, usual);
            (theme.depth, theme.ascii, theme.follows_terminal)
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
    fn uses_no_colours_at_depth_none() {
        let theme = Theme::new(Depth::None, false, false);
        for role in Role::ALL {
            let style = theme.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
        for tone in [Tone::Calm, Tone::Live, Tone::Busy, Tone::Entry, Tone::Alarm] {
            let toast = theme.toast(tone);
            assert_eq!((toast.fg, toast.bg), (None, None));
            assert!(toast.add_modifier.contains(Modifier::REVERSED));
        }
    }

    #[test]
    fn maps_colours_to_sixteen_and_256() {
        let running = |depth| Theme::new(depth, false, false).state(&State::Running).fg;
        assert_eq!(running(Depth::True), Some(Color::Rgb(0x00, 0x9e, 0x73)));
        assert_eq!(running(Depth::Indexed), Some(Color::Indexed(35)));
        assert_eq!(running(Depth::Ansi), Some(Color::Green));
        let badge = Theme::new(Depth::Ansi, false, false).badge(Tone::Calm);
        assert_eq!(badge.fg, Some(Color::Black));
        assert!(
            !badge.add_modifier.contains(Modifier::BOLD),
            "bold black is grey"
        );
        let own = Appearance {
            scheme: Scheme::built_in("terminal").unwrap(),
            ..Appearance::default()
        };
        let own = theme(["C.UTF-8", "xterm", "truecolor", "", ""], own);
        assert_eq!(own.state(&State::Running).fg, Some(Color::Green));
    }

    #[test]
    fn the_background_changes_the_colours() {
        let mut theme = theme(
            ["C.UTF-8", "xterm", "truecolor", "", "15;0"],
            Appearance::default(),
        );
        let before = theme.dim();
        assert!(!theme.set_background(0x1e_1e_1e));
        assert!(theme.set_background(0xfd_f6_e3));
        assert_ne!(theme.dim(), before);
        let said = Appearance {
            background: Background::Dark,
            ..Appearance::default()
        };
        let mut theme = super::tests::theme(["C.UTF-8", "xterm", "truecolor", "", "0;15"], said);
        assert!(!theme.set_background(0xfd_f6_e3));
        assert_eq!(theme.dim(), before);
    }
}
