//! Completion of the command line by TAB.
//!
//! The scripts for shells ([`script`]) call bgproc again with [`VARIABLE`] set, and it answers with what may
//! follow. So the verbs, options and jobs are always those of now. Targets are completed with the [`jobs`] that
//! there are, and with those of the project file of this directory; no daemon is started for that.

mod hosts;
pub mod jobs;
mod project;
pub mod script;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Arg, Command};
use clap_complete::engine::ArgValueCompleter;
use clap_complete::env::{EnvCompleter, Shells};

/// The variable by which the script of a shell asks for completions; its value is the name of the shell.
pub const VARIABLE: &str = "BGPROC_COMPLETE";

/// How the values of options and arguments that name jobs begin in help.
const JOB: &str = "JOB";

/// Answers a script that asks for completions. `args` are the name of the program, `--`, and the words of the
/// command line. Returns `None` if this is no such call.
pub fn answer(args: &[OsString], grammar: fn() -> Command) -> Option<io::Result<()>> {
    let shell = std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty())?;
    let escape = args.iter().position(|word| word == "--")?;
    let words = args[escape + 1..].to_vec();
    let shell = completer(&shell.to_string_lossy())?;
    let mut grammar = with_jobs(grammar());
    let here = std::env::current_dir().ok();
    let mut answer = Vec::new();
    let outcome = shell.write_complete(&mut grammar, words, here.as_deref(), &mut answer);
    Some(outcome.and_then(|()| io::stdout().write_all(&answer)))
}

/// How the help calls an argument that names a host.
const HOST: &str = "HOST";

/// The completer for a shell, by its name.
fn completer(shell: &str) -> Option<&'static dyn EnvCompleter> {
    const SHELLS: Shells<'static> = Shells::builtins();
    SHELLS.0.iter().copied().find(|known| known.is(shell))
}

/// A grammar whose targets are completed with jobs.
fn with_jobs(mut grammar: Command) -> Command {
    grammar.build();
    grammar.mut_subcommands(|verb| {
        let which = jobs::Which::of(verb.get_name());
        let verb = verb.mut_subcommands(|part| part.mut_args(with_hosts));
        verb.mut_args(|arg| match names_jobs(&arg) {
            true => arg.add(ArgValueCompleter::new(move |word: &std::ffi::OsStr| {
                jobs::candidates(word, which)
            })),
            false => with_hosts(arg),
        })
    })
}

/// An argument that names a host is completed with the hosts.
fn with_hosts(arg: Arg) -> Arg {
    let names = arg.get_value_names().unwrap_or_default();
    match names.iter().any(|name| name == HOST) {
        true => arg.add(ArgValueCompleter::new(hosts::candidates)),
        false => arg,
    }
}

fn names_jobs(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.starts_with(JOB))
}
