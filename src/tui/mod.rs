//! The dashboard.
//!
//! A loop of three pure parts and the drivers around them: [`model`] is the state,
//! [`update`](mod@update) changes it by a message and returns effects, and [`view`](mod@view) draws
//! it. None of them reads a clock, a file or the environment; the time is passed in with each
//! message. [`keymap`] is the only table of key bindings.
//!
//! The drivers: [`run`](mod@run) is the loop, [`terminal`] the window, [`input`] its input, and
//! [`link`] the connection to the daemon. Jobs depend on nothing here: closing or losing the view
//! changes no job. The view itself saves what was seen ([`outside::looked`]); losing that does no
//! harm.

pub mod chord;
pub mod errors;
pub mod farewell;
pub mod input;
pub mod keymap;
pub mod link;
pub mod model;
pub mod options;
pub mod outside;
pub mod pane;
pub mod pattern;
pub mod run;
pub mod shell;
pub mod state;
pub mod suggest;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod units;
pub mod update;
pub mod view;

#[cfg(test)]
mod tests;

pub use self::options::Options;
pub use self::run::run;
