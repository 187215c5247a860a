//! A place in a file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A place in a file, as editors count: line and column start at 1, columns are characters. Line 0 is the whole
/// file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The absolute path. Thousands of places share it.
    pub path: Arc<Path>,
    /// The line.
    pub line: u32,
    /// The column.
    pub col: u32,
}

impl Place {
    /// The file as a whole.
    pub fn of_file(path: &Path) -> Self {
        Self {
            path: path.into(),
            line: 0,
            col: 0,
        }
    }

    /// The directory of the file.
    pub fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match self.line {
            0 => Ok(()),
            line => write!(f, ":{line}:{}", self.col),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!(
            "{}:{}:{}",
            self.path.display(),
            self.line,
            self.col
        ))
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut parts = text.rsplitn(3, ':');
        let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok());
        let (col, line) = (number(), number());
        match (line, col, parts.next()) {
            (Some(line), Some(col), Some(path)) => Ok(Self {
                path: PathBuf::from(path).into(),
                line,
                col,
            }),
            _ => Err(de::Error::custom(format!(
                "`{text}` is not a place in a file"
            ))),
        }
    }
}

/// Finds line and column of byte offsets in one text.
pub(super) struct Lines<'a> {
    path: Arc<Path>,
    text: &'a str,
    starts: Vec<usize>,
}

/// Columns beyond this number of bytes are counted in bytes: counting the characters of a line of megabytes for
/// each of its values would take minutes.
const LONG_LINE: usize = 4096;

impl<'a> Lines<'a> {
    /// The lines of `text`, the content of `path`.
    pub(super) fn new(path: &Path, text: &'a str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1));
        Self {
            path: path.into(),
            starts: starts.collect(),
            text,
        }
    }

    /// The place of a byte offset.
    pub(super) fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|line| self.starts.get(line).copied())
            .unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        let before = if before.len() > LONG_LINE {
            before.len()
        } else {
            before.chars().count()
        };
        Place {
            path: self.path.clone(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            col: u32::try_from(before + 1).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_start_at_one_and_count_characters() {
        let lines = Lines::new(Path::new("/p/x"), "a = 1\nü = 2\n\n");
        let at = |offset| {
            let place = lines.place(offset);
            (place.line, place.col)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (1, 5));
        assert_eq!(at(6), (2, 1));
        assert_eq!(at(8), (2, 2));
        assert_eq!(at(13), (3, 1));
        assert_eq!(at(1000), (4, 1));
    }

    #[test]
    fn a_place_survives_json() {
        let place = Lines::new(Path::new("/a:b/x.toml"), "one\ntwo").place(5);
        let json = serde_json::to_string(&place).unwrap();
        assert_eq!(json, "\"/a:b/x.toml:2:2\"");
        assert_eq!(serde_json::from_str::<Place>(&json).unwrap(), place);
    }
}
