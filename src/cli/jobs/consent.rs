//! Questions to the person at the terminal before something that cannot be undone.

use std::io::{self, IsTerminal};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
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

/// The command that stops jobs without a question.
#[derive(Debug)]
pub(in crate::cli) struct Unasked {
    /// With its targets, as `bgproc rm --yes --force shop/web`.
    pub(in crate::cli) command: String,
    /// What it does, as `removes`.
    pub(in crate::cli) does: &'static str,
    /// How many jobs it does that to.
    pub(in crate::cli) count: usize,
}

impl Unasked {
    /// The verb that was given, with its options and these jobs as its targets.
    fn of_jobs(ctx: &mut Context, jobs: &[Record], does: &'static str) -> Self {
        // These say which jobs are meant, which the targets do.
        let given = ctx.given().without(&["all", "failed"]);
        Self {
            command: format!("{}{}", given.unasked(), ctx.typed_targets(jobs)),
            does,
            count: jobs.len(),
        }
    }

    /// The failure if there is no terminal on which to ask about these jobs.
    pub(in crate::cli) fn failure(&self, names: &[String]) -> Failure {
        let (are, have, them) = match names {
            [_] => ("is", "its project file has", "it"),
            _ => ("are", "their project files have", "them"),
        };
        // The command also ends those that have no `confirm`.
        let them = match self.count {
            count if count <= names.len() => them.to_owned(),
            2 => "both jobs".to_owned(),
            count => format!("all {count} jobs"),
        };
        let names = names.join(", ");
        let message = format!("{names} {are} not stopped: {have} confirm = true");
        let Self { command, does, .. } = self;
        Failure::with_message(Exit::FAILED, message).hint(format!("{command} {does} {them}"))
    }
}

/// Asks before jobs are stopped that have `confirm = true` in their project file. `does` is what the verb does to all of
/// these jobs, as `stops`.
pub(in crate::cli) fn to_stop(
    ctx: &mut Context,
    jobs: &[Record],
    does: &'static str,
) -> Result<(), Failure> {
    let asks = |job: &Record| {
        let of = job.summary.project.as_ref();
        of.is_some_and(|of| of.confirm) && job.summary.status.has_process()
    };
    let names = ctx.names_from_here(jobs).into_iter().zip(jobs);
    let names = names.filter(|(_, job)| asks(job)).map(|(name, _)| name);
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Ok(());
    }
    let unasked = Unasked::of_jobs(ctx, jobs, does);
    named(ctx, &names, &unasked)
}

/// Asks before jobs are stopped that are known by their names.
pub(in crate::cli) fn named(
    ctx: &mut Context,
    names: &[String],
    unasked: &Unasked,
) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    let question = format!("stop {}", names.join(", "));
    require(
        ctx,
        &question,
        "nothing was stopped",
        unasked.failure(names),
    )
}

/// Fails unless the answer to the question is yes: with `refused` if it is no, with `unasked` if there is no terminal
/// to ask on.
pub(in crate::cli) fn require(
    ctx: &mut Context,
    question: &str,
    refused: &str,
    unasked: Failure,
) -> Result<(), Failure> {
    match ask(ctx, question)? {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::with_message(Exit::FAILED, refused)),
        None => Err(unasked),
    }
}

/// The failure of a question that `--yes` answers in advance, if there is no terminal to ask on.
pub(in crate::cli) fn needs_yes(message: String) -> Failure {
    Failure::with_message(Exit::FAILED, message).hint("--yes is the answer to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_does_not_ask_is_named() {
        let said = |count: usize, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let unasked = Unasked {
                command: "bgproc stop --yes db web".to_owned(),
                does: "stops",
                count,
            };
            let failure = unasked.failure(&names);
            format!("{failure} | {}", failure.hint_text().unwrap_or_default())
        };
        assert_eq!(
            said(2, &["db"]),
            "db is not stopped: its project file has confirm = true | bgproc stop --yes db web stops both jobs"
        );
        let both = said(2, &["db", "web"]);
        assert!(both.starts_with("db, web are not stopped: "), "{both}");
        assert!(both.ends_with(" stops them"), "{both}");
        assert!(said(3, &["db"]).ends_with(" stops all 3 jobs"));
        assert!(said(1, &["db"]).ends_with(" stops it"));
    }
}
