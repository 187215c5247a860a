//! Finds the daemon, or starts one.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Connection;
use super::connection::AutoStart;
use super::host::{self, Chosen};
use super::keeper;
use super::receiver::HANDSHAKE;
use crate::link::fault;
use crate::protocol::{Action, Error, ErrorCode, Greeting, RequestId};
use crate::sys::paths::{self, Home, PathError};
use crate::sys::role::{self, ProcessRole};
use crate::sys::{detach, lock::Lock, process, readiness, socket};

/// Longest time a keeper may take to end or to listen again, and the interval between checks.
const CHANGING: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The result of looking for a daemon without starting one.
#[derive(Debug)]
pub enum Running {
    /// A daemon is running. It may be of any version: all versions understand queries and shutdown.
    Yes(Box<Connection>),
    /// No daemon is running; the text says so.
    No(String),
}

/// The file of this program, in the form in which it is sent to a daemon.
pub fn own_program() -> Option<String> {
    let path = paths::own_program().ok()?;
    path.into_os_string().into_string().ok()
}

/// Waits until a daemon that was told to stop has ended, at most two seconds.
pub fn await_end(pid: u32) {
    if let Ok(handle) = process::handle(pid) {
        readiness::await_readable(&handle, Duration::from_secs(2));
    }
}

/// The directories of this environment's daemon.
pub fn home() -> Result<Home, Error> {
    Home::locate().map_err(|error| bad_place(&error))
}

/// Connects, sends the greeting and reads the daemon's `hello`. If the daemon dies meanwhile, tries the next
/// one.
pub fn connect(greeting: &Greeting, start: AutoStart) -> Result<Connection, Error> {
    Ok(introduce(greeting, start, None)?.0)
}

/// Connects to a running daemon, and starts none. Returns an error if a daemon should be running but does not
/// answer.
pub fn connect_running(greeting: &Greeting) -> Result<Running, Error> {
    let place = Place::of_process()?;
    let stream = match &place {
        Place::Here(_) => match reach_running()? {
            Ok(stream) => stream,
            Err(why) => return Ok(Running::No(why)),
        },
        Place::There(host) => host.connect(None)?,
    };
    match Connection::open(stream, greeting, None, &|| place.check()) {
        Ok((connection, _)) => Ok(Running::Yes(Box::new(connection))),
        // The relay says that none is running.
        Err(error) if matches!(place, Place::There(_)) && is_unavailable(&error) => {
            place.check()?;
            Ok(Running::No(error.message))
        }
        Err(error) => Err(error),
    }
}

fn is_unavailable(error: &Error) -> bool {
    error.code == ErrorCode::DaemonUnavailable
}

/// Where the daemon of this process is.
enum Place {
    Here(Home),
    There(&'static Chosen),
}

impl Place {
    fn of_process() -> Result<Self, Error> {
        match host::chosen() {
            Some(host) => Ok(Self::There(host)),
            None => Ok(Self::Here(checked_home()?)),
        }
    }

    fn connect(&self, start: AutoStart) -> Result<UnixStream, Error> {
        match self {
            Self::Here(home) => {
                let stream = reach_daemon(home, start)?;
                check_owner(&stream, home)?;
                Ok(stream)
            }
            Self::There(host) => host.connect(Some(start)),
        }
    }

    /// An error of the daemon, or of the relay that does not reach it.
    fn told(&self, error: Error) -> Error {
        match self {
            Self::Here(_) => error,
            Self::There(chosen) => fault::of_daemon(&chosen.host, error),
        }
    }

    /// Returns an error with the reason if the daemon will not answer soon.
    fn check(&self) -> Result<(), Error> {
        match self {
            Self::Here(home) => check_daemon(home),
            Self::There(host) => host.check(),
        }
    }
}

/// A connection to this machine's daemon, without a greeting.
pub(super) fn reach(start: AutoStart) -> Result<UnixStream, Error> {
    Place::Here(checked_home()?).connect(start)
}

/// A connection to this machine's daemon if one is running; else the inner error says that none is.
pub(super) fn reach_running() -> Result<Result<UnixStream, String>, Error> {
    let home = checked_home()?;
    let none = |why: &str| Ok(Err(why.to_owned()));
    let stream = match keeper::ask(&home)? {
        Some(status) => {
            keeper::check_daemon(&status)?;
            if status.daemon_pid.is_none() {
                // Connecting would start a daemon.
                let (pid, jobs) = (status.keeper_pid, status.jobs);
                let noun = if jobs == 1 { "job" } else { "jobs" };
                return none(&format!(
                    "no daemon is running; the keeper (pid {pid}) holds {jobs} running {noun}"
                ));
            }
            socket::connect(&status.socket).map_err(|error| at(&status.socket, &error))?
        }
        // An older keeper does not report its status.
        None => match socket::connect(&home.socket()) {
            Ok(stream) => stream,
            Err(error) if is_absent(&error) => return none("no daemon is running"),
            Err(error) => return Err(at(&home.socket(), &error)),
        },
    };
    check_owner(&stream, &home)?;
    Ok(Ok(stream))
}

/// Connects, and sends `first` along with the greeting. Returns the id of that request.
pub(super) fn introduce(
    greeting: &Greeting,
    start: AutoStart,
    first: Option<&Action>,
) -> Result<(Connection, Option<RequestId>), Error> {
    let place = Place::of_process()?;
    let patience = Instant::now() + HANDSHAKE;
    // A relay has tried by itself what can be tried.
    let mut tries = match place {
        Place::Here(_) => u32::MAX,
        Place::There(_) => 2,
    };
    let (mut connection, asked) = loop {
        let stream = place.connect(start)?;
        tries = tries.saturating_sub(1);
        // The socket accepts connections even while no daemon runs, so there may be no answer. The keeper knows
        // the reason.
        match Connection::open(stream, greeting, first, &|| place.check()) {
            Err(error) if is_unavailable(&error) && tries > 0 && Instant::now() < patience => {
                place.check()?;
            }
            outcome => break outcome.map_err(|error| place.told(error))?,
        }
    };
    connection.check_protocol()?;
    connection.origin = Some((greeting.clone(), start));
    Ok((connection, asked))
}

/// The directories of the daemon, after checking that no other user could have placed files there.
fn checked_home() -> Result<Home, Error> {
    let home = home()?;
    home.check_sockets().map_err(|error| bad_place(&error))?;
    Ok(home)
}

/// Returns an error with the reason if the daemon of this environment will not answer soon.
pub fn why_silent() -> Result<(), Error> {
    match host::chosen() {
        Some(host) => host.check(),
        None => check_daemon(&home()?),
    }
}

/// Returns an error with the reason if no daemon will answer soon.
fn check_daemon(home: &Home) -> Result<(), Error> {
    match keeper::ask(home)? {
        Some(status) => keeper::check_daemon(&status),
        None => keeper::check_daemon_alone(home),
    }
}

/// Whether the daemon of this environment did not stop on purpose: then it would have removed its socket.
pub fn has_crashed() -> bool {
    match host::chosen() {
        Some(_) => true,
        None => home().is_ok_and(|home| home.socket().exists()),
    }
}

fn reach_daemon(home: &Home, start: AutoStart) -> Result<UnixStream, Error> {
    let error = match socket::connect(&home.socket()) {
        Ok(stream) => return Ok(stream),
        Err(error) => error,
    };
    if !is_absent(&error) {
        return Err(at(&home.socket(), &error));
    }
    // The socket file may have been removed while the keeper runs, or be in another directory.
    if let Some(stream) = ask_keeper(home)? {
        return Ok(stream);
    }
    let ended = error.kind() == io::ErrorKind::NotFound;
    match start {
        AutoStart::Yes => start_daemon(home),
        AutoStart::AfterCrash if !ended => start_daemon(home),
        AutoStart::AfterCrash => {
            Err(unavailable("no daemon is running").hint("any other verb starts one"))
        }
    }
}

/// Connects to the socket that the keeper reports; `None` if no keeper is running.
fn ask_keeper(home: &Home) -> Result<Option<UnixStream>, Error> {
    let Some(status) = keeper::ask(home)? else {
        return Ok(None);
    };
    match socket::connect(&status.socket) {
        Ok(stream) => Ok(Some(stream)),
        // It was killed after it had answered.
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(at(&status.socket, &error)),
    }
}

/// Checks that the daemon belongs to this user, because the greeting reveals the caller's environment.
fn check_owner(stream: &UnixStream, home: &Home) -> Result<(), Error> {
    let socket = home.socket();
    let owner = socket::peer_uid(stream).map_err(|error| at(&socket, &error))?;
    let me = rustix::process::geteuid().as_raw();
    if owner == me {
        return Ok(());
    }
    let socket = socket.display();
    Err(unavailable(&format!(
        "the daemon behind {socket} belongs to user id {owner}, and this is user id {me}"
    ))
    .hint("run bgproc as that user, or set BGPROC_HOME to a directory of yours"))
}

/// Starts a keeper while holding the start lock, so that only one of several clients starts it and the others
/// find its socket.
fn start_daemon(home: &Home) -> Result<UnixStream, Error> {
    let fail = |error: io::Error| unavailable(&format!("the daemon did not start: {error}"));
    home.prepare().map_err(|error| bad_place(&error))?;
    let _lock = match start_lock(home, HANDSHAKE)? {
        Turn::Mine(lock) => lock,
        Turn::Started(stream) => return Ok(stream),
    };
    match socket::connect(&home.socket()) {
        Ok(stream) => return Ok(stream),
        Err(error) if !is_absent(&error) => return Err(fail(error)),
        Err(_) => {}
    }
    if let Some(stream) = ask_keeper(home)? {
        return Ok(stream);
    }
    let patience = Instant::now() + CHANGING;
    let mut is_last = false;
    loop {
        match detach::start_keeper(home) {
            Ok(()) => return socket::connect(&home.socket()).map_err(fail),
            Err(error) if is_last || Instant::now() >= patience => return Err(fail(error)),
            // A keeper that was in the way may have ended since this attempt. So the next one decides.
            Err(_) => is_last = !is_keeper_changing(home),
        }
        std::thread::sleep(BETWEEN_LOOKS);
        if let Some(stream) = ask_keeper(home)? {
            return Ok(stream);
        }
    }
}

/// The outcome of waiting for the start lock.
enum Turn {
    /// This client starts the keeper.
    Mine(Lock),
    /// Another one has started it.
    Started(UnixStream),
}

/// Waits for the start lock at most `patience`. The client that holds it may be stopped, even after it has started the
/// keeper.
fn start_lock(home: &Home, patience: Duration) -> Result<Turn, Error> {
    let path = home.start_lock();
    let deadline = Instant::now() + patience;
    loop {
        match Lock::attempt(&path) {
            Ok(Some(lock)) => return Ok(Turn::Mine(lock)),
            Ok(None) => {}
            Err(error) => return Err(at(&path, &error)),
        }
        if let Ok(stream) = socket::connect(&home.socket()) {
            return Ok(Turn::Started(stream));
        }
        if Instant::now() >= deadline {
            let path = path.display();
            let message = format!(
                "another bgproc is starting the daemon and does not finish: it holds {path}"
            );
            return Err(unavailable(&message).hint(format!(
                "it may be stopped, by Ctrl-Z for example; fuser {path} says which process it is"
            )));
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// Whether a keeper exists that does not listen: it is about to end, or to listen again because its sockets were
/// removed.
fn is_keeper_changing(home: &Home) -> bool {
    // The kernel takes away the memory of a killed process, by which it is found, before it releases its locks.
    let is_held = |path: &Path| matches!(Lock::attempt(path), Ok(None));
    role::find(home, ProcessRole::Keeper).is_some()
        || is_held(&home.sessions_lock())
        || is_held(&paths::keeper_lock_in(&home.runtime))
}

/// Whether no process listens there: there is no socket, or it was left behind.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
    )
}

fn bad_place(error: &PathError) -> Error {
    unavailable(&error.to_string()).hint(error.advice())
}

fn at(path: &Path, error: &io::Error) -> Error {
    unavailable(&format!("{}: {error}", path.display()))
}

pub(super) fn unavailable(message: &str) -> Error {
    Error::new(ErrorCode::DaemonUnavailable, message).hint("bgproc doctor looks for the reason")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_does_not_finish_its_start_is_not_waited_for_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home {
            runtime: dir.path().to_owned(),
            state: dir.path().to_owned(),
            config: dir.path().to_owned(),
            session: None,
        };
        let lock = Lock::attempt(&home.start_lock()).unwrap().unwrap();
        let Err(error) = start_lock(&home, Duration::ZERO) else {
            panic!("two clients have the lock");
        };
        assert_eq!(error.code, ErrorCode::DaemonUnavailable);
        let path = home.start_lock().display().to_string();
        assert!(error.message.ends_with(&format!("it holds {path}")));
        drop(lock);
        // A child that another test starts has the lock too, until it calls exec.
        let turn = start_lock(&home, HANDSHAKE).unwrap();
        assert!(matches!(turn, Turn::Mine(_)));
    }
}
