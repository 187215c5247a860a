//! Values on the command line: moments, numbers, conditions, names.

pub mod condition;
pub mod moment;
pub mod name;
pub mod notice;
pub mod number;
pub mod restart;
