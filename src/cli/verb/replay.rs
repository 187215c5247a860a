//! `replay`: plays what the screen of a job showed.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::attach::no_terminal;
use crate::cli::output::takes_screens;
use crate::cli::settings::dashboard;
use crate::cli::value::moment;
use crate::client::read_reply;
use crate::protocol::params::Capture;
use crate::protocol::reply::Captured;
use crate::protocol::{Action, Timestamp};
use crate::tui;
use crate::tui::options::Replay as From;

#[derive(Args, Debug)]
pub struct Replay {
    /// The job; by default the one that was used last
    #[arg(value_name = "JOB", default_value = "-")]
    job: String,
    /// Begin at this time (12:44, 10m for 10 minutes ago, 2026-11-21T20:00:00Z); without a terminal, print
    /// the screen at that time
    #[arg(long, value_name = "TIME", value_parser = moment::parse)]
    at: Option<Timestamp>,
    /// Speed: 2 is twice as fast; pauses are cut to two seconds
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
}

impl Replay {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let has_terminal = takes_screens();
        if let (Some(at), true) = (self.at, ctx.json || !has_terminal) {
            return self.print(at, ctx);
        }
        if !has_terminal {
            let failure = Failure::with_message(Exit::USAGE, no_terminal("replaying"));
            return Err(failure.hint(
                "bgproc replay JOB --at TIME prints the screen at that time; bgproc export JOB writes a recording",
            ));
        }
        let job = ctx.one(&self.job)?;
        ctx.hang_up();
        tui::run(tui::Options {
            job: Some(job.summary.session_id.to_string()),
            replay: Some(From {
                from_ms: self.at.map(Timestamp::millis),
                speed: self.speed,
            }),
            read_only: true,
            ..dashboard::options(&[], None)?
        })?;
        Ok(Exit::OK)
    }

    /// Prints the screen at this time.
    fn print(&self, at: Timestamp, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let value = ctx.daemon()?.call(Action::Capture(Capture {
            session_id: job.summary.session_id.to_string(),
            at_time: Some(at.to_string()),
            ..Capture::default()
        }))?;
        if ctx.json {
            ctx.out.bytes(format!("{value}\n").as_bytes())?;
            return Ok(Exit::OK);
        }
        let captured: Captured = read_reply(value)?;
        let mut text = captured.text.unwrap_or_default();
        if !text.is_empty() {
            text.push('\n');
        }
        ctx.out.bytes(text.as_bytes())?;
        Ok(Exit::OK)
    }
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.strip_suffix('x').unwrap_or(text).parse::<f64>().ok();
    speed
        .filter(|speed| (0.125..=64.0).contains(speed))
        .ok_or_else(|| format!("needs a number between 0.125 and 64, not \"{text}\""))
}
