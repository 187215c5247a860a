//! The programs of `PATH` and the files here as completions, for the words of a command.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};

/// Most programs that are offered.
const MOST: usize = 1000;

/// Completes the first word of a command with programs, and the others with files.
pub(super) struct Programs;

impl ValueCompleter for Programs {
    fn complete(&self, word: &OsStr) -> Vec<CompletionCandidate> {
        self.complete_at(0, word)
    }

    fn complete_at(&self, place: usize, word: &OsStr) -> Vec<CompletionCandidate> {
        let is_path = word.as_encoded_bytes().contains(&b'/');
        if place > 0 || is_path {
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
}
