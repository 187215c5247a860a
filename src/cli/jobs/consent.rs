//! Questions to the person at the terminal before something that cannot be undone.

use std::io::{self, IsTerminal};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::protocol::Record;

/// Whether there is a terminal to ask on.
pub(in crate::cli) fn can_ask(ctx: &Context) -> bool {
    !ctx.json && ctx.out.is_terminal() && io::stdin().is_terminal()
}

/// Asks `QUESTION? [y/N]` and returns the answer; `None` if there is no terminal to ask on.
pub(in crate::cli) fn ask(ctx: &mut Context, question: &str) -> Result<Option<bool>, Failure> {
    if !can_ask(ctx) {
        return Ok(None);
    }
    ctx.out.bytes(format!("{question}? [y/N] ").as_bytes())?;
    ctx.out.flush()?;
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    read.map_err(Failure::cannot("read the answer"))?;
    Ok(Some(matches!(answer.trim(), "y" | "Y" | "yes")))
}

/// Asks before jobs are stopped whose project file wants that (`confirm = true`). `yes` is the answer given in
/// advance.
pub(in crate::cli) fn to_stop(
    ctx: &mut Context,
    jobs: &[Record],
    yes: bool,
) -> Result<(), Failure> {
    let asks = |job: &&Record| {
        let of = job.summary.project.as_ref();
        of.is_some_and(|of| of.confirm) && job.summary.status.is_alive()
    };
    let names = jobs
        .iter()
        .filter(asks)
        .map(|job| words::name(&job.summary));
    named(ctx, &names.collect::<Vec<_>>(), yes)
}

/// The same, for jobs that are known by their names.
pub(in crate::cli) fn named(ctx: &mut Context, names: &[String], yes: bool) -> Result<(), Failure> {
    if names.is_empty() || yes {
        return Ok(());
    }
    let names = names.join(", ");
    let unasked = format!("{names}: the project file wants a question before a stop");
    require(
        ctx,
        &format!("stop {names}"),
        "nothing was stopped",
        unasked,
    )
}

/// Fails unless the answer to the question is yes: with `refused` if it is no, with `unasked` if there is no terminal
/// to ask on.
pub(in crate::cli) fn require(
    ctx: &mut Context,
    question: &str,
    refused: &str,
    unasked: String,
) -> Result<(), Failure> {
    match ask(ctx, question)? {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::with_message(Exit::FAILED, refused)),
        None => Err(Failure::with_message(Exit::FAILED, unasked).hint("--yes is the answer to it")),
    }
}
