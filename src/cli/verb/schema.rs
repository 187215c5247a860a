//! `schema`: the JSON Schema of the protocol, without asking a daemon.

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::protocol::schema;

#[derive(Args, Debug)]
pub struct Schema {
    /// Only of what is sent, answered or told
    part: Option<Part>,
}

/// Kinds of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Part {
    /// What a client sends
    Requests,
    /// What it is answered
    Replies,
    /// What it is told without asking
    Events,
}

impl Schema {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let schema = match self.part {
            None => schema::document(),
            Some(Part::Requests) => schema::part(schema::Part::Requests),
            Some(Part::Replies) => schema::part(schema::Part::Replies),
            Some(Part::Events) => schema::part(schema::Part::Events),
        };
        let text = serde_json::to_string_pretty(&schema).map_err(std::io::Error::from)?;
        ctx.out.line(&text)?;
        Ok(Exit::OK)
    }
}
