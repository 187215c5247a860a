//! Asking the keeper how it is, without a daemon: whether it is there, where it listens, and why no daemon answers.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::connect::{is_absent, unavailable};
use crate::protocol::{Error, KeeperStatus};
use crate::sys::paths::Home;
use crate::sys::{process, socket};

/// It answers within a millisecond, unless it is stopped or the machine is very busy.
const PATIENCE: Duration = Duration::from_millis(1500);

/// After so long it is looked at whether it is stopped.
const STEP: Duration = Duration::from_millis(100);

/// An answer is a few hundred bytes.
const LONGEST: u64 = 64 * 1024;

/// How the keeper of this home is; `None` if there is none, or an older one that does not tell. In answering, it
/// has made sure that clients can reach it. An error says why it does not answer.
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

/// An error if no daemon will answer soon: none can be started, or it is stopped.
pub fn check_daemon(status: &KeeperStatus) -> Result<(), Error> {
    if let Some(trouble) = &status.trouble {
        let message = format!("the daemon cannot be started: {trouble}");
        let pid = status.keeper_pid;
        return Err(unavailable(&message).hint(format!(
            "{}, and the keeper (pid {pid}) tries again every second; bgproc daemon logs says more",
            match status.jobs {
                0 => "no job is running".to_owned(),
                1 => "1 running job goes on".to_owned(),
                jobs => format!("{jobs} running jobs go on"),
            }
        )));
    }
    match status.daemon_pid {
        Some(pid) if process::is_stopped(pid) => Err(stopped("daemon", pid)),
        _ => Ok(()),
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
            Err(error) => return Err(silent(&format!("does not answer: {error}"))),
        }
        if process::is_stopped(pid) {
            return Err(stopped("keeper", pid));
        }
        if began.elapsed() >= PATIENCE {
            return Err(silent("does not answer"));
        }
    }
}

fn stopped(who: &str, pid: u32) -> Error {
    unavailable(&format!(
        "the {who} (pid {pid}) is stopped, by SIGSTOP or a debugger"
    ))
    .hint(format!(
        "let it go on: kill -CONT {pid}; jobs are not affected"
    ))
}
