//! The sockets by which clients reach the daemon and the keeper: the daemon's socket, and a status socket
//! of the keeper in the state directory.
//!
//! Both files can be removed by others: by a clean-up job, or by logind, which removes the runtime
//! directory at the last logout. The keeper notices by inotify, and checks again whenever a client asks for
//! its status, which covers systems where no inotify watch is left. It then listens again in the same
//! directory, or in the state directory if that fails, and notes the path in `sessions.lock`.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Keeper;
use super::events::Source;
use super::requests::dup;
use crate::protocol::keeper::ToDaemon;
use crate::protocol::{KeeperStatus, VERSION};
use crate::sys::dirwatch::DirWatch;
use crate::sys::file::{self, Identity};
use crate::sys::paths::{Home, socket_in};
use crate::sys::socket;

/// Status clients answered per turn of the loop; the rest wait for the next turn.
const ANSWERED_AT_ONCE: usize = 16;

/// How long no status client is accepted after accept(2) failed, for example for lack of descriptors.
const PAUSE: Duration = Duration::from_millis(200);

/// The sockets, and the watch on their files.
pub(super) struct Endpoint {
    /// The daemon's socket. The keeper holds it so that a connection is never refused.
    pub(super) listener: UnixListener,
    path: PathBuf,
    /// Identity of the file at `path` when we created it; any other file there is not ours.
    made: Option<Identity>,
    /// Whether `path` is noted in `sessions.lock`.
    is_noted: bool,
    /// Whether no daemon has been given `listener` yet. A running daemon still accepts on an earlier one.
    is_unshared: bool,
    status: Option<(UnixListener, Option<Identity>)>,
    watch: Option<DirWatch>,
    /// Reserve descriptor, closed for a moment when no descriptor is left, so that a client can still be
    /// answered.
    spare: Option<OwnedFd>,
    /// No status client is accepted until then.
    paused_until: Option<Instant>,
}

impl Endpoint {
    /// Takes a listener that was bound at `path`.
    pub(super) fn new(listener: UnixListener, path: PathBuf) -> Self {
        let watch = DirWatch::new();
        if let Err(error) = &watch {
            tracing::info!(%error, "inotify is not available; a removed socket is noticed when a client asks for the status");
        }
        Self {
            listener,
            made: file::identity(&path),
            path,
            is_noted: false,
            is_unshared: false,
            status: None,
            watch: watch.ok(),
            spare: spare(),
            paused_until: None,
        }
    }

    /// How long until status clients are accepted again; `None` if they are accepted now.
    pub(super) fn pause(&self) -> Option<Duration> {
        let until = self.paused_until?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    /// Removes the sockets, so that no client finds one that no daemon will ever answer.
    pub(super) fn remove(&self, home: &Home) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(home.keeper_socket());
    }

    fn is_in_place(&self) -> bool {
        self.made.is_some() && file::identity(&self.path) == self.made
    }

    /// Watches the directories of both sockets.
    fn watch_places(&self, home: &Home) {
        if let Some(dir) = self.path.parent() {
            self.watch(dir);
        }
        self.watch(&home.state);
    }

    fn watch(&self, dir: &Path) {
        if let Some(Err(error)) = self.watch.as_ref().map(|watch| watch.add(dir)) {
            tracing::info!(dir = %dir.display(), %error, "cannot watch the directory");
        }
    }
}

impl Keeper {
    /// Starts to answer status clients and to watch the socket files.
    pub(super) fn open_endpoint(&mut self) -> io::Result<()> {
        if let Some(watch) = &self.endpoint.watch {
            self.events.add(watch, Source::SocketDirs)?;
        }
        // Before the first look: a file that is removed right after it must not be missed.
        self.endpoint.watch_places(&self.home);
        self.look_after_sockets();
        Ok(())
    }

    /// Listens again if a socket file was removed.
    pub(super) fn look_after_sockets(&mut self) {
        if let Some(watch) = &self.endpoint.watch {
            // Clear before checking, so that a removal after the check triggers the watch again.
            watch.clear();
        }
        self.look_after_lock();
        if !self.endpoint.is_in_place() {
            self.listen_again();
        }
        if let Some((_, made)) = &self.endpoint.status
            && (made.is_none() || file::identity(&self.home.keeper_socket()) != *made)
        {
            self.close_status_socket();
        }
        if self.endpoint.status.is_none() && self.endpoint.paused_until.is_none() {
            self.open_status_socket();
        }
        // The places may be others now.
        self.endpoint.watch_places(&self.home);
        if !self.endpoint.is_noted {
            match self.locks.note(&self.endpoint.path) {
                Ok(()) => self.endpoint.is_noted = true,
                Err(error) => {
                    tracing::warn!(%error, "cannot note the socket's path in sessions.lock")
                }
            }
        }
    }

    fn look_after_lock(&mut self) {
        let renewed = self.locks.renew_sessions(&self.home).or_else(|_| {
            // The directory of the lock is gone as well.
            self.home.prepare().map_err(io::Error::other)?;
            self.locks.renew_sessions(&self.home)
        });
        match renewed {
            Ok(false) => {}
            Ok(true) => {
                tracing::warn!("sessions.lock was removed; it is locked again");
                self.endpoint.is_noted = false;
            }
            Err(error) => tracing::error!(%error, "cannot lock sessions.lock again"),
        }
    }

    fn listen_again(&mut self) {
        let (runtime, state) = (self.home.runtime.clone(), self.home.state.clone());
        for dir in [runtime, state] {
            match self.listen_in(&dir) {
                Ok(()) => {
                    tracing::warn!(path = %self.endpoint.path.display(), "the daemon's socket was removed; listening again");
                    return;
                }
                Err(error) => tracing::warn!(dir = %dir.display(), %error, "cannot listen there"),
            }
        }
    }

    fn listen_in(&mut self, dir: &Path) -> io::Result<()> {
        self.locks.move_to(dir)?;
        let path = socket_in(dir);
        let listener = socket::listen(&path)?;
        listener.set_nonblocking(true)?;
        self.events.remove(&self.endpoint.listener);
        self.endpoint.listener = listener;
        self.endpoint.made = file::identity(&path);
        self.endpoint.path = path;
        self.endpoint.is_noted = false;
        self.endpoint.is_unshared = true;
        self.share_listener()?;
        self.listen_for_client();
        Ok(())
    }

    /// Gives the listener to the daemon if that has an earlier one. Without a connection this waits
    /// for [`greet_foreign_daemon`](Self::greet_foreign_daemon); a daemon that the keeper starts gets
    /// the listener then.
    pub(super) fn share_listener(&mut self) -> io::Result<()> {
        if self.channel.is_some() && self.endpoint.is_unshared {
            let copy = dup(&self.endpoint.listener)?;
            self.tell(&ToDaemon::Listening, vec![copy]);
            self.endpoint.is_unshared = false;
        }
        Ok(())
    }

    fn open_status_socket(&mut self) {
        let path = self.home.keeper_socket();
        let opened = socket::listen(&path).and_then(|listener| {
            listener.set_nonblocking(true)?;
            self.events.add(&listener, Source::Status)?;
            Ok((listener, file::identity(&path)))
        });
        match opened {
            Ok(opened) => self.endpoint.status = Some(opened),
            Err(error) => tracing::warn!(path = %path.display(), %error, "cannot listen there"),
        }
    }

    fn close_status_socket(&mut self) {
        if let Some((listener, _)) = self.endpoint.status.take() {
            self.events.remove(&listener);
        }
    }

    /// Answers clients that ask for the keeper's status, after checking the socket files.
    pub(super) fn tell_status(&mut self) {
        self.look_after_sockets();
        for _ in 0..ANSWERED_AT_ONCE {
            let Some((listener, _)) = &self.endpoint.status else {
                return;
            };
            match listener.accept() {
                Ok((client, _)) => {
                    self.answer(client);
                    if self.endpoint.spare.is_none() {
                        self.endpoint.spare = spare();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Too many open files: try once more with the reserve descriptor closed.
                Err(_) if self.endpoint.spare.take().is_some() => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot answer a client that asks for the keeper's status");
                    self.close_status_socket();
                    self.endpoint.paused_until = Some(Instant::now() + PAUSE);
                    return;
                }
            }
        }
    }

    /// Accepts status clients again after a pause.
    pub(super) fn tell_again(&mut self) {
        if self.endpoint.pause() == Some(Duration::ZERO) {
            self.endpoint.paused_until = None;
            self.look_after_sockets();
        }
    }

    fn answer(&self, mut client: UnixStream) {
        if let Err(error) = socket::check_peer(&client) {
            tracing::warn!(%error, "a client is refused");
            return;
        }
        let status = KeeperStatus {
            socket: self.endpoint.path.clone(),
            keeper_pid: std::process::id(),
            version: VERSION.to_owned(),
            daemon_pid: self.supervisor.serving(),
            jobs: self.table.iter().filter(|(_, e)| e.exit.is_none()).count(),
            // An upgrade that fails is given up, and the program before is used again.
            trouble: self.supervisor.trouble().filter(|_| self.upgrade.is_none()),
        };
        // A fresh socket has room for the line, and a client that has gone needs no answer.
        let line = serde_json::to_vec(&status).unwrap_or_default();
        let _ = client.set_nonblocking(true);
        let _ = client.write_all(&line);
    }
}

fn spare() -> Option<OwnedFd> {
    Some(std::fs::File::open("/dev/null").ok()?.into())
}
