//! What bytes mean on a terminal: pure, without clock, files, environment or tokio.
//!
//! - [`size`]: rows and columns, clamped to what the emulator survives.
//! - [`scan`]: a byte stream cut into text, controls and escape sequences.
//! - [`screen`]: the grid a program has painted, with what it asked of its terminal; [`compat`] stands between the
//!   scanner and the emulator, [`replies`] answers queries.
//! - [`export`]: a whole log as a recording, text or a page, in pieces.
//! - [`keys`]: names of keys to the bytes xterm sends; [`keyparse`] is the way back.
//! - [`plain`]: bytes to the lines a reader would have seen scroll by.
//! - [`snapshot`]: a screen as text, page, picture or cells; [`palette`] has its colours.
//! - [`skim`] and [`redraw`]: output of which only the end can be seen. [`pen`]: what text is drawn with.
//! - [`sanitize`]: names and titles made safe to show; [`bidi`]: characters that reorder the text around them.
//! - [`relay`]: a job's output as it may reach somebody else's terminal.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod bidi;
pub mod cell;
pub mod compat;
pub mod cursor;
pub mod export;
pub mod keyparse;
pub mod keys;
pub mod modes;
pub mod mousereport;
pub mod paint;
pub mod palette;
pub mod pen;
pub mod plain;
pub mod redraw;
pub mod relay;
pub mod replies;
pub mod sanitize;
pub mod scan;
pub mod screen;
pub mod size;
pub mod skim;
pub mod snapshot;
pub mod title;

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used
)]
mod vtcases;
