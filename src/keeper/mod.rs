//! The keeper: parent of every job, owner of terminals and pipes, writer of logs.
//!
//! It has one thread and one epoll loop; no tokio, no parser. It moves what a job writes into the job's log
//! before any client sees it, so that a job never waits for a reader. It outlives the daemon and restarts
//! it.
//!
//! Order of one turn: output of jobs, then exits, then the daemon's requests. An exit is therefore reported
//! after the output that came before it. The keeper must stay single-threaded, because a new job runs in its
//! memory until `exec` (`sys::child`).
//!
//! # Where things are
//!
//! `events` waits for descriptors and dispatches; `job_table` holds the jobs; `jobs` moves their output (`log`,
//! `segments`, `index`, `disk`; `exit_file`: how they end); `start` starts programs; `requests` handles the daemon's
//! messages; `on_exit` runs commands after the end of a job; `inspect` looks at what programs do with their input;
//! `supervise` keeps a daemon running; `endpoint` owns the socket that clients connect to; `locks` holds the locks of
//! the state directory.
//!
//! # Sockets and locks
//!
//! The keeper listens on the daemon's socket, passes it to each daemon and never closes it. A client that
//! connects while a daemon is being replaced waits in the backlog instead of being refused. If the socket's
//! file is removed, the keeper creates it again. Through a second socket in the state directory the keeper
//! itself tells clients whether a daemon runs and why one does not.
//!
//! # When the daemon dies
//!
//! The keeper starts another one at once, from its own program (`/proc/self/exe`), whatever has become of the
//! file. Daemons that die early are started with growing pauses, 50 ms to 1 s. The new daemon receives
//! `Welcome` and one `Adopt` for each session before it serves clients.
//!
//! # When the keeper dies
//!
//! The daemon holds a duplicate of every descriptor, so no terminal hangs up. It waits until the old keeper
//! is dead, because two readers of one terminal would take bytes from each other. Then it starts the next
//! keeper with `Takeover` and one `Adopt` for each session (`handover`). `splice(2)` removes bytes from one
//! place only when they are in the next one, so each byte is in the terminal, in the splice pipe or in the
//! log. The next keeper opens the logs, whose length says what they contain, and empties the pipe. The jobs
//! are not its children, so it watches their pidfds and learns their exit status from `sys::ending`. The
//! daemon repeats the requests that were not answered.
//!
//! A start survives, too. A new process sends `Starting`, with its terminal and a handle on itself, through
//! the keeper's socket just before `exec`, and holds that socket open until then. So the daemon sees the end
//! of the socket only when either `Starting` has arrived and the program runs, or the program will never run.
//!
//! # Upgrade
//!
//! After `Rest` with `upgrade`, the next daemon comes from the new program; if it fails three times, from the
//! old one again. Once that daemon is `Ready`, the keeper writes its state into a memory file and calls
//! `execve` on the program (`upgrade`). The process stays the same, so it stays the parent of the jobs, and
//! exit codes need no help.

mod disk;
mod endpoint;
mod events;
mod exit_file;
mod handover;
mod index;
mod inspect;
mod job_table;
mod jobs;
mod locks;
mod log;
mod on_exit;
mod requests;
mod segments;
mod start;
mod supervise;
mod upgrade;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use rustix::process::Rlimit;

use crate::diag;
use crate::protocol::VERSION;
use crate::protocol::keeper::ToDaemon;
use crate::sys::channel::Channel;
use crate::sys::detach::{self, HANDOVER, TAKEOVER};
use crate::sys::paths::Home;
use crate::sys::role::{self, ProcessRole};
use crate::sys::shared_table::SharedTable;
use crate::sys::splice::SplicePipe;
use crate::sys::{socket, spawn};
use disk::Disk;
use endpoint::Endpoint;
use events::{Events, Source};
use handover::{Asked, Inheritance};
use job_table::JobTable;
use locks::Locks;
use log::RETRY_MS;
use on_exit::OnExits;
use supervise::{Ended, Supervisor};
use upgrade::Upgrade;

/// Runs the keeper until it is told to quit.
pub fn run() -> ExitCode {
    detach::take_name();
    spawn::prevent_core_dumps();
    let handover = std::env::var(HANDOVER).ok();
    let ran = match handover.as_deref() {
        None => return run_first(),
        Some(TAKEOVER) => take_over(),
        Some(number) => go_on(number),
    };
    exit_code(ran.and_then(|mut keeper| keeper.run()))
}

/// Runs the first keeper of a home. The process that started it reads from its stdout whether it came up.
fn run_first() -> ExitCode {
    detach::leave_caller();
    let mut keeper = match Keeper::set_up() {
        Ok(keeper) => keeper,
        Err(error) => {
            let _ = writeln!(io::stdout(), "{error}");
            return ExitCode::FAILURE;
        }
    };
    let _ = writeln!(io::stdout(), "ready");
    detach::close_stdout();
    keeper.start_daemon();
    exit_code(keeper.run())
}

/// Replaces a keeper that was killed. The daemon hands over everything that keeper had.
fn take_over() -> io::Result<Keeper> {
    detach::leave_caller();
    let home = Home::locate().map_err(io::Error::other)?;
    diag::start(&home, ProcessRole::Keeper, None);
    let (locks, socket) = Locks::wait(&home)?;
    let mut channel = Channel::new(detach::take_stdin()?)?;
    let (inheritance, asked) = handover::receive(&mut channel)?;
    let mut keeper = Keeper::succeed(home, locks, (inheritance, socket), channel)?;
    let version = VERSION.to_owned();
    keeper.tell(&ToDaemon::TakenOver { version }, vec![]);
    for (message, fds) in asked {
        keeper.handle(message, fds);
    }
    Ok(keeper)
}

/// Continues as the same keeper process after an upgrade to another program.
fn go_on(number: &str) -> io::Result<Keeper> {
    let home = Home::locate().map_err(io::Error::other)?;
    diag::start(&home, ProcessRole::Keeper, None);
    let number = number.parse().map_err(io::Error::other)?;
    let received = upgrade::read(number)?;
    let socket = locks::noted_socket(&home).unwrap_or_else(|| home.socket());
    let inheritance = (received.inheritance, socket);
    let mut keeper = Keeper::succeed(home, received.locks, inheritance, received.channel)?;
    let version = VERSION.to_owned();
    keeper.tell(
        &ToDaemon::Upgraded {
            version,
            error: None,
        },
        vec![],
    );
    // Children that ended during the upgrade have not been reported.
    keeper.reap();
    Ok(keeper)
}

fn exit_code(ran: io::Result<()>) -> ExitCode {
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the keeper failed");
            ExitCode::FAILURE
        }
    }
}

/// The state of the keeper.
struct Keeper {
    home: Home,
    table: JobTable,
    shared_table: SharedTable,
    pipe: SplicePipe,
    disk: Disk,
    events: Events,
    endpoint: Endpoint,
    /// Connection to the daemon, while there is one.
    channel: Option<Channel>,
    /// Whether messages wait for room in `channel`.
    channel_is_full: bool,
    /// Requests that a daemon sent before it died, and that are still to be served.
    unserved: Asked,
    supervisor: Supervisor,
    /// Commands that run after the end of a session.
    on_exits: OnExits,
    /// The pidfd of a daemon that is not our child.
    foreign_daemon: Option<OwnedFd>,
    /// Limit of open files (`RLIMIT_NOFILE`) that jobs start with.
    files: Rlimit,
    /// Slots whose growth is reported to the daemon at the end of this turn.
    grown: Vec<u32>,
    /// When the exits that could not be saved are saved again.
    exits_again: Instant,
    upgrade: Option<Upgrade>,
    /// Why the last upgrade was given up; kept until a daemon is up and has been told.
    upgrade_failed: Option<String>,
    quit: Quit,
    locks: Locks,
    /// Descriptors that are kept for the next daemon, by name.
    stored: BTreeMap<String, OwnedFd>,
}

/// Whether the keeper ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Quit {
    No,
    /// Once no `onExit` command is left.
    WhenIdle,
    Now,
}

impl Keeper {
    fn set_up() -> Result<Self, String> {
        let home = Home::locate().map_err(|error| error.to_string())?;
        home.prepare().map_err(|error| error.to_string())?;
        diag::start(&home, ProcessRole::Keeper, None);
        let place = home.runtime.display().to_string();
        let fail = |error: io::Error| format!("{place}: {error}");
        let locks = Locks::attempt(&home)?;
        // The locks of a running keeper may have been removed, so look for its process as well. If two
        // keepers start at once, the older one continues.
        if let Some(other) =
            role::find(&home, ProcessRole::Keeper).filter(|p| p.pid != std::process::id())
        {
            let pid = other.pid;
            return Err(format!("{place}: another keeper is running (pid {pid})"));
        }
        let files = spawn::raise_file_limit().current;
        let inheritance = Inheritance {
            listener: socket::listen(&home.socket()).map_err(fail)?,
            shared_table: SharedTable::create().map_err(fail)?,
            pipe: SplicePipe::create().map_err(fail)?,
            files,
            daemon_pid: 0,
            sessions: Vec::new(),
            stored: BTreeMap::new(),
            on_exits: OnExits::default(),
        };
        inheritance.listener.set_nonblocking(true).map_err(fail)?;
        let socket = home.socket();
        Self::new(home, locks, (inheritance, socket)).map_err(fail)
    }

    /// Creates a keeper that continues with what another one had, and with the daemon that already runs.
    /// The inherited listener was bound at the path that comes with the inheritance.
    fn succeed(
        home: Home,
        locks: Locks,
        (mut inheritance, socket): (Inheritance, PathBuf),
        channel: Channel,
    ) -> io::Result<Self> {
        let daemon_pid = inheritance.daemon_pid;
        let sessions = std::mem::take(&mut inheritance.sessions);
        let mut keeper = Self::new(home, locks, (inheritance, socket))?;
        let untold = keeper.inherit(sessions);
        keeper.greet_foreign_daemon(channel, daemon_pid)?;
        for slot in untold {
            keeper.report_degraded(slot);
        }
        Ok(keeper)
    }

    fn new(
        home: Home,
        locks: Locks,
        (inheritance, socket): (Inheritance, PathBuf),
    ) -> io::Result<Self> {
        // Orphans of jobs are reparented to the keeper, which reaps them. The call fails on systems without
        // subreapers; orphans go to init there.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        let mut keeper = Self {
            table: JobTable::default(),
            shared_table: inheritance.shared_table,
            pipe: inheritance.pipe,
            disk: Disk::new(home.sessions()),
            events: Events::new()?,
            endpoint: Endpoint::new(inheritance.listener, socket),
            channel: None,
            channel_is_full: false,
            unserved: Vec::new(),
            supervisor: Supervisor::default(),
            on_exits: inheritance.on_exits,
            foreign_daemon: None,
            files: spawn::file_limit(inheritance.files),
            grown: Vec::new(),
            exits_again: Instant::now(),
            upgrade: None,
            upgrade_failed: None,
            quit: Quit::No,
            home,
            locks,
            stored: inheritance.stored,
        };
        keeper.open_endpoint()?;
        Ok(keeper)
    }

    fn run(&mut self) -> io::Result<()> {
        tracing::info!(version = VERSION, pid = std::process::id(), "started");
        let mut ready = Vec::new();
        while !self.is_done() {
            self.upgrade_if_due();
            let timeout = self.pause().map(|pause| Timespec {
                tv_sec: pause.as_secs().cast_signed(),
                tv_nsec: pause.subsec_nanos().into(),
            });
            self.events.wait(&mut ready, timeout.as_ref())?;
            self.turn(&ready);
        }
        self.on_exits.end_all();
        self.endpoint.remove(&self.home);
        tracing::info!(pid = std::process::id(), "stopped");
        Ok(())
    }

    fn is_done(&self) -> bool {
        match self.quit {
            Quit::No => false,
            Quit::WhenIdle => self.on_exits.is_empty(),
            Quit::Now => true,
        }
    }

    /// How long the loop may sleep; `None` if no retry and no deadline is pending.
    fn pause(&self) -> Option<Duration> {
        let has_failed = !self.table.degraded().is_empty()
            || !self.table.unsaved_exits().is_empty()
            || self.table.refused().next().is_some();
        let retry = has_failed.then_some(Duration::from_millis(RETRY_MS));
        let others = [
            self.supervisor.pause(),
            self.on_exits.pause(),
            self.endpoint.pause(),
        ];
        retry.into_iter().chain(others.into_iter().flatten()).min()
    }

    fn turn(&mut self, ready: &[Source]) {
        let mut children = false;
        let mut asked = false;
        for source in ready {
            match *source {
                Source::Output { slot, stream } => self.move_output(slot, stream),
                Source::Children => children = true,
                Source::Daemon => asked = true,
                Source::Listener => self.supervisor.wake(),
                Source::Status => self.tell_status(),
                Source::SocketDirs => self.look_after_sockets(),
                Source::Ended { .. } | Source::DaemonEnded => {}
            }
        }
        self.retry_logs();
        self.retry_outputs();
        self.retry_exits();
        self.on_exits.end_late();
        self.end_late_daemon();
        self.tell_again();
        self.table.flush_indexes();
        if children {
            self.reap();
        }
        for source in ready {
            if let Source::Ended { slot } = *source {
                self.foreign_job_ended(slot);
            }
        }
        self.tell_growth();
        if asked {
            self.serve_daemon();
        }
        // A daemon that was a child was reaped above.
        if ready.contains(&Source::DaemonEnded) && self.foreign_daemon.is_some() {
            self.daemon_is_gone(Ended::Unknown);
        }
        self.serve_rest();
        if self.quit != Quit::Now && self.channel.is_none() && self.supervisor.is_due() {
            self.start_daemon();
        }
    }
}
