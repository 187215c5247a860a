//! bgproc runs commands in the background and keeps them.
//!
//! The folders are the layers; read them in this order:
//!
//! 1. [`protocol`]: the wire types, no behaviour.
//! 2. [`term`]: what bytes mean on a terminal. Pure.

pub mod protocol;
pub mod term;
