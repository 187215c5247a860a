//! Errors in a configuration file, with their positions.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists but cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file cannot be changed.
    #[error("cannot write {path}: {source}")]
    Unwritable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system, or why the file is left alone.
        source: io::Error,
    },
    /// The file contains an error.
    #[error("{path}:{at}: {message}")]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The position of the error.
        at: Spot,
        /// What is wrong, and what would be correct.
        message: String,
    },
    /// The file contains several errors, in the order of their positions.
    #[error("{}", lines(.0))]
    Several(Vec<ConfigError>),
    /// Two settings in the file contradict each other.
    #[error("{path}:{first} and :{second}: {message}")]
    Clash {
        /// The path of the file.
        path: PathBuf,
        /// The first position.
        first: Spot,
        /// The second position.
        second: Spot,
        /// What is wrong, and what would be correct.
        message: String,
    },
}

/// Most errors of a file that are reported, as of a project file.
const MOST: usize = 20;

impl ConfigError {
    /// These errors as one, sorted by their positions; `None` if there are none.
    pub fn all(errors: Vec<Self>) -> Option<Self> {
        let single = |error| match error {
            Self::Several(errors) => errors,
            one => vec![one],
        };
        let mut errors: Vec<Self> = errors.into_iter().flat_map(single).collect();
        errors.sort_by_key(Self::place);
        errors.truncate(MOST);
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Self::Several(errors)),
        }
    }

    /// Where it is in the file; `None` if it is about the whole file.
    fn place(&self) -> Option<Spot> {
        match self {
            Self::Invalid { at, .. } => Some(*at),
            Self::Clash { first, .. } => Some(*first),
            Self::Several(_) | Self::Unreadable { .. } | Self::Unwritable { .. } => None,
        }
    }
}

/// Each error on a line of its own.
fn lines(errors: &[ConfigError]) -> String {
    let lines: Vec<String> = errors.iter().map(ConfigError::to_string).collect();
    lines.join("\n")
}

/// A position in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Spot {
    /// The position of byte `at` in `text`.
    pub fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// An error message and the bytes of the file that it is about.
#[derive(Debug)]
pub struct Wrong {
    span: Range<usize>,
    message: String,
}

impl Wrong {
    /// An error about these bytes.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// What is wrong with the entries of a table, as `fault` says of each by its name.
    pub fn of_entries<T>(
        entries: &BTreeMap<String, Spanned<T>>,
        fault: impl Fn(&str, &T) -> Option<String>,
    ) -> Vec<Self> {
        let wrong = |(name, entry): (&String, &Spanned<T>)| {
            let message = fault(name, entry.get_ref())?;
            Some(Self::new(entry.span(), message))
        };
        entries.iter().filter_map(wrong).collect()
    }

    /// The error with its position, for the file at `path` with the content `text`.
    pub fn at(self, path: &Path, text: &str) -> ConfigError {
        ConfigError::Invalid {
            path: path.to_owned(),
            at: Spot::of(text, self.span.start),
            message: self.message,
        }
    }
}

impl From<toml::de::Error> for Wrong {
    fn from(error: toml::de::Error) -> Self {
        let message = error.message().trim().replace('\n', ", ");
        Self::new(error.span().unwrap_or_default(), message)
    }
}
