//! Finding the daemon, or starting one.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Connection;
use crate::protocol::{Error, ErrorCode, Greeting};
use crate::sys::paths::{Home, PathError};
use crate::sys::{detach, lock::Lock, socket};

/// Whether a daemon is started when there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutoStart {
    /// Start one. It has to speak this program's protocol.
    Yes,
    /// Say that there is none. One of any version will do: it is only to be
    /// looked at or ended, which every version understands.
    No,
}

/// Where the daemon of this environment lives.
pub fn home() -> Result<Home, Error> {
    Home::locate().map_err(|error| bad_place(&error))
}

/// A daemon may die between taking a connection and its first word. It is asked
/// for again for so long.
const INSIST: Duration = Duration::from_secs(5);

/// Pause before it is asked for again.
const PAUSE: Duration = Duration::from_millis(20);

/// Connects, introduces the client and reads the daemon's `hello`.
pub fn connect(greeting: &Greeting, start: AutoStart) -> Result<Connection, Error> {
    let home = home()?;
    let begun = Instant::now();
    loop {
        match try_connect(&home, greeting, start) {
            Err(error)
                if error.code == ErrorCode::DaemonUnavailable
                    && start == AutoStart::Yes
                    && begun.elapsed() < INSIST => {}
            outcome => return outcome,
        }
        std::thread::sleep(PAUSE);
    }
}

fn try_connect(home: &Home, greeting: &Greeting, start: AutoStart) -> Result<Connection, Error> {
    let stream = match socket::connect(&home.socket()) {
        Ok(stream) => stream,
        Err(error) if !is_absent(&error) => return Err(at(&home.socket(), &error)),
        Err(_) if start == AutoStart::No => {
            return Err(unavailable("no daemon is running").hint("any other verb starts one"));
        }
        Err(_) => start_daemon(home)?,
    };
    check_owner(&stream, &home)?;
    let connection = Connection::open(stream, greeting)?;
    if start == AutoStart::Yes {
        connection.check_protocol()?;
    }
    Ok(connection)
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
