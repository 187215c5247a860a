//! The names of arguments and options, as they are typed.

use clap::{Arg, ArgAction, Command};

use crate::protocol::suggest::{either, nearest};

/// Verbs that end jobs or remove something. They are proposed only for a slip of the finger.
pub(super) const DESTRUCTIVE: [&str; 10] = [
    "rm", "remove", "delete", "down", "stop", "kill", "clean", "prune", "clear", "signal",
];

/// Verbs that only bgproc itself runs.
pub(super) const INTERNAL: [&str; 2] = ["relay", "node"];

/// Options of every verb, which are proposed only for a slip of the finger, too: who writes `--port` does not mean
/// `--host`.
const SHARED: [&str; 2] = ["--host", "--utc"];

/// Words of at most so many letters are like too many others.
const SHORT: usize = 3;

/// The candidate that was meant by a mistyped word, with or without dashes.
pub(super) fn near<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = |word: &str| word.trim_start_matches('-').chars().count();
    let (lower, is_short) = (word.to_lowercase(), length(word) <= SHORT);
    let may_be = |candidate: &&str| {
        let is_one_edit = strsim::damerau_levenshtein(&lower, candidate) <= 1;
        if DESTRUCTIVE.contains(candidate) || SHARED.contains(candidate) {
            is_one_edit && !is_short
        } else {
            length(candidate) > 1 && (is_one_edit || !is_short)
        }
    };
    let candidates = candidates.into_iter().filter(may_be);
    nearest(word, candidates).filter(|_| length(word) > 1)
}

/// The name of an argument: `--rows` for `--rows <N>`, `--env` for `--env[=<full>]`, `JOB` for `[JOB]...`.
pub(super) fn option(shown: &str) -> String {
    let name = shown.trim_start_matches(['<', '[']);
    let end = name.find([' ', '[', ']', '>']).unwrap_or(name.len());
    name[..end].to_owned()
}

/// The words for something that is missing: `NAME` for `<NAME>`, `--first, --last or --to N` for
/// `<--first|--last|--to <N>>`.
pub(super) fn plain_name(shown: &str) -> String {
    let is_choice = shown.starts_with('<') && shown.contains('|');
    let inner = if is_choice {
        &shown[1..shown.len() - 1]
    } else {
        shown
    };
    let words: Vec<String> = inner
        .split('|')
        .map(|word| word.replace(['<', '>'], ""))
        .collect();
    either(&words)
}

/// Joins words as `a, b and c`.
pub(super) fn all(words: &[String]) -> String {
    match words {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        words => words.concat(),
    }
}

/// Whether the next word is the value of this option.
pub(super) fn takes_next(verb: &Command, option: &str) -> bool {
    verb.get_arguments().any(|argument| {
        let takes = argument.get_action().takes_values() && !argument.is_require_equals_set();
        takes && is_called(argument, option)
    })
}

/// Whether an option has this name, with its dashes.
pub(super) fn is_called(argument: &Arg, flag: &str) -> bool {
    let long = argument.get_long().map(|long| format!("--{long}"));
    let short = argument.get_short().map(|short| format!("-{short}"));
    long.as_deref() == Some(flag) || short.as_deref() == Some(flag)
}

/// The options of a verb, with their dashes.
pub(super) fn flags(grammar: &Command) -> Vec<String> {
    let shared = ["--json", "--color"].map(str::to_owned);
    let own = grammar.get_arguments().filter_map(|argument| {
        let long = argument.get_long().map(|long| format!("--{long}"));
        long.or_else(|| argument.get_short().map(|short| format!("-{short}")))
    });
    let rare = SHARED.map(str::to_owned);
    own.chain(shared).chain(rare).collect()
}

pub(super) fn takes(verb: &Command, flag: &str) -> bool {
    verb.get_arguments().any(|argument| {
        let shown = !matches!(argument.get_action(), ArgAction::Help | ArgAction::Version);
        shown && is_called(argument, flag)
    })
}
