//! What bytes mean on a terminal: pure, without clock, files, environment or tokio.
//!
//! - [`size`]: rows and columns, clamped to what the emulator survives.
//! - [`screen`]: the grid a program has painted, with what it asked of its terminal.
//! - [`keys`]: names of keys to the bytes xterm sends; [`keyparse`] is the way back.
//! - [`plain`]: bytes to the lines a reader would have seen scroll by.
//! - [`sanitize`]: names and titles made safe to show.

pub mod keyparse;
pub mod keys;
pub mod modes;
pub mod plain;
pub mod sanitize;
pub mod screen;
pub mod size;
