//! What comes from the terminal and from the system: bytes and signals, read by one thread.
//!
//! Standard input is read by ourselves and not by crossterm: a job gets the bytes that the terminal sent for a
//! key, not another spelling of that key.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
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
    /// Somebody interrupts it.
    Interrupt,
    /// Somebody asks the view to end.
    Terminate,
    /// The terminal is gone.
    HangUp,
}

/// Told to the thread: do not read the terminal for now.
const REST: u8 = b'r';
/// Told to the thread: read it again.
const READ: u8 = b'g';

/// How long the thread may take to say that it holds still. One that waits to tell something reads nothing, either.
const STILL: Duration = Duration::from_millis(200);

/// The thread that reads; dropping it ends it.
pub struct Reader {
    control: Option<Hold>,
    thread: Option<JoinHandle<()>>,
}

/// Makes the thread hold still while the terminal is somebody else's.
#[derive(Clone)]
pub struct Hold(Arc<UnixStream>);

/// While it lives, the terminal is not read.
pub struct Still<'a>(&'a UnixStream);

impl Hold {
    /// From when this returns nothing of what is typed is taken.
    pub fn still(&self) -> Still<'_> {
        let mut control = &*self.0;
        if control.write_all(&[REST]).is_ok() {
            let _ = control.set_read_timeout(Some(STILL));
            let _ = control.read(&mut [0]);
        }
        Still(control)
    }
}

impl Drop for Still<'_> {
    fn drop(&mut self) {
        let _ = self.0.write_all(&[READ]);
    }
}

impl Reader {
    /// Starts reading; `tell` is called for everything that comes and says whether to go on.
    pub fn start(tell: impl Fn(Came) -> bool + Send + 'static) -> io::Result<Self> {
        let signals = [
            (SIGWINCH, Came::Resized),
            (SIGTSTP, Came::Suspend),
            (SIGCONT, Came::Continued),
            (SIGTERM, Came::Terminate),
            // Ctrl-C comes as a key; this is somebody's `kill -INT`.
            (SIGINT, Came::Interrupt),
            (SIGHUP, Came::HangUp),
        ];
        let mut pipes = Vec::new();
        for (signal, came) in signals {
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            pipe::register(signal, write)?;
            pipes.push((read, came));
        }
        let (theirs, ours) = UnixStream::pair()?;
        let thread = std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || read_on(&pipes, &theirs, &tell))?;
        Ok(Self {
            control: Some(Hold(Arc::new(ours))),
            thread: Some(thread),
        })
    }

    /// What makes it hold still.
    pub fn hold(&self) -> Option<Hold> {
        self.control.clone()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // The end of it makes the thread's end readable, whoever else has a hold.
        if let Some(Hold(control)) = self.control.take() {
            let _ = control.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read_on(pipes: &[(UnixStream, Came)], mut control: &UnixStream, tell: &dyn Fn(Came) -> bool) {
    let stdin = rustix::stdio::stdin();
    let mut buffer = vec![0; READ_BYTES];
    let mut rests = false;
    loop {
        // At rest its own end takes the terminal's place.
        let terminal = if rests {
            control.as_fd()
        } else {
            stdin.as_fd()
        };
        let mut polled = vec![
            PollFd::new(control, PollFlags::IN),
            PollFd::from_borrowed_fd(terminal, PollFlags::IN),
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
            let mut said = [0];
            match control.read(&mut said) {
                Ok(1) => rests = said[0] == REST,
                _ => return,
            }
            if rests && control.write_all(&said).is_err() {
                return;
            }
            continue;
        }
        for ((pipe, came), _) in pipes.iter().zip(&ready[2..]).filter(|(_, ready)| **ready) {
            drain(pipe);
            if rests && is_for_others(came) {
                continue;
            }
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

/// What the keys of whoever has the terminal send to all of its processes: an interrupt is not for us, and we stop
/// together.
fn is_for_others(came: &Came) -> bool {
    if *came == Came::Suspend {
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
    }
    matches!(came, Came::Suspend | Came::Interrupt)
}

/// Several signals of a kind that came together are one.
fn drain(mut pipe: &UnixStream) {
    let mut bytes = [0; 64];
    while matches!(pipe.read(&mut bytes), Ok(n) if n > 0) {}
}
