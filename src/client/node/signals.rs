//! The signals that reach the first process of a batch job, which ends last.

use std::io;
use std::sync::Arc;

use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag;
use signal_hook::iterator::Signals;

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
    let mut signals = Signals::new(MEANT_FOR_THE_PROGRAM)?;
    let pass = std::thread::Builder::new().name("signals".to_owned());
    pass.spawn(move || {
        // Several of one kind may count as one; the kernel merges those that are pending, too.
        for signal in signals.forever() {
            if let Err(error) = send(signal) {
                // It is on standard error, which the cluster keeps.
                eprintln!(
                    "bgproc: signal {signal} did not reach the program: {}",
                    error.message
                );
            }
        }
    })?;
    Ok(())
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
