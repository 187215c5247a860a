//! Ctrl-C while a job is only watched: the watching ends, the job goes on.

use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::net::UnixStream;

use signal_hook::consts::SIGINT;
use signal_hook::low_level::{emulate_default_handler, pipe};

use crate::cli::exit::Exit;
use crate::cli::output::note;

/// No attributes: what the job had in force must not stay.
const RESET: &[u8] = b"\x1b[0m";

/// From now on Ctrl-C says `message` and ends this process by that signal, whatever it is waiting for, so that
/// a shell's loop or make ends with it.
///
/// What was followed has been handed over by then: followers flush before they wait.
pub fn leave_with(message: String) -> io::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    pipe::register(SIGINT, writer)?;
    std::thread::spawn(move || {
        if reader.read_exact(&mut [0]).is_ok() {
            if crate::cli::output::obeys() {
                // Not by way of a lock, which may be held by who waits for a slow terminal.
                let _ = rustix::io::write(io::stdout(), RESET);
            }
            if io::stderr().is_terminal() {
                // Behind the ^C that the terminal shows.
                let _ = io::stderr().write_all(b"\n");
            }
            note(&message);
            let _ = emulate_default_handler(SIGINT);
            std::process::exit(i32::from(Exit::INTERRUPTED.0));
        }
    });
    Ok(())
}

/// What is said when somebody no longer watches these jobs.
pub fn goes_on(names: &[String]) -> String {
    let all = names.join(" ");
    match names {
        [_] => format!("{all} goes on; to end it: bgproc stop {all}"),
        _ => format!("the jobs go on; to end them: bgproc stop {all}"),
    }
}
