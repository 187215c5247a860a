//! The hosts of `config.toml` as completions.

use std::ffi::OsStr;

use clap_complete::engine::CompletionCandidate;

use crate::cli::settings::host::all;

/// The hosts whose names begin with `word`.
pub(super) fn candidates(word: &OsStr) -> Vec<CompletionCandidate> {
    let word = word.to_string_lossy();
    let names = names().into_iter();
    let found = names.filter(|(name, _)| name.starts_with(&*word));
    found
        .map(|(name, reach)| CompletionCandidate::new(name).help(Some(reach.into())))
        .collect()
}

/// The names of the hosts, and how they are reached; none if the configuration cannot be read.
pub(super) fn names() -> Vec<(String, String)> {
    let hosts = all().unwrap_or_default().into_iter();
    hosts
        .map(|host| (host.name.clone(), host.reached()))
        .collect()
}
