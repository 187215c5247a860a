//! `bgproc --serve`: the protocol on standard input and output, for agents.
//!
//! The daemon speaks the same protocol on its socket, so this is a pump
//! ([`pump`]) that adds two things: who the agent is, decided from flags,
//! environment and file before its first byte is read ([`settings`]), and an
//! answer to every request that a dying daemon leaves open ([`in_flight`]).

pub mod in_flight;
pub mod lines;
pub mod outbox;
pub mod pump;
pub mod settings;

use crate::client::{self, AutoStart};
use crate::protocol::{Error, Greeting};

pub use settings::{Flags, greeting};

/// Serves until standard input or output is closed.
pub fn run(greeting: Greeting) -> Result<(), Error> {
    let wire = client::connect(&greeting, AutoStart::Yes)?.into_wire();
    pump::Pump::new(greeting, wire)?.run()
}
