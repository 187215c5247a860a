//! Verbs that bgproc does not have: those of other programs (`cli::elsewhere`), and mistyped ones.

use std::path::Path;

use super::Said;
use super::words::{INTERNAL, near};
use crate::cli::elsewhere::{PROGRAMS, command, instead};
use crate::cli::verb::{Verb, is_topic};
use crate::protocol::name::fault;
use crate::protocol::shell::quote;
use crate::protocol::suggest::either;

/// An unknown verb, and the words behind it.
pub(super) fn no_verb(word: &str, rest: &[&str]) -> Said {
    let message = format!("there is no verb `{word}`");
    let hint = instead(word).unwrap_or_else(|| guessed(word, rest));
    (message, Some(hint))
}

/// The command of bgproc for the words behind the name of another program, as in `overmind connect web`.
pub(super) fn translated(words: &[&str]) -> Option<String> {
    let (verb, rest) = words.split_first()?;
    let quoted: Vec<_> = rest.iter().map(|word| quote(word)).collect();
    if Verb::grammar(verb).is_some() && !INTERNAL.contains(verb) {
        return Some([vec![quote(verb)], quoted].concat().join(" "));
    }
    let ours = command(verb)?;
    let begin = [" JOB", " COMMAND"]
        .into_iter()
        .find_map(|end| ours.strip_suffix(end));
    let Some(begin) = begin.filter(|_| !rest.is_empty()) else {
        return Some(ours.to_owned());
    };
    // The options of the other program mean something else here, and its words may come in another order.
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_uppercase());
    let is_plain = !rest.iter().any(|word| word.starts_with('-')) && !begin.split(' ').any(is_name);
    Some(if is_plain {
        format!("{begin} {}", quoted.join(" "))
    } else {
        ours.to_owned()
    })
}

/// What is said about the name of another program and the words behind it.
fn of_program(word: &str, rest: &[&str]) -> Option<String> {
    let words: Vec<_> = rest.iter().map(|word| quote(word)).collect();
    let run = format!("to run a command: bgproc run {word} {}", words.join(" "));
    match translated(rest) {
        Some(ours) => Some(format!("use bgproc {ours}; {run}")),
        None => Some(format!("{}; {run}", instead(rest.first()?)?)),
    }
}

fn guessed(word: &str, rest: &[&str]) -> String {
    let grammars = Verb::grammars();
    if PROGRAMS.contains(&word)
        && let Some(said) = of_program(word, rest)
    {
        return said;
    }
    let known = grammars
        .get_subcommands()
        .filter(|verb| !INTERNAL.contains(&verb.get_name()))
        .flat_map(|verb| std::iter::once(verb.get_name()).chain(verb.get_all_aliases()));
    if is_topic(word) {
        return format!("bgproc help {word} shows that chapter");
    }
    let line = std::iter::once(&word).chain(rest).map(|word| quote(word));
    let line = line.collect::<Vec<_>>().join(" ");
    match near(word, known) {
        Some(near) => format!("did you mean {near}?"),
        // One argument of `run` is a shell line, in which a name with blanks needs quotes of its own.
        None if rest.is_empty() && Path::new(word).is_file() => {
            format!("to run a program: bgproc run {}", quote(&quote(word)))
        }
        None if word.contains(['/', '.']) => format!("to run a program: bgproc run {line}"),
        None if rest.is_empty() && fault(word).is_none() && !word.contains(' ') => format!(
            "bgproc help lists the verbs; to run a command: bgproc run {line}; for a job of this name: bgproc status {line}, or bgproc attach {line}"
        ),
        None => format!("bgproc help lists the verbs; to run a command: bgproc run {line}"),
    }
}

/// An unknown verb below a verb, as in `daemon stpo`.
pub(super) fn no_verb_of(verb: &str, word: &str) -> Said {
    let grammar = Verb::grammar(verb).unwrap_or_default();
    let known: Vec<String> = grammar
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
        .map(|verb| verb.get_name().to_owned())
        .collect();
    let hint = match near(word, known.iter().map(String::as_str)) {
        _ if (verb, word) == ("daemon", "restart") => {
            "bgproc daemon upgrade replaces daemon and keeper; jobs go on".to_owned()
        }
        Some(near) => format!("did you mean {verb} {near}?"),
        None => format!("its verbs are {}", either(&known)),
    };
    (format!("{verb} has no verb `{word}`"), Some(hint))
}
