//! Where things are for a given window: split, stack, zoom, grid.

use ratatui::layout::Rect;

/// From so many columns on the list takes a third.
const WIDE: u16 = 100;
/// Below so many columns list and pane take turns.
const NARROW: u16 = 60;
/// Below so many rows, too.
const FLAT: u16 = 10;
/// From so many rows on there is a top line.
const TOP_LINE: u16 = 16;
/// The smallest window that shows anything but one line.
pub const SMALLEST: (u16, u16) = (20, 5);

/// How list and pane share the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One line only.
    TooSmall,
    /// List and pane side by side.
    Split,
    /// The list, or the pane.
    Stack,
    /// The pane alone, without a frame.
    Zoom,
    /// Many panes.
    Grid,
}

/// What the layout depends on besides the size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    /// The pane alone.
    pub zoom: bool,
    /// In the stack: the pane, not the list.
    pub open: bool,
    /// Many panes, unless one of them is zoomed.
    pub grid: bool,
    /// Zoomed: a second line for hints.
    pub hints: bool,
    /// Zoomed: no line of ours at all.
    pub bare: bool,
}

/// Where things are. What is absent is not shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// How list and pane share the window.
    pub kind: Kind,
    /// Counts and clock.
    pub top: Option<Rect>,
    /// The line under the top.
    pub rule: Option<Rect>,
    /// The list.
    pub list: Option<Rect>,
    /// The line between list and pane.
    pub divider: Option<Rect>,
    /// Name and command of the job in the pane.
    pub title: Option<Rect>,
    /// The tiles of the grid.
    pub grid: Option<Rect>,
    /// The job's screen; in the grid that of the selected one.
    pub pane: Option<Rect>,
    /// Mode and state.
    pub status: Option<Rect>,
    /// What can be pressed.
    pub hints: Option<Rect>,
}

impl Layout {
    /// The layout of a window of `width` by `height`.
    pub fn of(width: u16, height: u16, wish: Wish) -> Self {
        let mut layout = Self {
            kind: Kind::TooSmall,
            top: None,
            rule: None,
            list: None,
            divider: None,
            title: None,
            grid: None,
            pane: None,
            status: None,
            hints: None,
        };
        if width < SMALLEST.0 || height < SMALLEST.1 {
            return layout;
        }
        let row = |y| Some(Rect::new(0, y, width, 1));
        if wish.zoom {
            layout.kind = Kind::Zoom;
            let lines = match (wish.bare, wish.hints) {
                (true, _) => 0,
                (_, true) => 2,
                _ => 1,
            };
            layout.pane = Some(Rect::new(0, 0, width, height - lines));
            if lines > 0 {
                layout.status = row(height - lines);
            }
            if lines > 1 {
                layout.hints = row(height - 1);
            }
            return layout;
        }
        layout.status = row(height - 2);
        layout.hints = row(height - 1);
        let body_end = height - 2;
        if wish.grid {
            layout.kind = Kind::Grid;
            let y = u16::from(height >= TOP_LINE);
            layout.top = row(0).filter(|_| y > 0);
            layout.grid = Some(Rect::new(0, y, width, body_end - y));
            return layout;
        }
        if width < NARROW || height < FLAT {
            layout.kind = Kind::Stack;
            if wish.open {
                layout.pane = Some(Rect::new(0, 0, width, body_end));
            } else {
                layout.top = row(0);
                layout.list = Some(Rect::new(0, 1, width, body_end - 1));
            }
            return layout;
        }
        layout.kind = Kind::Split;
        let mut y = 0;
        if height >= TOP_LINE {
            layout.top = row(0);
            y = 1;
            if width >= WIDE && height >= TOP_LINE + 8 {
                layout.rule = row(1);
                y = 2;
            }
        }
        let list_width = if width >= WIDE {
            (width / 3).clamp(30, 44)
        } else {
            26
        };
        let pane_x = list_width + 1;
        let body = body_end - y;
        layout.list = Some(Rect::new(0, y, list_width, body));
        layout.divider = Some(Rect::new(list_width, y, 1, body));
        layout.title = Some(Rect::new(pane_x, y, width - pane_x, 1));
        // One column of air between the line and the job's text.
        layout.pane = Some(Rect::new(pane_x + 1, y + 1, width - pane_x - 1, body - 1));
        layout
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_breakpoints_are_those_of_the_contract() {
        let kind = |w, h| Layout::of(w, h, Wish::default()).kind;
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
    fn nothing_reaches_beyond_the_window() {
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
