//! Refuses files that other users can change: a project file is a program that runs as its user.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::files::{FileKind, Files, Look};

/// Mode bits: written by the group, written by others, only owners rename and delete in the directory.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// The owner of the system.
const ROOT: u32 = 0;

/// Checks files and the directories on the way to them. Each directory is looked at once.
pub(super) struct Trust<'a> {
    files: &'a dyn Files,
    checked: RefCell<BTreeMap<PathBuf, Option<String>>>,
}

impl<'a> Trust<'a> {
    pub(super) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            checked: RefCell::default(),
        }
    }

    /// Why a file is refused, if it is: another user can write to it, or to a directory on the way to it, both as
    /// it is written and without links.
    pub(super) fn refusal(&self, path: &Path) -> Option<String> {
        let canonical = self.files.canonical(path).ok();
        path.ancestors()
            .chain(canonical.iter().flat_map(|path| path.ancestors()))
            .find_map(|path| self.of(path))
    }

    fn of(&self, path: &Path) -> Option<String> {
        if let Some(known) = self.checked.borrow().get(path) {
            return known.clone();
        }
        let why = match self.files.look(path) {
            Ok(Some(look)) => self.of_look(path, &look),
            // What does not exist is reported by those who read it.
            Ok(None) => None,
            Err(error) => Some(format!("cannot look at {}: {error}", path.display())),
        };
        self.checked
            .borrow_mut()
            .insert(path.to_owned(), why.clone());
        why
    }

    fn of_look(&self, path: &Path, look: &Look) -> Option<String> {
        let shown = path.display();
        if look.uid != ROOT && !self.files.is_mine(look) {
            return Some(format!(
                "refused, because {shown} belongs to another user (uid {})",
                look.uid
            ));
        }
        let is_sticky = look.kind == FileKind::Dir && look.mode & STICKY != 0;
        let others = look.mode & OTHERS_WRITE != 0;
        let group = look.mode & GROUP_WRITES != 0 && !self.files.group_is_private(look.gid);
        let (who, letter) = match (others, group) {
            (true, _) => ("all users", "o"),
            (_, true) => ("its group", "g"),
            _ => return None,
        };
        (!is_sticky).then(|| {
            format!(
                "refused, because {who} can write to {shown}; `chmod {letter}-w {shown}` makes it safe"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::{ME, Memory};
    use super::*;

    const FILE: &str = "/home/u/p/bgproc.toml";

    fn why(own: &[(&str, u32, u32, u32)]) -> String {
        let mut files = Memory::with(&[(FILE, "")]);
        files.private = vec![ME];
        for (path, uid, gid, mode) in own {
            files.own(path, *uid, *gid, *mode);
        }
        let trust = Trust::new(&files);
        trust.refusal(Path::new(FILE)).unwrap_or_default()
    }

    #[test]
    fn the_exact_rule() {
        for (own, said) in [
            ((FILE, ME, ME, 0o644), ""),
            ((FILE, 0, 0, 0o644), ""),
            ((FILE, 1001, ME, 0o644), "another user (uid 1001)"),
            ((FILE, ME, ME, 0o664), ""),
            ((FILE, ME, 50, 0o664), "its group"),
            ((FILE, ME, ME, 0o666), "all users"),
            // Only a directory can be sticky.
            ((FILE, ME, ME, 0o1666), "all users"),
            (("/home/u/p", ME, ME, 0o777), "all users"),
            (("/home/u/p", ME, ME, 0o1777), ""),
            (("/home/u/p", 1001, ME, 0o1777), "another user"),
            (("/home", 0, 50, 0o775), "can write to /home;"),
            (("/", 0, 0, 0o1777), ""),
            (("/", 0, 0, 0o777), "can write to /;"),
        ] {
            let why = why(&[own]);
            assert!(why.contains(said), "{own:?}: {why}");
            assert_eq!(why.is_empty(), said.is_empty(), "{own:?}: {why}");
        }
    }

    #[test]
    fn links_are_followed_and_their_directories_count() {
        let mut files = Memory::with(&[("/safe/x", ""), ("/open/y", ""), ("/p/z", "")]);
        files.own("/open", ME, ME, 0o777);
        files.link("/p/bgproc.toml", "/open/y");
        files.link("/open/link", "/safe/x");
        let trust = Trust::new(&files);
        assert!(trust.refusal(Path::new("/p/bgproc.toml")).is_some());
        assert!(trust.refusal(Path::new("/open/link")).is_some());
        assert!(trust.refusal(Path::new("/safe/x")).is_none());
    }
}
