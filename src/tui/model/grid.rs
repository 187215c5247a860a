//! The grid: many live panes at once. Which jobs have a tile, and where the tiles are.
//!
//! Jobs keep their tiles for as long as the grid is open: a list that sorts itself anew is one thing, a pane that
//! jumps away while it is being read another. Opening the grid again sorts it anew.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::protocol::SessionId;

/// A tile narrower than this shows too little of a line to be read.
const NARROWEST: u16 = 30;
/// The heading and four rows of text: less says nothing.
const LOWEST: u16 = 5;
/// Tiles at once at most: more than sixteen live screens nobody follows.
const MOST: usize = 16;
/// Tiles at once if nobody asks for another number.
const USUAL: usize = 9;
/// What most programs write for; a tile beyond it is no better.
const FULL: (u16, u16) = (80, 24);

/// The grid's own state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The jobs that have a tile, on this page or another.
    pub jobs: Vec<SessionId>,
    /// Whether they are those that were marked when the grid was opened, so that none is added.
    pub of_marked: bool,
    /// Tiles at once that were asked for.
    pub wanted: Option<usize>,
    /// The tile the cursor was on, for when its job goes away.
    pub at: usize,
}

/// How many tiles there are side by side, and one below the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Side by side.
    pub columns: u16,
    /// One below the other.
    pub rows: u16,
}

/// Where a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The line that says whose it is.
    pub heading: Rect,
    /// The job's screen.
    pub body: Rect,
}

impl Shape {
    /// Tiles of a page.
    pub fn tiles(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// The best shape for `n` tiles in `area`: all of them and few holes, each tile with as much of a usual screen
    /// as can be. `None`: they would be too small to be read.
    pub fn of(n: usize, area: Rect) -> Option<Self> {
        (1..=MOST)
            .map(|columns| Self {
                columns: u16::try_from(columns).unwrap_or(u16::MAX),
                rows: u16::try_from(n.div_ceil(columns)).unwrap_or(u16::MAX),
            })
            .filter(|shape| n > 0 && shape.fits(area))
            .max_by_key(|shape| shape.worth(n, area))
    }

    fn fits(self, area: Rect) -> bool {
        let (width, height) = self.least(area);
        width >= NARROWEST && height >= LOWEST
    }

    /// Columns and rows of the smallest tile, heading included; lines between columns take one each.
    fn least(self, area: Rect) -> (u16, u16) {
        let width = (area.width + 1) / self.columns;
        (width.saturating_sub(1), area.height / self.rows)
    }

    fn worth(self, n: usize, area: Rect) -> usize {
        let (width, height) = self.least(area);
        let shown = usize::from(width.min(FULL.0)) * usize::from((height - 1).min(FULL.1));
        shown * n / self.tiles()
    }

    /// Where the tiles of a page are, row by row. What does not divide goes to the first rows and columns.
    pub fn place(self, area: Rect) -> Vec<Tile> {
        let across = spans(area.x, area.width, self.columns, 1);
        let down = spans(area.y, area.height, self.rows, 0);
        let tile = |(y, height): (u16, u16), (x, width): (u16, u16)| Tile {
            heading: Rect::new(x, y, width, 1),
            body: Rect::new(x, y + 1, width, height.saturating_sub(1)),
        };
        down.into_iter()
            .flat_map(|row| across.iter().map(move |&column| tile(row, column)))
            .collect()
    }
}

/// `length` in `n` parts with `gap` between them: where each begins, and how long it is.
fn spans(start: u16, length: u16, n: u16, gap: u16) -> Vec<(u16, u16)> {
    let room = length.saturating_sub(gap * (n - 1));
    let (each, over) = (room / n, room % n);
    let mut at = start;
    (0..n)
        .map(|part| {
            let long = each + u16::from(part < over);
            let span = (at, long);
            at += long + gap;
            span
        })
        .collect()
}

impl Grid {
    /// The most tiles that can be read in `area`.
    pub fn capacity(area: Rect) -> usize {
        (1..=MOST)
            .rev()
            .find(|&n| Shape::of(n, area).is_some())
            .unwrap_or(0)
    }

    /// The shape of a page in `area`; `None`: there is no room for one tile.
    pub fn shape(&self, area: Rect) -> Option<Shape> {
        let wanted = self.wanted.unwrap_or(USUAL).min(self.jobs.len()).max(1);
        (1..=wanted.min(MOST))
            .rev()
            .find_map(|n| Shape::of(n, area))
    }

    /// The jobs on the page that shows job number `at`.
    pub fn page(&self, at: usize, shape: Shape) -> Range<usize> {
        let tiles = shape.tiles();
        let start = at / tiles * tiles;
        start..(start + tiles).min(self.jobs.len())
    }

    /// The place of a job.
    pub fn index(&self, id: &SessionId) -> Option<usize> {
        self.jobs.iter().position(|job| job == id)
    }

    /// Where a step from job number `at` leads; `None`: there is nothing that way. Up and down go on to the page
    /// before and after.
    pub fn step(&self, at: usize, shape: Shape, dx: i16, dy: i16) -> Option<usize> {
        let columns = usize::from(shape.columns);
        let next = match (dx, dy) {
            (1, _) if !(at + 1).is_multiple_of(columns) => at + 1,
            (-1, _) if !at.is_multiple_of(columns) => at - 1,
            (0, 1) => at + columns,
            (0, -1) => at.checked_sub(columns)?,
            _ => return None,
        };
        if next < self.jobs.len() {
            return Some(next);
        }
        // Below is a hole, but there is a row below: its last tile.
        let last = self.jobs.len().checked_sub(1)?;
        (dy == 1 && last / columns > at / columns).then_some(last)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn area(width: u16, height: u16) -> Rect {
        Rect::new(0, 1, width, height)
    }

    fn shape(n: usize, width: u16, height: u16) -> (u16, u16) {
        Shape::of(n, area(width, height)).map_or((0, 0), |shape| (shape.columns, shape.rows))
    }

    #[test]
    fn a_shape_shows_as_much_of_each_as_it_can() {
        assert_eq!(shape(1, 120, 37), (1, 1));
        assert_eq!(shape(2, 120, 37), (2, 1));
        assert_eq!(shape(4, 120, 37), (2, 2));
        assert_eq!(shape(6, 120, 37), (3, 2));
        assert_eq!(shape(9, 120, 37), (3, 3));
        assert_eq!(shape(4, 80, 21), (2, 2));
        assert_eq!(shape(2, 40, 10), (1, 2));
        assert_eq!(shape(3, 40, 10), (0, 0));
        assert_eq!(Grid::capacity(area(20, 3)), 0);
        assert_eq!(Grid::capacity(area(40, 10)), 2);
    }

    #[test]
    fn tiles_fill_the_area_and_never_overlap() {
        for (width, height) in [(120, 37), (119, 36), (81, 21), (40, 10)] {
            let area = area(width, height);
            for n in 1..=Grid::capacity(area) {
                let tiles = Shape::of(n, area).unwrap().place(area);
                assert!(tiles.len() >= n);
                for (at, tile) in tiles.iter().enumerate() {
                    let whole = tile.heading.union(tile.body);
                    assert_eq!(whole.intersection(area), whole);
                    let others = &tiles[..at];
                    assert!(others.iter().all(|other| {
                        whole
                            .intersection(other.heading.union(other.body))
                            .is_empty()
                    }));
                }
                assert_eq!(tiles.last().unwrap().body.right(), area.right());
                assert_eq!(tiles.last().unwrap().body.bottom(), area.bottom());
            }
        }
    }

    #[test]
    fn steps_stop_at_the_sides_and_go_on_below() {
        let jobs = |n: usize| Grid {
            jobs: (0..n).map(|_| SessionId::fresh()).collect(),
            ..Grid::default()
        };
        let shape = Shape {
            columns: 2,
            rows: 2,
        };
        let grid = jobs(5);
        assert_eq!(grid.step(0, shape, 1, 0), Some(1));
        assert_eq!(grid.step(1, shape, 1, 0), None);
        assert_eq!(grid.step(2, shape, -1, 0), None);
        assert_eq!(grid.step(2, shape, 0, 1), Some(4), "the next page");
        assert_eq!(grid.step(3, shape, 0, 1), Some(4), "a hole");
        assert_eq!(grid.step(4, shape, 0, 1), None);
        assert_eq!(grid.step(1, shape, 0, -1), None);
        assert_eq!(grid.page(4, shape), 4..5);
    }
}
