//! Which program a job runs, in which environment, and whether a connection may start it.
//!
//! [`program`] finds the file and builds what the keeper executes, [`allow`] holds a connection
//! to its allow-list, with [`shell_line`] and [`starters`] as its readers, and [`on_exit`] builds
//! the command that runs after a job has ended.

pub(crate) mod allow;
pub(crate) mod on_exit;
pub(crate) mod program;
mod shell_line;
mod starters;
