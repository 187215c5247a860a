//! `signal`: only sends a signal.

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::signals::{To, send};

#[derive(Args, Debug)]
pub struct Signal {
    /// The jobs, and the signal: a name (HUP, SIGHUP) or a number
    #[arg(value_name = "JOB... SIG", required = true)]
    words: Vec<String>,
    /// The processes that receive the signal
    #[arg(long, value_name = "WHO", value_enum, default_value_t)]
    to: To,
}

impl Signal {
    pub(super) fn run(mut self, ctx: &mut Context) -> Result<Exit, Failure> {
        let signal = self.words.pop().filter(|_| !self.words.is_empty());
        let Some(signal) = signal else {
            let failure = Failure::with_message(Exit::USAGE, "signal needs a job and a signal");
            return Err(failure.hint("bgproc signal JOB HUP"));
        };
        let found = ctx.many(&self.words, Among::Going)?;
        send(ctx, found, &signal, self.to)
    }
}
