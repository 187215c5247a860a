//! `help`: the help of a verb, or a chapter of the manual.
//!
//! The chapters are Markdown files that are part of the program ([`topics`]). On a terminal they are rendered
//! ([`markdown`], with [`inline`] and [`table`]) and paged ([`pager`]) if they are longer than the screen;
//! elsewhere the Markdown is printed as it is.

mod inline;
mod markdown;
mod pager;
mod table;
#[cfg(test)]
mod tests;
mod topics;

use clap::Args;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::cli::context::Context;
use crate::cli::elsewhere;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{Kind, Sink, note};
use crate::protocol::suggest::nearest;

pub(crate) use topics::list as list_topics;

/// Whether `help` shows a chapter for this word.
pub(crate) fn is_topic(word: &str) -> bool {
    topics::find(word).is_some()
}

/// Rows of a terminal that does not report its size.
const DEFAULT_ROWS: usize = 24;

#[derive(Args, Debug)]
pub struct Help {
    /// A verb or a topic, which may have several words: daemon stop, exit codes
    #[arg(add = ArgValueCandidates::new(|| topics::names().map(CompletionCandidate::new).collect()))]
    topic: Vec<String>,
}

impl Help {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut command = (ctx.grammar)();
        command.build();
        if self.topic.is_empty() {
            ctx.out.line(&command.render_help().to_string())?;
            return Ok(Exit::OK);
        }
        // `exit codes` is a chapter, `daemon stop` a verb.
        let name = self.topic.join("-");
        if let Some(found) = topics::find(&name) {
            show(ctx, found.text)?;
            return Ok(Exit::OK);
        }
        let mut words = self.topic.iter();
        let verb = words.try_fold(&mut command, |verb, word| verb.find_subcommand_mut(word));
        if let Some(verb) = verb {
            ctx.out.line(&verb.render_long_help().to_string())?;
            return Ok(Exit::OK);
        }
        if let Some(about) = topics::about(&name) {
            show(ctx, &about)?;
            return Ok(Exit::OK);
        }
        let topic = self.topic.join(" ");
        let failure = Failure::with_message(Exit::USAGE, format!("there is no help on `{topic}`"));
        if let Some(instead) = elsewhere::instead(&name) {
            return Err(failure.hint(instead));
        }
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut known: Vec<&str> = verbs.map(clap::Command::get_name).collect();
        for topic in topics::names() {
            known.push(topic);
        }
        Err(match (nearest(&name, known), topics::with(&topic)) {
            (Some(near), _) => failure.hint(format!("did you mean `{near}`?")),
            (None, chapters) if chapters.is_empty() => {
                failure.hint("bgproc help lists the verbs and the topics")
            }
            (None, chapters) => failure.hint(format!(
                "bgproc help TOPIC shows a chapter; these have the word: {}",
                chapters.join(", ")
            )),
        })
    }
}

/// Shows a chapter on a terminal: rendered, and paged if it is longer than the screen. Elsewhere, prints
/// the Markdown.
fn show(ctx: &mut Context, chapter: &str) -> Result<(), Failure> {
    let Some(width) = ctx.out.width else {
        ctx.out.bytes(chapter.as_bytes())?;
        return Ok(());
    };
    let text = markdown::render(chapter, width, ctx.out.paint);
    let rows = ctx
        .out
        .size()
        .map_or(DEFAULT_ROWS, |size| size.rows().into());
    let is_long = text.lines().count() >= rows;
    if is_long && ctx.out.terminal(Sink::Out) == Kind::Obeys {
        ctx.out.flush()?;
        match pager::show(&text).map_err(Failure::cannot("run the pager"))? {
            pager::Outcome::Shown => return Ok(()),
            pager::Outcome::Missing(Some(named)) => note(&format!("$PAGER cannot be run: {named}")),
            pager::Outcome::Missing(None) => {}
        }
    }
    ctx.out.bytes(text.as_bytes())?;
    Ok(())
}
