//! What the files of git say: which files it ignores, and that it is changing files.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::project::filter::GitRules;

/// Largest file that is read, in bytes.
const MOST_RULES: u64 = 1024 * 1024;

/// The rules of git that hold in a directory, except those of its own file.
pub(super) fn rules_above(dir: &Path) -> GitRules {
    let Some(root) = checkout(dir) else {
        return GitRules::default();
    };
    let mut rules = GitRules::default();
    // Later ones win.
    if let Some(own) = ignore::gitignore::gitconfig_excludes_path() {
        rules = with_file(&rules, root, &own);
    }
    if let Some(common) = git_dir(root).map(|git| common_dir(&git)) {
        rules = with_file(&rules, root, &common.join("info/exclude"));
    }
    let above: BTreeSet<&Path> = dir.ancestors().skip(1).collect();
    for dir in above.into_iter().filter(|dir| dir.starts_with(root)) {
        rules = with_file(&rules, dir, &dir.join(".gitignore"));
    }
    rules
}

/// The checkout that a directory is in.
pub(super) fn checkout(dir: &Path) -> Option<&Path> {
    let is_root = |dir: &&Path| dir.join(".git").symlink_metadata().is_ok();
    dir.ancestors().find(is_root)
}

pub(super) fn with_file(rules: &GitRules, dir: &Path, file: &Path) -> GitRules {
    let read = || -> io::Result<Vec<u8>> {
        let meta = file.metadata()?;
        match meta.is_file() && meta.len() <= MOST_RULES {
            true => std::fs::read(file),
            false => Ok(Vec::new()),
        }
    };
    match read() {
        Ok(text) => rules.with(dir, &String::from_utf8_lossy(&text)),
        Err(_) => rules.clone(),
    }
}

/// The file that exists while git changes files, if `dir` is a checkout.
pub(super) fn git_lock(dir: &Path) -> Option<PathBuf> {
    Some(git_dir(dir)?.join("index.lock"))
}

/// The directory of git of a checkout: `.git`, or where a file of this name leads.
fn git_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let meta = git.metadata().ok()?;
    if meta.is_dir() {
        return Some(git);
    }
    let text = std::fs::read_to_string(&git)
        .ok()
        .filter(|_| meta.len() < MOST_RULES)?;
    let own = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    Some(root.join(own))
}

/// The directory that the worktrees of a repository share.
fn common_dir(git: &Path) -> PathBuf {
    let common = std::fs::read_to_string(git.join("commondir"));
    common.map_or_else(|_| git.to_owned(), |common| git.join(common.trim()))
}
