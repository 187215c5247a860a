//! The project of this directory, as its file says it: what it means to the daemon is not asked.

use crate::cli::disk::Disk;
use crate::project::{ProcfileOptions, Project, Source, find, load};

/// The project; `None` without a file that can be read. A person who presses TAB is not told why.
pub(super) fn here() -> Option<Project> {
    let here = std::env::current_dir().ok()?;
    let found = find(&Disk, &here).ok().flatten()?;
    let source = Source {
        dir: found.dir,
        paths: found.paths,
        procfile: ProcfileOptions::default(),
    };
    load(&Disk, &source).ok()
}
