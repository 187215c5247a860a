//! `keys`: presses keys in a job, by name.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::typing::report;
use crate::cli::output::words;
use crate::protocol::params::{KeyInput, SendKeys};
use crate::protocol::reply::Written;
use crate::protocol::shell::quote;
use crate::protocol::{Action, ErrorCode, Mode};

#[derive(Args, Debug)]
pub struct Keys {
    /// The job
    #[arg(value_name = "JOB")]
    job: String,
    /// Names of keys (C-c, Up, F5) or single characters
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "KEY"
    )]
    keys: Vec<String>,
}

impl Keys {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        if job.summary.mode == Mode::Pipe {
            let name = words::name(&job.summary);
            let message =
                format!("{name} has pipes instead of a terminal, so keys cannot be pressed");
            let target = ctx.target_of(&job);
            let target = quote(&target);
            let hint = format!(
                "bgproc send {target} TEXT sends text, bgproc send --eof {target} ends its input"
            );
            return Err(Failure::with_message(Exit::STATE, message).hint(hint));
        }
        let id = job.summary.session_id;
        let pressed = ctx.daemon()?.call_as(Action::SendKeys(SendKeys {
            session_id: id.to_string(),
            keys: self.keys.into_iter().map(KeyInput::Name).collect(),
            ..SendKeys::default()
        }));
        let written: Written = pressed.map_err(|error| match error.code {
            ErrorCode::InvalidKey => {
                // The rest of the hint is about the protocol.
                let near = error.hint.as_deref().and_then(|hint| hint.split_once("? "));
                let near = near.map_or_else(String::new, |(near, _)| format!("{near}? "));
                error.hint(format!(
                    "{near}bgproc send {} TEXT types text; bgproc help keys has the names of keys",
                    quote(&self.job)
                ))
            }
            _ => error,
        })?;
        report(ctx, &id, &written, 1, true)
    }
}
