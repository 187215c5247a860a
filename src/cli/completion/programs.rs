//! The programs of `PATH` and the files here as completions, for the words of a command.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};

/// Most programs that are offered.
const MOST: usize = 1000;

/// The place of a word in a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The program.
    Program,
    /// One of its arguments.
    Argument,
}

/// The programs that begin with `word`, or the files if it is an argument or a path.
pub(super) fn candidates(word: &OsStr, place: Place) -> Vec<CompletionCandidate> {
    let is_path = word.as_encoded_bytes().contains(&b'/');
    if place == Place::Argument || is_path {
        return PathCompleter::any().complete(word);
    }
    let word = word.to_string_lossy();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::env::split_paths(&path).filter_map(|dir| std::fs::read_dir(dir).ok());
    let found: BTreeSet<String> = dirs
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let fits = !word.is_empty() && name.starts_with(&*word);
            let mode = fits.then(|| entry.path().metadata().ok()).flatten()?;
            (mode.is_file() && mode.permissions().mode() & 0o111 != 0).then_some(name)
        })
        .collect();
    found
        .into_iter()
        .take(MOST)
        .map(CompletionCandidate::new)
        .collect()
}
