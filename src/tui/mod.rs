//! Stands in for the dashboard until it is merged.

use crate::protocol::Error;

/// What the command line asks of the dashboard.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Session id to open zoomed, in INSERT.
    pub job: Option<String>,
    /// Never INSERT.
    pub read_only: bool,
    /// Only ASCII characters.
    pub ascii: bool,
    /// No colours in the panes either.
    pub mono: bool,
    /// Filter of the list.
    pub filter: Option<String>,
    /// Keys that leave INSERT; empty: `ctrl-]`.
    pub leave_keys: Vec<String>,
    /// Whether the status line is shown.
    pub status_line: bool,
}

/// Always fails.
pub fn run(_options: Options) -> Result<(), Error> {
    Err(Error::unsupported("The dashboard"))
}
