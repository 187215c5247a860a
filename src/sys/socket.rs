//! The Unix socket on which clients connect to the daemon.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use rustix::net::sockopt::socket_peercred;
use rustix::process::geteuid;

/// Longest path of a socket, in bytes: `sun_path` holds 108 with the final NUL (unix(7)).
const MAX_PATH: usize = 107;

/// Connects to the socket at `path`.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    with_short_path(path, |path| UnixStream::connect(path))
}

/// Listens at `path`, replacing the socket there. Only the holder of the keeper's lock may call this, so
/// the replaced socket is stale. There is a socket at `path` all the time, because one that is missing says
/// that a daemon has ended on purpose.
pub fn listen(path: &Path) -> io::Result<UnixListener> {
    let beside = path.with_extension("new");
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = with_short_path(&beside, |path| UnixListener::bind(path))?;
    // std listens with a backlog of 128, but two hundred clients may connect while a daemon is being
    // started. listen(2) may be called again.
    rustix::net::listen(&listener, 1024)?;
    std::fs::set_permissions(&beside, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    std::fs::rename(&beside, path)?;
    Ok(listener)
}

/// Refuses a peer of any other user, root included.
pub fn check_peer(stream: impl AsFd) -> io::Result<()> {
    let (peer, me) = (peer_uid(stream)?, geteuid().as_raw());
    if peer == me {
        return Ok(());
    }
    let why = format!("user id {peer} may not use the daemon of user id {me}");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// User id of the process at the other end; if that is a server, of the process that listens.
pub fn peer_uid(stream: impl AsFd) -> io::Result<u32> {
    Ok(socket_peercred(stream)?.uid.as_raw())
}

/// Pid of the process at the other end; if that is a server, of the process that called listen(2).
pub fn peer_pid(stream: impl AsFd) -> io::Result<u32> {
    Ok(socket_peercred(stream)?
        .pid
        .as_raw_nonzero()
        .get()
        .cast_unsigned())
}

/// Calls `act` with `path`, or with a short path through the directory's descriptor if `path` is too long
/// for a socket address.
fn with_short_path<T>(path: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= MAX_PATH {
        return act(path);
    }
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let dir = open(
        dir,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    use std::os::fd::AsRawFd;
    let short = PathBuf::from(format!("/proc/self/fd/{}", dir.as_raw_fd())).join(name);
    act(&short)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_long_path_works_and_a_stale_socket_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("x".repeat(90)).join("y".repeat(90));
        std::fs::create_dir_all(&deep).unwrap();
        let path = deep.join("daemon.sock");
        drop(listen(&path).unwrap());
        // A child that another test has just forked holds the listener until it runs its program.
        let deadline = Instant::now() + Duration::from_secs(20);
        let refused = loop {
            match connect(&path) {
                Ok(_) => assert!(Instant::now() < deadline, "somebody listens"),
                Err(error) => break error,
            }
        };
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        let listener = listen(&path).unwrap();
        let client = connect(&path).unwrap();
        listener.accept().unwrap();
        check_peer(&client).unwrap();
    }
}
