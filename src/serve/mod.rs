//! `bgproc --serve`: the protocol on standard input and output, for agents.
//!
//! The daemon speaks the same protocol on its socket, so this is a proxy ([`proxy`]) that adds two things.
//! It determines who the agent is from flags, environment and file before its first byte is read
//! ([`settings`]). And it bridges the death of a daemon: requests that the daemon left open are sent again
//! or answered ([`in_flight`]), and subscriptions and watches continue with the next daemon
//! ([`subscriptions`]).

mod compat;
pub mod in_flight;
pub mod line_splitter;
pub mod outbox;
pub mod proxy;
pub mod queue;
pub mod retry;
pub mod settings;
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
