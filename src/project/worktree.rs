//! Which checkout of a repository a directory belongs to, from the files of git alone.

use std::path::{Path, PathBuf};

use super::files::{FileKind, Files};
use super::names;

/// Maximum size of the small files that git keeps, in bytes.
const MAX_FILE: u64 = 64 * 1024;

/// A checkout of a repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkout {
    /// Its directory.
    pub root: PathBuf,
    /// The directory of the main checkout. In a bare repository with worktrees it is the repository.
    pub main: PathBuf,
    /// The branch; `None` if the head is detached.
    pub branch: Option<String>,
    /// Whether it is a linked worktree, and not the main checkout.
    pub is_linked: bool,
}

impl Checkout {
    /// What tells it from the main checkout in names: its branch or directory; nothing for the main checkout.
    pub fn label(&self) -> String {
        if !self.is_linked {
            return String::new();
        }
        let dir = || self.root.file_name().unwrap_or_default().to_string_lossy();
        self.branch.clone().unwrap_or_else(|| dir().into_owned())
    }

    /// The path in the main checkout that corresponds to `path` in this one.
    pub fn in_main(&self, path: &Path) -> Option<PathBuf> {
        Some(self.main.join(path.strip_prefix(&self.root).ok()?))
    }
}

/// The directory with `.git` that `dir` is in.
pub(super) fn git_root<'a>(files: &dyn Files, dir: &'a Path) -> Option<&'a Path> {
    dir.ancestors()
        .find(|dir| matches!(files.look(&dir.join(".git")), Ok(Some(_))))
}

/// The checkout that the canonical directory `dir` belongs to; `None` outside of repositories.
pub fn checkout(files: &dyn Files, dir: &Path) -> Option<Checkout> {
    let root = git_root(files, dir)?;
    let git = root.join(".git");
    let is_dir = files.look(&git).ok()??.kind == FileKind::Dir;
    if is_dir {
        return Some(Checkout {
            root: root.to_owned(),
            main: root.to_owned(),
            branch: branch(files, &git),
            is_linked: false,
        });
    }
    let line = first_line(files, &git)?;
    let own = root.join(line.strip_prefix("gitdir:")?.trim());
    let branch = branch(files, &own);
    // A submodule has a `.git` file too, but no `commondir`: it is a main checkout.
    let common = first_line(files, &own.join("commondir"));
    let main = common.map(|common| {
        let common = names::without_dots(&own.join(common.trim()));
        let common = files.canonical(&common).unwrap_or(common);
        match common.file_name() {
            Some(name) if name == ".git" => common.parent().unwrap_or(&common).to_owned(),
            _ => common,
        }
    });
    Some(Checkout {
        root: root.to_owned(),
        is_linked: main.is_some(),
        main: main.unwrap_or_else(|| root.to_owned()),
        branch,
    })
}

fn branch(files: &dyn Files, git: &Path) -> Option<String> {
    let head = first_line(files, &git.join("HEAD"))?;
    let reference = head.strip_prefix("ref:")?.trim();
    let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
    (!branch.is_empty()).then(|| branch.to_owned())
}

fn first_line(files: &dyn Files, path: &Path) -> Option<String> {
    let content = files.read(path, MAX_FILE).ok()?;
    let text = String::from_utf8(content).ok()?;
    text.lines().next().map(str::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::memory::Memory;
    use super::*;

    fn world() -> Memory {
        Memory::with(&[
            ("/r/main/.git/HEAD", "ref: refs/heads/trunk\n"),
            ("/r/main/src/x", ""),
            (
                "/r/main/.git/worktrees/w/HEAD",
                "ref: refs/heads/fix/login\n",
            ),
            ("/r/main/.git/worktrees/w/commondir", "../..\n"),
            ("/r/w/.git", "gitdir: /r/main/.git/worktrees/w\n"),
            ("/r/w/apps/x", ""),
            ("/r/main/.git/worktrees/d/HEAD", "0123456789abcdef\n"),
            ("/r/main/.git/worktrees/d/commondir", "../..\n"),
            ("/r/d/.git", "gitdir: ../main/.git/worktrees/d\n"),
            ("/r/main/.git/modules/sub/HEAD", "ref: refs/heads/main\n"),
            ("/r/main/sub/.git", "gitdir: ../.git/modules/sub\n"),
            ("/r/bare.git/worktrees/b/HEAD", "ref: refs/heads/b\n"),
            ("/r/bare.git/worktrees/b/commondir", "../..\n"),
            ("/r/b/.git", "gitdir: /r/bare.git/worktrees/b\n"),
            ("/r/broken/.git", "nonsense\n"),
        ])
    }

    fn of(dir: &str) -> Checkout {
        checkout(&world(), Path::new(dir)).unwrap()
    }

    #[test]
    fn main_checkout_and_linked_worktrees() {
        let main = of("/r/main/src");
        assert_eq!(
            (main.root.as_path(), main.is_linked),
            (Path::new("/r/main"), false)
        );
        assert_eq!(main.branch.as_deref(), Some("trunk"));
        assert_eq!(main.label(), "");
        let linked = of("/r/w/apps");
        assert_eq!(linked.root, Path::new("/r/w"));
        assert_eq!(
            (linked.main.as_path(), linked.is_linked),
            (Path::new("/r/main"), true)
        );
        assert_eq!(linked.label(), "fix/login");
        let there = linked.in_main(Path::new("/r/w/apps/.env"));
        assert_eq!(there.unwrap(), Path::new("/r/main/apps/.env"));
    }

    #[test]
    fn detached_heads_submodules_and_bare_repositories() {
        let detached = of("/r/d");
        assert_eq!(
            (detached.branch.clone(), detached.label()),
            (None, "d".to_owned())
        );
        assert_eq!(detached.main, Path::new("/r/main"));
        let sub = of("/r/main/sub");
        assert_eq!(
            (sub.main.as_path(), sub.is_linked),
            (Path::new("/r/main/sub"), false)
        );
        let bare = of("/r/b");
        assert_eq!(
            (bare.main.as_path(), bare.is_linked),
            (Path::new("/r/bare.git"), true)
        );
        assert_eq!(checkout(&world(), Path::new("/r/broken")), None);
        assert_eq!(checkout(&world(), Path::new("/r")), None);
    }
}
