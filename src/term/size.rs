//! The size of a terminal.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Minimum number of rows or columns.
pub const MIN: u16 = 1;
/// Maximum number of rows or columns, more than any real window needs. A full grid of this size
/// takes 32 MB.
pub const MAX: u16 = 1000;

/// Rows and columns of a terminal, each within [`MIN`]`..=`[`MAX`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct Size {
    rows: u16,
    cols: u16,
}

impl Size {
    /// Creates a size of `rows` by `cols`. Values out of range are clamped, never refused.
    pub fn new(rows: u16, cols: u16) -> Self {
        Self {
            rows: rows.clamp(MIN, MAX),
            cols: cols.clamp(MIN, MAX),
        }
    }

    /// Number of rows.
    pub fn rows(self) -> u16 {
        self.rows
    }

    /// Number of columns.
    pub fn cols(self) -> u16 {
        self.cols
    }
}

impl Default for Size {
    /// The default size of a job: 40 rows, 120 columns.
    fn default() -> Self {
        Self::new(40, 120)
    }
}

/// The serialized form. It is converted by [`Size::new`], so that stored and received sizes are
/// clamped too.
#[derive(Serialize, Deserialize)]
struct Wire {
    rows: u16,
    cols: u16,
}

impl From<Wire> for Size {
    fn from(wire: Wire) -> Self {
        Self::new(wire.rows, wire.cols)
    }
}

impl From<Size> for Wire {
    fn from(size: Size) -> Self {
        Self {
            rows: size.rows,
            cols: size.cols,
        }
    }
}

/// The rows from the first to the last of both ranges. An empty range has none.
pub fn joined(one: Range<u16>, other: Range<u16>) -> Range<u16> {
    match (one.is_empty(), other.is_empty()) {
        (true, _) => other,
        (_, true) => one,
        _ => one.start.min(other.start)..one.end.max(other.end),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn sizes_from_every_source_are_clamped() {
        assert_eq!(
            Size::new(0, 9999),
            Size {
                rows: 1,
                cols: 1000
            }
        );
        let read: Size = serde_json::from_str(r#"{"rows":0,"cols":80}"#).unwrap();
        assert_eq!(read, Size { rows: 1, cols: 80 });
        assert_eq!(
            serde_json::to_string(&Size::default()).unwrap(),
            r#"{"rows":40,"cols":120}"#
        );
    }
}
