//! The grammar of the command line, with what completes the values of its arguments. How the help calls a value says
//! what it is.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter,
};

use super::jobs::Which;
use super::programs::Place;
use super::{hosts, jobs, programs};
use crate::cli::output::state;
use crate::cli::value::notice;
use crate::protocol::signal;

/// Adds the completers. Aliases are not offered beside the names that they stand for; the verb of `words` is replaced
/// by its name, so that what follows an alias is completed, too. `cursor` is the place of the word at the cursor.
pub(super) fn with_completers(grammar: Command, words: &mut [OsString], cursor: usize) -> Command {
    // Words that are not finished yet are no mistakes.
    let mut grammar = grammar.ignore_errors(true);
    grammar.build();
    let before = words.len().min(cursor);
    let before = &mut words[..before];
    for word in before.iter_mut() {
        let verb = word.to_str().and_then(|word| grammar.find_subcommand(word));
        if let Some(verb) = verb {
            *word = verb.get_name().into();
            break;
        }
    }
    let place = match program(&grammar, before) {
        Some(at) => {
            // So that the options of the program are not taken for ours.
            if before[at - 1] != "--" {
                before[at] = "--".into();
            }
            Place::Argument
        }
        None => Place::Program,
    };
    let verbs = grammar.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs: Vec<String> = verbs.map(|verb| verb.get_name().to_owned()).collect();
    let has_job = has_job(&grammar, before);
    grammar.mut_subcommands(|verb| {
        let which = Which::of(verb.get_name());
        let is_help = verb.get_name() == "help";
        // Without a name, all of them are cleared.
        let verb = verb.alias(None);
        let verb = verb
            .mut_subcommands(|part| part.mut_args(|arg| with_completer(arg, Which::Any, place)));
        verb.mut_args(|arg| {
            if is_help && arg.is_positional() {
                with_verbs(arg, verbs.clone())
            } else if has_job && ends_with_signal(&arg) {
                with_jobs_and_signals(arg, which)
            } else {
                with_completer(arg, which, place)
            }
        })
    })
}

/// The place of the program among these words, if they have one: its arguments follow. clap, which tells completers how
/// many values an argument has, counts the program and its first argument as one.
fn program(grammar: &Command, words: &[OsString]) -> Option<usize> {
    let parsed = grammar.clone().try_get_matches_from(words).ok()?;
    let (name, given) = parsed.subcommand()?;
    let verb = grammar.find_subcommand(name)?;
    let command = verb.get_positionals().find(|arg| is_command(arg))?;
    let count = given.get_raw(command.get_id().as_str())?.count();
    words.len().checked_sub(count).filter(|at| *at > 0)
}

/// Whether these words have a job behind which a signal may follow, as in `signal web`.
fn has_job(grammar: &Command, words: &[OsString]) -> bool {
    let Ok(parsed) = grammar.clone().try_get_matches_from(words) else {
        return false;
    };
    let Some((name, given)) = parsed.subcommand() else {
        return false;
    };
    let verb = grammar.find_subcommand(name);
    let words = verb.and_then(|verb| verb.get_positionals().find(|arg| ends_with_signal(arg)));
    words.is_some_and(|words| given.get_raw(words.get_id().as_str()).is_some())
}

/// Whether the values of an argument are jobs and a signal.
fn ends_with_signal(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.first().is_some_and(|name| name == "JOB... SIG")
}

/// The completer of further jobs, or of the signal behind them.
fn with_jobs_and_signals(arg: Arg, which: Which) -> Arg {
    arg.add(ArgValueCompleter::new(move |word: &OsStr| {
        let mut found = jobs::candidates(word, which);
        found.extend(signals(word));
        found
    }))
}

/// The signals that begin with `word`, with `SIG` if it has that.
fn signals(word: &OsStr) -> Vec<CompletionCandidate> {
    let begin = if word.as_encoded_bytes().starts_with(b"SIG") {
        "SIG"
    } else {
        ""
    };
    let names: Vec<String> = signal::names()
        .map(|name| format!("{begin}{name}"))
        .collect();
    beginning(&names, word)
}

/// Whether the values of an argument are a program and its arguments.
fn is_command(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    arg.is_positional() && names.first().is_some_and(|name| name == "COMMAND")
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

/// What `wait --for` takes; what a colon ends goes on.
const WAITS: [&str; 9] = [
    "exit", "ready", "command", "input", "quiet", "quiet:", "match:", "gone:", "port:",
];

/// What `run --restart` takes; a number may follow a colon.
const RESTARTS: [&str; 5] = ["no", "on-failure", "on-failure:", "always", "always:"];

/// The same argument, whose values are some of these words.
fn with_words(arg: Arg, words: impl IntoIterator<Item = String>) -> Arg {
    let words: Vec<String> = words.into_iter().collect();
    arg.add(ArgValueCompleter::new(move |word: &OsStr| {
        beginning(&words, word)
    }))
}

/// The completer of one argument.
fn with_completer(arg: Arg, which: Which, place: Place) -> Arg {
    let names = arg.get_value_names().unwrap_or_default();
    let Some(name) = names.first().map(|name| name.as_str().to_owned()) else {
        return arg;
    };
    match name.as_str() {
        "HOST" => arg.add(ArgValueCompleter::new(hosts::candidates)),
        "FILE" | "PATH" => arg.add(ArgValueCompleter::new(PathCompleter::any().stdio())),
        "DIR" => arg.add(ArgValueCompleter::new(PathCompleter::dir())),
        "COMMAND" if is_command(&arg) => arg.add(ArgValueCompleter::new(move |word: &OsStr| {
            programs::candidates(word, place)
        })),
        // Other states, such as those of `report`, are known to the grammar.
        "STATE" if arg.get_possible_values().is_empty() => with_words(arg, state::known()),
        "SIG" => arg.add(ArgValueCompleter::new(signals)),
        "WHAT" if arg.get_long() == Some("for") => with_words(arg, WAITS.map(str::to_owned)),
        "WHEN" if arg.get_long() == Some("restart") => with_words(arg, RESTARTS.map(str::to_owned)),
        "EVENT,..." => arg.add(ArgValueCompleter::new(|word: &OsStr| {
            last_of(&notice::WORDS, word)
        })),
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

/// The words of a list with commas with which the last one goes on, each with what is before it.
fn last_of(words: &[&str], list: &OsStr) -> Vec<CompletionCandidate> {
    let list = list.to_string_lossy();
    let begin = list.rfind(',').map_or(0, |comma| comma + 1);
    let (before, word) = list.split_at(begin);
    let is_new = |known: &&&str| !before.split(',').any(|own| own == **known);
    let found = words.iter().filter(|known| known.starts_with(word));
    found
        .filter(is_new)
        .map(|known| CompletionCandidate::new(format!("{before}{known}")))
        .collect()
}

/// The names that begin with `word`.
fn beginning(names: &[String], word: &OsStr) -> Vec<CompletionCandidate> {
    let word = word.to_string_lossy();
    let found = names.iter().filter(|name| name.starts_with(&*word));
    found.map(CompletionCandidate::new).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_last_word_of_a_list_is_completed() {
        let found = |list: &str| {
            let found = last_of(&["failed", "done", "exit"], OsStr::new(list));
            let texts = found.iter().map(|one| one.get_value().to_string_lossy());
            texts.map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(found("f"), ["failed"]);
        assert_eq!(found("failed,"), ["failed,done", "failed,exit"]);
        assert_eq!(found("done,failed,e"), ["done,failed,exit"]);
        assert!(found("failed,x").is_empty());
    }

    #[test]
    fn a_signal_follows_a_job() {
        let mut grammar = Cli::command().ignore_errors(true);
        grammar.build();
        for (words, expected) in [
            ("bgproc signal", false),
            ("bgproc signal --to tree", false),
            ("bgproc signal web", true),
            ("bgproc signal --to tree web db", true),
            ("bgproc stop web", false),
        ] {
            let split: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            assert_eq!(has_job(&grammar, &split), expected, "{words}");
        }
        let found = |word: &str| {
            let found = signals(OsStr::new(word)).into_iter();
            found
                .map(|one| one.get_value().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(found("US"), ["USR1", "USR2"]);
        assert_eq!(found("SIGUS"), ["SIGUSR1", "SIGUSR2"]);
    }

    #[test]
    fn arguments_follow_the_program() {
        let mut grammar = Cli::command().ignore_errors(true);
        grammar.build();
        for (words, at) in [
            ("bgproc run cat", Some(2)),
            ("bgproc run cat -n a", Some(2)),
            ("bgproc run -n web -e A=1 cat", Some(6)),
            ("bgproc run -- cat", Some(3)),
            ("bgproc exec api -- npm test", Some(4)),
            ("bgproc", None),
            ("bgproc run", None),
            ("bgproc run -n", None),
            ("bgproc run -n web", None),
            ("bgproc run --", None),
            ("bgproc exec api --", None),
            ("bgproc logs --command=2 web", None),
        ] {
            let split: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            assert_eq!(program(&grammar, &split), at, "{words}");
        }
    }
}
