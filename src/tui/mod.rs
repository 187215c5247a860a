//! The dashboard.
//!
//! A loop of three pure parts and the drivers around them: [`model`] is everything known, [`update`](mod@update)
//! changes it by a message and says what is to be done, [`view`](mod@view) paints it. Neither reads a clock, a
//! file or the environment; the time comes in with each message. [`keymap`] is the one table of keys.
//!
//! The drivers: [`run`](mod@run) is the loop, [`terminal`] the window, [`input`] what comes from it, [`link`] the
//! way to the daemon. What is not here, on purpose: anything that jobs depend on. Closing the view, or losing it,
//! changes no job. What was looked at is kept by the view itself ([`outside::looked`]); losing that loses nothing.

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
