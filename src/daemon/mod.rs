//! The daemon: drives the engine, and talks to keeper and clients.
//!
//! One thread. Everything it knows is one [`State`](state::State), which is only ever
//! touched between two awaits; tasks (one a connection, one for rendering, one
//! for the clock, one for the keeper, one a watched screen) take turns on it.
//! Each verb of the protocol is a file in `actions`.

mod actions;
mod clock;
mod events;
mod hub;
mod keeper_link;
mod programs;
mod reading;
mod requests;
mod server;
mod sessions;
mod settings;
mod state;
mod storage;
mod takeover;
mod tasks;
mod transport;

use std::io;
use std::os::fd::AsFd;
use std::process::{self, ExitCode};

use tokio::task::LocalSet;

use crate::protocol::VERSION;
use crate::sys::channel::Channel;
use crate::sys::paths::Home;
use crate::sys::{detach, spawn};
use crate::term::screen::contains_panic;
use crate::{config, diag};
use settings::Settings;

/// Runs the daemon; its stdin is the socket to the keeper.
pub fn run() -> ExitCode {
    detach::take_name();
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "cannot go on");
            ExitCode::FAILURE
        }
    }
}

fn start() -> io::Result<()> {
    spawn::raise_file_limit();
    // A limit on the size of files is an error of a write to us, not the end.
    let ignored = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, ignored)?;
    let home = Home::locate().map_err(io::Error::other)?;
    let settings = settings(&home);
    quiet_contained_panics();
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let channel = Channel::new(stdin)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = LocalSet::new();
    let outcome = local.block_on(&runtime, serve(home, settings, channel));
    // Tasks that are still there hold nothing that has to be finished.
    runtime.shutdown_background();
    outcome
}

/// Reads the configuration and begins to write diagnostics. What is wrong with
/// it is told by the front doors; jobs are kept all the same, under the usual limits.
fn settings(home: &Home) -> Settings {
    match config::load(&home.config_file()) {
        Ok(config) => {
            diag::start(home, "daemon", config.log_level);
            Settings::new(&config)
        }
        Err(error) => {
            diag::start(home, "daemon", None);
            tracing::warn!("{error}; the usual limits are in force");
            Settings::default()
        }
    }
}

/// A panic that a screen contains is told as its session's news, by whoever fed
/// it: hostile output may cause any number of them.
fn quiet_contained_panics() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !contains_panic() {
            tell(info);
        }
    }));
}

async fn serve(home: Home, settings: Settings, channel: Channel) -> io::Result<()> {
    let (hub, link) = takeover::take_over(home, settings, channel).await?;
    let sessions = hub.read().sessions.iter().count();
    tracing::info!(version = VERSION, pid = process::id(), sessions, "started");
    tokio::task::spawn_local(tasks::render::run(hub.clone()));
    tokio::task::spawn_local(tasks::timers::run(hub.clone()));
    let listening = hub.clone();
    tokio::task::spawn_local(async move {
        // Whoever asks for an upgrade is answered when it is done.
        listening.keeper_settled().await;
        server::listen::run(listening).await;
    });
    tasks::keeper::run(hub, link).await?;
    tracing::info!(pid = process::id(), "stopped");
    Ok(())
}
