//! The proxy between an agent and the daemon: one thread, one poll loop.
//!
//! Lines go whole in both directions, so that a daemon that dies leaves no torn
//! line. What it had not read, and what it had read and can be asked again, goes
//! to the next one; the rest is answered here ([`in_flight`]). What the agent
//! wants to be told is asked for again ([`subscriptions`]). Neither side can fill the
//! memory: while a buffer holds more than `ENOUGH`, its source is not read.
//!
//! With nothing to ask and nothing to be told the proxy does without a daemon
//! until there is: looking for one would start it, also where a person has just
//! stopped it.
//!
//! Input and output (the standard ones, for `--serve`) stay blocking, because that
//! mode belongs to the open file, which a shell or a parent may share. A read after poll(2) takes
//! what is there; how a write does not block is told in [`outbox`].
//!
//! [`in_flight`]: super::in_flight
//! [`outbox`]: super::outbox
//! [`subscriptions`]: super::subscriptions

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::in_flight::{InFlight, Request, Ticket};
use super::lines::Lines;
use super::outbox::Outbox;
use super::queue::Queue;
use super::silence::Silence;
use super::subscriptions::Subscriptions;
use crate::client::{self, AutoStart, Wire};
use crate::protocol::hello::OnDisconnect;
use crate::protocol::{Error, Greeting};

/// Bytes in a buffer beyond which its source has to wait.
const ENOUGH: usize = 4 << 20;

/// Bytes read at once: what a socket holds (`net.core.wmem_default` is 212,992).
const READ: usize = 256 * 1024;

/// How long the daemon may take to finish after standard input has ended: it
/// gives requests 2 s, and this is well beyond.
const LAST_WORDS: Timespec = Timespec {
    tv_sec: 10,
    tv_nsec: 0,
};

/// Everything that moves.
#[derive(Debug)]
pub struct Proxy {
    greeting: Greeting,
    stdin: Option<OwnedFd>,
    stdout: File,
    /// To the daemon, while there is one.
    socket: Option<UnixStream>,
    /// From standard input: what is not a whole line yet.
    lines: Lines,
    /// To the daemon: whole lines.
    requests: Queue,
    open: InFlight,
    silence: Silence,
    standing: Subscriptions,
    /// From the daemon: what is not a whole line yet.
    reply: Vec<u8>,
    /// To standard output: whole lines.
    replies: Outbox,
    half_closed: bool,
    /// What is read is read into this.
    buffer: Vec<u8>,
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

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Self {
        io::Error::from(errno).into()
    }
}

impl Proxy {
    /// A proxy between an agent's descriptors and a fresh connection; `greeting` is
    /// said again to the next daemon.
    pub fn new(
        greeting: Greeting,
        wire: Wire,
        input: OwnedFd,
        output: OwnedFd,
    ) -> Result<Self, Error> {
        let mut proxy = Self {
            greeting: Greeting {
                scope: Some(wire.hello.scope.clone()),
                ..greeting
            },
            stdin: Some(input),
            stdout: File::from(output),
            socket: Some(nonblocking(wire.stream)?),
            lines: Lines::default(),
            requests: Queue::default(),
            open: InFlight::default(),
            silence: Silence::default(),
            standing: Subscriptions::default(),
            reply: Vec::new(),
            replies: Outbox::new(wire.first_line),
            half_closed: false,
            buffer: vec![0; READ],
        };
        proxy.take_in(&wire.buffered);
        Ok(proxy)
    }

    /// Pumps until standard input has ended and all is said, or nobody listens.
    pub fn run(&mut self) -> Result<(), Error> {
        loop {
            let outcome = match self.turn() {
                Err(Stop::Daemon) => self.lose_daemon(),
                outcome => outcome,
            };
            match outcome {
                Ok(()) | Err(Stop::Daemon) => {}
                Err(Stop::Done) => return Ok(()),
                Err(Stop::Broken(error)) => return Err(error),
            }
        }
    }

    /// Waits for something to move, and moves it.
    fn turn(&mut self) -> Result<(), Stop> {
        if self.socket.is_none() && !self.requests.is_empty() {
            self.find_daemon(AutoStart::Yes)?;
        }
        if self.stdin.is_none() && self.requests.is_empty() && !self.half_closed {
            let Some(socket) = &self.socket else {
                self.say_the_rest()?;
                return Err(Stop::Done);
            };
            // Says that no more follows; the daemon answers what is open and closes.
            let _ = socket.shutdown(Shutdown::Write);
            self.half_closed = true;
        }
        let ready = self.wait()?;
        if self.silence.left(Instant::now()) == Some(Duration::ZERO) {
            self.look_why_silent()?;
        }
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
            // There is room nearly always, and asking first would cost a system call.
            self.send()?;
        }
        if ready
            .socket
            .intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
        {
            self.receive()?;
            self.replies.write_to(&self.stdout)?;
        }
        Ok(())
    }

    fn wait(&self) -> Result<Ready, Stop> {
        let when = |wanted: bool, flags: PollFlags| {
            if wanted { flags } else { PollFlags::empty() }
        };
        // A hang-up is reported whether it is asked for or not, so what has to
        // wait is not in the set at all.
        let socket = self.socket.as_ref();
        let socket = socket.filter(|_| self.replies.pending() < ENOUGH);
        let stdin = self
            .stdin
            .as_ref()
            .filter(|_| self.requests.bytes() < ENOUGH);
        let send = when(!self.requests.is_empty(), PollFlags::OUT);
        let mut fds = vec![PollFd::new(
            &self.stdout,
            when(self.replies.pending() > 0, PollFlags::OUT),
        )];
        fds.extend(socket.map(|socket| PollFd::new(socket, PollFlags::IN | send)));
        fds.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::IN)));
        let last_words = self.half_closed && self.replies.pending() == 0;
        let left = self.silence.left(Instant::now());
        // A millisecond more: it is to be over.
        let left = left.map(|left| left + Duration::from_millis(1));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let timeout = match last_words {
            true => Some(LAST_WORDS),
            false => left,
        };
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) if last_words => return Err(Stop::Done),
            Ok(0) => return Ok(Ready::NOTHING),
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
        let count = match rustix::io::read(stdin, self.buffer.as_mut_slice()) {
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
            self.lines
                .feed(&self.buffer[..count], |line| whole.push(line));
        }
        for line in whole {
            self.requests.push(Request::of_agent(line));
        }
        Ok(())
    }

    /// To the daemon.
    fn send(&mut self) -> Result<(), Stop> {
        let Some(socket) = &self.socket else {
            return Ok(());
        };
        while !self.requests.is_empty() {
            let now = Instant::now();
            match self.requests.send(socket, &mut self.standing, now) {
                Ok(Some(whole)) => {
                    self.open.sent(whole, now);
                    self.silence.asked(now);
                }
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(Stop::Daemon),
            }
        }
        Ok(())
    }

    /// From the daemon.
    fn receive(&mut self) -> Result<(), Stop> {
        let Some(mut socket) = self.socket.as_ref() else {
            return Ok(());
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = socket.read(&mut buffer);
        if let Ok(count) = read {
            self.take_in(&buffer[..count]);
            self.silence.heard(self.open.is_waiting(), Instant::now());
        }
        self.buffer = buffer;
        match read {
            Ok(0) => Err(Stop::Daemon),
            Ok(_) => Ok(()),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(()),
                _ => Err(Stop::Daemon),
            },
        }
    }

    /// The daemon has said nothing for a while. If it is stopped, or the keeper is, whoever waits is told so.
    fn look_why_silent(&mut self) -> Result<(), Stop> {
        self.silence.looked(Instant::now());
        if self.socket.is_some()
            && let Err(why) = client::why_silent()
        {
            for ticket in self.open.give_up() {
                self.replies.push(&ticket.unanswered_because(&why));
            }
            self.silence.heard(false, Instant::now());
            self.replies.write_to(&self.stdout)?;
        }
        Ok(())
    }

    /// Whole lines go on to standard output.
    fn take_in(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.reply.extend_from_slice(&rest[..=end]);
            rest = &rest[end + 1..];
            let is_shown = match self.open.came(&self.reply) {
                Some(request) => {
                    self.standing.answered(&request, &self.reply);
                    !request.is_own
                }
                None => self.standing.shows(&self.reply),
            };
            if is_shown {
                self.replies.push_from(&mut self.reply);
            }
            self.reply.clear();
        }
        self.reply.extend_from_slice(rest);
    }

    /// The daemon is gone: what can be asked again is put back, the rest is
    /// answered, and the next daemon is found if there is anything to ask it.
    fn lose_daemon(&mut self) -> Result<(), Stop> {
        self.silence.heard(false, Instant::now());
        self.read_last_words();
        if self.stdin.is_none() {
            self.say_the_rest()?;
            return Err(Stop::Done);
        }
        let mut again = Vec::new();
        for request in self.open.abandon() {
            match request.ticket {
                _ if request.is_own => {}
                Some(ref ticket) if ticket.is_repeatable => again.push(request),
                Some(ticket) => self.replies.push(&ticket.abandoned()),
                None => {}
            }
        }
        self.requests.put_first(again);
        // The agent need not wait for the next daemon to hear of it. If it is
        // gone, the next turn notices.
        let _ = self.replies.write_to(&self.stdout);
        let ends_with_us = self.greeting.policy.on_disconnect == OnDisconnect::Kill;
        if self.requests.is_empty() && (ends_with_us || !self.standing.is_empty()) {
            // One that was stopped on purpose has left nothing to be told of.
            self.find_daemon(AutoStart::AfterCrash)?;
        }
        Ok(())
    }

    /// What the daemon said before it died counts.
    fn read_last_words(&mut self) {
        let mut words = Vec::new();
        if let Some(mut socket) = self.socket.take() {
            // It ends with an error where the daemon had not read everything.
            let _ = socket.read_to_end(&mut words);
        }
        self.take_in(&words);
        self.reply.clear();
        self.requests.start_over();
    }

    /// Connects, and asks for what the agent wants to be told. Where that fails
    /// the agent hears why, and may try again with its next request.
    fn find_daemon(&mut self, start: AutoStart) -> Result<(), Stop> {
        let wire = client::connect(&self.greeting, start).map(client::Connection::into_wire);
        let wire = match wire {
            Ok(wire) => wire,
            Err(error) => {
                for ticket in tickets(self.requests.take()) {
                    self.replies.push(&ticket.refused(error.clone()));
                }
                return Ok(());
            }
        };
        self.socket = Some(nonblocking(wire.stream)?);
        self.requests.put_first(self.standing.resume());
        self.take_in(&wire.buffered);
        Ok(())
    }

    /// Nothing more can be asked for: what is open is answered, and all is written out.
    fn say_the_rest(&mut self) -> Result<(), Error> {
        for ticket in tickets(self.open.abandon()) {
            self.replies.push(&ticket.abandoned());
        }
        for ticket in tickets(self.requests.take()) {
            self.replies.push(&ticket.never_sent());
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

/// What is to be answered of some requests: those of the agent.
fn tickets(requests: impl IntoIterator<Item = Request>) -> impl Iterator<Item = Ticket> {
    let of_agent = requests.into_iter().filter(|request| !request.is_own);
    of_agent.filter_map(|request| request.ticket)
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
