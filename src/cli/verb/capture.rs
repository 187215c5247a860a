//! `capture`: a job's screen as it is now.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::protocol::Action;
use crate::protocol::params::{Capture as Params, CaptureFormat};
use crate::protocol::reply::Captured;

/// What `capture` takes.
#[derive(Args, Debug)]
pub struct Capture {
    /// Which job
    #[arg(default_value = "-")]
    job: String,
    /// With colours, as escape sequences
    #[arg(short)]
    escapes: bool,
}

impl Capture {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let value = ctx.daemon()?.call(Action::Capture(Params {
            session_id: job.summary.session_id.to_string(),
            format: self.escapes.then_some(CaptureFormat::Ansi),
            ..Params::default()
        }))?;
        if ctx.json {
            ctx.out.json(&value)?;
            return Ok(Exit::OK);
        }
        let captured: Captured = serde_json::from_value(value).map_err(std::io::Error::from)?;
        let text = captured.text.unwrap_or_default();
        if !text.is_empty() {
            ctx.out.line(text.strip_suffix('\n').unwrap_or(&text))?;
        }
        Ok(Exit::OK)
    }
}
