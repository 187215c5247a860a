//! The daemon: drives the engine, and talks to the keeper and to clients.
//!
//! One thread with a tokio `LocalSet`. Everything the daemon knows is one `State` behind `Hub`. Tasks borrow it between
//! two awaits and never across one: `Hub::read` gives a shared reference, and every change goes through `Hub::change`,
//! which notifies the tasks that the change concerns. There is one task for each connection, each request that waits
//! and each watched screen, and one each for rendering, timers, the keeper's socket and what else goes on by itself
//! (`tasks`). Nothing polls, except what no event announces (ports and input of programs, jobs of batch systems), and
//! that only while somebody waits for it. Files that may be on a slow disk are read on other threads (`threads`), and
//! lists look at the processes of the machine on one (`tasks::usage`); those of batch sessions are still read here.
//! `panics` says what a fault of the daemon itself does.
//!
//! # Rooms
//!
//! Imports between the rooms go one way; a test holds it. From the bottom up:
//!
//! - `clock`, `settings`, `panics`, `threads`; `transport`: one client's socket; `keeper_link`: the socket to the
//!   keeper and the pending requests; `storage`: files; `programs`: what may be started, and how.
//! - `events`: the bus, its journal and the subscribers. `sessions`: what the daemon has of each
//!   session, and how to read it.
//! - `watching`: the files that jobs of projects react to. `projects`: the projects that are known. `hosts`: the links
//!   to other hosts, and what is known of their sessions. `batch_systems`: those that run jobs, such as Slurm.
//! - `state`: what follows from each thing that happens. `hub`: the state, shared between tasks.
//! - `reading`: long logs, in turns with other tasks. `tasks`: work that goes on by itself.
//! - `requests`: what actions share. `actions`: one file for each action. `server`: accepts clients.
//!   `takeover`: what an earlier daemon and the keeper left.
//!
//! # How a byte travels out
//!
//! 1. The job writes to its terminal or pipe, and the keeper's epoll wakes. `splice(2)` moves at most
//!    64 KiB through a pipe into the log file, never through memory. What the file does not take goes
//!    into a ring in shared memory instead. Bytes within 20 ms share a record of the index.
//! 2. The keeper stores the new end of the log in the session's slot of the shared table. It notifies
//!    the daemon only if the daemon has set the slot's flag that it listens. During a flood no message
//!    is sent.
//! 3. The daemon adds the session to the render queue. The render task takes sessions in turns, one
//!    chunk each: it reads the chunk from the log and gives it to `engine::output`, which counts lines,
//!    keeps checkpoints and paints the screen. Output that later output hides is not painted.
//! 4. The same bytes go to the waits on this session.
//! 5. If the program asked its terminal something, the answer is written to its input. The shared
//!    table remembers the offset up to which queries were answered, so that the next daemon answers the
//!    rest and nothing twice.
//! 6. Watchers are notified. Each has a task that sends the difference of two screens, at a pace that
//!    its client can take. One difference is computed once for all watchers that need it.
//! 7. When nothing is left, the daemon sets the listening flag. The table reports if a byte has arrived
//!    in between.
//!
//! An exit is published after the output before it: the keeper drains the terminal before it sends
//! `Exited`, and the daemon holds the exit back while a wait has not seen the log up to its end.
//! Text for readers (`poll`, `log`, `wait`) does not come from the screen. `term::plain` renders it
//! from the log, from the nearest exact checkpoint on.
//!
//! # How a key travels in
//!
//! 1. A `write` or `send_keys` begins in the order of its arrival. A person takes the session's lease;
//!    an agent is refused while a person holds it.
//! 2. The request takes the session's turn at the input until all its bytes are out. It writes to the
//!    daemon's duplicate of the terminal; the keeper takes no part. A full input buffer makes only this
//!    request wait; after one second the reply says how much was taken.
//! 3. What the kernel took is noted in `input.log`. Whether the terminal echoes is asked before the
//!    bytes are written; without echo only their number is noted.
//! 4. The reply goes out once the program has had a moment to read, and says how much is unread.
//!
//! # Other hosts
//!
//! A link (see [`link`](crate::link)) runs in threads of its own, and so does its opening; for the daemon it is a
//! source of sockets. A task for each link holds its main channel, an ordinary connection of a person: it takes the
//! host's events from the last one that the journal has, publishes each under a number of this machine, and keeps the
//! mirror of the host's records. `engine::hosts` decides when a link is opened, tried again and closed.
//!
//! A request that names a session of a host goes over a channel of its client's own, with the client's greeting, so
//! that daemon checks and limits it as if the client was connected there. Lists wait for hosts for a bounded time and
//! then take the mirror. Nothing else waits for a host.
//!
//! # Queues
//!
//! | Queue | Bound | When full |
//! |---|---|---|
//! | Replies to a client | 4 MiB | No further requests are read from it |
//! | Events to a client | 1 MiB | Counted, reported as `lag` |
//! | Frames of a watched screen | 64 KiB before it | The next frame is a newer one |
//! | Requests in flight | 256, each with a reply of up to 4 MiB | `limit_exceeded` |
//! | Requests to a host | 4 MiB | `limit_exceeded` |
//! | Events from a host | 64 | No more is read from it |
//! | Input of a session | 1 MiB; 1 s without room | `limit_exceeded`; `not_reading` |
//! | Answers of a terminal to its program | 64 KiB | Further ones are lost |
//! | Shell lines of events | 16 run, 200 wait | Further ones are not run |
//! | Text of a `log` reply | 4 MiB | `omitted`, `nextLine` |
//! | Events that are remembered | 10,000, 7 days, 4 MiB | The oldest are dropped |

mod actions;
mod batch_systems;
mod clock;
mod events;
mod hosts;
mod hub;
mod keeper_link;
mod panics;
mod programs;
mod projects;
mod reading;
mod requests;
mod server;
mod sessions;
mod settings;
mod state;
mod storage;
mod takeover;
mod tasks;
mod threads;
mod transport;
mod watching;

use std::io;
use std::process::{self, ExitCode};

use tokio::task::LocalSet;

use crate::protocol::VERSION;
use crate::sys::channel::Channel;
use crate::sys::paths::Home;
use crate::sys::role::ProcessRole;
use crate::sys::{detach, spawn};
use crate::{config, diag};
use settings::Settings;

/// Runs the daemon. Its stdin is the socket to the keeper.
pub fn run() -> ExitCode {
    detach::take_name();
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the daemon failed");
            ExitCode::FAILURE
        }
    }
}

fn start() -> io::Result<()> {
    spawn::raise_file_limit();
    // The keeper has done so, unless it is of an older version.
    spawn::prevent_core_dumps();
    // Handle these signals by doing nothing: a limit on file size is a failed write then (EFBIG), and the soft limit
    // of CPU time of the client that started the keeper is not meant for the daemon.
    for signal in [signal_hook::consts::SIGXFSZ, signal_hook::consts::SIGXCPU] {
        signal_hook::flag::register(signal, std::sync::Arc::default())?;
    }
    let home = Home::locate().map_err(io::Error::other)?;
    let settings = settings(&home);
    panics::install_hook();
    let channel = Channel::new(detach::take_stdin()?)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = LocalSet::new();
    let outcome = local.block_on(&runtime, serve(home, settings, channel));
    // Do not wait for the remaining tasks: none of them holds anything that has to be finished.
    runtime.shutdown_background();
    outcome
}

/// Reads the configuration and starts to write diagnostics. If the file is invalid, the clients report what is
/// wrong with it, and the daemon runs with the default limits, so that jobs keep running.
fn settings(home: &Home) -> Settings {
    match config::load(&home.config_file()) {
        Ok(config) => {
            diag::start(home, ProcessRole::Daemon, config.log_level);
            Settings::new(&config)
        }
        Err(error) => {
            diag::start(home, ProcessRole::Daemon, None);
            tracing::warn!("{error}; the default limits apply");
            Settings::default()
        }
    }
}

async fn serve(home: Home, settings: Settings, channel: Channel) -> io::Result<()> {
    let (hub, link) = takeover::take_over(home, settings, channel).await?;
    let sessions = hub.read().sessions.iter().count();
    tracing::info!(version = VERSION, pid = process::id(), sessions, "started");
    tokio::task::spawn_local(tasks::render::run(hub.clone()));
    tokio::task::spawn_local(tasks::timers::run(hub.clone()));
    tokio::task::spawn_local(tasks::hooks::run(hub.clone()));
    tokio::task::spawn_local(tasks::hosts::run(hub.clone()));
    tokio::task::spawn_local(tasks::batch::run(hub.clone()));
    tokio::task::spawn_local(tasks::batch::follow(hub.clone()));
    tokio::task::spawn_local(tasks::projects::run(hub.clone()));
    tokio::task::spawn_local(tasks::projects::schedules::run(hub.clone()));
    tokio::task::spawn_local(tasks::projects::watches::run(hub.clone()));
    let listening = hub.clone();
    tokio::task::spawn_local(async move {
        // Clients are served only once the keeper is up to date: a client that asks for an upgrade gets its
        // answer when the upgrade is done.
        listening.keeper_settled().await;
        tasks::projects::drive_all(&listening);
        server::listen::run(listening).await;
    });
    tasks::keeper::run(hub, link).await?;
    tracing::info!(pid = process::id(), "stopped");
    Ok(())
}
