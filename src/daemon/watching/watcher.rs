//! Watches the files of jobs: the state, and what waits for what.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::scan::{Outcome, Start};
use super::tree::{JobId, Tree};
use super::{Changes, JobKey, Wanted};
use crate::daemon::clock::now;
use crate::engine::project::watching::{Batch, Pending, Print};
use crate::project::filter::Filter;
use crate::protocol::Error;
use crate::sys::file_watch::{Adder, DirId, Event, FileWatch, Happened};

/// Pause between two looks at the events while there are many, so that thousands of them wake the daemon a few times
/// only. The kernel keeps 16,384 events.
const PAUSE: Duration = Duration::from_millis(10);

/// Directories whose watch is ended at once. Each is an event, too.
const LEAVE_AT_ONCE: usize = 500;

/// Something to tell about a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Report {
    /// All its files are watched from now on.
    Set(JobKey),
    /// They are not, for this reason.
    Failed(JobKey, String),
    /// Something has happened to files, to this one first if that is known. What follows from it is told later.
    Pending(JobKey, Option<PathBuf>),
    /// Nothing is pending any more: it was told, or was no change.
    Settled(JobKey),
    /// Files have changed.
    Changed(JobKey, Changes),
}

/// Watches the files of jobs.
pub(crate) struct Watcher {
    pub(super) events: FileWatch,
    pub(super) adder: Arc<Adder>,
    pub(super) tree: Tree,
    pub(super) jobs: BTreeMap<JobId, Job>,
    pub(super) last_id: JobId,
    /// What is to be scanned next.
    pub(super) starts: Vec<Start>,
    /// The jobs that the scan in progress sets up for the first time.
    pub(super) setting: BTreeSet<JobId>,
    pub(super) is_scanning: bool,
    /// Events of directories that are not known yet.
    pub(super) waiting: Vec<Waiting>,
    /// Directories that nobody watches any more.
    pub(super) leaving: BTreeSet<DirId>,
    pub(super) work: JoinSet<Result<Done, Error>>,
    pub(super) next_read: Instant,
    pub(super) reports: Vec<Report>,
}

pub(super) struct Job {
    pub(super) wanted: Wanted,
    pub(super) filter: Arc<Filter>,
    pub(super) pending: Pending,
    pub(super) git_lock: Option<PathBuf>,
    /// Whether its files are watched.
    pub(super) is_set: bool,
    pub(super) has_failed: bool,
    /// Whether its changes are being looked at.
    pub(super) is_checking: bool,
    /// Whether it was told that something is pending.
    is_pending: bool,
    /// Number of the last change that it has seen, as all before it.
    pub(super) seq: u64,
    /// Number of the last change up to which it has seen single files, if that is later: another job looked at files
    /// at the same time.
    pub(super) ahead: BTreeMap<PathBuf, u64>,
}

/// An event of a directory that is not known yet.
pub(super) struct Waiting {
    pub(super) dir: DirId,
    pub(super) name: OsString,
    pub(super) what: Happened,
    pub(super) is_dir: bool,
}

/// Work of another thread that is done.
pub(super) enum Done {
    Scan(Outcome, Vec<Start>),
    /// The batch waits for git, which is changing files if this is true.
    WaitsForGit(JobId, Batch, bool),
    /// What the files of a batch are now; changes up to this number are not in it.
    Checked(JobId, Batch, u64, Vec<(PathBuf, Option<Print>)>),
}

impl Watcher {
    /// Watches nothing yet.
    pub(crate) fn new() -> io::Result<Self> {
        let events = FileWatch::new()?;
        Ok(Self {
            adder: Arc::new(events.adder()?),
            events,
            tree: Tree::default(),
            jobs: BTreeMap::new(),
            last_id: 0,
            starts: Vec::new(),
            setting: BTreeSet::new(),
            is_scanning: false,
            waiting: Vec::new(),
            leaving: BTreeSet::new(),
            work: JoinSet::new(),
            next_read: Instant::now(),
            reports: Vec::new(),
        })
    }

    /// Whether there is nothing to watch and nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.jobs.is_empty() && self.tree.is_empty() && self.leaving.is_empty() && !self.is_scanning
    }

    /// Watches the files of these jobs, and no others. A job whose watch differs is watched anew.
    pub(crate) fn want(&mut self, wanted: Vec<Wanted>) {
        let is_known = |job: &Job| wanted.contains(&job.wanted);
        let gone = self.jobs.iter().filter(|(_, job)| !is_known(job));
        let gone: Vec<JobId> = gone.map(|(id, _)| *id).collect();
        self.drop_jobs(&gone);
        let mut new = Vec::new();
        for wanted in wanted {
            if self.jobs.values().any(|job| job.wanted == wanted) {
                continue;
            }
            self.last_id += 1;
            new.push(self.last_id);
            let job = Job {
                filter: Arc::new(Filter::new(&wanted.watch, &wanted.dir)),
                pending: Pending::new(wanted.watch.debounce_ms),
                git_lock: None,
                is_set: false,
                has_failed: false,
                is_checking: false,
                is_pending: false,
                seq: 0,
                ahead: BTreeMap::new(),
                wanted,
            };
            self.jobs.insert(self.last_id, job);
        }
        if !new.is_empty() {
            self.starts.push(Start::Paths(new));
        }
    }

    /// Waits until there is something to tell.
    pub(crate) async fn reports(&mut self) -> io::Result<Vec<Report>> {
        loop {
            self.begin_scan();
            self.begin_checks();
            self.leave_some();
            self.tell_pending();
            if !self.reports.is_empty() {
                return Ok(std::mem::take(&mut self.reports));
            }
            let due = self.next_due();
            let may_leave = !self.leaving.is_empty() && !self.is_scanning;
            let (next_read, events) = (self.next_read, &self.events);
            let readable = async {
                if next_read > Instant::now() {
                    sleep_until(next_read).await;
                }
                events.has_events().await
            };
            tokio::select! {
                ready = readable => {
                    ready?;
                    self.read()?;
                }
                Some(done) = self.work.join_next() => match done {
                    Ok(Ok(done)) => self.done(done),
                    Ok(Err(error)) => return Err(io::Error::other(error.message)),
                    Err(error) => return Err(io::Error::other(error)),
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
                () = tokio::task::yield_now(), if may_leave => {}
            }
        }
    }

    /// Tells for which jobs something is pending, so that it is not lost with this daemon.
    fn tell_pending(&mut self) {
        for job in self.jobs.values_mut() {
            let is_pending = job.is_checking || job.pending.due().is_some();
            if is_pending == job.is_pending {
                continue;
            }
            job.is_pending = is_pending;
            let key = job.wanted.job.clone();
            self.reports.push(if is_pending {
                Report::Pending(key, job.pending.first_file().map(PathBuf::from))
            } else {
                Report::Settled(key)
            });
        }
    }

    /// When the next job reacts.
    fn next_due(&self) -> Option<Instant> {
        let due = self.jobs.values().filter(|job| !job.is_checking);
        let due = due.filter_map(|job| job.pending.due()).min()?;
        Some(Instant::now() + Duration::from_millis(due.saturating_sub(now().boot)))
    }

    fn read(&mut self) -> io::Result<()> {
        self.next_read = Instant::now() + PAUSE;
        let mut seen = Vec::new();
        let mut is_lost = false;
        self.events.read(|event| match event {
            Event::Lost => is_lost = true,
            Event::In {
                dir,
                name,
                what,
                is_dir,
            } => seen.push(Waiting {
                dir,
                name: name.to_owned(),
                what,
                is_dir,
            }),
        })?;
        for event in seen {
            self.event(event);
        }
        if is_lost {
            self.lost();
        }
        Ok(())
    }

    /// Takes jobs out. Directories that nobody else watches are left.
    fn drop_jobs(&mut self, ids: &[JobId]) {
        for id in ids {
            self.jobs.remove(id);
            self.setting.remove(id);
        }
        self.leave(ids);
    }

    pub(super) fn leave(&mut self, ids: &[JobId]) {
        if !ids.is_empty() {
            let idle = self.tree.leave(None, |id, _| ids.contains(&id));
            self.leaving.extend(idle);
        }
    }

    /// Ends the watch of some directories. Not during a scan, which may be adding them again.
    fn leave_some(&mut self) {
        if self.is_scanning {
            return;
        }
        for _ in 0..LEAVE_AT_ONCE {
            let Some(dir) = self.leaving.pop_first() else {
                return;
            };
            self.events.remove(dir);
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Scan(outcome, starts) => self.scanned(outcome, &starts),
            Done::WaitsForGit(id, batch, is_at_work) => {
                if let Some(job) = self.jobs.get_mut(&id) {
                    job.is_checking = false;
                    job.pending.wait_for_git(batch, is_at_work, now().boot);
                }
            }
            Done::Checked(id, batch, seq, prints) => self.checked(id, &batch, seq, prints),
        }
    }
}
