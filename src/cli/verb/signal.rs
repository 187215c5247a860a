//! `signal`: only sends a signal.

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::signals::{To, is_known, send};
use crate::protocol::shell::quote;
use crate::protocol::signal::names;
use crate::protocol::suggest::nearest;

#[derive(Args, Debug)]
#[command(override_usage = "bgproc signal [OPTIONS] <JOB>... <SIGNAL>")]
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
        check(&self.words, &signal)?;
        let found = ctx.many(&self.words, Among::Going)?;
        send(ctx, found, &signal, self.to)
    }
}

/// Fails unless the last word is a signal. kill(1) takes it first.
fn check(jobs: &[String], given: &str) -> Result<(), Failure> {
    if is_known(given) {
        return Ok(());
    }
    let failure = Failure::with_message(Exit::USAGE, format!("`{given}` is not a signal"));
    if let Some((first, rest)) = jobs.split_first()
        && is_known(first)
    {
        let jobs = rest.iter().map(String::as_str).chain([given]);
        let words = jobs.chain([first.as_str()]).map(quote);
        let line = words.collect::<Vec<_>>().join(" ");
        return Err(failure.hint(format!("the signal comes last: bgproc signal {line}")));
    }
    let bare = given.to_uppercase();
    let bare = bare.strip_prefix("SIG").unwrap_or(&bare);
    Err(match nearest(bare, names()) {
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None => failure.hint("for example TERM, INT, HUP, KILL"),
    })
}
