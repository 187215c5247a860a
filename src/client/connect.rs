//! Finding the daemon, or starting one.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use serde::de::DeserializeOwned;

use super::Connection;
use super::connection::HANDSHAKE;
use crate::protocol::{Action, Error, ErrorCode, Greeting, RequestId};
use crate::sys::paths::{Home, PathError};
use crate::sys::{detach, lock::Lock, socket};

/// Whether a daemon is started when there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutoStart {
    /// Start one. It has to speak this program's protocol.
    Yes,
    /// Start one if the last one did not end on purpose: then its socket is still there.
    AfterCrash,
    /// Say that there is none. One of any version will do: it is only to be
    /// looked at or ended, which every version understands.
    No,
}

/// Where the daemon of this environment lives.
pub fn home() -> Result<Home, Error> {
    Home::locate().map_err(|error| bad_place(&error))
}

/// Connects, introduces the client and reads the daemon's `hello`. Where the
/// daemon dies over that, the next one is asked.
pub fn connect(greeting: &Greeting, start: AutoStart) -> Result<Connection, Error> {
    Ok(introduce(greeting, start, None)?.0)
}

/// Connects as [`connect`] does, starting a daemon if need be, and asks `first` along with it: one wait less. Only
/// for what changes nothing, because it is on its way before it is known who answers. (A daemon of another protocol
/// refuses it.)
pub fn connect_asking<T: DeserializeOwned>(
    greeting: &Greeting,
    first: &Action,
) -> Result<(Connection, Result<T, Error>), Error> {
    let (mut connection, id) = introduce(greeting, AutoStart::Yes, Some(first))?;
    let answer = connection.reply_to(&id.unwrap_or_default());
    Ok((connection, answer))
}

fn introduce(
    greeting: &Greeting,
    start: AutoStart,
    first: Option<&Action>,
) -> Result<(Connection, Option<RequestId>), Error> {
    let home = home()?;
    home.check_runtime().map_err(|error| bad_place(&error))?;
    let patience = Instant::now() + HANDSHAKE;
    let (connection, asked) = loop {
        let stream = knock(&home, start)?;
        check_owner(&stream, &home)?;
        match Connection::open(stream, greeting, first) {
            Err(error)
                if error.code == ErrorCode::DaemonUnavailable && Instant::now() < patience => {}
            outcome => break outcome?,
        }
    };
    if start != AutoStart::No {
        connection.check_protocol()?;
    }
    Ok((connection, asked))
}

fn knock(home: &Home, start: AutoStart) -> Result<UnixStream, Error> {
    let error = match socket::connect(&home.socket()) {
        Ok(stream) => return Ok(stream),
        Err(error) => error,
    };
    if !is_absent(&error) {
        return Err(at(&home.socket(), &error));
    }
    let ended = error.kind() == io::ErrorKind::NotFound;
    match start {
        AutoStart::Yes => start_daemon(home),
        AutoStart::AfterCrash if !ended => start_daemon(home),
        AutoStart::AfterCrash | AutoStart::No => {
            Err(unavailable("no daemon is running").hint("any other verb starts one"))
        }
    }
}

/// Who is greeted gets to see the caller's environment: nobody else's daemon may.
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

/// Starts a keeper under the lock, so that of many clients one does it and the
/// others find its socket.
fn start_daemon(home: &Home) -> Result<UnixStream, Error> {
    let fail = |error: io::Error| unavailable(&format!("the daemon did not start: {error}"));
    home.prepare().map_err(|error| bad_place(&error))?;
    let lock = home.start_lock();
    let _lock = Lock::wait(&lock).map_err(|error| at(&lock, &error))?;
    match socket::connect(&home.socket()) {
        Ok(stream) => return Ok(stream),
        Err(error) if !is_absent(&error) => return Err(fail(error)),
        Err(_) => {}
    }
    detach::start_keeper(&home.diagnostics("keeper")).map_err(fail)?;
    socket::connect(&home.socket()).map_err(fail)
}

/// Whether nobody listens there: no socket, or one that its owner left behind.
fn is_absent(error: &io::Error) -> bool {
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

fn unavailable(message: &str) -> Error {
    Error::new(ErrorCode::DaemonUnavailable, message).hint("bgproc doctor looks for the reason")
}
