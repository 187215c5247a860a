//! Input from the terminal and the system: bytes and signals.
//!
//! Standard input is read here and not by crossterm, because a job must get the bytes that the
//! terminal sent for a key, not a re-encoding of that key.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::flag;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

use super::message::Event;
use super::terminal::{Loan, Terminal};

/// Size of the read buffer in bytes; large, so that a paste arrives in few pieces.
const READ_BYTES: usize = 64 * 1024;

/// Signals that become events.
const SIGNALS: [i32; 7] = [SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGINT, SIGQUIT, SIGHUP];

/// The terminal as a source of bytes, and the signals.
pub struct Input {
    signals: SignalDelivery<UnixStream, SignalOnly>,
    loan: Loan,
    /// Whether the terminal has closed.
    has_ended: bool,
    buffer: Vec<u8>,
}

impl Input {
    /// Catches the signals from now on. Ctrl-Z then suspends this process along with a program that has the terminal,
    /// as it does by default, because keys send their signals to all processes of the terminal.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(loan: Loan) -> io::Result<Self> {
        // Before the delivery is registered, because actions run in that order.
        flag::register_conditional_default(SIGTSTP, loan.is_lent())?;
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        Ok(Self {
            signals: SignalDelivery::with_pipe(read, write, SignalOnly, SIGNALS)?,
            loan,
            has_ended: false,
            buffer: vec![0; READ_BYTES],
        })
    }

    /// What to poll: the signals, then the terminal. One that has closed is not polled again, because it would be
    /// ready for ever.
    pub fn sources(&self) -> [PollFd<'_>; 2] {
        let signals = self.signals.get_read().as_fd();
        let terminal = if self.has_ended {
            signals
        } else {
            rustix::stdio::stdin()
        };
        [signals, terminal].map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN))
    }

    /// The signals that have arrived. Several of one kind count as one.
    pub fn signals(&mut self) -> Vec<Event> {
        self.signals.pending().filter_map(event).collect()
    }

    /// If another program had the terminal since the last call: the signals that have arrived meanwhile, without
    /// Ctrl-C and Ctrl-Z, which were meant for that program.
    pub fn signals_of_loan(&mut self) -> Vec<Event> {
        if !self.loan.take_was_lent() {
            return Vec::new();
        }
        let is_ours = |signal: &i32| !matches!(*signal, SIGINT | SIGQUIT | SIGTSTP);
        let signals = self.signals.pending().filter(is_ours);
        signals.filter_map(event).collect()
    }

    /// What the terminal has sent. Does not wait if poll(2) has said that there is something.
    pub fn read(&mut self) -> Option<Event> {
        if self.has_ended {
            return None;
        }
        match rustix::io::read(rustix::stdio::stdin(), &mut self.buffer) {
            Err(Errno::INTR | Errno::AGAIN) => None,
            Ok(0) | Err(_) => {
                self.has_ended = true;
                Some(Event::HangUp)
            }
            Ok(read) => Some(Event::Input(self.buffer[..read].to_vec())),
        }
    }
}

/// What a signal means to the view; `None` if it has no meaning now.
fn event(signal: i32) -> Option<Event> {
    Some(match signal {
        SIGWINCH => {
            let (width, height) = Terminal::size().ok()?;
            Event::Window(width, height)
        }
        SIGTSTP => Event::Suspend,
        SIGCONT => Event::Continued,
        SIGHUP => Event::HangUp,
        // Ctrl-C arrives as a key; SIGINT comes from `kill -INT`.
        _ => Event::Terminate,
    })
}
