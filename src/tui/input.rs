//! What comes from the terminal and from the system: bytes and signals, read by one thread.
//!
//! Standard input is read by ourselves and not by crossterm: a job gets the bytes that the terminal sent for a
//! key, not another spelling of that key.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::low_level::pipe;

/// Bytes read at once: a paste comes in few pieces.
const READ_BYTES: usize = 64 * 1024;

/// What came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Came {
    /// Bytes from the terminal.
    Bytes(Vec<u8>),
    /// The window has another size.
    Resized,
    /// Somebody asks the process to stop for now.
    Suspend,
    /// The process was continued.
    Continued,
    /// Somebody asks the view to end.
    Terminate,
    /// The terminal is gone.
    HangUp,
}

/// The thread that reads; dropping it ends it.
pub struct Reader {
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts reading; `tell` is called for everything that comes and says whether to go on.
    pub fn start(tell: impl Fn(Came) -> bool + Send + 'static) -> io::Result<Self> {
        let signals = [
            (SIGWINCH, Came::Resized),
            (SIGTSTP, Came::Suspend),
            (SIGCONT, Came::Continued),
            (SIGTERM, Came::Terminate),
            (SIGHUP, Came::HangUp),
        ];
        let mut pipes = Vec::new();
        for (signal, came) in signals {
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            pipe::register(signal, write)?;
            pipes.push((read, came));
        }
        let (stopped, stop) = UnixStream::pair()?;
        let thread = std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || read_on(&pipes, &stopped, &tell))?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // Closing our end makes the thread's end readable.
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read_on(pipes: &[(UnixStream, Came)], stopped: &UnixStream, tell: &dyn Fn(Came) -> bool) {
    let stdin = rustix::stdio::stdin();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let mut polled = vec![
            PollFd::new(stopped, PollFlags::IN),
            PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN),
        ];
        polled.extend(
            pipes
                .iter()
                .map(|(pipe, _)| PollFd::new(pipe, PollFlags::IN)),
        );
        match poll(&mut polled, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => {
                tell(Came::HangUp);
                return;
            }
        }
        let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
        if ready[0] {
            return;
        }
        for ((pipe, came), _) in pipes.iter().zip(&ready[2..]).filter(|(_, ready)| **ready) {
            drain(pipe);
            if !tell(came.clone()) {
                return;
            }
        }
        if ready[1] {
            let came = match rustix::io::read(stdin, &mut buffer) {
                Ok(0) => Came::HangUp,
                Ok(n) => Came::Bytes(buffer[..n].to_vec()),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                Err(_) => Came::HangUp,
            };
            let last = came == Came::HangUp;
            if !tell(came) || last {
                return;
            }
        }
    }
}

/// Several signals of a kind that came together are one.
fn drain(mut pipe: &UnixStream) {
    let mut bytes = [0; 64];
    while matches!(pipe.read(&mut bytes), Ok(n) if n > 0) {}
}
