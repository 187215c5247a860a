//! The areas of the window in each layout: split, stack, zoom, grid.

use ratatui::layout::Rect;

/// Minimum width in columns at which the list takes a third of the window.
const WIDE: u16 = 100;
/// Below this width in columns, either the list or the pane is shown, not both.
const NARROW: u16 = 60;
/// Below this height in rows, either the list or the pane is shown, not both.
const FLAT: u16 = 10;
/// Minimum height in rows at which there is a top line.
const TOP_LINE: u16 = 16;
/// Minimum width in columns of a list beside the pane: glyph, time and a short name.
const LEAST_LIST: u16 = 18;
/// Minimum width in columns of the part beside the list.
const LEAST_PANE: u16 = 24;
/// Smallest window, in columns and rows, that shows more than one line.
pub const SMALLEST: (u16, u16) = (20, 5);

/// How list and pane share the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Only one line is shown.
    TooSmall,
    /// List and pane side by side.
    Split,
    /// Either the list or the pane.
    Stack,
    /// The pane alone, without a frame.
    Zoom,
    /// Several panes.
    Grid,
}

/// What the layout depends on besides the window size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    /// Show the pane alone.
    pub zoom: bool,
    /// In the stack layout, show the pane instead of the list.
    pub open: bool,
    /// Show the grid, unless one of its panes is zoomed.
    pub grid: bool,
    /// When zoomed, show a second line with hints.
    pub hints: bool,
    /// When zoomed, show no line of the dashboard at all.
    pub bare: bool,
    /// Columns of the list beside the pane, if a person has set them.
    pub list_width: Option<u16>,
}

/// The area of each part of the window; `None` for parts that are not shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The kind of layout.
    pub kind: Kind,
    /// The top line with counts and clock.
    pub top: Option<Rect>,
    /// The rule below the top line.
    pub rule: Option<Rect>,
    /// The list.
    pub list: Option<Rect>,
    /// The divider between list and pane.
    pub divider: Option<Rect>,
    /// The line with name and command of the job in the pane.
    pub title: Option<Rect>,
    /// The tiles of the grid.
    pub grid: Option<Rect>,
    /// The job's screen; in the grid, the screen of the selected tile.
    pub pane: Option<Rect>,
    /// The status line with mode and state.
    pub status: Option<Rect>,
    /// The line with key hints.
    pub hints: Option<Rect>,
}

impl Layout {
    /// The layout of a window of `width` by `height`.
    pub fn of(width: u16, height: u16, wish: Wish) -> Self {
        let window = Rect::new(0, 0, width, height);
        if width < SMALLEST.0 || height < SMALLEST.1 {
            Self::empty(Kind::TooSmall)
        } else if wish.zoom {
            Self::zoom(window, wish)
        } else if wish.grid {
            Self::grid(window)
        } else if width < NARROW || height < FLAT {
            Self::stack(window, wish)
        } else {
            Self::split(window, wish)
        }
    }

    /// A layout without any part.
    fn empty(kind: Kind) -> Self {
        Self {
            kind,
            top: None,
            rule: None,
            list: None,
            divider: None,
            title: None,
            grid: None,
            pane: None,
            status: None,
            hints: None,
        }
    }

    fn zoom(window: Rect, wish: Wish) -> Self {
        let lines = match (wish.bare, wish.hints) {
            (true, _) => 0,
            (_, true) => 2,
            _ => 1,
        };
        let body = window.height - lines;
        Self {
            pane: Some(Rect::new(0, 0, window.width, body)),
            status: (lines > 0).then(|| row(window, body)),
            hints: (lines > 1).then(|| row(window, body + 1)),
            ..Self::empty(Kind::Zoom)
        }
    }

    /// A layout with the two lines at the bottom and no other part.
    fn with_status(kind: Kind, window: Rect) -> Self {
        let body = body_height(window);
        Self {
            status: Some(row(window, body)),
            hints: Some(row(window, body + 1)),
            ..Self::empty(kind)
        }
    }

    fn grid(window: Rect) -> Self {
        let y = u16::from(window.height >= TOP_LINE);
        let height = body_height(window) - y;
        Self {
            top: (y > 0).then(|| row(window, 0)),
            grid: Some(Rect::new(0, y, window.width, height)),
            ..Self::with_status(Kind::Grid, window)
        }
    }

    fn stack(window: Rect, wish: Wish) -> Self {
        let (width, body) = (window.width, body_height(window));
        let layout = Self::with_status(Kind::Stack, window);
        if wish.open {
            Self {
                pane: Some(Rect::new(0, 0, width, body)),
                ..layout
            }
        } else {
            Self {
                top: Some(row(window, 0)),
                list: Some(Rect::new(0, 1, width, body - 1)),
                ..layout
            }
        }
    }

    fn split(window: Rect, wish: Wish) -> Self {
        let width = window.width;
        let has_top = window.height >= TOP_LINE;
        let has_rule = width >= WIDE && window.height >= TOP_LINE + 8;
        let y = u16::from(has_top) + u16::from(has_rule);
        let body = body_height(window) - y;
        let list_width = match wish.list_width {
            Some(wanted) => wanted.clamp(LEAST_LIST, width - LEAST_PANE),
            None if width >= WIDE => (width / 3).clamp(30, 44),
            None => 26,
        };
        let pane_x = list_width + 1;
        Self {
            top: has_top.then(|| row(window, 0)),
            rule: has_rule.then(|| row(window, 1)),
            list: Some(Rect::new(0, y, list_width, body)),
            divider: Some(Rect::new(list_width, y, 1, body)),
            title: Some(Rect::new(pane_x, y, width - pane_x, 1)),
            // Leave one empty column between the divider and the job's text.
            pane: Some(Rect::new(pane_x + 1, y + 1, width - pane_x - 1, body - 1)),
            ..Self::with_status(Kind::Split, window)
        }
    }
}

/// Rows above the two lines at the bottom.
fn body_height(window: Rect) -> u16 {
    window.height - 2
}

/// A whole row of the window.
fn row(window: Rect, y: u16) -> Rect {
    Rect::new(0, y, window.width, 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn uses_the_specified_breakpoints() {
        let kind = |w, h| Layout::of(w, h, Wish::default()).kind;
        let list = |w, list_width| {
            let wish = Wish {
                list_width,
                ..Wish::default()
            };
            Layout::of(w, 24, wish).list.unwrap().width
        };
        assert_eq!((list(80, Some(40)), list(80, Some(70))), (40, 56));
        assert_eq!((list(60, Some(40)), list(200, Some(1))), (36, 18));
        assert_eq!(kind(120, 40), Kind::Split);
        assert_eq!(kind(80, 24), Kind::Split);
        assert_eq!(kind(60, 10), Kind::Split);
        assert_eq!(kind(59, 24), Kind::Stack);
        assert_eq!(kind(80, 9), Kind::Stack);
        assert_eq!(kind(20, 5), Kind::Stack);
        assert_eq!(kind(19, 5), Kind::TooSmall);
        assert_eq!(Layout::of(120, 40, Wish::default()).list.unwrap().width, 40);
        assert_eq!(Layout::of(200, 40, Wish::default()).list.unwrap().width, 44);
        assert_eq!(Layout::of(80, 24, Wish::default()).list.unwrap().width, 26);
    }

    #[test]
    fn no_area_exceeds_the_window() {
        let wishes = [
            Wish::default(),
            Wish {
                zoom: true,
                ..Wish::default()
            },
            Wish {
                zoom: true,
                hints: true,
                ..Wish::default()
            },
            Wish {
                list_width: Some(0),
                ..Wish::default()
            },
            Wish {
                list_width: Some(u16::MAX),
                ..Wish::default()
            },
            Wish {
                open: true,
                ..Wish::default()
            },
            Wish {
                zoom: true,
                bare: true,
                ..Wish::default()
            },
        ];
        for width in 1..130 {
            for height in 1..45 {
                for wish in wishes {
                    let l = Layout::of(width, height, wish);
                    let parts = [
                        l.top, l.rule, l.list, l.divider, l.title, l.pane, l.status, l.hints,
                    ];
                    for part in parts.into_iter().flatten() {
                        assert!(
                            part.right() <= width && part.bottom() <= height,
                            "{width}x{height} {wish:?} {part:?}"
                        );
                        assert!(part.area() > 0, "{width}x{height} {wish:?} {part:?}");
                    }
                }
            }
        }
    }
}
