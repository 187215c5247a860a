//! bgproc runs commands in the background and keeps them.
//!
//! The folders are the layers; read them in this order:
//!
//! 1. [`protocol`]: the wire types, no behaviour.
//! 2. [`term`]: what bytes mean on a terminal. Pure.
//! 3. [`sys`]: the operating system, and the only `unsafe`.
//! 4. [`client`]: how a front door talks to the daemon.
//! 5. [`tui`]: the dashboard.

pub mod client;
pub mod protocol;
pub mod sys;
pub mod term;
pub mod tui;
