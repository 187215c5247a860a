//! The pump between an agent and the daemon: one thread, one poll loop.
//!
//! Lines go whole in both directions, so that a daemon that dies leaves no torn
//! line: what it had not read goes to the next one, what it had not answered is
//! answered here. Neither side can fill the memory: while a buffer holds more
//! than `ENOUGH`, its source is not read.
//!
//! Standard input and output stay blocking, because that mode belongs to the
//! open file, which a shell or a parent may share. A read after poll(2) takes
//! what is there; how a write does not block is told in [`outbox`].
//!
//! [`outbox`]: super::outbox

use std::collections::VecDeque;
use std::io::{self, Read, Stdin, Stdout, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde_json::json;

use super::in_flight::{InFlight, Ticket};
use super::lines::Lines;
use super::outbox::Outbox;
use crate::client::{self, AutoStart, Wire};
use crate::protocol::{Error, Greeting};

/// Bytes in a buffer beyond which its source has to wait.
const ENOUGH: usize = 4 << 20;

/// How long the daemon may take to finish after standard input has ended: it
/// gives requests 2 s, and this is well beyond.
const LAST_WORDS: Timespec = Timespec {
    tv_sec: 10,
    tv_nsec: 0,
};

/// Everything that moves.
#[derive(Debug)]
pub struct Pump {
    greeting: Greeting,
    stdin: Option<Stdin>,
    stdout: Stdout,
    socket: UnixStream,
    /// From standard input: what is not a whole line yet.
    lines: Lines,
    /// To the daemon: whole lines, of the first one `sent` bytes are written.
    requests: VecDeque<(Vec<u8>, Option<Ticket>)>,
    requests_bytes: usize,
    sent: usize,
    open: InFlight,
    /// From the daemon: what is not a whole line yet.
    reply: Vec<u8>,
    /// To standard output: whole lines.
    replies: Outbox,
    half_closed: bool,
    subscribed: bool,
}

/// Why the loop goes no further.
enum Stop {
    /// The agent is gone, or everything has been said.
    Done,
    /// The daemon is gone.
    Daemon,
    /// Something broke.
    Broken(Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Done,
            _ => Self::Broken(Error::internal(format!("cannot go on serving: {error}"))),
        }
    }
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Self {
        io::Error::from(errno).into()
    }
}

impl Pump {
    /// A pump over a fresh connection; `greeting` is said again to the next daemon.
    pub fn new(greeting: Greeting, wire: Wire) -> Result<Self, Error> {
        let mut pump = Self {
            greeting: Greeting {
                scope: Some(wire.hello.scope.clone()),
                ..greeting
            },
            stdin: Some(io::stdin()),
            stdout: io::stdout(),
            socket: nonblocking(wire.stream)?,
            lines: Lines::default(),
            requests: VecDeque::new(),
            requests_bytes: 0,
            sent: 0,
            open: InFlight::default(),
            reply: Vec::new(),
            replies: Outbox::new(wire.first_line),
            half_closed: false,
            subscribed: false,
        };
        pump.take_in(&wire.buffered);
        Ok(pump)
    }

    /// Pumps until standard input has ended and all is said, or nobody listens.
    pub fn run(&mut self) -> Result<(), Error> {
        loop {
            let stop = match self.turn() {
                Ok(()) => continue,
                Err(stop) => stop,
            };
            match stop {
                Stop::Done => return Ok(()),
                Stop::Broken(error) => return Err(error),
                Stop::Daemon if self.stdin.is_none() => return self.say_the_rest(),
                Stop::Daemon => self.change_daemons()?,
            }
        }
    }

    /// Waits for something to move, and moves it.
    fn turn(&mut self) -> Result<(), Stop> {
        if self.stdin.is_none() && self.requests.is_empty() && !self.half_closed {
            // Says that no more follows; the daemon answers what is open and closes.
            let _ = self.socket.shutdown(Shutdown::Write);
            self.half_closed = true;
        }
        let ready = self.wait()?;
        if ready.output.intersects(PollFlags::ERR | PollFlags::HUP) {
            return Err(Stop::Done);
        }
        if ready.output.contains(PollFlags::OUT) {
            self.replies.write_to(&self.stdout)?;
        }
        if ready.socket.contains(PollFlags::OUT) {
            self.send()?;
        }
        // Before the socket: where both have ended, it is the agent that left,
        // and there is no other daemon to look for.
        if !ready.input.is_empty() {
            self.read()?;
        }
        if ready
            .socket
            .intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
        {
            self.receive()?;
        }
        Ok(())
    }

    fn wait(&self) -> Result<Ready, Stop> {
        let when = |wanted: bool, flags: PollFlags| {
            if wanted { flags } else { PollFlags::empty() }
        };
        // A hang-up is reported whether it is asked for or not, so what has to
        // wait is not in the set at all.
        let socket = Some(&self.socket).filter(|_| self.replies.pending() < ENOUGH);
        let stdin = self.stdin.as_ref().filter(|_| self.requests_bytes < ENOUGH);
        let send = when(!self.requests.is_empty(), PollFlags::OUT);
        let mut fds = vec![PollFd::new(
            &self.stdout,
            when(self.replies.pending() > 0, PollFlags::OUT),
        )];
        fds.extend(socket.map(|socket| PollFd::new(socket, PollFlags::IN | send)));
        fds.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::IN)));
        let last_words = self.half_closed && self.replies.pending() == 0;
        match poll(&mut fds, last_words.then_some(&LAST_WORDS)) {
            Ok(0) => return Err(Stop::Done),
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::NOTHING),
            Err(errno) => return Err(errno.into()),
        }
        let mut revents = fds.iter().map(PollFd::revents);
        let mut next = |there: bool| {
            let seen = revents.by_ref().take(usize::from(there)).next();
            seen.unwrap_or(PollFlags::empty())
        };
        Ok(Ready {
            output: next(true),
            socket: next(socket.is_some()),
            input: next(stdin.is_some()),
        })
    }

    /// From standard input.
    fn read(&mut self) -> Result<(), Stop> {
        let Some(stdin) = &self.stdin else {
            return Ok(());
        };
        let mut buffer = [0; 64 * 1024];
        let count = match rustix::io::read(stdin, &mut buffer) {
            Ok(count) => count,
            Err(Errno::INTR | Errno::AGAIN) => return Ok(()),
            // A terminal that went away.
            Err(Errno::IO) => 0,
            Err(errno) => return Err(errno.into()),
        };
        let mut whole = Vec::new();
        if count == 0 {
            self.stdin = None;
            whole.extend(self.lines.finish());
        } else {
            self.lines.feed(&buffer[..count], |line| whole.push(line));
        }
        for line in whole {
            let ticket = Ticket::of_line(&line);
            self.subscribed |= ticket.as_ref().is_some_and(|ticket| ticket.subscribes);
            self.requests_bytes += line.len();
            self.requests.push_back((line, ticket));
        }
        Ok(())
    }

    /// To the daemon.
    fn send(&mut self) -> Result<(), Stop> {
        while let Some((line, _)) = self.requests.front() {
            match self.socket.write(&line[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(Stop::Daemon),
            }
            if self.sent == line.len()
                && let Some((line, ticket)) = self.requests.pop_front()
            {
                self.requests_bytes -= line.len();
                self.sent = 0;
                if let Some(ticket) = ticket {
                    self.open.sent(ticket);
                }
            }
        }
        Ok(())
    }

    /// From the daemon.
    fn receive(&mut self) -> Result<(), Stop> {
        let mut buffer = [0; 64 * 1024];
        match self.socket.read(&mut buffer) {
            Ok(0) => Err(Stop::Daemon),
            Ok(count) => {
                self.take_in(&buffer[..count]);
                Ok(())
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(()),
                _ => Err(Stop::Daemon),
            },
        }
    }

    /// Whole lines go on to standard output.
    fn take_in(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.reply.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.open.came(&self.reply);
                self.replies.push(&self.reply);
                self.reply.clear();
            }
        }
    }

    /// Answers what the dead daemon left open, and goes on with the next one.
    fn change_daemons(&mut self) -> Result<(), Error> {
        self.abandon_open();
        // The agent need not wait for the next daemon to hear of it. If it is
        // gone, the next turn notices.
        let _ = self.replies.write_to(&self.stdout);
        let wire = client::connect(&self.greeting, AutoStart::Yes)?.into_wire();
        self.socket = nonblocking(wire.stream)?;
        if self.subscribed {
            self.subscribed = false;
            let reason = "the daemon was replaced; subscribe and watch again";
            let event = json!({ "event": "lag", "data": { "reason": reason } });
            self.replies.push(format!("{event}\n").as_bytes());
        }
        self.take_in(&wire.buffered);
        Ok(())
    }

    fn abandon_open(&mut self) {
        self.reply.clear();
        // A line of which the newline was not sent has not been read as one.
        self.sent = 0;
        for ticket in self.open.abandon() {
            self.replies.push(&ticket.abandoned());
        }
    }

    /// The daemon is gone and nothing more can be asked for: the rest is written out.
    fn say_the_rest(&mut self) -> Result<(), Error> {
        self.abandon_open();
        for (_, ticket) in std::mem::take(&mut self.requests) {
            let never_sent = ticket.map(|ticket| Ticket {
                changes: false,
                ..ticket
            });
            self.replies
                .push(&never_sent.map(Ticket::abandoned).unwrap_or_default());
        }
        let rest = self.replies.take();
        match self
            .stdout
            .write_all(&rest)
            .and_then(|()| self.stdout.flush())
        {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::internal(format!("cannot write to stdout: {error}")))
            }
            _ => Ok(()),
        }
    }
}

/// What poll(2) said.
struct Ready {
    output: PollFlags,
    socket: PollFlags,
    input: PollFlags,
}

impl Ready {
    const NOTHING: Self = Self {
        output: PollFlags::empty(),
        socket: PollFlags::empty(),
        input: PollFlags::empty(),
    };
}

fn nonblocking(socket: UnixStream) -> Result<UnixStream, Error> {
    let set = socket.set_nonblocking(true);
    set.map_err(|error| Error::internal(format!("the socket stays blocking: {error}")))?;
    Ok(socket)
}
