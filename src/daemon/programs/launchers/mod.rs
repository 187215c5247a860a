//! Arguments and variables with which an allowed program starts another program. If an allow-list
//! is in force, they are refused.
//!
//! An allow-list with `git` allows what git does by itself, but not programs that an argument such
//! as `-c core.pager=…` makes it run. The rules here cover what the command line and the variables
//! show. Files that a program reads (a repository's hooks, a makefile) can start programs as well,
//! and are not checked: an allow-list is not a sandbox.

mod git;
mod options;
mod variables;

use super::shell_line::Argument;
use options::{RULES, cluster};
pub(crate) use variables::is_starting;

/// Describes the argument of `program` that starts another program, if there is one.
pub(crate) fn starting(program: &str, arguments: &[Argument]) -> Option<String> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let rules = RULES.iter().find(|rules| rules.names.contains(&name))?;
    // The result of a shell expansion is not known here. It may be an option, unless the text
    // before the expansion begins with something other than a dash.
    let unknown = |argument: &&Argument| {
        argument.is_expanded && (argument.begins.is_empty() || argument.begins.starts_with('-'))
    };
    if let Some(argument) = arguments.iter().find(unknown) {
        let shown = &argument.text;
        return Some(format!(
            "an argument of {name} that the shell expands (`…{shown}`)"
        ));
    }
    let words: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.text.as_str())
        .collect();
    let words = words.as_slice();
    let found = match name {
        "git" => git::starting(words),
        "zip" => zip(words),
        _ => None,
    };
    found
        .or_else(|| rules.option(words))
        .map(|what| format!("`{what}` of {name}, which runs another program"))
}

/// Rules for zip only, whose `-TT` is one option, also behind others in a word.
fn zip<'a>(words: &[&'a str]) -> Option<&'a str> {
    let is_refused = |word: &&str| cluster(word).is_some_and(|letters| letters.contains("TT"));
    words.iter().copied().find(is_refused)
}

#[cfg(test)]
mod tests;
