//! The meaning of bytes on a terminal. This layer uses no clock, no files, no environment and no
//! tokio.
//!
//! - [`size`]: rows and columns, clamped to the range that the emulator supports.
//! - [`scan`]: splits a byte stream into text, controls and escape sequences.
//! - [`control`]: what each of these is: the one table of control functions, with the modes,
//!   attributes, queries and character sets that they name.
//! - [`screen`]: the grid that a program has painted, and the modes it has set. [`compat`] stands
//!   between the scanner and the emulator; [`replies`] answers queries, with [`capabilities`] and
//!   [`colors`]; [`keyboard`]: how the program wants keys to be reported. [`cell`], [`cursor`], [`modes`] and [`title`]
//!   are parts of the screen.
//! - [`extras`]: attributes and links that the emulator's cells have no room for; [`style`] names them.
//! - [`export`]: converts a whole log into a recording, text or a page, in pieces.
//! - [`keys`]: converts key names into the bytes that xterm sends; [`keyparse`] converts them back.
//!   [`mousereport`]: the same for the mouse.
//! - [`plain`]: converts bytes into the lines that a reader would have seen scroll by.
//! - [`snapshot`]: a screen as text, page, picture or cells; [`palette`] defines its colours.
//!   [`highlight`] finds what stands out on it.
//! - [`pace`]: how often frames are drawn. [`progress`]: what a program reports of its progress;
//!   [`shell_report`]: what a shell reports of its commands and its directory.
//! - [`skim`] and [`redraw`]: find output that need not be painted, because later output hides it.
//!   [`cost`]: what the rest costs to paint. [`pen`]: drawing attributes of text.
//! - [`sanitize`]: makes names and titles safe to display; [`bidi`]: characters that reorder the
//!   text around them.
//! - [`mask`]: replaces times, durations, process ids and ports; [`align`]: two logs beside each other; [`unified`]: what differs.
//! - [`relay`]: filters a job's output for another terminal.
//!
//! # Two readings of the same bytes
//!
//! [`screen`] and [`plain`] both interpret a job's output, on purpose. The screen is the state now: it
//! needs every byte from the start and forgets what scrolled away. The lines are any place of a log of
//! gigabytes, rendered from the nearest checkpoint at ten times the speed, with numbers and offsets
//! that never change. One reading cannot be both: the screen keeps colours and modes that the lines do
//! not need, and the lines keep starts and checkpoints that the screen cannot know.
//!
//! They share what a sequence is. [`scan`] finds it, and [`control::Function`] names it, with its
//! parameters. Each reader only decides what it does: [`compat`] paints it, [`plain::interpret`]
//! changes lines by it, [`relay`] passes or drops it, and [`redraw`], [`skim`] and [`plain::simple`],
//! which skip what cannot be seen, follow it or stop. A new sequence is a variant and a line in
//! [`control`]; the compiler then asks [`compat`] and [`plain::interpret`] what it does, and the
//! others stop at what they do not know. Property tests hold that screen and lines agree.
//!
//! # Our own instead of a library's
//!
//! - [`scan`] instead of `vte::Perform`, which hands out single characters, has no bound on OSC
//!   strings and cannot say where the ground state is. vt100 still parses with `vte`.
//! - [`paint`] instead of vt100's `state_formatted` and `state_diff`, which paint blanks over the first
//!   row of a line that has just wrapped, and rely on a backspace at the right margin that terminals
//!   do differently.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod align;
pub mod bidi;
pub mod capabilities;
pub mod cell;
pub mod colors;
pub mod compat;
pub mod control;
pub mod cost;
pub mod cursor;
pub mod export;
pub mod extras;
pub mod highlight;
pub mod keyboard;
pub mod keyparse;
pub mod keys;
pub mod mask;
pub mod modes;
pub mod mousereport;
pub mod pace;
pub mod paint;
pub mod palette;
pub mod pen;
pub mod plain;
pub mod progress;
pub mod redraw;
pub mod relay;
pub mod replies;
pub mod sanitize;
pub mod scan;
pub mod screen;
pub mod shell_report;
pub mod size;
pub mod skim;
pub mod snapshot;
pub mod style;
pub mod title;
pub mod unified;

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used
)]
mod vtcases;
