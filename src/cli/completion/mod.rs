//! Completion of the command line by TAB.
//!
//! The scripts for shells ([`script`]) call bgproc again with [`VARIABLE`] set, and it answers with what may
//! follow. So the verbs, options and jobs are always those of now. `grammar` says what completes which argument:
//! targets are completed with the [`jobs`] that there are, and with those of the project file of this directory; no
//! daemon is started for that. `hosts` completes the names of hosts. The words of a command are completed with
//! `programs` and files. `bash` and `nushell` are what the scripts of these shells have of their own.

mod bash;
mod grammar;
mod hosts;
pub mod jobs;
mod nushell;
mod programs;
pub mod script;

use std::ffi::OsString;
use std::io::{self, Write};

use bash::Bash;
use clap::Command;
use clap_complete::env::{EnvCompleter, Shells};
use nushell::Nushell;

/// The variable by which the script of a shell asks for completions; its value is the name of the shell.
pub const VARIABLE: &str = "BGPROC_COMPLETE";

/// Answers a script that asks for completions. `args` are the name of the program, `--`, and the words of the
/// command line. Returns `None` if this is no such call.
pub fn answer(args: &[OsString], grammar: fn() -> Command) -> Option<io::Result<()>> {
    let shell = std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty())?;
    let escape = args.iter().position(|word| word == "--")?;
    let mut words = args[escape + 1..].to_vec();
    let shell = completer(&shell.to_string_lossy())?;
    let cursor = cursor(&words);
    let mut grammar = grammar::with_completers(grammar(), &mut words, cursor);
    let here = std::env::current_dir().ok();
    let mut answer = Vec::new();
    let outcome = shell.write_complete(&mut grammar, words, here.as_deref(), &mut answer);
    Some(outcome.and_then(|()| io::stdout().write_all(&answer)))
}

/// The place of the word at the cursor. fish, which does not say it, sends no words behind that one.
fn cursor(words: &[OsString]) -> usize {
    let told = std::env::var("_CLAP_COMPLETE_INDEX").ok();
    let told = told.and_then(|place| place.parse().ok());
    told.unwrap_or_else(|| words.len().saturating_sub(1))
}

/// The completer for a shell, by its name.
fn completer(shell: &str) -> Option<&'static dyn EnvCompleter> {
    const SHELLS: Shells<'static> = Shells::builtins();
    let ours: [&dyn EnvCompleter; 2] = [&Bash, &Nushell];
    ours.into_iter()
        .chain(SHELLS.0.iter().copied())
        .find(|known| known.is(shell))
}
