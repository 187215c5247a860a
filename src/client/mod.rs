//! A client of the daemon: connect (starting it if need be), call, subscribe.
//!
//! Blocking and without tokio: a one-shot verb costs one connection and one
//! round trip, greeting included. Front doors that need both directions at once split a
//! connection into its [`Sender`] and [`Receiver`].

mod call;
mod connect;
mod connection;
pub mod greeting;
pub mod keeper;
pub mod last_resort;

pub use call::connect_asking;
pub use connect::{Running, await_end, connect, connect_running, home, own_program, why_silent};
pub use connection::{AutoStart, Connection, Message, Receiver, Sender, Wire};
