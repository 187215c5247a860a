//! Which project file is meant from a directory.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::fault::Fault;
use super::files::{FileKind, Files};
use super::load::{MAX_FILE, unreadable};
use super::trust::Trust;
use super::{include, worktree};

/// The names of project files. The first one that a directory has is used.
pub const NAMES: [&str; 4] = ["bgproc.toml", ".bgproc.toml", "Procfile.dev", "Procfile"];

/// The name of the file that is laid over `bgproc.toml`.
pub const LOCAL: &str = "bgproc.local.toml";

/// A project that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its canonical directory.
    pub dir: PathBuf,
    /// Its files; a later one is laid over those before it.
    pub paths: Vec<PathBuf>,
}

/// Finds the project of a directory: in it and in the directories above, up to the root of the git checkout if
/// there is one, else up to `/`. The nearest directory with a file wins; but if a file further up includes that
/// file, the project is the one of the file further up.
///
/// A file that other users can write to is a fault.
pub fn find(files: &dyn Files, from: &Path) -> Result<Option<Found>, Vec<Fault>> {
    let from = files
        .canonical(from)
        .map_err(|error| vec![unreadable(from, &error, MAX_FILE)])?;
    let top = worktree::git_root(files, &from).unwrap_or(Path::new("/"));
    let mut dirs = from.ancestors().take_while(|dir| dir.starts_with(top));
    let Some(mut path) = dirs.find_map(|dir| candidate(files, dir)) else {
        return Ok(None);
    };
    let trust = Trust::new(files);
    if let Some(why) = trust.refusal(&path) {
        return Err(vec![Fault::of_file(&path, why)]);
    }
    for outer in dirs.filter_map(|dir| candidate(files, dir)) {
        // What other users can write to does not decide which project is meant.
        if trust.refusal(&outer).is_none() && includes(files, &trust, &outer, &path) {
            path = outer;
        }
    }
    let dir = path.parent().unwrap_or(Path::new("/")).to_owned();
    let local = local(files, &path);
    let paths = std::iter::once(path).chain(local).collect();
    Ok(Some(Found { dir, paths }))
}

/// Whether a path is named like a Procfile.
pub fn is_procfile(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.ends_with(".toml") && (name.starts_with("Procfile") || name.ends_with(".procfile"))
}

/// The local file beside a TOML file, if there is one.
pub(super) fn local(files: &dyn Files, path: &Path) -> Option<PathBuf> {
    let local = path.with_file_name(LOCAL);
    (!is_procfile(path) && local != *path && is_file(files, &local)).then_some(local)
}

/// The project file of a directory.
fn candidate(files: &dyn Files, dir: &Path) -> Option<PathBuf> {
    let mut paths = NAMES.iter().map(|name| dir.join(name));
    paths.find(|path| is_file(files, path))
}

fn is_file(files: &dyn Files, path: &Path) -> bool {
    matches!(files.look(path), Ok(Some(look)) if look.kind == FileKind::File)
}

/// Whether the file `outer` includes `path`. Mistakes in it do not matter here: they are reported when it is
/// loaded.
fn includes(files: &dyn Files, trust: &Trust<'_>, outer: &Path, path: &Path) -> bool {
    if is_procfile(outer) || is_procfile(path) {
        return false;
    }
    let dir = outer.parent().unwrap_or(Path::new("/"));
    // The local file replaces the list, as it does when the files are merged.
    let local = local(files, outer).filter(|local| trust.refusal(local).is_none());
    let lists = local.into_iter().chain([outer.to_owned()]);
    let mut lists = lists.filter_map(|file| patterns(files, &file));
    let patterns = lists.next().unwrap_or_default();
    patterns
        .iter()
        .any(|pattern| include::is_match(dir, pattern, path))
}

/// The patterns of a file's `include`; `None` if it has none.
fn patterns(files: &dyn Files, path: &Path) -> Option<Vec<String>> {
    let content = files.read(path, MAX_FILE).ok()?;
    let text = String::from_utf8(content).ok()?;
    let (document, _) = DeTable::parse_recoverable(&text);
    let document = document.into_inner();
    let list = document
        .iter()
        .find(|(key, _)| key.get_ref() == "include")
        .map(|(_, value)| value.get_ref())?;
    let DeValue::Array(items) = list else {
        return None;
    };
    let patterns = items.iter().filter_map(|item| match item.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    });
    Some(patterns.collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::memory::{ME, Memory};
    use super::*;

    fn found(files: &[(&str, &str)], from: &str) -> Vec<String> {
        let found = find(&Memory::with(files), Path::new(from)).unwrap();
        let paths = found.map(|found| found.paths).unwrap_or_default();
        paths
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn the_nearest_directory_wins_and_the_git_root_ends_the_search() {
        let files = [
            ("/u/bgproc.toml", ""),
            ("/u/p/.git/HEAD", ""),
            ("/u/p/a/b/x", ""),
            ("/u/p/a/Procfile", ""),
            ("/u/p/c/x", ""),
            ("/u/q/x", ""),
        ];
        assert_eq!(found(&files, "/u/p/a/b"), ["/u/p/a/Procfile"]);
        assert_eq!(found(&files, "/u/p/c"), Vec::<String>::new());
        assert_eq!(found(&files, "/u/q"), ["/u/bgproc.toml"]);
    }

    #[test]
    fn names_have_an_order_and_a_local_file_is_laid_on_top() {
        let mut files = vec![
            ("/p/Procfile", ""),
            ("/p/Procfile.dev", ""),
            ("/p/bgproc.local.toml", ""),
        ];
        assert_eq!(found(&files, "/p"), ["/p/Procfile.dev"]);
        files.push(("/p/.bgproc.toml", ""));
        assert_eq!(
            found(&files, "/p"),
            ["/p/.bgproc.toml", "/p/bgproc.local.toml"]
        );
        files.push(("/p/bgproc.toml", ""));
        assert_eq!(
            found(&files, "/p"),
            ["/p/bgproc.toml", "/p/bgproc.local.toml"]
        );
    }

    #[test]
    fn a_file_that_a_root_includes_belongs_to_the_root() {
        let root = "include = [\"apps/*/bgproc.toml\"]\n";
        let inner = "include = [\"x/bgproc.toml\"]\n";
        let files = [
            ("/p/.git/HEAD", ""),
            ("/p/bgproc.toml", root),
            ("/p/apps/web/bgproc.toml", inner),
            ("/p/apps/web/src/x", ""),
            ("/p/apps/web/x/bgproc.toml", ""),
            ("/p/tools/bgproc.toml", ""),
        ];
        assert_eq!(found(&files, "/p/apps/web/src"), ["/p/bgproc.toml"]);
        assert_eq!(found(&files, "/p/apps/web/x"), ["/p/bgproc.toml"]);
        assert_eq!(found(&files, "/p/tools"), ["/p/tools/bgproc.toml"]);
    }

    #[test]
    fn files_of_others_are_refused() {
        let mut files = Memory::with(&[("/p/bgproc.toml", ""), ("/p/a/bgproc.toml", "")]);
        files.own("/p/a/bgproc.toml", ME, ME, 0o666);
        let faults = find(&files, Path::new("/p/a")).unwrap_err();
        assert!(
            faults
                .iter()
                .all(|fault| fault.message.starts_with("refused"))
        );
        assert!(find(&files, Path::new("/p")).is_ok());
        assert!(find(&files, Path::new("/none")).is_err());
    }

    #[test]
    fn a_local_file_of_others_does_not_decide_which_project_is_meant() {
        let mut files = Memory::with(&[
            ("/p/bgproc.toml", ""),
            ("/p/bgproc.local.toml", "include = [\"a/bgproc.toml\"]\n"),
            ("/p/a/bgproc.toml", ""),
        ]);
        let from = |files: &Memory| find(files, Path::new("/p/a")).unwrap().unwrap().dir;
        assert_eq!(from(&files), Path::new("/p"));
        files.own("/p/bgproc.local.toml", ME, ME, 0o666);
        assert_eq!(from(&files), Path::new("/p/a"));
    }
}
