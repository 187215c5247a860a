//! Ctrl-C while a job is only watched: the watching ends, the job goes on.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use signal_hook::consts::SIGINT;
use signal_hook::low_level::pipe;

use super::exit::Exit;
use super::output::note;

/// From now on Ctrl-C says `message` and ends this process, whatever it is waiting for.
///
/// What was followed has been handed over by then: followers flush before they wait.
pub fn leave_with(message: String) -> io::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    pipe::register(SIGINT, writer)?;
    std::thread::spawn(move || {
        if reader.read_exact(&mut [0]).is_ok() {
            note(&message);
            std::process::exit(i32::from(Exit::INTERRUPTED.0));
        }
    });
    Ok(())
}
