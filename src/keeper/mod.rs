//! The keeper: parent of every job, owner of terminals and pipes, writer of logs.
//!
//! One thread, one epoll loop, no tokio, no parser. It takes what a job writes
//! into the job's log before anybody else sees it, so that a job never waits
//! for a reader, and it outlives the daemon, which it starts again.
//!
//! Order of one turn: what jobs wrote, then who ended, then what the daemon
//! asks; so an exit is told after the output that came before it.

mod entry;
mod events;
mod index;
mod jobs;
mod log;
mod requests;
mod supervise;

use std::io::{self, Write};
use std::os::unix::net::UnixListener;
use std::process::ExitCode;

use rustix::event::Timespec;
use rustix::process::Rlimit;

use crate::diag;
use crate::protocol::VERSION;
use crate::sys::board::Board;
use crate::sys::channel::Channel;
use crate::sys::lock::{self, Lock};
use crate::sys::paths::Home;
use crate::sys::pump::Pump;
use crate::sys::{detach, socket, spawn};
use entry::Table;
use events::{Events, Source};
use supervise::Supervisor;

/// Runs the keeper until it is told to quit.
pub fn run() -> ExitCode {
    detach::leave_caller();
    let mut keeper = match Keeper::set_up() {
        Ok(keeper) => keeper,
        Err(error) => {
            // The client that started us reads this instead of "ready".
            let _ = writeln!(io::stdout(), "{error}");
            return ExitCode::FAILURE;
        }
    };
    let _ = writeln!(io::stdout(), "ready");
    detach::close_stdout();
    match keeper.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "cannot go on");
            ExitCode::FAILURE
        }
    }
}

/// Makes the sessions this keeper's: another one with its socket elsewhere
/// would take jobs that run for lost.
fn lease(home: &Home) -> Result<Lock, String> {
    let path = home.sessions_lock();
    let socket = home.socket().display().to_string();
    let fail = |error: io::Error| format!("{}: {error}", path.display());
    match Lock::attempt(&path).map_err(fail)? {
        Some(mut lock) => {
            lock.note(&socket).map_err(fail)?;
            Ok(lock)
        }
        None => {
            let (state, other) = (home.state.display(), lock::holder(&path));
            let other = other.unwrap_or_default();
            Err(format!(
                "the jobs in {state} belong to the keeper behind {other}, not {socket}; \
                 give XDG_RUNTIME_DIR and BGPROC_HOME the values they had when it was started"
            ))
        }
    }
}

/// Everything the keeper has.
struct Keeper {
    home: Home,
    table: Table,
    board: Board,
    pump: Pump,
    events: Events,
    listener: UnixListener,
    /// To the daemon, while there is one.
    channel: Option<Channel>,
    /// Whether something waits for room in it.
    channel_is_full: bool,
    supervisor: Supervisor,
    /// Limit of open files that jobs start with.
    files: Rlimit,
    /// Slots that the daemon is to be told of at the end of this turn.
    grown: Vec<u32>,
    quit: bool,
    _lock: Lock,
    _lease: Lock,
}

impl Keeper {
    fn set_up() -> Result<Self, String> {
        let home = Home::locate().map_err(|error| error.to_string())?;
        home.prepare().map_err(|error| error.to_string())?;
        diag::start(&home, "keeper", None);
        let place = home.runtime.display().to_string();
        let fail = |error: io::Error| format!("{place}: {error}");
        let lock = Lock::attempt(&home.keeper_lock()).map_err(fail)?;
        let lock = lock.ok_or_else(|| format!("{place}: another keeper is running"))?;
        let lease = lease(&home)?;
        // Orphans of jobs come to the keeper, to be reaped. Refused on systems
        // without it, where they go to init.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        let listener = socket::listen(&home.socket()).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        Ok(Self {
            table: Table::default(),
            board: Board::create().map_err(fail)?,
            pump: Pump::new().map_err(fail)?,
            events: Events::new().map_err(fail)?,
            listener,
            channel: None,
            channel_is_full: false,
            supervisor: Supervisor::default(),
            files: spawn::raise_file_limit(),
            grown: Vec::new(),
            quit: false,
            home,
            _lock: lock,
            _lease: lease,
        })
    }

    fn run(&mut self) -> io::Result<()> {
        tracing::info!(version = VERSION, pid = std::process::id(), "started");
        self.start_daemon();
        let mut ready = Vec::new();
        while !self.quit {
            let timeout = self.supervisor.pause().map(|pause| Timespec {
                tv_sec: pause.as_secs().cast_signed(),
                tv_nsec: pause.subsec_nanos().into(),
            });
            self.events.wait(&mut ready, timeout.as_ref())?;
            self.turn(&ready);
        }
        // Nobody is to find a socket that no daemon will ever answer.
        let _ = std::fs::remove_file(self.home.socket());
        tracing::info!(pid = std::process::id(), "stopped");
        Ok(())
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
            }
        }
        self.table.flush_indexes();
        if children {
            self.reap();
        }
        self.tell_growth();
        if asked {
            self.serve_daemon();
        }
        if self.channel.is_none() && self.supervisor.is_due() {
            self.start_daemon();
        }
    }
}
