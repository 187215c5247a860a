//! What is wrong with a file of configuration, and where.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It is there and cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It says something that makes no sense.
    #[error("{path}:{at}: {message}")]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// Where.
        at: Spot,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// Two places of it contradict each other.
    #[error("{path}:{first} and :{second}: {message}")]
    Clash {
        /// Which file.
        path: PathBuf,
        /// The place further up.
        first: Spot,
        /// The place further down.
        second: Spot,
        /// What is wrong, and what would be right.
        message: String,
    },
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Spot {
    /// Where byte `at` of `text` is.
    pub fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// What is wrong, and which bytes of the file say it.
#[derive(Debug)]
pub struct Wrong {
    span: Range<usize>,
    message: String,
}

impl Wrong {
    /// This is wrong with these bytes.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// The error, for the file at `path` that says `text`.
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
