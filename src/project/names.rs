//! Names of jobs and groups, and paths.

use std::path::{Component, Path, PathBuf};

/// Maximum number of characters in a name of a job.
pub(super) const MAX_NAME: usize = 64;

/// What is said about a name that is not valid.
pub(super) const RULE: &str =
    "a name has up to 64 letters, digits, `_`, `.` and `-`, and starts with a letter or digit";

/// Whether a job, a group or a tag may have this name.
pub(super) fn is_valid(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|c| c.is_ascii_alphanumeric())
        && name.len() <= MAX_NAME
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

/// The job or group that `name` means inside the job or file with the prefix of `from`: jobs of an included file
/// see those of their own file first (`web/dev` finds `db` as `web/db`), then those further up.
pub(super) fn resolved(from: &str, name: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let mut scope = from;
    while let Some((outer, _)) = scope.rsplit_once('/') {
        let full = format!("{outer}/{name}");
        if exists(&full) {
            return Some(full);
        }
        scope = outer;
    }
    exists(name).then(|| name.to_owned())
}

/// The absolute path without `.` and `..`, without asking the file system.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_look_like_names() {
        for name in ["web", "1", "a.b_c-D", &"x".repeat(64)] {
            assert!(is_valid(name), "{name}");
        }
        for name in ["", "-x", ".x", "a b", "a/b", "ü", &"x".repeat(65)] {
            assert!(!is_valid(name), "{name}");
        }
    }

    #[test]
    fn an_included_job_sees_its_own_file_first() {
        let jobs = ["db", "web/db", "cache", "web/sub/x"];
        let found = |from, name| resolved(from, name, |name| jobs.contains(&name));
        assert_eq!(found("web/dev", "db").as_deref(), Some("web/db"));
        assert_eq!(found("web/sub/x", "db").as_deref(), Some("web/db"));
        assert_eq!(found("web/dev", "cache").as_deref(), Some("cache"));
        assert_eq!(found("api", "db").as_deref(), Some("db"));
        assert_eq!(found("api", "web/db").as_deref(), Some("web/db"));
        assert_eq!(found("api", "dev"), None);
    }

    #[test]
    fn dots_are_removed() {
        assert_eq!(without_dots(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(without_dots(Path::new("/../a")), Path::new("/a"));
    }
}
