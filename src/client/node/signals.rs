//! The signals that reach the first process of a batch job, which ends last.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use crate::client::{self, Running, connect_running, greeting};
use crate::protocol::params::{SignalName, SignalParams};
use crate::protocol::{Action, Error};

/// The signals that a person sends to a batch job, or has its cluster send before the time limit. The cluster sends them
/// to this process only, as to any batch script.
const MEANT_FOR_THE_PROGRAM: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2];

/// Survives the signals that end a process. Those of a person are passed on to the program. TERM announces the end of
/// the job, and the cluster sends it to every process itself.
///
/// None is ignored, since what this process starts would ignore it, too.
pub(super) fn outlast() -> io::Result<()> {
    flag::register(SIGTERM, Arc::default())?;
    let mut pipes = Vec::new();
    for signal in MEANT_FOR_THE_PROGRAM {
        let (reader, writer) = UnixStream::pair()?;
        pipe::register(signal, writer)?;
        pipes.push((signal, reader));
    }
    let pass = std::thread::Builder::new().name("signals".to_owned());
    pass.spawn(move || {
        if let Err(error) = pass_on(&pipes) {
            eprintln!("bgproc: signals are not passed on any more: {error}");
        }
    })?;
    Ok(())
}

/// Passes on each signal; returns only with an error.
fn pass_on(pipes: &[(i32, UnixStream)]) -> io::Result<()> {
    loop {
        let readers = pipes
            .iter()
            .map(|(_, pipe)| PollFd::new(pipe, PollFlags::IN));
        let mut readers: Vec<PollFd<'_>> = readers.collect();
        match poll(&mut readers, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = readers
            .iter()
            .map(|reader| !reader.revents().is_empty())
            .collect();
        for ((signal, pipe), _) in pipes.iter().zip(ready).filter(|(_, ready)| *ready) {
            // Each byte stands for one or more; the kernel merges those that are pending, too.
            let mut pipe = pipe;
            if pipe.read(&mut [0; 64])? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Err(error) = send(*signal) {
                // It is on standard error, which the cluster keeps.
                eprintln!(
                    "bgproc: signal {signal} did not reach the program: {}",
                    error.message
                );
            }
        }
    }
}

/// Sends a signal to the program of the session, as `bgproc signal` does.
fn send(signal: i32) -> Result<(), Error> {
    // Without a daemon there is no program yet, or no longer.
    let (Some(id), Running::Yes(mut daemon)) = (
        client::home()?.session,
        connect_running(&greeting::human())?,
    ) else {
        return Ok(());
    };
    let params = SignalParams {
        session_id: id.to_string(),
        signal: SignalName::Number(signal),
        target: None,
    };
    daemon.call(Action::Signal(params))?;
    Ok(())
}
