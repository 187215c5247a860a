//! `bgproc --serve`: the protocol on standard input and output, for agents.
//!
//! The daemon speaks the same protocol on its socket, so this is a proxy
//! ([`proxy`]) that adds two things: who the agent is, decided from flags,
//! environment and file before its first byte is read ([`settings`]), and a
//! bridge over the death of a daemon: requests that it leaves open are asked
//! again or answered ([`in_flight`]), and what the agent wants to be told is told
//! by the next one ([`subscriptions`]).

mod compat;
pub mod in_flight;
pub mod lines;
pub mod outbox;
pub mod proxy;
pub mod queue;
pub mod settings;
pub mod silence;
pub mod subscriptions;

use std::io;
use std::os::fd::AsFd;

use crate::client::{self, AutoStart};
use crate::protocol::{Error, Greeting};

pub use settings::{Flags, greeting};

/// Serves until standard input or output is closed.
pub fn run(greeting: Greeting) -> Result<(), Error> {
    let wire = client::connect(&greeting, AutoStart::Yes)?.into_wire();
    let input = io::stdin().as_fd().try_clone_to_owned().map_err(no_stdio)?;
    let output = io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map_err(no_stdio)?;
    proxy::Proxy::new(greeting, wire, input, output)?.run()
}

fn no_stdio(error: io::Error) -> Error {
    Error::internal(format!("cannot use standard input and output: {error}"))
}
