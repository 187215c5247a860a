//! A table that never wraps a row.
//!
//! If the terminal is too narrow, columns that may be cut at their end are cut first, then names get an
//! ellipsis in the middle, each time in the order of their ranks; then whole columns are left out.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::style::{Paint, Tone};

/// Blanks between columns.
const GAP: usize = 2;

/// One column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// How its cells may be cut.
    pub fit: Fit,
    /// Whether its cells are aligned to the right.
    pub right: bool,
    /// The column with the lowest rank is left out first.
    pub rank: u8,
}

/// How the cells of a column may be cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// Never.
    Whole,
    /// In the middle, to no less than this many columns.
    Middle(usize),
    /// At the end, to no less than this many columns.
    End(usize),
}

/// One cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Clean text on one line; `-` if there is none.
    pub text: String,
    /// What follows it and says more: the text before is cut first.
    pub note: String,
    /// Its colour.
    pub tone: Tone,
}

impl Cell {
    /// A cell without colour.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::toned(text, Tone::Normal)
    }

    /// A cell in a colour.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            note: String::new(),
            tone,
        }
    }

    /// The same with a note behind its text.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self {
            note: note.into(),
            ..self
        }
    }

    fn width(&self) -> usize {
        match self.note.width() {
            0 => self.text.width(),
            note => self.text.width() + GAP + note,
        }
    }

    /// Its text within `width` columns. A note is cut only where no more than a third is left to the text before it.
    fn cut(&self, fit: Fit, width: usize) -> String {
        if self.note.is_empty() {
            return match fit {
                Fit::Middle(_) => middle(&self.text, width),
                Fit::Whole | Fit::End(_) => end(&self.text, width),
            };
        }
        let left = width.saturating_sub(GAP + self.note.width());
        let text = end(&self.text, left.max(width / 3));
        let blanks = " ".repeat(GAP);
        end(&format!("{text}{blanks}{}", self.note), width)
    }
}

/// The lines of the table, heading first. Columns in which every cell is `-` are left out. Without `width`,
/// nothing is cut.
pub fn draw(
    columns: &[Column],
    rows: &[Vec<Cell>],
    width: Option<usize>,
    paint: Paint,
) -> Vec<String> {
    let mut shown: Vec<Shown> = columns
        .iter()
        .enumerate()
        .filter(|(place, _)| rows.iter().any(|row| row[*place].text != "-"))
        .map(|(place, column)| Shown::new(place, column, rows))
        .collect();
    if let Some(width) = width {
        fit(&mut shown, width);
    }
    let heading = shown
        .iter()
        .map(|shown| (Cell::toned(shown.column.title, Tone::Strong), shown));
    let mut lines = vec![line(heading, paint)];
    lines.extend(rows.iter().map(|row| {
        let cells = shown.iter().map(|shown| (row[shown.place].clone(), shown));
        line(cells, paint)
    }));
    lines
}

/// A visible column and its width.
struct Shown<'a> {
    place: usize,
    column: &'a Column,
    width: usize,
}

impl<'a> Shown<'a> {
    fn new(place: usize, column: &'a Column, rows: &[Vec<Cell>]) -> Self {
        let cells = rows.iter().map(|row| row[place].width());
        let width = cells.chain([column.title.width()]).max().unwrap_or(0);
        Self {
            place,
            column,
            width,
        }
    }

    fn least(&self) -> usize {
        match self.column.fit {
            Fit::Whole => self.width,
            Fit::Middle(least) | Fit::End(least) => least.min(self.width),
        }
    }
}

/// Removes columns until the rest can fit, then cuts those that may be cut.
fn fit(shown: &mut Vec<Shown>, width: usize) {
    let needed = |shown: &[Shown], each: fn(&Shown) -> usize| {
        shown.iter().map(each).sum::<usize>() + GAP * shown.len().saturating_sub(1)
    };
    while shown.len() > 1 && needed(shown, |shown| shown.least()) > width {
        let loosest = (0..shown.len()).min_by_key(|place| shown[*place].column.rank);
        shown.remove(loosest.unwrap_or(0));
    }
    let mut over = needed(shown, |shown| shown.width).saturating_sub(width);
    let mut loosest: Vec<&mut Shown> = shown.iter_mut().collect();
    loosest.sort_by_key(|shown| {
        let is_end = matches!(shown.column.fit, Fit::End(_));
        (!is_end, shown.column.rank)
    });
    for column in loosest {
        let cut = over.min(column.width - column.least());
        column.width -= cut;
        over -= cut;
    }
    if let [only] = shown.as_mut_slice() {
        only.width = only.width.min(width);
    }
}

fn line<'a>(cells: impl Iterator<Item = (Cell, &'a Shown<'a>)>, paint: Paint) -> String {
    let mut line = String::new();
    let mut blanks = 0;
    for (cell, shown) in cells {
        let text = cell.cut(shown.column.fit, shown.width);
        let free = shown.width.saturating_sub(text.width());
        let (before, after) = if shown.column.right {
            (free, 0)
        } else {
            (0, free)
        };
        line.push_str(&" ".repeat(blanks + before));
        line.push_str(&paint.apply(cell.tone, &text));
        // Trailing blanks would wrap on a terminal that is as wide as the table.
        blanks = after + GAP;
    }
    line
}

/// Cuts the end of `text` to fit into `width` columns.
pub fn end(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    match width {
        0 => String::new(),
        _ => take(text.chars(), width - 1) + "…",
    }
}

/// Cuts the middle of `text` to fit into `width` columns, because names with the same beginning often
/// differ at the end.
pub fn middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    if width < 3 {
        return end(text, width);
    }
    let tail = (width - 1) / 2;
    let back: String = take(text.chars().rev(), tail).chars().rev().collect();
    format!("{}…{back}", take(text.chars(), width - 1 - tail))
}

fn take(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 4] = [
        Column {
            title: "NAME",
            fit: Fit::Middle(6),
            right: false,
            rank: 9,
        },
        Column {
            title: "STATE",
            fit: Fit::Whole,
            right: false,
            rank: 8,
        },
        Column {
            title: "CPU",
            fit: Fit::Whole,
            right: true,
            rank: 1,
        },
        Column {
            title: "COMMAND",
            fit: Fit::End(8),
            right: false,
            rank: 5,
        },
    ];

    fn table(width: Option<usize>, cpu: &str) -> Vec<String> {
        let row = |name: &str, cpu: &str| {
            ["x", "y", "z", "w"]
                .iter()
                .zip([name, "running", cpu, "npm run dev -- --port 3000"])
                .map(|(_, text)| Cell::plain(text))
                .collect()
        };
        let rows = [row("a-rather-long-name", cpu), row("web", "-")];
        draw(&COLUMNS, &rows, width, Paint::Plain)
    }

    #[test]
    fn a_note_is_seen_behind_a_long_text() {
        let cell = Cell::plain("python3 train.py --epochs 90").with_note("(Resources, ~14:20)");
        for (width, expected) in [
            (60, "python3 train.py --epochs 90  (Resources, ~14:20)"),
            (37, "python3 train.p…  (Resources, ~14:20)"),
            (24, "python3…  (Resources, ~…"),
            (3, "… …"),
        ] {
            assert_eq!(cell.cut(Fit::End(3), width), expected, "{width}");
        }
        let short = Cell::plain("make").with_note("(its turn)");
        assert_eq!(short.cut(Fit::End(3), 16), "make  (its turn)");
        assert_eq!(short.width(), 16);
    }

    #[test]
    fn without_a_width_nothing_is_cut() {
        assert_eq!(
            table(None, "3%"),
            [
                "NAME                STATE    CPU  COMMAND",
                "a-rather-long-name  running   3%  npm run dev -- --port 3000",
                "web                 running    -  npm run dev -- --port 3000",
            ]
        );
    }

    #[test]
    fn no_line_is_wider_than_asked_at_any_width() {
        let group = Column {
            title: "GROUP",
            fit: Fit::Middle(6),
            right: false,
            rank: 2,
        };
        let columns = [COLUMNS.as_slice(), &[group]].concat();
        let long = [
            "a-rather-long-name",
            "running",
            "3%",
            "npm run dev",
            "a-long-group",
        ];
        let rows = [long.map(Cell::plain).to_vec()];
        for width in 1..80 {
            for line in draw(&columns, &rows, Some(width), Paint::Plain) {
                assert!(line.width() <= width, "{width}: {line:?}");
            }
        }
        // What is less important is cut first.
        assert_eq!(
            draw(&columns, &rows, Some(52), Paint::Plain)[1],
            "a-rather-long-name  running   3%  npm run…  a-lo…oup"
        );
    }

    #[test]
    fn the_command_is_cut_then_the_name_then_columns_go() {
        assert_eq!(
            table(Some(50), "3%")[1],
            "a-rather-long-name  running   3%  npm run dev -- …"
        );
        assert_eq!(table(Some(32), "3%")[1], "a-ra…ame  running   3%  npm run…");
        assert_eq!(table(Some(20), "3%")[1], "a-rat…-name  running");
    }

    #[test]
    fn a_column_of_nothing_is_left_out() {
        assert!(!table(None, "-")[0].contains("CPU"));
    }

    #[test]
    fn wide_characters_are_not_halved() {
        assert_eq!(end("日本語", 4), "日…");
        assert_eq!(middle("日本語日本語", 6), "日…語");
    }
}
