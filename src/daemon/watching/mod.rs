//! The files that jobs of projects react to: which directories are watched for whom, and which files have changed.
//!
//! This room knows no sessions and no wishes: it is told what is [`Wanted`], and says what happened in [`Report`]s.
//! One inotify descriptor serves all projects, and a directory that several jobs watch is watched once. Whatever may
//! take long (walking directories, reading files) runs in another thread.
//!
//! - [`watcher`]: the state. It is driven by a task. [`events`]: what follows from each event. [`scans`]: what follows
//!   from what a scan has found. [`checks`]: which files really differ.
//! - [`tree`]: the watched directories, and what is remembered of their files.
//! - [`scan`]: walks directories and watches them. [`git`] reads git's files, and
//!   [`print`](mod@print) what is remembered of a file.
//!
//! # Nothing is missed
//!
//! A scan first watches a directory and then lists it. Events of directories that a scan has added and not reported
//! yet wait for its end. Files in a directory that appears count as changes.
//!
//! # What is remembered
//!
//! The size and a hash of the content of each file that a job watches, so that touch(1) and saving without a change
//! are no changes: at most [`tree::MOST_FILES`] files, of which a scan reads at most [`scan::MOST_BYTES`]; of larger
//! files ([`print::LARGE`]) the time of the last write. What is not remembered counts as changed when it is written.
//! It is not stored: what changes while no daemon runs is not noticed. That something has changed, and the reaction
//! is still to come, is told at once ([`Report::Pending`]), so that it outlives the daemon.

mod checks;
mod events;
mod git;
mod print;
mod scan;
mod scans;
mod tree;
mod watcher;

use std::path::PathBuf;

pub(crate) use watcher::{Report, Watcher};

use crate::daemon::projects::ProjectId;
pub(crate) use crate::engine::project::watching::Changes;
use crate::project::watch::Watch;

/// A job of a project.
pub(crate) type JobKey = (ProjectId, String);

/// A job whose files are to be watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub(crate) job: JobKey,
    /// The directory of the file that defines the job.
    pub(crate) dir: PathBuf,
    pub(crate) watch: Watch,
    /// Differs when what has failed is to be tried again.
    pub(crate) attempt: u32,
}
