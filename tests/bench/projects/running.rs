//! The jobs of a file which a peer runs, as they are seen from outside.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::guard::Guard;
use crate::peer::{Job, Peer};

/// How long a step may take.
const DEADLINE: Duration = Duration::from_secs(300);

/// How long is waited between two looks.
const LOOK: Duration = Duration::from_millis(2);

/// The variable that all processes of a peer have, with the directory of the peer.
const VARIABLE: &str = "BENCH_OF_PROJECTS";

/// What a job runs that goes on: it notes its pid, in the directory of the peer, so that each start is seen.
pub(crate) const LINE: &str = "echo $$ >> $BENCH_OF_PROJECTS/pids; exec sleep 100000";

/// A peer with its jobs in a directory. Dropped, it ends all processes that the peer has started.
pub(crate) struct Running<'a> {
    peer: &'a dyn Peer,
    began: Instant,
    up: Child,
    _guard: Guard,
    dir: PathBuf,
}

/// Where the peers of a scene have their directories, which are kept until its end: ext4 without a journal slows down
/// where many files were removed a short time ago, and bgproc has the most files.
pub(crate) struct Place {
    _guard: Guard,
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("bgproc-beside-")
            .tempdir()
            .unwrap();
        let path = dir.path().to_owned();
        Self {
            _guard: Guard::new(move || drop(fs::remove_dir_all(path))),
            dir,
        }
    }
}

impl<'a> Running<'a> {
    /// Starts a peer, which does not run yet, with jobs.
    pub(crate) fn start(peer: &'a dyn Peer, jobs: &[Job], place: &Place) -> Self {
        let prefix = format!("{}-", peer.name());
        let dir = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(place.dir.path());
        let dir = dir.unwrap().keep();
        for watched in jobs.iter().filter_map(|job| job.watch.as_ref()) {
            fs::create_dir_all(dir.join(watched)).unwrap();
            fs::write(dir.join(watched).join("file"), "before").unwrap();
        }
        peer.write(&dir, jobs);
        let path = dir.clone();
        let guard = Guard::new(move || end(&path));
        let began = Instant::now();
        let up = spawn(peer.up(&dir), &dir);
        Self {
            peer,
            began,
            up,
            _guard: guard,
            dir,
        }
    }

    /// Seconds from the start of the peer until jobs have run so many times.
    pub(crate) fn until(&self, runs: usize) -> f64 {
        self.wait(&format!("{runs} runs"), || self.pids().len() >= runs);
        self.began.elapsed().as_secs_f64()
    }

    /// Returns once the command that started the jobs has ended.
    pub(crate) fn settle(&mut self) {
        let ended = wait(&mut self.up);
        assert!(ended, "{}: up: {}", self.peer.name(), self.said());
    }

    /// Seconds from a change of a watched directory until the job that watches it runs anew.
    pub(crate) fn change(&self, watched: &str, text: &str) -> f64 {
        let runs = self.pids().len();
        let began = Instant::now();
        fs::write(self.dir.join(watched).join("file"), text).unwrap();
        self.wait("a run after a change", || self.pids().len() > runs);
        began.elapsed().as_secs_f64()
    }

    /// Seconds until all jobs have ended.
    pub(crate) fn down(&self) -> f64 {
        let began = Instant::now();
        let mut down = spawn(self.peer.down(&self.dir), &self.dir);
        self.wait("the end of all jobs", || {
            self.pids().iter().all(|&pid| has_ended(pid))
        });
        let took = began.elapsed().as_secs_f64();
        let ended = wait(&mut down);
        assert!(ended, "{}: down: {}", self.peer.name(), self.said());
        took
    }

    /// The processes of the peer itself.
    pub(crate) fn own(&self) -> Vec<u32> {
        let jobs = self.pids();
        let mut all = family(&self.dir);
        all.retain(|pid| !jobs.contains(pid));
        all
    }

    /// KiB of memory that are those processes' own, with their part of what is shared.
    pub(crate) fn memory(&self) -> f64 {
        let sizes = self.own().into_iter().filter_map(|pid| {
            // It may end between two looks.
            let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
            let size = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
            size.split_whitespace().next()?.parse::<f64>().ok()
        });
        sizes.sum()
    }

    /// The pids of all runs of jobs so far, as [`LINE`] notes them.
    fn pids(&self) -> Vec<u32> {
        let text = fs::read_to_string(self.dir.join("pids")).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|pid| pid.parse().unwrap()).collect()
    }

    /// Looks until something is so.
    fn wait(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            let (name, runs) = (self.peer.name(), self.pids().len());
            assert!(
                began.elapsed() < DEADLINE,
                "{name}: no {what}, {runs} runs so far: {}",
                self.said()
            );
            sleep(LOOK);
        }
    }

    fn said(&self) -> String {
        fs::read_to_string(self.dir.join("said")).unwrap_or_default()
    }
}

/// Starts a command in the directory of a peer.
fn spawn(mut command: Command, dir: &Path) -> Child {
    let said = File::options()
        .create(true)
        .append(true)
        .open(dir.join("said"))
        .unwrap();
    command
        .current_dir(dir)
        .env(VARIABLE, dir)
        .stdin(Stdio::null())
        .stdout(said.try_clone().unwrap())
        .stderr(said);
    command.spawn().unwrap()
}

/// Waits for the end of a command; whether it ended well, in time.
fn wait(command: &mut Child) -> bool {
    let began = Instant::now();
    while began.elapsed() < DEADLINE {
        if let Some(status) = command.try_wait().unwrap() {
            return status.success();
        }
        sleep(LOOK);
    }
    false
}

/// Whether a process has ended; one that its parent has not asked for yet has.
fn has_ended(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).map_or(true, |words| words.is_empty())
}

/// All processes that were started from the directory of a peer.
fn family(dir: &Path) -> Vec<u32> {
    let mark = format!("{VARIABLE}={}", dir.display()).into_bytes();
    let is_marked = |path: &PathBuf| {
        let variables = fs::read(path.join("environ")).unwrap_or_default();
        variables.split(|&byte| byte == 0).any(|one| one == mark)
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .filter(|(_, path)| is_marked(path))
        .map(|(pid, _)| pid)
        .collect()
}

/// Ends them, however often they start each other anew.
fn end(dir: &Path) {
    let began = Instant::now();
    loop {
        let mut pids = family(dir);
        pids.retain(|&pid| !has_ended(pid));
        if pids.is_empty() || began.elapsed() > DEADLINE {
            break;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in &pids {
                let pid = Pid::from_raw(pid.cast_signed());
                let _ = pid.map(|pid| kill_process(pid, signal));
            }
        }
        sleep(LOOK);
    }
}
