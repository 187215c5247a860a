//! The options of a verb as they were given, for a command that is proposed in its place.
//!
//! They are read from the grammar, so that no verb has to list its own ones: a proposal that forgets one does something
//! else than what was asked for.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::Context;
use crate::protocol::shell::quote;
use crate::term::sanitize::clean;

/// A verb and its options.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    verb: String,
    /// The id of an option, which is the name of its field, and how it is written.
    options: Vec<(String, String)>,
}

impl Context {
    /// The verb of this command, and its options.
    pub fn given(&self) -> Given {
        // They were understood before.
        Given::of((self.grammar)(), &self.words).unwrap_or_default()
    }
}

impl Given {
    /// The verb and the options of a command line, which begins with the name of the program. The options of every verb,
    /// such as `--json`, are not among them.
    fn of(mut grammar: Command, line: &[OsString]) -> Option<Self> {
        let matches = grammar.try_get_matches_from_mut(line).ok()?;
        let (verb, matches) = matches.subcommand()?;
        let arguments = grammar.find_subcommand(verb)?.get_arguments();
        let own = arguments.filter(|one| !one.is_positional() && !one.is_global_set());
        let options = own.flat_map(|one| {
            let id = one.get_id().as_str();
            let written = written(one, matches).into_iter();
            written.map(move |written| (id.to_owned(), written))
        });
        Some(Self {
            verb: verb.to_owned(),
            options: options.collect(),
        })
    }

    /// Without the options of these fields.
    #[must_use]
    pub fn without(mut self, fields: &[&str]) -> Self {
        self.options
            .retain(|(id, _)| !fields.contains(&id.as_str()));
        self
    }

    /// The same with `--yes`: `bgproc stop --yes --grace 5s`.
    pub fn unasked(&self) -> String {
        let options = self.options.iter().filter(|(id, _)| id != "yes");
        let options: String = options.map(|(_, written)| format!(" {written}")).collect();
        format!("bgproc {} --yes{options}", self.verb)
    }
}

/// An option as it is written, once for each time that it was given.
fn written(option: &Arg, matches: &ArgMatches) -> Vec<String> {
    let id = option.get_id().as_str();
    if matches.value_source(id) != Some(ValueSource::CommandLine) {
        return Vec::new();
    }
    let name = match (option.get_long(), option.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => return Vec::new(),
    };
    if !option.get_action().takes_values() {
        return vec![name];
    }
    let values = matches.get_raw(id).into_iter().flatten();
    let values = values.map(|value| clean(&value.to_string_lossy()));
    let with_value = |value: String| {
        let is_joined = option.is_require_equals_set() || value.starts_with('-');
        let between = if is_joined { '=' } else { ' ' };
        format!("{name}{between}{}", quote(&value))
    };
    values.map(with_value).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn options_are_written_as_they_were_given() {
        for (line, without, expected) in [
            ("stop db", &[][..], "bgproc stop --yes"),
            (
                "--json stop -t 5s db -s=INT -H gpu1",
                &[],
                "bgproc stop --yes --grace 5s --signal INT",
            ),
            ("stop --all -y", &["all"], "bgproc stop --yes"),
            (
                "restart -e A=1 --env-file=-x -eB=2 db --color never",
                &[],
                "bgproc restart --yes --env A=1 --env B=2 --env-file=-x",
            ),
            ("rm -f db", &[], "bgproc rm --yes --force"),
            (
                "up --wait=false --timeout 1m -x db web --all-or-none --exit-code-from web",
                &[],
                "bgproc up --yes --except db --all-or-none --wait=false --timeout 1m --exit-code-from web",
            ),
            (
                "down --now --file my.toml",
                &[],
                "bgproc down --yes --file my.toml --now",
            ),
        ] {
            let words = ["bgproc"].into_iter().chain(line.split(' '));
            let words: Vec<OsString> = words.map(OsString::from).collect();
            let given = Given::of(Cli::command(), &words).unwrap_or_default();
            assert_eq!(given.without(without).unasked(), expected, "{line}");
        }
        let words = ["bgproc", "restart", "-e", "A=a b", "db"].map(OsString::from);
        let given = Given::of(Cli::command(), &words).unwrap_or_default();
        assert_eq!(given.unasked(), "bgproc restart --yes --env 'A=a b'");
    }
}
