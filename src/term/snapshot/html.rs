//! Converts rows of cells into an HTML page with selectable, coloured text and without external
//! resources.

use std::fmt::Write as _;

use super::ink::Ink;
use super::markup::{self, escape};
use super::shown;
use crate::term::cell::Cell;
use crate::term::palette::{BACKGROUND, FOREGROUND};
use crate::term::style::Underline;

/// A page that is built row by row.
pub struct Page {
    out: String,
    trim: bool,
    /// Number of newlines, including those of blank rows, to write before the next non-blank row.
    newlines: usize,
    /// Whether any row has been added.
    begun: bool,
}

impl Page {
    /// Creates an empty page. `trim` cuts blank cells at row ends and blank rows at the end.
    pub fn new(title: &str, trim: bool) -> Self {
        let mut out = String::from(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
        );
        escape(title, &mut out);
        let _ = write!(
            out,
            "</title>\n<style>\n\
             body {{ margin: 0; background: #{BACKGROUND:06x}; }}\n\
             pre {{ margin: 0; padding: 8px; color: #{FOREGROUND:06x}; font: 15px/1.17 \"DejaVu Sans Mono\", \
             \"Liberation Mono\", Menlo, Consolas, monospace; }}\n\
             .b {{ font-weight: bold; }}\n.i {{ font-style: italic; }}\n.u {{ text-decoration: underline; }}\n\
             .w {{ display: inline-block; width: 2ch; }}\n\
             .k {{ animation: k 1s steps(2, jump-none) infinite; }}\n\
             @keyframes k {{ to {{ color: transparent; }} }}\n\
             a {{ color: inherit; text-decoration: inherit; }}\na:hover {{ text-decoration: underline; }}\n\
             </style>\n</head>\n<body>\n<pre>\n"
        );
        Self {
            out,
            trim,
            newlines: 0,
            begun: false,
        }
    }

    /// Adds a row. `cursor` is the column of the cursor.
    pub fn row(&mut self, cells: &[Cell<'_>], cursor: Option<u16>) {
        self.newlines += usize::from(self.begun);
        self.begun = true;
        let cursor = cursor.map(usize::from);
        let blank = |at: usize| cells[at].is_blank() && cursor != Some(at);
        let used = (0..cells.len()).rev().find(|&at| !blank(at));
        let end = if self.trim {
            used.map_or(0, |last| last + 1)
        } else {
            cells.len()
        };
        if end == 0 {
            return;
        }
        let ink = |(at, cell)| match Ink::of(cell) {
            ink if cursor == Some(at) => ink.under_cursor(),
            ink => ink,
        };
        let inks: Vec<Ink> = cells[..end].iter().enumerate().map(ink).collect();
        self.end_lines();
        let mut at = 0;
        while at < end {
            let is_same =
                |next: &usize| inks[*next] == inks[at] && cells[*next].link == cells[at].link;
            let run = (at..end).take_while(is_same).count();
            self.run(&cells[at..at + run], inks[at]);
            at += run;
        }
    }

    /// Number of bytes that have not been taken yet.
    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    /// Takes the page as far as it is built.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Finishes the page and returns the rest of it.
    pub fn finish(mut self) -> String {
        if !self.trim {
            self.end_lines();
        }
        self.out.push_str("</pre>\n</body>\n</html>\n");
        self.out
    }

    fn end_lines(&mut self) {
        self.out.extend(std::iter::repeat_n('\n', self.newlines));
        self.newlines = 0;
    }

    /// Writes cells with the same look and link.
    fn run(&mut self, cells: &[Cell<'_>], ink: Ink) {
        let target = cells
            .first()
            .and_then(|cell| cell.link)
            .and_then(|link| markup::target(link));
        if let Some(target) = target {
            self.out.push_str("<a href=\"");
            escape(target, &mut self.out);
            self.out.push_str("\">");
        }
        if ink != Ink::PLAIN {
            self.open(ink);
        }
        for cell in cells.iter().filter(|cell| cell.width > 0) {
            if cell.width == 2 {
                self.out.push_str("<span class=\"w\">");
            }
            escape(shown(cell), &mut self.out);
            if cell.width == 2 {
                self.out.push_str("</span>");
            }
        }
        if ink != Ink::PLAIN {
            self.out.push_str("</span>");
        }
        if target.is_some() {
            self.out.push_str("</a>");
        }
    }

    fn open(&mut self, ink: Ink) {
        self.out.push_str("<span");
        let is_plain_line =
            ink.underline == Some((Underline::Single, ink.fg)) && !ink.strike && !ink.overline;
        let flags = [
            (ink.bold, "b"),
            (ink.italic, "i"),
            (is_plain_line, "u"),
            (ink.blink, "k"),
        ];
        let classes: Vec<_> = flags
            .iter()
            .filter(|(on, _)| *on)
            .map(|(_, name)| *name)
            .collect();
        if !classes.is_empty() {
            let _ = write!(self.out, " class=\"{}\"", classes.join(" "));
        }
        let mut style = Vec::new();
        if ink.fg != FOREGROUND {
            style.push(format!("color:#{:06x}", ink.fg));
        }
        if ink.bg != BACKGROUND {
            style.push(format!("background:#{:06x}", ink.bg));
        }
        if !is_plain_line {
            style.extend(decoration(ink));
        }
        if !style.is_empty() {
            let _ = write!(self.out, " style=\"{}\"", style.join(";"));
        }
        self.out.push('>');
    }
}

/// The lines of a look as a property of CSS. It has one colour and one kind for all of them.
fn decoration(ink: Ink) -> Option<String> {
    let (kind, color) = ink.underline.unwrap_or((Underline::Single, ink.fg));
    let lines = [
        (ink.underline.is_some(), " underline"),
        (ink.strike, " line-through"),
        (ink.overline, " overline"),
    ];
    let lines: String = lines
        .iter()
        .filter(|(on, _)| *on)
        .map(|(_, line)| *line)
        .collect();
    let kind = match kind {
        Underline::Single => "",
        Underline::Double => " double",
        Underline::Curly => " wavy",
        Underline::Dotted => " dotted",
        Underline::Dashed => " dashed",
    };
    let color = if color == ink.fg {
        String::new()
    } else {
        format!(" #{color:06x}")
    };
    (!lines.is_empty()).then(|| format!("text-decoration:{}{kind}{color}", lines.trim_start()))
}
