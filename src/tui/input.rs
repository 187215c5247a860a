//! Input from the terminal and the system: bytes and signals, read by one thread.
//!
//! Standard input is read here and not by crossterm, because a job must get the bytes that the
//! terminal sent for a key, not a re-encoding of that key.

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

/// Size of the read buffer in bytes; large, so that a paste arrives in few pieces.
const READ_BYTES: usize = 64 * 1024;

/// An input event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputEvent {
    /// Bytes from the terminal.
    Bytes(Vec<u8>),
    /// The window size has changed (SIGWINCH).
    Resized,
    /// The process is asked to suspend itself (SIGTSTP).
    Suspend,
    /// The process was resumed (SIGCONT).
    Continued,
    /// The process was interrupted (SIGINT).
    Interrupt,
    /// The view is asked to end (SIGTERM).
    Terminate,
    /// The terminal has closed (SIGHUP or end of input).
    HangUp,
}

/// Command to the thread: stop reading the terminal.
const REST: u8 = b'r';
/// Command to the thread: resume reading the terminal.
const READ: u8 = b'g';

/// How long to wait for the thread to confirm that it has stopped reading. A thread that is blocked
/// in `tell` does not confirm, but it does not read either.
const STILL: Duration = Duration::from_millis(200);

/// The reading thread; dropping this ends it.
pub struct Reader {
    control: Option<Hold>,
    thread: Option<JoinHandle<()>>,
}

/// Stops the thread from reading while another program uses the terminal.
#[derive(Clone)]
pub struct Hold(Arc<UnixStream>);

/// The terminal is not read while this exists.
pub struct Still<'a>(&'a UnixStream);

impl Hold {
    /// After this returns, no input is taken from the terminal.
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
    /// Starts the thread. It calls `tell` for every event and continues while `tell` returns true.
    pub fn start(tell: impl Fn(InputEvent) -> bool + Send + 'static) -> io::Result<Self> {
        let signals = [
            (SIGWINCH, InputEvent::Resized),
            (SIGTSTP, InputEvent::Suspend),
            (SIGCONT, InputEvent::Continued),
            (SIGTERM, InputEvent::Terminate),
            // Ctrl-C arrives as a key; this signal comes from `kill -INT`.
            (SIGINT, InputEvent::Interrupt),
            (SIGHUP, InputEvent::HangUp),
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

    /// The handle that stops the reading.
    pub fn hold(&self) -> Option<Hold> {
        self.control.clone()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // Shutting down the socket wakes the thread, even if other handles still exist.
        if let Some(Hold(control)) = self.control.take() {
            let _ = control.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read_on(
    pipes: &[(UnixStream, InputEvent)],
    mut control: &UnixStream,
    tell: &dyn Fn(InputEvent) -> bool,
) {
    let stdin = rustix::stdio::stdin();
    let mut buffer = vec![0; READ_BYTES];
    let mut rests = false;
    loop {
        // While reading is stopped, poll the control socket in place of the terminal.
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
                tell(InputEvent::HangUp);
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
                Ok(0) => InputEvent::HangUp,
                Ok(n) => InputEvent::Bytes(buffer[..n].to_vec()),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                Err(_) => InputEvent::HangUp,
            };
            let last = came == InputEvent::HangUp;
            if !tell(came) || last {
                return;
            }
        }
    }
}

/// Whether a signal is meant for the program that uses the terminal, because keys send it to all
/// processes of the terminal. An interrupt is ignored; for a suspend, this process stops together
/// with that program.
fn is_for_others(came: &InputEvent) -> bool {
    if *came == InputEvent::Suspend {
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
    }
    matches!(came, InputEvent::Suspend | InputEvent::Interrupt)
}

/// Drains the pipe, so that several signals of the same kind count as one.
fn drain(mut pipe: &UnixStream) {
    let mut bytes = [0; 64];
    while matches!(pipe.read(&mut bytes), Ok(n) if n > 0) {}
}
