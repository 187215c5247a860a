//! Ctrl-C while a job is followed: stop following and leave the job running.

use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::net::UnixStream;

use signal_hook::consts::SIGINT;
use signal_hook::low_level::{emulate_default_handler, pipe};

use crate::cli::exit::Exit;
use crate::cli::output::note;

/// Resets the attributes that the output of the job may have set.
const RESET: &[u8] = b"\x1b[0m";

/// Makes Ctrl-C print `message` and end this process by SIGINT, even while it blocks. Ending by the signal
/// also ends a shell loop or make around it.
///
/// Output that was received has been written by then, because followers flush before they wait.
pub fn leave_with(message: String) -> io::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    pipe::register(SIGINT, writer)?;
    std::thread::spawn(move || {
        if reader.read_exact(&mut [0]).is_ok() {
            if crate::cli::output::obeys() {
                // Write directly: the lock of stdout may be held by a thread that waits for a slow
                // terminal.
                let _ = rustix::io::write(io::stdout(), RESET);
            }
            if io::stderr().is_terminal() {
                // Starts a new line after the `^C` that the terminal echoes.
                let _ = io::stderr().write_all(b"\n");
            }
            note(&message);
            let _ = emulate_default_handler(SIGINT);
            std::process::exit(i32::from(Exit::INTERRUPTED.0));
        }
    });
    Ok(())
}

/// The message for a person who stops following these jobs.
pub fn goes_on(names: &[String]) -> String {
    let all = names.join(" ");
    match names {
        [_] => format!("{all} keeps running; to end it: bgproc stop {all}"),
        _ => format!("the jobs keep running; to end them: bgproc stop {all}"),
    }
}
