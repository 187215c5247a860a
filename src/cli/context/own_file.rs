//! The project of this directory, as its file says it. What the daemon knows of it is what was applied, which may be
//! less, and nothing before the first `up`.

use std::env;
use std::path::{Path, PathBuf};

use crate::cli::disk::Disk;
use crate::client::host;
use crate::project::{Found, ProcfileOptions, Project, Source, find, load};

/// The project; `None` without a file that can be read. A caller who has another way is not told why.
pub(in crate::cli) fn here() -> Option<Project> {
    let found = found()?;
    read(found.dir, found.paths)
}

/// The project that these files define. A caller who has another way is not told why there is none.
pub(super) fn of(dir: &str, files: &[String]) -> Option<Project> {
    read(dir.into(), files.iter().map(PathBuf::from).collect())
}

/// The directory of the project around this one. On another host there is none.
pub(super) fn around() -> Option<PathBuf> {
    if host::chosen().is_some() {
        return None;
    }
    Some(found()?.dir)
}

/// The files of the project around this directory.
fn found() -> Option<Found> {
    find(&Disk, &env::current_dir().ok()?).ok().flatten()
}

fn read(dir: PathBuf, paths: Vec<PathBuf>) -> Option<Project> {
    let source = Source {
        dir,
        paths,
        procfile: ProcfileOptions::default(),
    };
    load(&Disk, &source).ok()
}

/// The job that a name means in a directory of a project: the job with this name or, below the directory of an included
/// file, the job of that file, as `dev` stands for `web/dev` in `apps/web`.
pub(super) fn named<'a>(project: &'a Project, dir: &Path, name: &str) -> Option<&'a str> {
    if let Some((own, _)) = project.jobs.get_key_value(name) {
        return Some(own);
    }
    let is_it = |full: &str| full.rsplit_once('/').is_some_and(|(_, bare)| bare == name);
    let jobs = project.jobs.iter();
    let of_file_here = jobs.filter(|(full, job)| is_it(full) && dir.starts_with(&job.dir));
    // Of files that include each other, the one of the innermost directory.
    let nearest = of_file_here.max_by_key(|(_, job)| job.dir.components().count());
    nearest.map(|(full, _)| full.as_str())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::project::memory::Memory;

    #[test]
    fn a_name_is_of_the_file_of_the_directory() {
        let root = "include = [\"apps/*/bgproc.toml\"]\n[jobs.db]\nrun = \"x\"\n";
        let web =
            "include = [\"e2e/bgproc.toml\"]\n[jobs.dev]\nrun = \"x\"\n[jobs.db]\nrun = \"x\"\n";
        let files = Memory::with(&[
            ("/p/bgproc.toml", root),
            ("/p/apps/web/bgproc.toml", web),
            ("/p/apps/web/e2e/bgproc.toml", "[jobs.dev]\nrun = \"x\"\n"),
        ]);
        let source = Source {
            dir: PathBuf::from("/p"),
            paths: vec![PathBuf::from("/p/bgproc.toml")],
            procfile: ProcfileOptions::default(),
        };
        let project = load(&files, &source).unwrap();
        let meant = |dir: &str, name: &str| named(&project, Path::new(dir), name);
        assert_eq!(meant("/p/apps/web/src", "dev"), Some("web/dev"));
        assert_eq!(meant("/p/apps/web/e2e", "dev"), Some("web/e2e/dev"));
        assert_eq!(meant("/p/apps/web", "web/dev"), Some("web/dev"));
        // What the root calls so comes first.
        assert_eq!(meant("/p/apps/web", "db"), Some("db"));
        for dir in ["/p", "/p/apps", "/p/apps/api"] {
            assert_eq!(meant(dir, "dev"), None);
        }
    }
}
