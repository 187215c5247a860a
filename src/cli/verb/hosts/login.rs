//! `hosts login`: ssh in this terminal, so that it asks as it always does.

use std::process::Command;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::settings::host::named;
use crate::link::spawn::configuration;
use crate::protocol::{Action, params};

#[derive(Args, Debug)]
pub(super) struct Login {
    /// The host
    #[arg(value_name = "HOST")]
    name: String,
}

impl Login {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let host = named(&self.name)?;
        let name = &host.name;
        let ssh = configuration(&host).unwrap_or_default();
        let Some(words) = host.login(&ssh) else {
            // The command logs in by itself, or says why it cannot.
            connect(ctx, name)?;
            note(&format!("{name} is connected"));
            return Ok(Exit::OK);
        };
        let (program, args) = words.split_first().unwrap_or((&host.name, &[]));
        let status = Command::new(program).args(args).status();
        let status = status.map_err(Failure::cannot(format!("run {program}")))?;
        if status.success() {
            connect(ctx, name)?;
            note(&format!(
                "logged in; links to {name} use this connection until it was idle for 12 hours"
            ));
            return Ok(Exit::OK);
        }
        let message = format!("ssh did not log in to {name}, and has said why");
        let failure = Failure::with_message(Exit::UNAVAILABLE, message);
        Err(failure.hint(format!("bgproc hosts doctor {name} goes through the steps")))
    }
}

/// Has the daemon connect the host, whatever it has tried before.
fn connect(ctx: &mut Context, name: &str) -> Result<(), Failure> {
    let host = name.to_owned();
    ctx.daemon()?
        .call(Action::Connect(params::Connect { host }))?;
    Ok(())
}
