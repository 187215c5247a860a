//! git: settings on the command line, subcommands that run programs, and transports that are commands.

use super::options::{Short, cluster, first_of};

/// Prefixes, in lower case, of git settings that name no program.
const HARMLESS_SETTINGS: [&str; 9] = [
    "user.name=",
    "user.email=",
    "color.",
    "advice.",
    "core.quotepath",
    "core.autocrlf",
    "core.abbrev",
    "init.defaultbranch",
    "safe.directory",
];

/// Subcommands of git that run a given or a configured program.
const GIT_VERBS: [&str; 12] = [
    "difftool",
    "mergetool",
    "filter-branch",
    "for-each-repo",
    "send-email",
    "instaweb",
    "web--browse",
    "daemon",
    "shell",
    "hook",
    "remote-ext",
    "remote-fd",
];

/// The argument of git that starts another program; `None` if there is none.
pub(super) fn starting<'a>(words: &[&'a str]) -> Option<&'a str> {
    let harmless = |setting: &str| {
        let setting = setting.to_lowercase();
        HARMLESS_SETTINGS
            .iter()
            .any(|begins| setting.starts_with(begins))
    };
    let mut rest = words.iter().copied().enumerate();
    let mut verb = None;
    while let Some((at, word)) = rest.next() {
        match word {
            "-c" => {
                let (_, setting) = rest.next()?;
                if !harmless(setting) {
                    return Some(setting);
                }
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--attr-source"
            | "--super-prefix" => drop(rest.next()),
            "-p" | "--paginate" => return Some(word),
            word if word.starts_with("-c") && !harmless(&word[2..]) => return Some(word),
            word if word.starts_with('-') => {}
            word => {
                verb = Some((at, word));
                break;
            }
        }
    }
    let (at, verb) = verb?;
    let arguments = &words[at + 1..];
    if let Some(url) = arguments
        .iter()
        .find(|word| word.starts_with("ext::") || word.starts_with("fd::"))
    {
        return Some(url);
    }
    let has_short = |refused: &str, takes: &str| {
        let is_refused = |word: &&str| {
            let first = cluster(word).map(|letters| first_of(letters, refused, takes));
            matches!(first, Some(Short::Refused))
        };
        arguments.iter().copied().find(is_refused)
    };
    let has = |wanted: &[&str]| arguments.iter().copied().find(|word| wanted.contains(word));
    match verb {
        _ if GIT_VERBS.contains(&verb) => Some(verb),
        "config" if !reads_settings(arguments) => Some(verb),
        "bisect" => has(&["run", "visualize", "view"]),
        "submodule" => has(&["foreach"]),
        "rebase" => has_short("x", "CsSXr"),
        "grep" => has_short("O", "efABCm"),
        // `-u` of clone means --upload-pack; `-u` of push and add is harmless.
        "clone" | "fetch" | "ls-remote" => has_short("uc", "bjo"),
        _ => None,
    }
}

/// What `git config` may do: read settings.
const READS: [&str; 7] = [
    "--get",
    "--get-all",
    "--get-regexp",
    "--list",
    "-l",
    "get",
    "list",
];

/// Options that may stand before that, with and without a word that follows.
const WITH_WORD: [&str; 5] = ["-f", "--file", "--blob", "--type", "--default"];
const ALONE: [&str; 12] = [
    "--global",
    "--system",
    "--local",
    "--worktree",
    "--show-origin",
    "--show-scope",
    "--name-only",
    "--null",
    "-z",
    "--includes",
    "--bool",
    "--int",
];

/// Whether the first word of `git config` that is no other option reads settings. Behind the name of a setting, such a word
/// is its value.
fn reads_settings(arguments: &[&str]) -> bool {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.split_once('=') {
            _ if READS.contains(word) => return true,
            _ if WITH_WORD.contains(word) => drop(rest.next()),
            _ if ALONE.contains(word) => {}
            Some((option, _)) if WITH_WORD.contains(&option) => {}
            _ => return false,
        }
    }
    false
}
