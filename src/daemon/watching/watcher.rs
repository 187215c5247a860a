//! What follows from each event in a watched directory.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::print::print;
use super::scan::{self, Failure, Found, MOST_DIRECTORIES, Outcome, Scanned, Start};
use super::tree::{Dir, Interest, JobId, Tree};
use super::{Changes, JobKey, Wanted};
use crate::daemon::clock::now;
use crate::engine::project::watching::{Batch, Before, MANY, Pending, Print, Touch, is_change};
use crate::project::filter::Filter;
use crate::sys::file_watch::{self, Adder, DirId, Event, FileWatch, Happened};

/// Pause between two looks at the events while there are many, so that thousands of them wake the daemon a few times
/// only. The kernel keeps 16,384 events.
const PAUSE: Duration = Duration::from_millis(10);

/// Most events that wait for the end of a scan. More are taken as a change of everything.
const MOST_WAITING: usize = 20_000;

/// Directories whose watch is ended at once. Each is an event, too.
const LEAVE_AT_ONCE: usize = 500;

/// Number of changed files that are named.
const NAMED: usize = 20;

/// Something to tell about a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Report {
    /// All its files are watched from now on.
    Set(JobKey),
    /// They are not, for this reason.
    Failed(JobKey, String),
    /// Files have changed.
    Changed(JobKey, Changes),
}

/// Watches the files of jobs.
pub(crate) struct Watcher {
    events: FileWatch,
    adder: Arc<Adder>,
    tree: Tree,
    jobs: BTreeMap<JobId, Job>,
    last_id: JobId,
    /// What is to be scanned next.
    starts: Vec<Start>,
    /// The jobs that the scan in progress sets up for the first time.
    setting: BTreeSet<JobId>,
    is_scanning: bool,
    /// Events of directories that are not known yet.
    waiting: Vec<Waiting>,
    /// Directories that nobody watches any more.
    leaving: BTreeSet<DirId>,
    work: JoinSet<Done>,
    next_read: Instant,
    reports: Vec<Report>,
}

struct Job {
    wanted: Wanted,
    filter: Arc<Filter>,
    pending: Pending,
    git_lock: Option<PathBuf>,
    /// Whether its files are watched.
    is_set: bool,
    has_failed: bool,
    /// Whether its changes are being looked at.
    is_checking: bool,
    /// Number of the last change that it has seen.
    seq: u64,
}

/// An event of a directory that is not known yet.
struct Waiting {
    dir: DirId,
    name: OsString,
    what: Happened,
    is_dir: bool,
}

/// Work of another thread that is done.
enum Done {
    Scan(Outcome, Vec<Start>),
    /// Git is changing files.
    Locked(JobId, Batch),
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
                seq: 0,
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
                    Ok(done) => self.done(done),
                    Err(error) => return Err(io::Error::other(error)),
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
                () = tokio::task::yield_now(), if may_leave => {}
            }
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

    fn event(&mut self, event: Waiting) {
        if self.tree.get(event.dir).is_some() {
            self.known(&event);
        } else if self.is_scanning && event.what != Happened::Left {
            match self.waiting.len() < MOST_WAITING {
                true => self.waiting.push(event),
                false => self.lost(),
            }
        }
    }

    /// Handles an event that has waited for the end of a scan, which may have read the file before or after it.
    fn waited(&mut self, event: &Waiting) {
        let Some(dir) = self.tree.get(event.dir) else {
            return;
        };
        if !event.name.is_empty() && !event.is_dir && event.what != Happened::Closed {
            let path = dir.path.join(&event.name);
            self.tree.forget_file(&path);
        }
        self.known(event);
    }

    /// Events were lost: everything may have changed, and there may be directories that are not watched.
    fn lost(&mut self) {
        tracing::warn!(
            "events of watched files were lost; every job that watches files reacts once"
        );
        self.waiting.clear();
        self.tree.forget_files();
        let now = now().boot;
        let set = self.jobs.iter_mut().filter(|(_, job)| job.is_set);
        let ids: Vec<JobId> = set
            .map(|(id, job)| {
                job.pending.certain(now);
                *id
            })
            .collect();
        if !ids.is_empty() {
            self.starts.push(Start::Paths(ids));
        }
    }

    /// Handles an event of a directory that is known.
    fn known(&mut self, event: &Waiting) {
        let Some(dir) = self.tree.get(event.dir) else {
            return;
        };
        let path = dir.path.clone();
        match event.what {
            Happened::Ended => return self.left(&path),
            // A directory that moved has been found at its new path.
            Happened::Left if path.symlink_metadata().is_ok() => return,
            Happened::Left => return self.left(&path),
            _ if event.name.is_empty() => return,
            _ => {}
        }
        let full = path.join(&event.name);
        if event.is_dir {
            return self.directory(event.dir, &full, event.what);
        }
        let touch = Touch {
            is_new: event.what == Happened::Appeared,
            is_weak: event.what == Happened::Closed,
            is_open: event.what == Happened::Written,
        };
        let is_file = |interest: &Interest| *interest == Interest::File(event.name.clone());
        let named = dir
            .interests
            .iter()
            .filter(|(interest, _)| is_file(interest));
        let mut ids: Vec<JobId> = named.map(|(_, id)| *id).collect();
        let takes = |id: &&JobId| {
            let job = self.jobs.get(id);
            job.is_some_and(|job| job.filter.takes(&full, &dir.rules))
        };
        ids.extend(dir.whole.iter().filter(takes));
        let followers = match event.name == ".gitignore" {
            true => self.followers(dir),
            false => Vec::new(),
        };
        if !followers.is_empty() {
            self.starts.push(Start::Rules(followers));
        }
        self.awaited(event.dir, &event.name, event.what);
        for id in ids {
            self.change(id, &full, touch);
        }
    }

    /// The jobs for which the rules of git in a directory hold.
    fn followers(&self, dir: &Dir) -> Vec<JobId> {
        let above = dir.interests.iter();
        let above = above.filter(|(interest, _)| *interest == Interest::Rules);
        let ids = above.map(|(_, id)| id).chain(&dir.whole);
        let follows = |id: &&JobId| {
            let job = self.jobs.get(id);
            job.is_some_and(|job| job.filter.has_gitignore())
        };
        ids.filter(follows).copied().collect()
    }

    fn change(&mut self, id: JobId, path: &Path, touch: Touch) {
        let Some(job) = self.jobs.get_mut(&id) else {
            return;
        };
        job.pending.change(path, touch, now().boot);
        if job.pending.is_certain() {
            // It is not looked at, so nothing is known of it any more.
            self.tree.forget_file(path);
        }
    }

    /// Something happened to a directory in a watched one.
    fn directory(&mut self, parent: DirId, path: &Path, what: Happened) {
        let Some(dir) = self.tree.get(parent) else {
            return;
        };
        match what {
            Happened::Appeared => {
                let enters = |id: &JobId| {
                    let job = self.jobs.get(id);
                    job.is_some_and(|job| job.filter.enters(path, &dir.rules))
                };
                let ids: Vec<JobId> = dir.whole.iter().copied().filter(enters).collect();
                if !ids.is_empty() {
                    let start = Start::Appeared(path.to_owned(), dir.rules.clone(), ids);
                    self.starts.push(start);
                }
                let name = path.file_name().unwrap_or_default().to_owned();
                self.awaited(parent, &name, what);
            }
            // Its files are not named.
            Happened::Moved => {
                let below = self.tree.below(path);
                let mut ids = BTreeSet::new();
                for dir in below.iter().filter_map(|dir| self.tree.get(*dir)) {
                    if dir.has_files() {
                        ids.extend(dir.whole.iter().copied());
                    }
                }
                for id in ids {
                    let touch = Touch {
                        is_new: false,
                        is_weak: false,
                        is_open: false,
                    };
                    self.change(id, path, touch);
                }
                self.left(path);
            }
            _ => {}
        }
    }

    /// A name has appeared in a directory in which jobs wait for one: their paths are looked at again.
    fn awaited(&mut self, dir: DirId, name: &OsStr, what: Happened) {
        let Some(found) = self.tree.get(dir).filter(|_| what == Happened::Appeared) else {
            return;
        };
        let interest = Interest::Awaits(name.to_owned());
        let ids = found.interests.iter().filter(|(own, _)| *own == interest);
        let ids: Vec<JobId> = ids.map(|(_, id)| *id).collect();
        let path = found.path.join(name);
        if ids.is_empty() {
            return;
        }
        for id in &ids {
            let job = self.jobs.get(id);
            let is_last = |own: &PathBuf| own.file_name() == Some(name);
            if job.is_some_and(|job| job.wanted.watch.paths.iter().any(is_last)) {
                let touch = Touch {
                    is_new: true,
                    is_weak: false,
                    is_open: false,
                };
                self.change(*id, &path, touch);
            }
        }
        self.starts.push(Start::Paths(ids));
    }

    /// A directory was removed or moved away, with all that is in it. Jobs that have named it wait for it.
    fn left(&mut self, path: &Path) {
        let below = self.tree.below(path);
        let mut ids = BTreeSet::new();
        for dir in below.iter().filter_map(|dir| self.tree.get(*dir)) {
            ids.extend(dir.interests.iter().map(|(_, id)| *id));
            let above = dir.path.parent().and_then(|above| self.tree.at(above));
            let is_named = |id: &&JobId| above.is_none_or(|above| !above.whole.contains(id));
            ids.extend(dir.whole.iter().filter(is_named).copied());
        }
        for dir in below {
            self.tree.remove(dir);
            self.leaving.insert(dir);
        }
        if !ids.is_empty() {
            self.starts.push(Start::Paths(ids.into_iter().collect()));
        }
    }

    /// Takes jobs out. Directories that nobody else watches are left.
    fn drop_jobs(&mut self, ids: &[JobId]) {
        for id in ids {
            self.jobs.remove(id);
            self.setting.remove(id);
        }
        self.leave(ids);
    }

    fn leave(&mut self, ids: &[JobId]) {
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

    /// Begins the next scan.
    fn begin_scan(&mut self) {
        if self.is_scanning || self.starts.is_empty() {
            return;
        }
        let starts = std::mem::take(&mut self.starts);
        let ids: BTreeSet<JobId> = starts.iter().flat_map(Start::jobs).copied().collect();
        let mut jobs = Vec::new();
        for id in ids {
            let Some(job) = self.jobs.get(&id).filter(|job| !job.has_failed) else {
                continue;
            };
            if !job.is_set {
                self.setting.insert(id);
            }
            // Those that are walked are counted again.
            let is_walked = |path: &Path| {
                let mut starts = starts.iter().filter(|start| start.jobs().contains(&id));
                starts.any(|start| match start {
                    Start::Appeared(below, ..) => path.starts_with(below),
                    Start::Paths(_) | Start::Rules(_) => true,
                })
            };
            let others = self.tree.iter().filter(|dir| dir.whole.contains(&id));
            jobs.push(Scanned {
                id,
                filter: job.filter.clone(),
                paths: job.wanted.watch.paths.clone(),
                directories: others.filter(|dir| !is_walked(&dir.path)).count(),
            });
        }
        if jobs.is_empty() {
            return;
        }
        self.is_scanning = true;
        let adder = self.adder.clone();
        self.work.spawn_blocking(move || {
            let outcome = scan::scan(&adder, jobs, &starts);
            Done::Scan(outcome, starts)
        });
    }

    /// Has the changes of the jobs looked at that are due.
    fn begin_checks(&mut self) {
        let at = now().boot;
        for (id, job) in &mut self.jobs {
            if job.is_checking {
                continue;
            }
            let Some(batch) = job.pending.take(at) else {
                continue;
            };
            job.is_checking = true;
            let (id, lock) = (*id, job.git_lock.clone());
            let (lock, seq) = (lock.filter(|_| batch.may_wait(at)), self.tree.seq());
            self.work.spawn_blocking(move || {
                if lock.is_some_and(|lock| lock.symlink_metadata().is_ok()) {
                    return Done::Locked(id, batch);
                }
                let files = batch.files.keys().filter(|_| !batch.is_certain);
                let files: Vec<PathBuf> = files.cloned().collect();
                let prints = files.into_iter().map(|path| {
                    let print = print(&path).map(|(print, _)| print);
                    (path, print)
                });
                let prints = prints.collect();
                Done::Checked(id, batch, seq, prints)
            });
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Scan(outcome, starts) => self.scanned(outcome, &starts),
            Done::Locked(id, batch) => {
                if let Some(job) = self.jobs.get_mut(&id) {
                    job.is_checking = false;
                    job.pending.wait_for_git(batch, now().boot);
                }
            }
            Done::Checked(id, batch, seq, prints) => self.checked(id, &batch, seq, prints),
        }
    }

    /// Files were looked at.
    fn checked(
        &mut self,
        id: JobId,
        batch: &Batch,
        seq: u64,
        prints: Vec<(PathBuf, Option<Print>)>,
    ) {
        let Some(job) = self.jobs.get_mut(&id) else {
            return;
        };
        job.is_checking = false;
        let after = std::mem::replace(&mut job.seq, seq);
        let is_alone = self.tree.seq() == seq;
        let mut changes = Changes {
            files: Vec::new(),
            new: Vec::new(),
            more: 0,
            first: batch.first,
            last: batch.last,
        };
        if batch.is_certain {
            for path in batch.files.keys() {
                self.tree.forget_file(path);
            }
            changes.files = batch.files.keys().take(NAMED).cloned().collect();
            changes.more = MANY.min(batch.files.len()).saturating_sub(NAMED);
            self.reports
                .push(Report::Changed(job.wanted.job.clone(), changes));
            return;
        }
        for (path, print) in prints {
            let Some(touch) = batch.files.get(&path) else {
                continue;
            };
            let (before, is_newer) = self.tree.before(&path, after);
            let differs = is_change(before, print, *touch);
            if differs {
                self.tree.changed(&path, print);
            } else if before == Before::Unknown {
                self.tree.learned(&path, print);
            }
            if !differs && !is_newer {
                continue;
            }
            if changes.files.len() < NAMED {
                if touch.is_new {
                    changes.new.push(path.clone());
                }
                changes.files.push(path);
            } else {
                changes.more += 1;
            }
        }
        if is_alone {
            // Else changes that other jobs have noticed meanwhile may still be to come for this one.
            job.seq = self.tree.seq();
        }
        if !changes.files.is_empty() {
            self.reports
                .push(Report::Changed(job.wanted.job.clone(), changes));
        }
    }

    /// Directories are watched now.
    fn scanned(&mut self, mut outcome: Outcome, starts: &[Start]) {
        self.is_scanning = false;
        for (id, lock) in std::mem::take(&mut outcome.git_locks) {
            if let Some(job) = self.jobs.get_mut(&id) {
                job.git_lock = Some(lock);
            }
        }
        for found in &mut outcome.found {
            found.whole.retain(|id| self.jobs.contains_key(id));
            found.interests.retain(|(_, id)| self.jobs.contains_key(id));
        }
        let mut appeared = Vec::new();
        for found in &outcome.found {
            self.leaving.remove(&found.dir);
            if found.whole.is_empty() && found.interests.is_empty() {
                if self.tree.get(found.dir).is_none() {
                    self.leaving.insert(found.dir);
                }
            } else if self.tree.add(found) && found.has_appeared {
                appeared.push(found);
            }
        }
        self.leave_ignored(&outcome, starts);
        for found in appeared {
            self.appeared(found);
        }
        self.fail(&outcome.failed);
        let seq = self.tree.seq();
        for id in std::mem::take(&mut self.setting) {
            if let Some(job) = self.jobs.get_mut(&id) {
                (job.is_set, job.seq) = (true, seq);
                self.reports.push(Report::Set(job.wanted.job.clone()));
            }
        }
        for event in std::mem::take(&mut self.waiting) {
            self.waited(&event);
        }
    }

    /// The files of a directory that is new to a job that was watched already have changed.
    fn appeared(&mut self, found: &Found) {
        let touch = Touch {
            is_new: true,
            is_weak: false,
            is_open: false,
        };
        for (name, _) in &found.files {
            let path = found.path.join(name);
            for id in &found.whole {
                let job = self.jobs.get(id);
                if job.is_some_and(|job| job.is_set && job.filter.takes(&path, &found.rules)) {
                    self.change(*id, &path, touch);
                }
            }
            for (interest, id) in &found.interests {
                let is_set = self.jobs.get(id).is_some_and(|job| job.is_set);
                if is_set && *interest == Interest::File(name.clone()) {
                    self.change(*id, &path, touch);
                }
            }
        }
    }

    /// Leaves the directories that are ignored now that the rules of git have changed.
    fn leave_ignored(&mut self, outcome: &Outcome, starts: &[Start]) {
        let ids: BTreeSet<JobId> = starts
            .iter()
            .filter(|start| matches!(start, Start::Rules(_)))
            .flat_map(Start::jobs)
            .copied()
            .collect();
        if ids.is_empty() {
            return;
        }
        let found = outcome.found.iter();
        let walked: BTreeMap<&Path, &Found> =
            found.map(|found| (found.path.as_path(), found)).collect();
        let is_wanted = |id: JobId, path: &Path| {
            let found = walked.get(path);
            found.is_some_and(|found| {
                found.whole.contains(&id) || found.interests.iter().any(|(_, own)| *own == id)
            })
        };
        let leaves = |id: JobId, path: &Path| ids.contains(&id) && !is_wanted(id, path);
        let idle = self.tree.leave(None, leaves);
        self.leaving.extend(idle);
    }

    /// Jobs cannot be watched.
    fn fail(&mut self, failed: &BTreeMap<JobId, Failure>) {
        for (id, failure) in failed {
            self.setting.remove(id);
            if let Some(job) = self.jobs.get_mut(id) {
                (job.has_failed, job.is_set) = (true, false);
                job.pending = Pending::new(job.wanted.watch.debounce_ms);
                let why = why(*failure);
                self.reports
                    .push(Report::Failed(job.wanted.job.clone(), why));
            }
        }
        let ids: Vec<JobId> = failed.keys().copied().collect();
        self.leave(&ids);
    }
}

/// The failure, and what to do next.
fn why(failure: Failure) -> String {
    match failure {
        Failure::NoWatches => {
            let most = file_watch::most_watches();
            let most = most
                .map(|most| format!(" (it is {most})"))
                .unwrap_or_default();
            format!(
                "the system has no file watches left; raise fs.inotify.max_user_watches{most}, or watch less"
            )
        }
        Failure::TooMany => format!(
            "it has more than {MOST_DIRECTORIES} directories; name fewer in paths, or ignore some"
        ),
    }
}
