//! `rename`: changes the name of a job.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::unsaved;
use crate::cli::start::launch::Taken;
use crate::cli::value::name::parse_name;
use crate::protocol::Action;
use crate::protocol::params::Set;

#[derive(Args, Debug)]
pub struct Rename {
    /// The job
    #[arg(value_name = "JOB")]
    job: String,
    /// The new name
    #[arg(value_name = "NAME", value_parser = parse_name)]
    name: String,
}

impl Rename {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let set = Action::Set(Set {
            session_id: job.summary.session_id.to_string(),
            label: Some(self.name),
            unique_label: Some(true),
            ..Set::default()
        });
        let value = ctx
            .daemon()?
            .call(set)
            .map_err(|error| match Taken::by(&error) {
                Some(taken) => taken
                    .refusal()
                    .hint("choose another name, or stop that job first"),
                None => Failure::from(error),
            })?;
        unsaved::tell(value["unsaved"] == true);
        if ctx.json {
            ctx.out.json(&value)?;
        }
        Ok(Exit::OK)
    }
}
