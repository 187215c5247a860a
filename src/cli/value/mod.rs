//! Values on the command line: moments, numbers, conditions, names, clients with hooks.

pub mod condition;
pub(in crate::cli) mod hook;
pub mod moment;
pub mod name;
pub mod notice;
pub mod number;
pub mod restart;
