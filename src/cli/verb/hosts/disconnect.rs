//! `hosts disconnect`: ends the connection of the daemon to a host.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::host::named;
use crate::protocol::Action;
use crate::protocol::params;

#[derive(Args, Debug)]
pub(super) struct Disconnect {
    /// The host
    #[arg(value_name = "HOST")]
    name: String,
}

impl Disconnect {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let host = named(&self.name)?.name;
        // Without a daemon nothing is connected.
        if let Some(daemon) = ctx.running_daemon()? {
            daemon.call(Action::Disconnect(params::Disconnect { host }))?;
        }
        Ok(Exit::OK)
    }
}
