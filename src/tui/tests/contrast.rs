//! Whether everything that is drawn can be read: each picture is drawn with each theme, and the contrast of each
//! of its cells is measured, as defined by WCAG 2.2.

use std::collections::HashMap;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::config::Background;
use crate::tui::model::Model;
use crate::tui::theme::contrast::{BACKGROUNDS, LINE, contrast, least, mix, rgb};
use crate::tui::theme::{Appearance, Depth, Role, Scheme, TerminalFacts, Theme};
use crate::tui::view::view;
use crate::tui::window::Canvas;

/// Minimum contrast in sixteen colours, which are not ours to choose; of dim text, half of the contrast that the
/// terminal's own text has, if that is less.
const SIXTEEN: f64 = 3.0;
/// How much of its colour terminals leave to dim text.
const DIM: f64 = 2.0 / 3.0;

/// Sixteen colours that many terminals have, with their text and background.
struct Palette {
    name: &'static str,
    background: Background,
    fg: u32,
    bg: u32,
    colors: [u32; 16],
}

const VGA: [u32; 16] = [
    0x00_0000, 0xaa_0000, 0x00_aa00, 0xaa_5500, 0x00_00aa, 0xaa_00aa, 0x00_aaaa, 0xaa_aaaa,
    0x55_5555, 0xff_5555, 0x55_ff55, 0xff_ff55, 0x55_55ff, 0xff_55ff, 0x55_ffff, 0xff_ffff,
];
const XTERM: [u32; 16] = [
    0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5,
    0x7f_7f7f, 0xff_0000, 0x00_ff00, 0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
];
const WINDOWS: [u32; 16] = [
    0x0c_0c0c, 0xc5_0f1f, 0x13_a10e, 0xc1_9c00, 0x00_37da, 0x88_1798, 0x3a_96dd, 0xcc_cccc,
    0x76_7676, 0xe7_4856, 0x16_c60c, 0xf9_f1a5, 0x3b_78ff, 0xb4_009e, 0x61_d6d6, 0xf2_f2f2,
];
const TANGO: [u32; 16] = [
    0x2e_3436, 0xcc_0000, 0x4e_9a06, 0xc4_a000, 0x34_65a4, 0x75_507b, 0x06_989a, 0xd3_d7cf,
    0x55_5753, 0xef_2929, 0x8a_e234, 0xfc_e94f, 0x72_9fcf, 0xad_7fa8, 0x34_e2e2, 0xee_eeec,
];
const SOLARIZED: [u32; 16] = [
    0x07_3642, 0xdc_322f, 0x85_9900, 0xb5_8900, 0x26_8bd2, 0xd3_3682, 0x2a_a198, 0xee_e8d5,
    0x00_2b36, 0xcb_4b16, 0x58_6e75, 0x65_7b83, 0x83_9496, 0x6c_71c4, 0x93_a1a1, 0xfd_f6e3,
];

/// Palettes with their text and background on dark and on light terminals.
const PALETTES: [Palette; 10] = [
    Palette::of("VGA", Background::Dark, 0xaa_aaaa, 0x00_0000, VGA),
    Palette::of("VGA", Background::Light, 0x00_0000, 0xff_ffff, VGA),
    Palette::of("xterm", Background::Dark, 0xe5_e5e5, 0x00_0000, XTERM),
    Palette::of("xterm", Background::Light, 0x00_0000, 0xff_ffff, XTERM),
    Palette::of("Windows", Background::Dark, 0xcc_cccc, 0x0c_0c0c, WINDOWS),
    Palette::of("Windows", Background::Light, 0x0c_0c0c, 0xf2_f2f2, WINDOWS),
    Palette::of("Tango", Background::Dark, 0xd3_d7cf, 0x00_0000, TANGO),
    Palette::of("Tango", Background::Light, 0x2e_3436, 0xff_ffff, TANGO),
    Palette::of(
        "Solarized",
        Background::Dark,
        0x83_9496,
        0x00_2b36,
        SOLARIZED,
    ),
    Palette::of(
        "Solarized",
        Background::Light,
        0x65_7b83,
        0xfd_f6e3,
        SOLARIZED,
    ),
];

impl Palette {
    const fn of(
        name: &'static str,
        background: Background,
        fg: u32,
        bg: u32,
        colors: [u32; 16],
    ) -> Self {
        Self {
            name,
            background,
            fg,
            bg,
            colors,
        }
    }

    fn ground(&self) -> Ground<'_> {
        Ground {
            fg: rgb(self.fg),
            bg: rgb(self.bg),
            palette: Some(self),
        }
    }

    /// One of the sixteen.
    fn color(&self, named: Color) -> Color {
        use Color::{
            Black, Blue, Cyan, DarkGray, Gray, Green, LightBlue, LightCyan, LightGreen,
            LightMagenta, LightRed, LightYellow, Magenta, Red, White, Yellow,
        };
        let names = [
            Black,
            Red,
            Green,
            Yellow,
            Blue,
            Magenta,
            Cyan,
            Gray,
            DarkGray,
            LightRed,
            LightGreen,
            LightYellow,
            LightBlue,
            LightMagenta,
            LightCyan,
            White,
        ];
        let at = names.iter().position(|name| *name == named).unwrap();
        rgb(self.colors[at])
    }
}

/// What a terminal shows.
#[derive(Clone, Copy)]
struct Ground<'a> {
    /// Text without a colour.
    fg: Color,
    /// The background.
    bg: Color,
    /// The sixteen colours, if the themes use them.
    palette: Option<&'a Palette>,
}

/// Draws the model with each theme and fails if something is hard to read. `name` is that of the picture.
pub(super) fn check(name: &str, model: &mut Model) {
    let (usual, mut poor) = (model.theme, Vec::new());
    let mut look = |theme: Theme, grounds: &[(String, Ground<'_>)]| {
        model.theme = theme;
        // What jobs write has the colours that they chose.
        model.theme.panes = Depth::None;
        let (width, height) = model.window;
        let mut canvas = Canvas::new(Rect::new(0, 0, width, height));
        view(model, &mut canvas);
        for (title, ground) in grounds {
            let problems = problems(canvas.buffer(), &theme, *ground);
            poor.extend(problems.iter().map(|problem| format!("{title}: {problem}")));
        }
    };
    for (scheme, dark, light) in BACKGROUNDS {
        for (background, fg, bg) in [
            (Background::Dark, 0xff_ffff, dark),
            (Background::Light, 0x00_0000, light),
        ] {
            let ground = Ground {
                fg: rgb(fg),
                bg: rgb(bg),
                palette: None,
            };
            for colors in ["truecolor", ""] {
                let theme = themed(scheme, background, "xterm-256color", colors, usual.ascii);
                look(
                    theme,
                    &[(format!("{scheme} {background:?} {colors}"), ground)],
                );
            }
        }
    }
    let palettes = |shade: Option<Background>| -> Vec<(String, Ground<'_>)> {
        let all = PALETTES.iter();
        let some = all.filter(|palette| shade.is_none_or(|shade| shade == palette.background));
        some.map(|palette| (format!("{} {shade:?}", palette.name), palette.ground()))
            .collect()
    };
    for background in [Background::Dark, Background::Light] {
        let theme = themed("okabe-ito", background, "xterm", "", usual.ascii);
        look(theme, &palettes(Some(background)));
    }
    look(Theme::new(Depth::None, usual.ascii, true), &palettes(None));
    model.theme = usual;
    assert!(poor.is_empty(), "{name}:\n{}", poor.join("\n"));
}

/// A built-in theme on a terminal.
fn themed(scheme: &str, background: Background, term: &str, colorterm: &str, ascii: bool) -> Theme {
    let facts = TerminalFacts {
        locale: "C.UTF-8".to_owned(),
        term: term.to_owned(),
        colorterm: colorterm.to_owned(),
        ..TerminalFacts::default()
    };
    let wanted = Appearance {
        ascii,
        scheme: Scheme::built_in(scheme).unwrap(),
        background,
        ..Appearance::default()
    };
    Theme::detect(&facts, wanted)
}

/// The texts of a window that are hard to read.
fn problems(buf: &Buffer, theme: &Theme, ground: Ground<'_>) -> Vec<String> {
    let rule = theme.style(Role::Rule);
    let mut known = HashMap::new();
    let sixteen = SIXTEEN.min(contrast(ground.fg, ground.bg) / 2.0);
    let text = ground.palette.map(|_| sixteen);
    let mut found: Vec<(String, String)> = Vec::new();
    for cell in &buf.content {
        let symbol = cell.symbol();
        if symbol.trim().is_empty() {
            continue;
        }
        let is_drawing = symbol
            .chars()
            .all(|c| ('\u{2500}'..='\u{259f}').contains(&c));
        let is_line = (rule.fg.is_none() || rule.fg == Some(cell.fg))
            && matches!(symbol, "-" | "|" | "+" | "=" | "`" | ".");
        let (fg, bg) = pair(cell, ground);
        let least = if is_drawing || is_line {
            LINE
        } else {
            text.unwrap_or_else(|| least(fg))
        };
        let ratio = *known.entry((fg, bg)).or_insert_with(|| contrast(fg, bg));
        if ratio >= least {
            continue;
        }
        let what = format!("{fg} on {bg}, {ratio:.2} < {least}");
        match found.last_mut().filter(|(last, _)| *last == what) {
            Some((_, text)) => text.push_str(symbol),
            None => found.push((what, symbol.to_owned())),
        }
    }
    let mut found: Vec<String> = found
        .iter()
        .map(|(what, text)| format!("{what}: {text}"))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The colours of the text and of the background of a cell, as the terminal shows them.
fn pair(cell: &Cell, ground: Ground<'_>) -> (Color, Color) {
    let shown = |color: Color, unset| match (color, ground.palette) {
        (Color::Reset, _) => unset,
        (Color::Rgb(..) | Color::Indexed(_), _) | (_, None) => color,
        (named, Some(palette)) => palette.color(named),
    };
    let (mut fg, mut bg) = (shown(cell.fg, ground.fg), shown(cell.bg, ground.bg));
    if cell.modifier.contains(Modifier::REVERSED) {
        (fg, bg) = (bg, fg);
    }
    if cell.modifier.contains(Modifier::DIM) {
        fg = mix(fg, bg, DIM);
    }
    (fg, bg)
}
