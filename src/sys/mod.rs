//! The operating system, and the only `unsafe` of the crate.
//!
//! Each file is one thing the system gives: [`paths`] and [`socket`] where to
//! meet, [`lock`] who may, [`detach`] how a process leaves its terminal,
//! [`clock`] what time it is.

pub mod clock;
pub mod detach;
pub mod lock;
pub mod paths;
pub mod socket;
