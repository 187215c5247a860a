//! Which files a watch is about: its globs, the rules of `.gitignore` files, and what nobody wants to be watched.
//!
//! Directories that are ignored are not watched, so the rules are only asked about entries of directories that are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Candidate, GlobSet, GlobSetBuilder};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::glob;
use super::watch::Watch;

/// Directories that are never watched, unless they are named as paths: those of version control, as in watchexec, and
/// installed packages, which are as many as a system has watches.
const DIRECTORIES: [&str; 9] = [
    ".git",
    ".hg",
    ".svn",
    ".bzr",
    ".jj",
    "_darcs",
    ".pijul",
    "node_modules",
    "__pycache__",
];

/// Files that editors and systems leave for a moment, as in watchexec, and the file with which vim tests whether it
/// may write.
const FILES: [&str; 12] = [
    ".*.sw?",
    ".*.sw?x",
    "*~",
    "4913",
    "#*#",
    ".#*",
    ".*.kate-swp",
    "*.pyc",
    "*.pyo",
    ".DS_Store",
    ".fossil-settings",
    ".goutputstream-*",
];

/// The globs of one watch.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The directory of the file that defines it; globs with a `/` are relative to it.
    dir: PathBuf,
    only: Option<GlobSet>,
    ignored: GlobSet,
    left_over: GlobSet,
    has_gitignore: bool,
}

impl Filter {
    /// The globs of a watch whose file is in `dir`.
    pub fn new(watch: &Watch, dir: &Path) -> Self {
        let only = watch.only.iter().map(|text| match text.strip_suffix('/') {
            // All files of a directory.
            Some(dir) => format!("{}/**", anywhere(dir)),
            None => anywhere(text),
        });
        let ignored = watch.ignore.iter().map(|text| {
            // The directory itself is ignored then, and not entered.
            anywhere(text.trim_end_matches("/**").trim_end_matches('/'))
        });
        Self {
            dir: dir.to_owned(),
            only: (!watch.only.is_empty()).then(|| set(only)),
            ignored: set(ignored),
            left_over: set(FILES.into_iter().map(str::to_owned)),
            has_gitignore: watch.gitignore,
        }
    }

    /// Whether the directory `path` in a watched directory is watched, too.
    pub fn enters(&self, path: &Path, rules: &GitRules) -> bool {
        let name = path.file_name().unwrap_or_default();
        !DIRECTORIES.iter().any(|known| *known == name)
            && !self.ignored.is_match(self.relative(path))
            && !self.git_ignores(path, true, rules)
    }

    /// Whether the file `path` in a watched directory is one that the watch is about.
    pub fn takes(&self, path: &Path, rules: &GitRules) -> bool {
        let name = path.file_name().unwrap_or_default();
        let path_here = Candidate::new(self.relative(path));
        let is_wanted = |only: &GlobSet| only.is_match_candidate(&path_here);
        !self.left_over.is_match(name)
            && self.only.as_ref().is_none_or(is_wanted)
            && !self.ignored.is_match_candidate(&path_here)
            && !self.git_ignores(path, false, rules)
    }

    fn git_ignores(&self, path: &Path, is_dir: bool, rules: &GitRules) -> bool {
        self.has_gitignore && rules.ignore(path, is_dir)
    }

    /// Whether it follows the rules of `.gitignore` files.
    pub fn has_gitignore(&self) -> bool {
        self.has_gitignore
    }

    fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.dir).unwrap_or(path)
    }
}

/// A glob without a `/` is for any depth, as in `.gitignore` files. `./x` is `x` in the directory of the file.
fn anywhere(text: &str) -> String {
    match text.strip_prefix("./") {
        Some(rest) => rest.trim_start_matches("./").to_owned(),
        None if text.contains('/') => text.trim_start_matches('/').to_owned(),
        None => format!("**/{text}"),
    }
}

fn set(globs: impl Iterator<Item = String>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    // They were checked when the file was read.
    for glob in globs.filter_map(|text| glob::check(&text).ok()) {
        set.add(glob);
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

/// The rules of `.gitignore` files that hold in a directory: of its own file, and of those above it.
#[derive(Clone, Debug, Default)]
pub struct GitRules(Option<Arc<Layer>>);

#[derive(Debug)]
struct Layer {
    rules: Gitignore,
    above: GitRules,
}

impl GitRules {
    /// These rules, and those of a file for the directory `dir`, which win. Lines that are not valid are left out, as
    /// git does.
    #[must_use]
    pub fn with(&self, dir: &Path, text: &str) -> Self {
        let mut rules = GitignoreBuilder::new(dir);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let _ = rules.add_line(None, line);
        }
        match rules.build() {
            Ok(rules) if !rules.is_empty() => Self(Some(Arc::new(Layer {
                rules,
                above: self.clone(),
            }))),
            _ => self.clone(),
        }
    }

    /// Whether they ignore an entry of the directory.
    fn ignore(&self, path: &Path, is_dir: bool) -> bool {
        let mut next = &self.0;
        while let Some(layer) = next {
            match layer.rules.matched(path, is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = &layer.above.0,
            }
        }
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::watch::WatchDo;
    use super::*;

    fn filter(only: &[&str], ignore: &[&str]) -> Filter {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let watch = Watch {
            paths: vec!["/p".into()],
            only: texts(only),
            ignore: texts(ignore),
            gitignore: true,
            debounce_ms: 300,
            what: WatchDo::Restart,
            cascade: false,
        };
        Filter::new(&watch, Path::new("/p"))
    }

    fn takes(filter: &Filter, path: &str) -> bool {
        filter.takes(Path::new(path), &GitRules::default())
    }

    fn enters(filter: &Filter, path: &str) -> bool {
        filter.enters(Path::new(path), &GitRules::default())
    }

    #[test]
    fn a_glob_without_a_slash_is_for_any_depth_and_one_with_a_slash_for_one_place() {
        let rust = filter(&["*.rs", "web/*.ts", "lib/**/*.c"], &[]);
        for path in ["/p/a.rs", "/p/src/deep/a.rs", "/p/web/a.ts", "/p/lib/x/y.c"] {
            assert!(takes(&rust, path), "{path}");
        }
        for path in ["/p/a.md", "/p/other/web/a.ts", "/p/x/lib/y.c"] {
            assert!(!takes(&rust, path), "{path}");
        }
        assert!(takes(&filter(&[], &[]), "/p/anything"));
    }

    #[test]
    fn a_glob_may_begin_with_the_directory_itself_and_name_a_directory() {
        for (text, taken, left) in [
            ("./src/*.rs", "/p/src/a.rs", "/p/x/src/a.rs"),
            ("./*.rs", "/p/a.rs", "/p/src/a.rs"),
            ("src/", "/p/web/src/deep/a.rs", "/p/src.rs"),
            ("./src/", "/p/src/deep/a.rs", "/p/web/src/a.rs"),
            ("web/src/", "/p/web/src/a.rs", "/p/web/a.rs"),
        ] {
            let filter = filter(&[text], &[]);
            assert!(takes(&filter, taken), "{text}");
            assert!(!takes(&filter, left), "{text}");
        }
        let one = filter(&[], &["./dist/", "./a.log"]);
        assert!(!enters(&one, "/p/dist") && enters(&one, "/p/web/dist"));
        assert!(!takes(&one, "/p/a.log") && takes(&one, "/p/web/a.log"));
    }

    #[test]
    fn ignored_directories_are_not_entered_however_they_are_written() {
        for text in ["dist", "dist/", "dist/**"] {
            let filter = filter(&[], &[text]);
            assert!(!enters(&filter, "/p/dist"), "{text}");
        }
        let one = filter(&[], &["web/dist", "*.log"]);
        assert!(!enters(&one, "/p/web/dist") && enters(&one, "/p/dist"));
        assert!(!takes(&one, "/p/deep/build.log") && takes(&one, "/p/log"));
    }

    #[test]
    fn what_nobody_wants_is_left_out() {
        let all = filter(&[], &[]);
        for path in ["/p/.git", "/p/web/node_modules", "/p/.hg"] {
            assert!(!enters(&all, path), "{path}");
        }
        assert!(enters(&all, "/p/.github"));
        for path in ["/p/.main.rs.swp", "/p/4913", "/p/main.rs~", "/p/.#main.rs"] {
            assert!(!takes(&all, path), "{path}");
        }
        assert!(takes(&all, "/p/.env"));
    }

    #[test]
    fn the_nearest_rule_of_git_wins() {
        let all = filter(&[], &[]);
        let top = GitRules::default().with(Path::new("/p"), "\u{feff}target/\n*.log\n# c\n[");
        assert!(!all.enters(Path::new("/p/target"), &top));
        assert!(all.takes(Path::new("/p/target"), &top), "it is a file");
        assert!(!all.takes(Path::new("/p/web/x.log"), &top));
        let web = top.with(Path::new("/p/web"), "!keep.log\n/x.rs");
        assert!(all.takes(Path::new("/p/web/keep.log"), &web));
        assert!(!all.takes(Path::new("/p/web/other.log"), &web));
        assert!(!all.takes(Path::new("/p/web/x.rs"), &web));
        assert!(all.takes(Path::new("/p/web/deep/x.rs"), &web));
        let mut without = all.clone();
        without.has_gitignore = false;
        assert!(without.takes(Path::new("/p/web/x.rs"), &web));
    }
}
