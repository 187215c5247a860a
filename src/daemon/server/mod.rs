//! Accepting clients, and serving each of them.

mod connection;
mod greeting;
pub(crate) mod listen;
