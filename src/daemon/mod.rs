//! The daemon: drives the engine, and talks to keeper and clients.
//!
//! One thread. Everything it knows is one `state::State`, which is only ever
//! touched between two awaits; tasks (one a connection, one for rendering, one
//! for the clock, one for the keeper, one a watched screen) take turns on it.
//! Each verb of the protocol is a file in `actions`.

mod actions;
mod adopt;
mod clock;
mod connection;
mod end_tree;
mod fault;
mod hub;
mod input;
mod input_log;
mod keeper_link;
mod lines;
mod listen;
mod log_reader;
mod outbox;
mod render;
mod settings;
mod state;
mod store;
mod text;
mod watch;

use std::io;
use std::os::fd::AsFd;
use std::process::ExitCode;

use tokio::task::LocalSet;

use crate::diag;
use crate::sys::channel::Channel;
use crate::sys::paths::Home;
use crate::sys::spawn;
use crate::term::screen::contains_panic;

/// Runs the daemon; its stdin is the socket to the keeper.
pub fn run() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            diag::say(format_args!("daemon: cannot go on: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn start() -> io::Result<()> {
    spawn::raise_file_limit();
    tell_panics();
    let home = Home::locate().map_err(io::Error::other)?;
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let channel = Channel::new(stdin)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = LocalSet::new();
    let outcome = local.block_on(&runtime, serve(home, channel));
    // Tasks that are still there hold nothing that has to be finished.
    runtime.shutdown_background();
    outcome
}

/// A panic is a line in the daemon's log. One that a screen contains is told as
/// that session's news instead, by whoever fed it: hostile output may cause any
/// number of them.
fn tell_panics() {
    std::panic::set_hook(Box::new(|info| {
        if !contains_panic() {
            let said = info.to_string().replace('\n', " ");
            diag::say(format_args!("daemon: {said}"));
        }
    }));
}

async fn serve(home: Home, channel: Channel) -> io::Result<()> {
    let (hub, listener, link) = adopt::adopt(home, channel).await?;
    tokio::task::spawn_local(render::run(hub.clone()));
    tokio::task::spawn_local(clock::run(hub.clone()));
    tokio::task::spawn_local(listen::run(hub.clone(), listener));
    keeper_link::run(hub, link).await
}
