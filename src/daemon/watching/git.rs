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
    match read(file) {
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
    let text = String::from_utf8(read(&git).ok()?).ok()?;
    let own = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    Some(root.join(own))
}

/// The directory that the worktrees of a repository share.
fn common_dir(git: &Path) -> PathBuf {
    let common = read(&git.join("commondir")).ok().map(String::from_utf8);
    match common {
        Some(Ok(common)) => git.join(common.trim()),
        _ => git.to_owned(),
    }
}

/// Reads a small file. What is larger or no regular file, such as a FIFO that would block, counts as empty.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let meta = file.metadata()?;
    if meta.is_file() && meta.len() <= MOST_RULES {
        std::fs::read(file)
    } else {
        Ok(Vec::new())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::File;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn what_cannot_be_a_file_of_git_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().join(".git");
        std::fs::write(&git, "gitdir: elsewhere\n").unwrap();
        let elsewhere = dir.path().join("elsewhere");
        assert_eq!(git_dir(dir.path()), Some(elsewhere.clone()));
        let large = File::options().write(true).open(&git).unwrap();
        large.set_len(MOST_RULES + 1).unwrap();
        assert_eq!(git_dir(dir.path()), None);
        std::fs::remove_file(&git).unwrap();
        mkfifoat(CWD, &git, Mode::RUSR).unwrap();
        assert_eq!(git_dir(dir.path()), None);
        std::fs::create_dir(&elsewhere).unwrap();
        mkfifoat(CWD, elsewhere.join("commondir"), Mode::RUSR).unwrap();
        assert_eq!(common_dir(&elsewhere), elsewhere);
    }
}
