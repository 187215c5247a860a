//! Asks the keeper for its status, without a daemon: whether it runs, where it listens, and why no daemon
//! answers.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::connect::{is_absent, unavailable};
use crate::protocol::{Error, KeeperStatus};
use crate::sys::paths::Home;
use crate::sys::role::{self, ProcessRole};
use crate::sys::{process, socket};

/// Longest wait for an answer. The keeper answers within a millisecond, unless it is stopped or the machine is
/// overloaded.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Interval of the checks whether the keeper is stopped.
const STEP: Duration = Duration::from_millis(100);

/// Maximum number of bytes read of an answer, which has a few hundred.
const LONGEST: u64 = 64 * 1024;

/// The status of this home's keeper; `None` if no keeper is running, or an older one that does not report its
/// status. Before it answers, the keeper makes sure that clients can reach it. An error says why it does not
/// answer.
pub fn ask(home: &Home) -> Result<Option<KeeperStatus>, Error> {
    let path = home.keeper_socket();
    let fail = |error: io::Error| unavailable(&format!("{}: {error}", path.display()));
    let mut stream = match socket::connect(&path) {
        Ok(stream) => stream,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    socket::check_peer(&stream).map_err(fail)?;
    let said = read(&mut stream)?;
    Ok(serde_json::from_slice(&said).ok())
}

/// Returns an error if no daemon will answer soon: it cannot be started, or it is stopped.
pub fn check_daemon(status: &KeeperStatus) -> Result<(), Error> {
    if let Some(trouble) = &status.trouble {
        let message = format!("the daemon cannot be started: {trouble}");
        let pid = status.keeper_pid;
        return Err(unavailable(&message).hint(format!(
            "{}, and the keeper (pid {pid}) tries again every second; bgproc daemon logs says more",
            match status.jobs {
                0 => "no job is running".to_owned(),
                1 => "1 running job continues".to_owned(),
                jobs => format!("{jobs} running jobs continue"),
            }
        )));
    }
    match status.daemon_pid {
        Some(pid) if process::is_stopped(pid) => Err(stopped(ProcessRole::Daemon, pid)),
        _ => Ok(()),
    }
}

/// Returns an error if the daemon is stopped and there is no keeper, which the daemon would start again.
pub fn check_daemon_alone(home: &Home) -> Result<(), Error> {
    let daemon =
        role::find(home, ProcessRole::Daemon).filter(|daemon| process::is_stopped(daemon.pid));
    match daemon.map(|daemon| daemon.pid) {
        Some(pid) => Err(stopped(ProcessRole::Daemon, pid).hint(format!(
            "resume it with kill -CONT {pid}. Do not kill it: the keeper is gone, so the jobs would be lost"
        ))),
        None => Ok(()),
    }
}

fn read(stream: &mut UnixStream) -> Result<Vec<u8>, Error> {
    let pid = socket::peer_pid(&*stream).unwrap_or_default();
    let silent = |why: &str| unavailable(&format!("the keeper (pid {pid}) {why}"));
    let mut said = Vec::new();
    let began = Instant::now();
    let _ = stream.set_read_timeout(Some(STEP));
    loop {
        match (&*stream).take(LONGEST).read_to_end(&mut said) {
            Ok(_) => return Ok(said),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // It was killed before it accepted the connection.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(said),
            Err(error) => return Err(silent(&format!("does not answer: {error}"))),
        }
        if process::is_stopped(pid) {
            return Err(stopped(ProcessRole::Keeper, pid));
        }
        if began.elapsed() >= PATIENCE {
            return Err(silent("does not answer"));
        }
    }
}

fn stopped(who: ProcessRole, pid: u32) -> Error {
    unavailable(&format!(
        "the {who} (pid {pid}) is stopped, by SIGSTOP or a debugger"
    ))
    .hint(format!(
        "resume it with kill -CONT {pid}; jobs are not affected"
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_keeper_that_dies_before_it_accepts_is_none_that_runs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keeper.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let mut stream = socket::connect(&path).unwrap();
        drop(listener);
        assert_eq!(read(&mut stream), Ok(Vec::new()));
    }
}
