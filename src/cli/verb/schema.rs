//! `schema`: prints the JSON Schema of the protocol or of project files, without a daemon.

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::project;
use crate::protocol::schema;

#[derive(Args, Debug)]
pub struct Schema {
    /// Only this part of the schema
    part: Option<Part>,
}

/// The parts of the schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Part {
    /// Requests of clients
    Requests,
    /// Replies of the daemon
    Replies,
    /// Events of the daemon
    Events,
    /// Project files (bgproc.toml), for editors
    Project,
}

impl Schema {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let schema = match self.part {
            None => schema::document(),
            Some(Part::Requests) => schema::part(schema::Part::Requests),
            Some(Part::Replies) => schema::part(schema::Part::Replies),
            Some(Part::Events) => schema::part(schema::Part::Events),
            Some(Part::Project) => project::schema(),
        };
        ctx.out.line(&format!("{schema:#}"))?;
        Ok(Exit::OK)
    }
}
