//! Values on the command line: moments, numbers, conditions, names, orders, runs.

pub mod condition;
pub mod moment;
pub mod name;
pub mod number;
pub mod order;
pub mod restart;
pub mod run;
