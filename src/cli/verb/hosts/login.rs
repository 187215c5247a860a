//! `hosts login`: ssh in this terminal, so that it asks as it always does.

use std::process::Command;

use clap::Args;

use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::settings::host::named;
use crate::link::spawn::configuration;

#[derive(Args, Debug)]
pub(super) struct Login {
    /// The host
    #[arg(value_name = "HOST")]
    name: String,
}

impl Login {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let host = named(&self.name)?;
        let name = &host.name;
        let ssh = configuration(&host).unwrap_or_default();
        let Some(words) = host.login(&ssh) else {
            let message = format!("host {name} is reached by a command of its own, not by ssh");
            return Err(Failure::with_message(Exit::FAILED, message)
                .hint("log in as that command wants it, then try again"));
        };
        let (program, args) = words.split_first().unwrap_or((&host.name, &[]));
        let status = Command::new(program).args(args).status()?;
        if status.success() {
            note(&format!(
                "logged in; links to {name} use this connection until it was idle for 12 hours"
            ));
            return Ok(Exit::OK);
        }
        // ssh has said why.
        Err(Failure::with_message(
            Exit::UNAVAILABLE,
            format!("ssh did not log in to {name}"),
        ))
    }
}
