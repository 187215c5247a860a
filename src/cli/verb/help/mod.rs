//! `help`: a verb's help, or a topic.

use clap::{Args, CommandFactory};

use crate::cli::Cli;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::protocol::suggest::nearest;

/// What is explained beyond the verbs.
const TOPICS: [(&str, &str); 4] = [
    ("targets", include_str!("../../../assets/help/targets.md")),
    ("keys", include_str!("../../../assets/help/keys.md")),
    (
        "exit-codes",
        include_str!("../../../assets/help/exit-codes.md"),
    ),
    ("agents", include_str!("../../../assets/agent-guide.md")),
];

#[derive(Args, Debug)]
pub struct Help {
    /// A verb or a topic
    topic: Option<String>,
}

impl Help {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut command = Cli::command();
        command.build();
        let Some(topic) = self.topic else {
            ctx.out.line(&command.render_help().to_string())?;
            return Ok(Exit::OK);
        };
        if let Some((_, text)) = TOPICS.iter().find(|(name, _)| *name == topic) {
            ctx.out.bytes(text.as_bytes())?;
            return Ok(Exit::OK);
        }
        if let Some(verb) = command.find_subcommand_mut(&topic) {
            ctx.out.line(&verb.render_long_help().to_string())?;
            return Ok(Exit::OK);
        }
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let known: Vec<_> = verbs.map(|verb| verb.get_name().to_owned()).collect();
        let topics = TOPICS.iter().map(|(name, _)| *name);
        let failure = Failure::told(Exit::USAGE, format!("there is no help on `{topic}`"));
        Err(
            match nearest(&topic, known.iter().map(String::as_str).chain(topics)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => {
                    failure.hint("topics: targets, keys, exit-codes, agents; verbs: bgproc help")
                }
            },
        )
    }
}
