//! The grammar of the command line, with what completes the values of its arguments. How the help calls a value says
//! what it is.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter,
};

use super::jobs::Which;
use super::{hosts, jobs, programs};
use crate::cli::output::state;

/// Adds the completers. Aliases are not offered beside the names that they stand for; the verb of `words` is replaced
/// by its name, so that what follows an alias is completed, too.
pub(super) fn with_completers(mut grammar: Command, words: &mut [OsString]) -> Command {
    grammar.build();
    let (_, before) = words.split_last_mut().unzip();
    for word in before.unwrap_or_default() {
        let verb = word.to_str().and_then(|word| grammar.find_subcommand(word));
        if let Some(verb) = verb {
            *word = verb.get_name().into();
            break;
        }
    }
    let verbs = grammar.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs: Vec<String> = verbs.map(|verb| verb.get_name().to_owned()).collect();
    grammar.mut_subcommands(|verb| {
        let which = Which::of(verb.get_name());
        let is_help = verb.get_name() == "help";
        // Without a name, all of them are cleared.
        let verb = verb.alias(None);
        let verb =
            verb.mut_subcommands(|part| part.mut_args(|arg| with_completer(arg, Which::Any)));
        verb.mut_args(|arg| match is_help && arg.is_positional() {
            true => with_verbs(arg, verbs.clone()),
            false => with_completer(arg, which),
        })
    })
}

/// The completer of what is helped with: the topics, which the argument has already, and the verbs.
fn with_verbs(arg: Arg, mut names: Vec<String>) -> Arg {
    let topics = arg
        .get::<ArgValueCandidates>()
        .map(ArgValueCandidates::candidates);
    let topics = topics.unwrap_or_default();
    names.extend(
        topics
            .iter()
            .map(|topic| topic.get_value().to_string_lossy().into_owned()),
    );
    arg.add(ArgValueCompleter::new(move |word: &OsStr| {
        beginning(&names, word)
    }))
}

/// The completer of one argument.
fn with_completer(arg: Arg, which: Which) -> Arg {
    let names = arg.get_value_names().unwrap_or_default();
    let Some(name) = names.first().map(|name| name.as_str().to_owned()) else {
        return arg;
    };
    match name.as_str() {
        "HOST" => arg.add(ArgValueCompleter::new(hosts::candidates)),
        "FILE" | "PATH" => arg.add(ArgValueCompleter::new(PathCompleter::any().stdio())),
        "DIR" => arg.add(ArgValueCompleter::new(PathCompleter::dir())),
        "COMMAND" if arg.is_positional() => arg.add(ArgValueCompleter::new(programs::Programs)),
        "STATE" => {
            let states = state::known();
            arg.add(ArgValueCompleter::new(move |word: &OsStr| {
                beginning(&states, word)
            }))
        }
        "GROUP" => arg.add(ArgValueCompleter::new(|word: &OsStr| {
            jobs::marks(word, "g:")
        })),
        "TAG" => arg.add(ArgValueCompleter::new(|word: &OsStr| {
            jobs::marks(word, "+")
        })),
        name if name.starts_with("JOB") => arg.add(ArgValueCompleter::new(move |word: &OsStr| {
            jobs::candidates(word, which)
        })),
        _ => arg,
    }
}

/// The names that begin with `word`.
fn beginning(names: &[String], word: &OsStr) -> Vec<CompletionCandidate> {
    let word = word.to_string_lossy();
    let found = names.iter().filter(|name| name.starts_with(&*word));
    found.map(CompletionCandidate::new).collect()
}
