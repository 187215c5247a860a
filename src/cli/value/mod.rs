//! Values on the command line: moments, numbers, conditions, names, orders, runs, sizes, limits, destinations, clients
//! with hooks, how long jobs are kept.

pub mod condition;
pub mod destination;
pub(in crate::cli) mod hook;
pub mod keep;
pub(in crate::cli) mod limit;
pub mod moment;
pub mod name;
pub mod notice;
pub mod number;
pub mod order;
pub mod restart;
pub mod run;
pub mod size;
