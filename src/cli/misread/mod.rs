//! Explains arguments that could not be parsed: which value an option needs, which verb was meant, what is
//! not supported yet.
//!
//! clap's own messages are not used, because they suggest to pass a mistyped option as a value
//! (`-- --nmae`), which is never what was meant.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, CommandFactory, Parser};

use crate::cli::Cli;
use crate::cli::exit::{Exit, Failure};
use crate::cli::front;
use crate::cli::verb::{Verb, is_topic};
use crate::protocol::suggest::nearest;

/// Explains what is wrong with `args`, which begin with the program's name.
pub(crate) fn explain(args: &[OsString], error: &clap::Error) -> Failure {
    let words: Vec<&str> = args.iter().skip(1).filter_map(|arg| arg.to_str()).collect();
    let grammars = Verb::grammars();
    let mut rest = words.iter();
    let verb = rest.find(|word| grammars.find_subcommand(word).is_some());
    let grammar = verb.and_then(|verb| grammars.find_subcommand(verb));
    let part = rest.find(|word| {
        let part = grammar.and_then(|grammar| grammar.find_subcommand(word));
        part.is_some()
    });
    let wrong = Wrong {
        error,
        args,
        verb: verb.copied(),
        part: part.copied(),
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
    args: &'a [OsString],
    verb: Option<&'a str>,
    /// The verb below it, as in `hosts add`.
    part: Option<&'a str>,
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

    /// The verb as it was typed: `stop`, `hosts add`.
    fn name(&self) -> String {
        let verb = self.verb.unwrap_or("bgproc");
        match self.part {
            Some(part) => format!("{verb} {part}"),
            None => verb.to_owned(),
        }
    }

    fn grammar(&self) -> Command {
        let grammar = self.verb.and_then(Verb::grammar).unwrap_or_default();
        let part = self.part.and_then(|part| grammar.find_subcommand(part));
        part.cloned().unwrap_or(grammar)
    }

    fn help(&self) -> Option<String> {
        let verb = self.verb?;
        if self.part.is_some() {
            return Some(format!("bgproc {} --help lists its arguments", self.name()));
        }
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
        let message = format!("{} has no option {flag}", self.name());
        if flag == "-t"
            && let Some(line) = self.without_target(verb)
        {
            return (message, Some(format!("the job is an argument: {line}")));
        }
        let known = flags(&self.grammar());
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

    /// The command for somebody who names the job as in tmux, with `-t JOB`.
    fn without_target(&self, verb: &str) -> Option<String> {
        let ours = self.grammar().get_name().to_owned();
        let takes_it = ["attach", "capture", "keys"].contains(&ours.as_str());
        let mut words = self.args.iter().skip(1).filter_map(|word| word.to_str());
        words.find(|word| *word == verb).filter(|_| takes_it)?;
        let flag = words.find(|word| word.starts_with("-t"))?;
        let job = match flag.strip_prefix("-t") {
            Some(job) if !job.is_empty() => job,
            _ => words.next()?,
        };
        let words: Vec<&str> = ["bgproc", &ours, job].into_iter().chain(words).collect();
        let line = shlex::try_join(words.iter().copied()).ok();
        line.filter(|_| takes_it)
    }

    /// The option for which another one is missing: without it, nothing is.
    fn needy(&self) -> Option<&str> {
        let grammar = match self.verb {
            Some(_) => self.grammar(),
            None => Cli::command(),
        };
        let is_it = |place: usize, word: &str| {
            let own = place..=place + usize::from(takes_next(&grammar, word));
            let rest = self.args.iter().enumerate();
            let rest = rest.filter(|(place, _)| !own.contains(place));
            match Cli::try_parse_from(rest.map(|(_, word)| word)) {
                Ok(_) => true,
                Err(error) => error.kind() != ErrorKind::MissingRequiredArgument,
            }
        };
        let words = self.args.iter().enumerate().skip(1);
        let mut options = words
            .filter_map(|(place, word)| Some((place, word.to_str()?)))
            .filter(|(_, word)| word.starts_with('-') && !["-", "--"].contains(word));
        let (_, needy) = options.find(|(place, word)| is_it(*place, word))?;
        needy.split('=').next()
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
        let shown: Vec<String> = missing.iter().map(|name| plain_name(name)).collect();
        if self.verb.is_none() || missing.iter().any(|name| name.starts_with('-')) {
            let needy = self.needy().unwrap_or("this option");
            let message = format!("{needy} needs {}", all(&shown));
            return (message, self.help());
        }
        let verb = self.verb.unwrap_or("bgproc");
        let unfinished = || {
            (
                format!("{} needs {}", self.name(), all(&shown)),
                self.help(),
            )
        };
        if self.part.is_some() {
            return unfinished();
        }
        let jobs = missing.iter().any(|name| name.contains("JOB"));
        let hint = match verb {
            "stop" => "bgproc stop JOB...; --all ends every running job",
            "kill" => "bgproc kill JOB...; --all kills every running job",
            "rm" => "bgproc rm JOB...; bgproc clean removes all ended jobs",
            "run" | "add" => "bgproc run 'COMMAND LINE', or bgproc run PROGRAM ARGUMENT...",
            "env" | "exec" => "name a job of the project file; bgproc up -n lists them",
            _ if jobs => "name a job; bgproc ls lists all jobs, and `-` is the job used last",
            _ => return unfinished(),
        };
        let what = match verb {
            "run" | "add" => "a command",
            _ if jobs && missing.len() == 1 => "a job",
            _ => return unfinished(),
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
        let name = self.name();
        (format!("unexpected argument `{given}` for {name}"), hint)
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

/// The words for something that is missing: `NAME` for `<NAME>`, `--first, --last or --to N` for
/// `<--first|--last|--to <N>>`.
fn plain_name(shown: &str) -> String {
    let is_choice = shown.starts_with('<') && shown.contains('|');
    let inner = match is_choice {
        true => &shown[1..shown.len() - 1],
        false => shown,
    };
    let words: Vec<String> = inner
        .split('|')
        .map(|word| word.replace(['<', '>'], ""))
        .collect();
    either(&words)
}

/// Joins words as `a, b and c`.
fn all(words: &[String]) -> String {
    match words {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        words => words.concat(),
    }
}

/// Whether the next word is the value of this option.
fn takes_next(verb: &Command, option: &str) -> bool {
    verb.get_arguments().any(|argument| {
        let takes = argument.get_action().takes_values() && !argument.is_require_equals_set();
        takes && is_called(argument, option)
    })
}

/// Whether an option has this name, with its dashes.
fn is_called(argument: &Arg, flag: &str) -> bool {
    let long = argument.get_long().map(|long| format!("--{long}"));
    let short = argument.get_short().map(|short| format!("-{short}"));
    long.as_deref() == Some(flag) || short.as_deref() == Some(flag)
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
fn flags(grammar: &Command) -> Vec<String> {
    let shared = ["--json", "--color"].map(str::to_owned);
    let own = grammar.get_arguments().filter_map(|argument| {
        let long = argument.get_long().map(|long| format!("--{long}"));
        long.or_else(|| argument.get_short().map(|short| format!("-{short}")))
    });
    own.chain(shared).collect()
}

fn takes(verb: &Command, flag: &str) -> bool {
    verb.get_arguments().any(|argument| {
        let shown = !matches!(argument.get_action(), ArgAction::Help | ArgAction::Version);
        shown && is_called(argument, flag)
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
    fn what_is_missing_is_named_as_it_is_typed() {
        for (line, expected) in [
            ("run --exit-code true", "--exit-code needs --attach | "),
            ("run -g x --replace true", "--replace needs --name NAME | "),
            ("move x", "move needs --first, --last or --to N | "),
            ("share x", "share needs HOW | "),
            ("share", "share needs JOB and HOW | "),
            ("find", "find needs REGEX | "),
            (
                "hosts add",
                "hosts add needs NAME | bgproc hosts add --help ",
            ),
            (
                "daemon logs --bla",
                "daemon logs has no option --bla | bgproc daemon logs --help ",
            ),
            (
                "hosts install --form x",
                "hosts install has no option --form | did you mean --from?",
            ),
        ] {
            let said = said(line);
            assert!(said.starts_with(expected), "{line}: {said}");
        }
    }

    #[test]
    fn the_job_of_tmux_is_an_argument() {
        for (line, ours) in [
            ("capture-pane -t a1", "bgproc capture a1"),
            ("capture-pane -ta1", "bgproc capture a1"),
            ("attach -t a1", "bgproc attach a1"),
            ("send-keys -t a1 ls Enter", "bgproc keys a1 ls Enter"),
        ] {
            let said = said(line);
            let hint = format!(" has no option -t | the job is an argument: {ours}");
            assert!(said.ends_with(&hint), "{line}: {said}");
        }
        assert!(said("wait -t a1").ends_with("bgproc help wait lists its arguments"));
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
        assert_eq!(said("--scope x"), "--scope needs --serve");
        assert!(said("run").starts_with("run needs a command | "));
        assert!(said("restart").starts_with("restart needs a job | name a job; "));
        assert!(said("exec").ends_with("a job of the project file; bgproc up -n lists them"));
        assert!(said("keys").ends_with("bgproc keys --help lists its arguments"));
        assert!(said("--follow").starts_with("--follow is an option of "));
        assert!(said("./build.sh").ends_with("to run a program: bgproc run ./build.sh"));
        assert!(!said("run -Z true").contains("as a value"));
    }
}
