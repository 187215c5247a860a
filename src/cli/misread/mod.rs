//! Explains arguments that could not be parsed: which value an option needs, which verb was meant, what is
//! not supported yet.
//!
//! clap's own messages are not used, because they suggest to pass a mistyped option as a value
//! (`-- --nmae`), which is never what was meant.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Command};

use crate::cli::exit::{Exit, Failure};
use crate::cli::front;
use crate::cli::verb::{Verb, is_topic};
use crate::protocol::suggest::nearest;

/// Explains what is wrong with `args`, which begin with the program's name.
pub(crate) fn explain(args: &[OsString], error: &clap::Error) -> Failure {
    let words: Vec<&str> = args.iter().skip(1).filter_map(|arg| arg.to_str()).collect();
    let grammars = Verb::grammars();
    let verb = words
        .iter()
        .find(|word| grammars.find_subcommand(word).is_some());
    let wrong = Wrong {
        error,
        verb: verb.copied(),
    };
    let (message, hint) = wrong.explain();
    let failure = Failure::with_message(Exit::USAGE, message);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A parse error and the verb that it is about.
struct Wrong<'a> {
    error: &'a clap::Error,
    verb: Option<&'a str>,
}

type Said = (String, Option<String>);

impl Wrong<'_> {
    fn explain(&self) -> Said {
        match self.error.kind() {
            ErrorKind::UnknownArgument => self.unknown(),
            ErrorKind::InvalidSubcommand => {
                let word = self.text(ContextKind::InvalidSubcommand);
                match self.verb {
                    Some(verb) => no_verb_of(verb, &word),
                    None => no_verb(&word),
                }
            }
            ErrorKind::ValueValidation => self.refused(),
            ErrorKind::InvalidValue => self.invalid(),
            ErrorKind::MissingRequiredArgument => self.missing(),
            ErrorKind::ArgumentConflict => self.conflict(),
            ErrorKind::TooManyValues => self.unexpected(&self.text(ContextKind::InvalidValue)),
            _ => (self.plain(), self.help()),
        }
    }

    fn text(&self, kind: ContextKind) -> String {
        self.texts(kind).join(", ")
    }

    fn texts(&self, kind: ContextKind) -> Vec<String> {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }

    /// The first line of clap's own message.
    fn plain(&self) -> String {
        let text = self.error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        first.strip_prefix("error: ").unwrap_or(first).to_owned()
    }

    fn help(&self) -> Option<String> {
        let verb = self.verb?;
        // `help` prefers the chapter.
        Some(match is_topic(verb) {
            true => format!("bgproc {verb} --help lists its arguments"),
            false => format!("bgproc help {verb} lists its arguments"),
        })
    }

    /// An unknown option, or one argument too many.
    fn unknown(&self) -> Said {
        let given = self.text(ContextKind::InvalidArg);
        if !given.starts_with('-') {
            return self.unexpected(&given);
        }
        let flag = given.split('=').next().unwrap_or(&given);
        let Some(verb) = self.verb else {
            return front_flag(flag);
        };
        let message = format!("{verb} has no option {flag}");
        let known = flags(verb);
        match nearest(flag, known.iter().map(String::as_str)) {
            Some(near) => (message, Some(format!("did you mean {near}?"))),
            None if verb == "run" || verb == "add" => (
                message,
                Some(
                    "put options of the command after it; bgproc help run lists the options of run"
                        .to_owned(),
                ),
            ),
            None => (message, self.help()),
        }
    }

    /// A value that one of our parsers rejected.
    fn refused(&self) -> Said {
        let option = option(&self.text(ContextKind::InvalidArg));
        let why = match std::error::Error::source(self.error) {
            Some(source) => source.to_string(),
            None => return (self.plain(), self.help()),
        };
        let message = match why.split_once(' ') {
            // `--lines needs a number of at least 0, not "x"`
            Some(("needs", _)) => format!("{option} {why}"),
            _ => format!("{option}: {why}"),
        };
        (message, None)
    }

    /// A value that is not one of the accepted words, or a missing value.
    fn invalid(&self) -> Said {
        let option = option(&self.text(ContextKind::InvalidArg));
        let value = self.text(ContextKind::InvalidValue);
        let known = self.texts(ContextKind::ValidValue);
        if value.is_empty() && !known.is_empty() {
            return (format!("{option} needs {}", either(&known)), None);
        }
        if known.is_empty() {
            let names = self.text(ContextKind::InvalidArg);
            let what = names.split_once(' ').map_or("a value", |(_, name)| name);
            return (format!("{option} needs a value: {option} {what}"), None);
        }
        let message = format!("{option} needs {}, not \"{value}\"", either(&known));
        let near = nearest(&value, known.iter().map(String::as_str));
        (message, near.map(|near| format!("did you mean {near}?")))
    }

    fn missing(&self) -> Said {
        let missing = self.texts(ContextKind::InvalidArg);
        if self.verb.is_none() {
            return (
                format!("this option also needs {}", missing.join(", ")),
                None,
            );
        }
        let verb = self.verb.unwrap_or("bgproc");
        if let [option] = missing.as_slice()
            && option.starts_with('-')
        {
            let message = format!("{verb} needs {option}, too: another of its options wants that");
            return (message, self.help());
        }
        let jobs = missing.iter().any(|name| name.contains("JOB"));
        let hint = match verb {
            "stop" => "bgproc stop JOB...; --all ends every running job",
            "kill" => "bgproc kill JOB...; --all kills every running job",
            "rm" => "bgproc rm JOB...; bgproc clean removes all ended jobs",
            "run" | "add" => "bgproc run 'COMMAND LINE', or bgproc run PROGRAM ARGUMENT...",
            "env" | "exec" => "name a job of the project file; bgproc up -n lists them",
            _ if jobs => "name a job; bgproc ls lists all jobs, and `-` is the job used last",
            _ => return (format!("{verb} needs {}", missing.join(" ")), self.help()),
        };
        let what = match verb {
            "run" | "add" => "a command",
            _ if jobs && missing.len() == 1 => "a job",
            _ => return (format!("{verb} needs {}", missing.join(" ")), self.help()),
        };
        (format!("{verb} needs {what}"), Some(hint.to_owned()))
    }

    /// One argument, or one value of an argument, too many.
    fn unexpected(&self, given: &str) -> Said {
        let Some(verb) = self.verb else {
            return no_verb(given);
        };
        let hint = match verb {
            "exec" => Some(format!(
                "the command follows after --: bgproc exec JOB -- {given}"
            )),
            _ => self.help(),
        };
        (format!("unexpected argument `{given}` for {verb}"), hint)
    }

    fn conflict(&self) -> Said {
        let given = self.text(ContextKind::InvalidArg);
        let other = self.texts(ContextKind::PriorArg);
        let message = match other.as_slice() {
            [] => self.plain(),
            [other] if *other == given => format!("{} was given twice", option(&given)),
            others => {
                let others: Vec<_> = others.iter().map(|other| option(other)).collect();
                format!(
                    "{} cannot be used with {}",
                    option(&given),
                    others.join(", ")
                )
            }
        };
        (message, self.help())
    }
}

/// The name of an argument: `--rows` for `--rows <N>`, `--env` for `--env[=<full>]`, `JOB` for `[JOB]...`.
fn option(shown: &str) -> String {
    let name = shown.trim_start_matches(['<', '[']);
    let end = name.find([' ', '[', ']', '>']).unwrap_or(name.len());
    name[..end].to_owned()
}

/// Joins words as `a, b or c`.
fn either(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// The options of a verb, with their dashes.
fn flags(verb: &str) -> Vec<String> {
    let grammar = Verb::grammar(verb).unwrap_or_default();
    let shared = ["--json", "--color"].map(str::to_owned);
    let own = grammar.get_arguments().filter_map(|argument| {
        let long = argument.get_long().map(|long| format!("--{long}"));
        long.or_else(|| argument.get_short().map(|short| format!("-{short}")))
    });
    own.chain(shared).collect()
}

fn takes(verb: &Command, flag: &str) -> bool {
    verb.get_arguments().any(|argument| {
        let long = argument.get_long().map(|long| format!("--{long}"));
        let short = argument.get_short().map(|short| format!("-{short}"));
        let shown = !matches!(argument.get_action(), ArgAction::Help | ArgAction::Version);
        shown && (long.as_deref() == Some(flag) || short.as_deref() == Some(flag))
    })
}

/// An option before the verb.
fn front_flag(flag: &str) -> Said {
    let verbs: Vec<_> = Verb::grammars()
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set() && takes(verb, flag))
        .map(|verb| verb.get_name().to_owned())
        .collect();
    if let [first, ..] = verbs.as_slice() {
        let message = format!("{flag} is an option of {}", either(&verbs));
        let usage = if first == "run" { " COMMAND" } else { "" };
        return (
            message,
            Some(format!(
                "write the verb first: bgproc {first} {flag}{usage}"
            )),
        );
    }
    let message = format!("there is no option {flag}");
    let known = front::FLAGS.map(|flag| format!("--{flag}"));
    match nearest(flag, known.iter().map(String::as_str)) {
        Some(near) => (message, Some(format!("did you mean {near}?"))),
        None => (message, Some("bgproc help lists the options".to_owned())),
    }
}

/// An unknown verb.
fn no_verb(word: &str) -> Said {
    let message = format!("there is no verb `{word}`");
    if let Some((_, ours)) = ELSEWHERE.iter().find(|(theirs, _)| *theirs == word) {
        return (message, Some(format!("use bgproc {ours}")));
    }
    let grammars = Verb::grammars();
    let known = grammars
        .get_subcommands()
        .flat_map(|verb| std::iter::once(verb.get_name()).chain(verb.get_all_aliases()));
    let hint = match nearest(word, known) {
        Some(near) => format!("did you mean {near}?"),
        None if word.contains(['/', '.']) => format!("to run a program: bgproc run {word}"),
        None => format!("bgproc help lists the verbs; to run a command: bgproc run {word}"),
    };
    (message, Some(hint))
}

/// An unknown subcommand of a verb that has subcommands (`daemon`).
fn no_verb_of(verb: &str, word: &str) -> Said {
    let grammar = Verb::grammar(verb).unwrap_or_default();
    let known: Vec<String> = grammar
        .get_subcommands()
        .map(|verb| verb.get_name().to_owned())
        .collect();
    let hint = match nearest(word, known.iter().map(String::as_str)) {
        _ if (verb, word) == ("daemon", "restart") => {
            "bgproc daemon upgrade replaces daemon and keeper; jobs go on".to_owned()
        }
        Some(near) => format!("did you mean {verb} {near}?"),
        None => format!("its verbs are {}", either(&known)),
    };
    (format!("{verb} has no verb `{word}`"), Some(hint))
}

/// Verbs of other programs, with the verb of bgproc that does the same.
const ELSEWHERE: [(&str, &str); 18] = [
    ("jobs", "ls"),
    ("ps-a", "ls"),
    ("del", "rm"),
    ("terminate", "stop"),
    ("end", "stop"),
    // They also remove the session or container.
    ("kill-session", "stop JOB"),
    ("kill-server", "daemon stop --kill"),
    ("new-session", "run -a COMMAND"),
    ("rename-session", "rename JOB NAME"),
    ("restart-all", "restart JOB..."),
    ("output", "logs"),
    ("journal", "logs"),
    ("fg", "attach JOB"),
    ("bg", "run COMMAND"),
    ("new", "run COMMAND"),
    ("spawn", "run COMMAND"),
    ("upgrade", "daemon upgrade"),
    ("version", "--version"),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let words = line.split_whitespace().map(|word| word.replace('_', " "));
        let args: Vec<OsString> = std::iter::once("bgproc".to_owned())
            .chain(words)
            .map(|word| if word == "''" { String::new() } else { word })
            .map(OsString::from)
            .collect();
        let error = <crate::cli::Cli as clap::Parser>::try_parse_from(&args).unwrap_err();
        let failure = explain(&args, &error);
        match failure.advice() {
            Some(hint) => format!("{failure} | {hint}"),
            None => failure.to_string(),
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (line, expected) in [
            ("rnu true", "there is no verb `rnu` | did you mean run?"),
            ("jobs", "there is no verb `jobs` | use bgproc ls"),
            (
                "run --nmae x true",
                "run has no option --nmae | did you mean --name?",
            ),
            (
                "logs --folow",
                "logs has no option --folow | did you mean --follow?",
            ),
            (
                "logs -n x",
                "--lines needs a number of at least 0, not \"x\"",
            ),
            (
                "run --ready-port 0 true",
                "--ready-port needs a number from 1 to 65535, not \"0\"",
            ),
            (
                "run --timeout x true",
                "--timeout: `x` is not a duration; write 500ms, 10s, 5m or 2h",
            ),
            (
                "ls --color x",
                "--color needs auto, always or never, not \"x\"",
            ),
            ("run --name", "--name needs a value: --name <NAME>"),
            (
                "stop",
                "stop needs a job | bgproc stop JOB...; --all ends every running job",
            ),
            (
                "status a b",
                "unexpected argument `b` for status | bgproc help status lists its arguments",
            ),
            (
                "capture --html --svg a",
                "--html cannot be used with --svg | bgproc help capture lists its arguments",
            ),
        ] {
            assert_eq!(said(line), expected, "{line}");
        }
        assert_eq!(
            said("daemon stpo"),
            "daemon has no verb `stpo` | did you mean daemon stop?"
        );
        assert_eq!(said("--scope x"), "this option also needs --serve");
        assert!(said("run").starts_with("run needs a command | "));
        assert!(said("restart").starts_with("restart needs a job | name a job; "));
        assert!(said("exec").ends_with("a job of the project file; bgproc up -n lists them"));
        assert!(said("keys").ends_with("bgproc keys --help lists its arguments"));
        assert!(said("--follow").starts_with("--follow is an option of "));
        assert!(said("./build.sh").ends_with("to run a program: bgproc run ./build.sh"));
        assert!(!said("run -Z true").contains("as a value"));
    }
}
