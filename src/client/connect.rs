//! Finding the daemon, or starting one.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use super::Connection;
use super::connection::HANDSHAKE;
use crate::protocol::{Error, ErrorCode, Greeting};
use crate::sys::paths::Home;
use crate::sys::{detach, lock::Lock, socket};

/// Whether a daemon is started when there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutoStart {
    /// Start one.
    Yes,
    /// Start one if the last one did not end on purpose: then its socket is still there.
    AfterCrash,
    /// Say that there is none.
    No,
}

/// Where the daemon of this environment lives.
pub fn home() -> Result<Home, Error> {
    Home::locate().map_err(|error| unavailable(&error.to_string()))
}

/// Connects, introduces the client and reads the daemon's `hello`. Where the
/// daemon dies over that, the next one is asked.
pub fn connect(greeting: &Greeting, start: AutoStart) -> Result<Connection, Error> {
    let home = home()?;
    let patience = Instant::now() + HANDSHAKE;
    loop {
        match Connection::open(knock(&home, start)?, greeting) {
            Err(error)
                if error.code == ErrorCode::DaemonUnavailable && Instant::now() < patience => {}
            outcome => return outcome,
        }
    }
}

fn knock(home: &Home, start: AutoStart) -> Result<UnixStream, Error> {
    let error = match socket::connect(&home.socket()) {
        Ok(stream) => return Ok(stream),
        Err(error) => error,
    };
    if !is_absent(&error) {
        let place = home.socket();
        return Err(unavailable(&format!("{}: {error}", place.display())));
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

/// Starts a keeper under the lock, so that of many clients one does it and the
/// others find its socket.
fn start_daemon(home: &Home) -> Result<UnixStream, Error> {
    let fail = |error: io::Error| unavailable(&format!("the daemon did not start: {error}"));
    home.prepare()
        .map_err(|error| unavailable(&error.to_string()))?;
    let _lock = Lock::wait(&home.start_lock()).map_err(fail)?;
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

fn unavailable(message: &str) -> Error {
    Error::new(ErrorCode::DaemonUnavailable, message)
}
