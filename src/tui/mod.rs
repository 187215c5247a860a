//! The dashboard.
//!
//! A loop of three pure parts and the drivers around them. [`model`] is what all of the dashboard
//! shares, [`update`](mod@update) changes it by a message and returns what to do outside, and
//! [`view`](mod@view) draws it. None of them reads a clock, a file or the environment; the time is
//! passed in with each message.
//!
//! Between them are the parts of the screen ([`list`], [`pane`], [`grid`]) and the [`modes`]. Each is
//! a room: its state, its keys, its updates and its drawing are together, and rooms import each
//! other in one direction only. [`keymap`] collects the keys of all modes.
//!
//! The drivers: [`run`](mod@run) is the loop, [`inbox`] what it waits for, [`terminal`] the window, [`input`] its
//! input, and [`link`] the connection to the daemon. Jobs depend on nothing here: closing or losing the view
//! changes no job. The view itself saves what was seen ([`outside::looked`]); losing that does no
//! harm.

pub mod bar;
pub mod command_line;
pub mod copy;
pub mod crop;
pub mod errors;
pub mod farewell;
pub mod frame_times;
pub mod grid;
pub mod hints;
pub mod hit;
pub mod inbox;
pub mod input;
pub mod keyboard;
pub mod keymap;
pub mod later;
pub mod line;
pub mod link;
pub mod list;
pub mod message;
pub mod model;
pub mod modes;
pub mod mouse;
pub mod options;
pub mod outside;
pub mod pane;
pub mod pattern;
pub mod project;
pub mod removal;
pub mod requests;
pub mod run;
pub mod scrollback;
pub mod shell;
pub mod state;
pub mod status;
pub mod suggest;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod units;
pub mod update;
pub mod view;
pub mod window;

#[cfg(test)]
pub(crate) mod tests;

pub use self::options::Options;
pub use self::run::run;
