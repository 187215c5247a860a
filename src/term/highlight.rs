//! Finds what stands out on a screen: the selected item of a menu, the active button of a dialogue.
//!
//! Programs draw it in another background than its surroundings, or inverse. Bars do so too, but over many
//! rows or cells. So the parts that count are those with a background that few cells of few rows have. The backdrop
//! of a window does not count, because the window may select with the same colour.

use super::cell::{Cell, Color};
use super::screen::Screen;

/// A background that more rows have is that of a window, a list or a shadow.
const ROWS: usize = 3;

/// A background that more than one of this number of cells has is no selection.
const SHARE: usize = 5;

/// Maximum number of parts returned.
const PARTS: usize = 5;

/// What distinguishes the background of a cell.
type Ground = (Color, bool);

struct Part {
    ground: Ground,
    /// Whether it reaches an edge of the screen.
    edge: bool,
    row: u16,
    text: String,
    cells: usize,
}

/// The highlighted parts of a screen, from the top: row, counted from 0, and text.
pub fn highlights(screen: &Screen) -> Vec<(u16, String)> {
    let mut parts: Vec<Part> = Vec::new();
    let mut cells = 0;
    for y in 0..screen.size().rows() {
        let row = screen.row(y);
        cells += row.len();
        let mut col = 0;
        for run in row.chunk_by(|a, b| ground(a) == ground(b)) {
            let first = col;
            col += run.len();
            parts.push(part(y, run, first == 0 || col == row.len()));
        }
    }
    let width = usize::from(screen.size().cols());
    let colours_rows = |part: &&Part| part.cells == width && part.ground != Ground::default();
    let backdrops: Vec<Ground> = parts
        .iter()
        .filter(colours_rows)
        .map(|part| part.ground)
        .collect();
    let stands_out = |part: &Part| {
        let in_backdrop = backdrops.contains(&part.ground);
        let alike = |other: &&Part| {
            other.ground == part.ground && (other.edge == part.edge || !in_backdrop)
        };
        let same = || parts.iter().filter(alike);
        let mut rows: Vec<u16> = same().map(|other| other.row).collect();
        rows.dedup();
        let share: usize = same().map(|other| other.cells).sum();
        rows.len() <= ROWS && share * SHARE <= cells && !part.text.is_empty()
    };
    let found = parts.iter().filter(|part| stands_out(part));
    found
        .map(|part| (part.row, part.text.clone()))
        .take(PARTS)
        .collect()
}

fn ground(cell: &Cell<'_>) -> Ground {
    (cell.bg, cell.inverse)
}

fn part(row: u16, run: &[Cell<'_>], edge: bool) -> Part {
    let text: String = run
        .iter()
        .filter(|cell| cell.width > 0)
        .map(|cell| if cell.text.is_empty() { " " } else { cell.text })
        .collect();
    Part {
        ground: run.first().map(ground).unwrap_or_default(),
        edge,
        row,
        text: text.trim().to_owned(),
        cells: run.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::size::Size;

    fn found(bytes: &str) -> Vec<(u16, String)> {
        let mut screen = Screen::new(Size::new(6, 20));
        screen.feed(bytes.as_bytes());
        highlights(&screen)
    }

    #[test]
    fn the_selected_item_of_a_menu_stands_out() {
        let menu = "Choose:\r\n  one\r\n\x1b[7m  two  \x1b[0m\r\n  three";
        assert_eq!(found(menu), [(2, "two".to_owned())]);
    }

    #[test]
    fn the_active_button_of_a_dialogue_stands_out() {
        let window = (1..=4).map(|y| format!("\x1b[{y};1H\x1b[47m{:16}", "text"));
        let dialogue: String = window.collect();
        let dialogue = format!("{dialogue}\x1b[4;2H\x1b[41m<Yes>\x1b[47m <No>\x1b[0m");
        assert_eq!(found(&dialogue), [(3, "<Yes>".to_owned())]);
    }

    #[test]
    fn an_item_in_the_colour_of_the_backdrop_stands_out() {
        let window = (2..=5).map(|y| format!("\x1b[{y};3H\x1b[47m{:16}", "item"));
        let list: String = window.collect();
        let list = format!("\x1b[44m\x1b[2J{list}\x1b[4;4H\x1b[44mtwo\x1b[0m");
        assert_eq!(found(&list), [(3, "two".to_owned())]);
    }

    #[test]
    fn plain_and_wholly_coloured_screens_have_none() {
        assert_eq!(found("a\r\nb"), []);
        assert_eq!(found("\x1b[44m\x1b[2J\x1b[Hhello"), []);
    }
}
