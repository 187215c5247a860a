//! Ctrl-C while a job is followed, or a reader of the output that goes away: stop following and leave the job running.

use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::SIGINT;
use signal_hook::low_level::{emulate_default_handler, pipe};

use crate::cli::beside;
use crate::cli::context::target;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{advised, note};
use crate::client;
use crate::protocol::shell::quote;

/// Resets the attributes that the output of the job may have set.
const RESET: &[u8] = b"\x1b[0m";

/// Makes Ctrl-C print `message` and end this process by SIGINT, even while it blocks. Ending by the signal
/// also ends a shell loop or make around it.
///
/// Output that was received has been written by then, because followers flush before they wait. Commands in `message`
/// are named with the host of this one. Where Ctrl-C is ignored already, it stays so.
pub fn leave_with(message: String) -> Result<(), Failure> {
    if client::ignores_interrupts() {
        return Ok(());
    }
    let message = advised(&message);
    let unheeded = || Failure::cannot("prepare for Ctrl-C");
    let (mut reader, writer) = UnixStream::pair().map_err(unheeded())?;
    let waits = beside::start(move || {
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
    match waits {
        Ok(()) => pipe::register(SIGINT, writer).map(drop).map_err(unheeded()),
        // Ctrl-C ends this process without the message.
        Err(_) => Ok(()),
    }
}

/// [`leave_with`] for a command that follows: it also ends quietly as soon as nobody can read its standard output any
/// more, as in `bgproc logs -f web | head -1`. A write would notice that, too, but a quiet job causes none.
pub fn leave_following(message: String) -> Result<(), Failure> {
    leave_with_reader();
    leave_with(message)
}

/// Ends this process quietly as soon as nobody can read its standard output any more.
pub fn leave_with_reader() {
    // Without the thread, the next write ends this process.
    let _ = beside::start(|| {
        let out = io::stdout();
        loop {
            // Errors and hang-ups are reported although nothing is asked for.
            let mut watched = [PollFd::new(&out, PollFlags::empty())];
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) if is_broken(watched[0].revents()) => std::process::exit(0),
                // A file or a terminal has no reader that could go away.
                _ => return,
            }
        }
    });
}

/// Whether this says that the other end is closed: an error for a pipe, a hang-up for a socket. A terminal that hangs up
/// sends SIGHUP.
fn is_broken(events: PollFlags) -> bool {
    events.intersects(PollFlags::ERR | PollFlags::HUP) && !io::stdout().is_terminal()
}

/// The message for a person who stops following jobs. It can be pasted: it has the targets as they were given, because
/// the bare name of a job may mean that of another project here.
pub fn goes_on(targets: &[String]) -> String {
    let all: Vec<_> = targets.iter().map(|target| quote(target)).collect();
    let all = all.join(" ");
    match targets {
        [one] if !target::is_several(one) => {
            format!("{one} keeps running; to end it: bgproc stop {all}")
        }
        _ => format!("the jobs keep running; to end them: bgproc stop {all}"),
    }
}
