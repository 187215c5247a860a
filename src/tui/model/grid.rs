//! The grid shows many live panes at once. This module decides which jobs have a tile and where the
//! tiles are.
//!
//! Jobs keep their tiles while the grid is open, so that a pane does not move while somebody reads
//! it. Reopening the grid sorts it again.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::protocol::SessionId;

/// Minimum width of a tile in columns; less shows too little of a line.
const NARROWEST: u16 = 30;
/// Minimum height of a tile in rows: the heading and four rows of text.
const LOWEST: u16 = 5;
/// Maximum number of tiles at once; a person cannot follow more live screens.
const MOST: usize = 16;
/// Default number of tiles at once.
const USUAL: usize = 9;
/// Columns and rows that most programs are written for; a larger tile is not rated better.
const FULL: (u16, u16) = (80, 24);

/// State of the grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The jobs that have a tile, on all pages.
    pub jobs: Vec<SessionId>,
    /// Whether the grid shows the jobs that were marked when it was opened; then no job is added.
    pub of_marked: bool,
    /// Requested number of tiles at once; `None` for the default.
    pub wanted: Option<usize>,
    /// Index of the last selected tile, for when its job disappears.
    pub at: usize,
}

/// Number of tiles per row and per column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Tiles side by side.
    pub columns: u16,
    /// Rows of tiles.
    pub rows: u16,
}

/// Position of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The heading line with the job's name.
    pub heading: Rect,
    /// The area of the job's screen.
    pub body: Rect,
}

impl Shape {
    /// Number of tiles on a page.
    pub fn tiles(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// The best shape for `n` tiles in `area`: it holds all of them with few holes, and each tile
    /// shows as much of a usual screen as possible. `None` if the tiles would be too small to read.
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

    /// Columns and rows of the smallest tile, heading included. Each separator between columns
    /// takes one column.
    fn least(self, area: Rect) -> (u16, u16) {
        let width = (area.width + 1) / self.columns;
        (width.saturating_sub(1), area.height / self.rows)
    }

    fn worth(self, n: usize, area: Rect) -> usize {
        let (width, height) = self.least(area);
        let shown = usize::from(width.min(FULL.0)) * usize::from((height - 1).min(FULL.1));
        shown * n / self.tiles()
    }

    /// Areas of the tiles of a page, row by row. The first rows and columns get the remainder of
    /// the division.
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

/// Splits `length` into `n` parts with `gap` between them; returns start and length of each part.
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
    /// Maximum number of readable tiles in `area`.
    pub fn capacity(area: Rect) -> usize {
        (1..=MOST)
            .rev()
            .find(|&n| Shape::of(n, area).is_some())
            .unwrap_or(0)
    }

    /// The shape of a page in `area`; `None` if not even one tile fits.
    pub fn shape(&self, area: Rect) -> Option<Shape> {
        let wanted = self.wanted.unwrap_or(USUAL).min(self.jobs.len()).max(1);
        (1..=wanted.min(MOST))
            .rev()
            .find_map(|n| Shape::of(n, area))
    }

    /// The range of jobs on the page that contains index `at`.
    pub fn page(&self, at: usize, shape: Shape) -> Range<usize> {
        let tiles = shape.tiles();
        let start = at / tiles * tiles;
        start..(start + tiles).min(self.jobs.len())
    }

    /// The index of a job.
    pub fn index(&self, id: &SessionId) -> Option<usize> {
        self.jobs.iter().position(|job| job == id)
    }

    /// The index one step from `at`; `None` if there is no tile in that direction. Steps up and
    /// down continue on the previous and next page.
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
        // There is no tile directly below, but there is a row below: go to its last tile.
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
    fn a_shape_shows_as_much_of_each_tile_as_possible() {
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
    fn steps_stop_at_the_sides_and_continue_on_the_next_page() {
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
