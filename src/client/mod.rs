//! A client of the daemon: connects (starting it if needed), calls, subscribes.
//!
//! It is blocking and does not use tokio: a one-shot verb costs one connection and one round trip, greeting
//! included. Front ends that poll a connection split it into its [`Sender`] and [`Receiver`].
//!
//! # Where things are
//!
//! `connect` finds or starts the daemon, with a `greeting`; `connection`, `sender` and `receiver` exchange lines with
//! it; `call` repeats what a dying daemon has not answered, and `errors` are what is left then. Without a daemon:
//! `keeper` asks the keeper, `silence` decides when, `last_resort` ends everything, `log_tail` reads a log. Other
//! machines: `host` is the one that is talked to, `relay` and `node` are the other ends of links, `copy` copies files.

mod call;
mod connect;
mod connection;
mod copy;
mod errors;
pub mod greeting;
pub mod host;
pub mod keeper;
pub mod last_resort;
mod log_tail;
pub mod node;
mod receiver;
pub mod relay;
mod sender;
pub mod silence;

pub use call::connect_asking;
pub use connect::{
    Running, await_end, connect, connect_running, has_crashed, home, own_program, why_silent,
};
pub use connection::{AutoStart, Connection, IN_FLIGHT, Wire};
pub use copy::Copy;
pub use errors::{read_base64, read_reply};
pub use log_tail::log_tail;
pub use receiver::{Message, Receiver};
pub use sender::Sender;

use crate::sys::{process, signal};

/// Whether this process ignores Ctrl-C (SIGINT), because who has started it wants that: a shell without job control, for
/// what it runs in the background.
pub fn ignores_interrupts() -> bool {
    process::ignores(std::process::id(), signal::INT)
}
