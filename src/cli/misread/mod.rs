//! Explains arguments that could not be parsed: which value an option needs, which verb was meant, what is
//! not supported yet.
//!
//! clap's own messages are not used, because they suggest to pass a mistyped option as a value
//! (`-- --nmae`), which is never what was meant.
//!
//! `elsewhere` explains verbs of other programs, `options` their options, `signals` what kill(1) takes; `words` reads
//! the names in clap's messages and finds the nearest ones.

mod elsewhere;
mod options;
pub(crate) mod signals;
#[cfg(test)]
mod tests;
mod words;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Parser};

use crate::cli::Cli;
use crate::cli::context::own_file;
use crate::cli::exit::{Exit, Failure};
use crate::cli::verb::{Verb, is_topic};
use crate::protocol::shell::quote;
use crate::protocol::suggest::either;
use elsewhere::{no_verb, no_verb_of};
use options::front_flag;
use words::{all, flags, near, option, plain_name, takes, takes_next};

/// Explains what is wrong with `args`, which begin with the program's name.
pub(crate) fn explain(args: &[OsString], error: &clap::Error) -> Failure {
    let words: Vec<&str> = args.iter().skip(1).filter_map(|arg| arg.to_str()).collect();
    let grammars = Verb::grammars();
    let front = Cli::command();
    // In `--allow ls`, it is the value of an option.
    let is_value = |at: usize| at > 0 && takes_next(&front, words[at - 1]);
    let at = (0..words.len())
        .find(|at| grammars.find_subcommand(words[*at]).is_some() && !is_value(*at));
    let verb = at.map(|at| words[at]);
    let grammar = verb.and_then(|verb| grammars.find_subcommand(verb));
    let mut rest = words.iter().skip(at.map_or(0, |at| at + 1));
    let part = rest.find(|word| {
        let part = grammar.and_then(|grammar| grammar.find_subcommand(word));
        part.is_some()
    });
    let part = part.copied();
    let wrong = Wrong {
        error,
        args,
        words: &words,
        verb,
        part,
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
    /// The words behind the program's name.
    words: &'a [&'a str],
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
                match self.verb.filter(|_| !self.is_before_verb(&word)) {
                    Some(verb) => no_verb_of(verb, &word),
                    None => no_verb(&word, self.behind(&word)),
                }
            }
            ErrorKind::ValueValidation => self.refused(),
            ErrorKind::InvalidValue => self.invalid(),
            ErrorKind::MissingRequiredArgument => {
                self.limit_of_batch().unwrap_or_else(|| self.missing())
            }
            ErrorKind::ArgumentConflict => self.conflict(),
            ErrorKind::TooManyValues => self.unexpected(&self.text(ContextKind::InvalidValue)),
            _ => (self.plain(), self.help()),
        }
    }

    /// Whether this argument stands before the verb. What follows an unknown verb may be the name of another one.
    fn is_before_verb(&self, given: &str) -> bool {
        let place = |wanted: &str| self.words.iter().position(|word| *word == wanted);
        match (place(given), self.verb.and_then(place)) {
            (Some(given), Some(verb)) => given < verb,
            _ => false,
        }
    }

    /// The words behind a word.
    fn behind(&self, word: &str) -> &[&str] {
        let place = self.words.iter().position(|own| *own == word);
        place.map_or(&[], |place| &self.words[place + 1..])
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
        Some(if is_topic(verb) {
            format!("bgproc {verb} --help lists its arguments")
        } else {
            format!("bgproc help {verb} lists its arguments")
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
        if let Some(line) = options::of_directory(&self.grammar(), flag, self.words) {
            let message = format!("{} has no option {flag}", self.name());
            let hint = format!("the project file says which project: {line}");
            return (message, Some(hint));
        }
        if self
            .words
            .iter()
            .take_while(|word| **word != verb)
            .any(|word| is_in(flag, word))
        {
            return if takes(&self.grammar(), flag) {
                (
                    format!("{flag} is an option of {}", self.name()),
                    Some(format!("write the verb first: {}", self.verb_first(verb))),
                )
            } else {
                front_flag(flag)
            };
        }
        let message = format!("{} has no option {flag}", self.name());
        if flag == "-t"
            && let Some(line) = self.without_target(verb)
        {
            return (message, Some(format!("the job is an argument: {line}")));
        }
        if let Some(hint) = options::known(&self.grammar(), flag) {
            return (message, Some(hint));
        }
        let known = flags(&self.grammar());
        match near(flag, known.iter().map(String::as_str)) {
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

    /// The command line with the verb before the options that are written before it.
    fn verb_first(&self, verb: &str) -> String {
        let mut parts = self.words.splitn(2, |word| *word == verb);
        let (options, rest) = (parts.next().unwrap_or(&[]), parts.next().unwrap_or(&[]));
        let is_run = ["run", "add"].contains(&verb);
        // A command takes all words behind it.
        let (first, last) = if is_run {
            (options, rest)
        } else {
            (rest, options)
        };
        let words = ["bgproc", verb].into_iter();
        let words = words
            .chain(first.iter().copied())
            .chain(last.iter().copied());
        let line = shlex::try_join(words).unwrap_or_default();
        if is_run && rest.is_empty() {
            format!("{line} COMMAND")
        } else {
            line
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
        // tmux prints a screen only with -p, bgproc always.
        let words = words.filter(|word| ours != "capture" || *word != "-p");
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

    /// A limit of batch jobs for a job of this machine.
    fn limit_of_batch(&self) -> Option<Said> {
        let missing = self.texts(ContextKind::InvalidArg);
        let is_missing = missing.iter().any(|name| option(name) == options::BATCH);
        let given = self.words.iter().filter_map(|word| word.split('=').next());
        is_missing.then(|| options::local_limit(given))?
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
        let near = near(&value, known.iter().map(String::as_str));
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
        // The jobs of another host are not those of a project here.
        let is_here = !self.names_host();
        let of_project = missing.len() == 1 && jobs && is_here && own_file::here().is_some();
        if let Some(hint) = whole_project(verb).filter(|_| of_project) {
            return (format!("{verb} needs a job"), Some(hint.to_owned()));
        }
        let hint = match verb {
            "stop" => "bgproc stop JOB...; --all ends every running job",
            "kill" => "bgproc kill JOB...; --all kills every running job",
            "rm" if self.words.contains(&"--failed") => {
                "bgproc clean --failed removes those that have failed"
            }
            "rm" if self.words.contains(&"--older") => {
                "bgproc clean --older TIME removes those that ended before"
            }
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
            return no_verb(given, self.behind(given));
        };
        let hint = match verb {
            "reload" => Some(format!(
                "it applies a changed project file; to run a job again: bgproc restart {}",
                quote(given)
            )),
            "down" => Some(format!(
                "it ends all jobs of the project here; to end one job: bgproc stop {}; all of another project: bgproc stop {}",
                quote(given),
                quote(&format!("{given}/*"))
            )),
            "exec" => Some(format!(
                "the command follows after --: bgproc exec JOB -- {}",
                quote(given)
            )),
            _ => self.help(),
        };
        let name = self.name();
        (format!("unexpected argument `{given}` for {name}"), hint)
    }

    /// Whether the line is about another host.
    fn names_host(&self) -> bool {
        let is_host = |word: &&&str| word.starts_with("-H") || is_in("--host", word);
        self.words.iter().any(|word| is_host(&word)) || std::env::var_os("BGPROC_HOST").is_some()
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

/// What does with all jobs of this directory's project what a verb does with those that it names.
fn whole_project(verb: &str) -> Option<&'static str> {
    Some(match verb {
        "start" => "bgproc start JOB...; bgproc up starts the project here",
        "stop" => "bgproc stop JOB...; bgproc down ends all jobs of the project here",
        "kill" => "bgproc kill JOB...; bgproc down --now kills all jobs of the project here",
        _ => return None,
    })
}

/// Whether an option is written in a word: `--on` in `--on=x`, `-o` in `-ox`.
pub(in crate::cli::misread) fn is_in(flag: &str, word: &str) -> bool {
    if flag.starts_with("--") {
        word.split('=').next() == Some(flag)
    } else {
        word.starts_with(flag) && !word.starts_with("--")
    }
}
