//! `stop`: ends jobs and all processes that they have started.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::ending::Ending;

#[derive(Args, Debug)]
pub struct Stop {
    #[command(flatten)]
    ending: Ending,
}

impl Stop {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        self.ending.run(ctx)
    }
}
