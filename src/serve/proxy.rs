//! The proxy between an agent and the daemon: one thread, one poll loop.
//!
//! Lines are passed on whole in both directions, so that a daemon that dies leaves no partial line.
//! Requests that the dead daemon had not read, and idempotent ones that it had, are sent to the next
//! daemon; all others are answered here ([`in_flight`]), and once standard input has ended, all are. Subscriptions and watches are renewed
//! ([`subscriptions`]). Neither side can fill the memory: while a buffer holds more than `ENOUGH`, its
//! source is not read.
//!
//! With no request to send and nothing to renew, the proxy does not connect to the next daemon until there
//! is a request. Connecting would start a daemon, even if a person has just stopped it. If there is something to
//! renew and the next daemon cannot be reached, it tries again ([`retry`]).
//!
//! Input and output (the standard ones, for `--serve`) stay in blocking mode, because the mode belongs to
//! the open file, which a shell or a parent may share. A read after poll(2) returns what is there;
//! [`outbox`] describes how writes avoid blocking.
//!
//! [`in_flight`]: super::in_flight
//! [`outbox`]: super::outbox
//! [`retry`]: super::retry
//! [`subscriptions`]: super::subscriptions

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::in_flight::{InFlight, Incoming, Request, RequestHead};
use super::line_splitter::LineSplitter;
use super::outbox::Outbox;
use super::queue::Queue;
use super::retry::Retry;
use super::subscriptions::Subscriptions;
use crate::client::silence::Silence;
use crate::client::{self, AutoStart, Wire};
use crate::protocol::hello::OnDisconnect;
use crate::protocol::{Error, Greeting};

/// Number of bytes in a buffer beyond which its source is not read.
const ENOUGH: usize = 4 << 20;

/// Maximum number of bytes per read: about what a socket holds (`net.core.wmem_default` is
/// 212,992).
const READ: usize = 256 * 1024;

/// Longest time without a message from the daemon after standard input has ended. The daemon gives
/// pending requests 2 s, so this is more than enough.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// The state of the proxy.
#[derive(Debug)]
pub struct Proxy {
    greeting: Greeting,
    stdin: Option<OwnedFd>,
    stdout: File,
    /// Connection to the daemon, while there is one.
    socket: Option<UnixStream>,
    /// From standard input: the unfinished line.
    lines: LineSplitter,
    /// To the daemon: whole lines.
    requests: Queue,
    open: InFlight,
    silence: Silence,
    retry: Retry,
    subscriptions: Subscriptions,
    /// From the daemon: the unfinished line.
    reply: Vec<u8>,
    /// To standard output: whole lines.
    replies: Outbox,
    half_closed: bool,
    /// How long the daemon may be silent after standard input has ended; renewed with what it sends.
    ends_at: Option<Instant>,
    /// Buffer for reads.
    buffer: Vec<u8>,
}

/// Why the loop is interrupted.
enum Stop {
    /// The agent is gone, or everything has been answered.
    Done,
    /// The daemon is gone.
    Daemon,
    /// The daemon says nothing any more, although requests are unanswered.
    Silent,
    /// An error that ends the proxy.
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
    /// A proxy between an agent's descriptors and a fresh connection; `greeting` is sent again to the next
    /// daemon.
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
            lines: LineSplitter::default(),
            requests: Queue::default(),
            open: InFlight::default(),
            silence: Silence::default(),
            retry: Retry::default(),
            subscriptions: Subscriptions::default(),
            reply: Vec::new(),
            replies: Outbox::new(wire.first_line),
            half_closed: false,
            ends_at: None,
            buffer: vec![0; READ],
        };
        proxy.take_in(&wire.buffered);
        Ok(proxy)
    }

    /// Runs until standard input has ended and everything is answered, or the reader of the output is gone.
    pub fn run(&mut self) -> Result<(), Error> {
        loop {
            let outcome = match self.turn() {
                Err(Stop::Daemon) => self.lose_daemon(),
                outcome => outcome,
            };
            match outcome {
                Ok(()) | Err(Stop::Daemon) => {}
                Err(Stop::Done) => return Ok(()),
                Err(Stop::Silent) => return self.say_the_rest(),
                Err(Stop::Broken(error)) => return Err(error),
            }
        }
    }

    /// Waits for events and handles them.
    fn turn(&mut self) -> Result<(), Stop> {
        if self.socket.is_none() {
            if !self.requests.is_empty() {
                self.find_daemon(AutoStart::Yes)?;
            } else if self.retry.left(Instant::now()) == Some(Duration::ZERO) {
                self.find_daemon(AutoStart::AfterCrash)?;
            }
        }
        if self.stdin.is_none() && self.requests.is_empty() && !self.half_closed {
            let Some(socket) = &self.socket else {
                self.say_the_rest()?;
                return Err(Stop::Done);
            };
            // Tells the daemon that no more requests follow. It answers the pending ones and
            // closes.
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
        // Handle the input before the socket: if both have ended, the agent has left, and no other daemon
        // is needed.
        if !ready.input.is_empty() {
            self.read()?;
            // The socket nearly always has room, so try without polling first, which saves a system
            // call.
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

    fn wait(&mut self) -> Result<Ready, Stop> {
        let when = |wanted: bool, flags: PollFlags| {
            if wanted { flags } else { PollFlags::empty() }
        };
        // poll(2) reports hang-ups even if nothing is asked for. Leave out a descriptor that is not
        // to be read now, or poll would return at once again and again.
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
        let now = Instant::now();
        let is_last = self.half_closed && self.replies.pending() == 0;
        let ends_at = is_last.then(|| self.ends_at.unwrap_or(now + LAST_WORDS));
        self.ends_at = ends_at;
        let last_words = ends_at.map(|at| at.saturating_duration_since(now));
        let left = [self.silence.left(now), self.retry.left(now), last_words];
        let left = left.into_iter().flatten().min();
        // Wait a millisecond more, so that the time is over on return.
        let left = left.map(|left| left + Duration::from_millis(1));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) if ends_at.is_some_and(|at| at <= Instant::now()) => return Err(Stop::Silent),
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

    /// Reads from standard input.
    fn read(&mut self) -> Result<(), Stop> {
        let Some(stdin) = &self.stdin else {
            return Ok(());
        };
        let count = match rustix::io::read(stdin, self.buffer.as_mut_slice()) {
            Ok(count) => count,
            Err(Errno::INTR | Errno::AGAIN) => return Ok(()),
            // The terminal is gone.
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

    /// Sends requests to the daemon.
    fn send(&mut self) -> Result<(), Stop> {
        let Some(socket) = &self.socket else {
            return Ok(());
        };
        while !self.requests.is_empty() {
            let now = Instant::now();
            match self.requests.send(socket, &mut self.subscriptions, now) {
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

    /// Reads from the daemon.
    fn receive(&mut self) -> Result<(), Stop> {
        let Some(mut socket) = self.socket.as_ref() else {
            return Ok(());
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = socket.read(&mut buffer);
        if let Ok(count) = read {
            self.take_in(&buffer[..count]);
            self.ends_at = None;
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

    /// Checks why the daemon has been silent for a while. If the daemon or the keeper is stopped
    /// (SIGSTOP), the pending requests are answered with that error.
    fn look_why_silent(&mut self) -> Result<(), Stop> {
        self.silence.looked(Instant::now());
        if self.socket.is_some()
            && let Err(why) = client::why_silent()
        {
            for head in self.open.give_up() {
                // It must not be answered later, when nobody reads the answer: its output would count as shown.
                self.requests.push(Request::cancel(&head.id));
                self.replies.push(&head.unanswered_because(&why));
            }
            self.silence.heard(false, Instant::now());
            self.replies.write_to(&self.stdout)?;
        }
        Ok(())
    }

    /// Takes bytes from the daemon, and queues their whole lines for standard output. Replies to
    /// the proxy's own requests are dropped.
    fn take_in(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.reply.extend_from_slice(&rest[..=end]);
            rest = &rest[end + 1..];
            let is_shown = match self.open.received(&self.reply) {
                Incoming::Answer(request) => {
                    self.subscriptions.answered(&request, &self.reply);
                    !request.is_own
                }
                Incoming::Late => false,
                Incoming::Other => self.subscriptions.shows(&self.reply),
            };
            if is_shown {
                self.replies.push_from(&mut self.reply);
            }
            self.reply.clear();
        }
        self.reply.extend_from_slice(rest);
    }

    /// Handles the loss of the daemon: queues idempotent requests again, answers the others, and connects
    /// to the next daemon if there is a reason to.
    fn lose_daemon(&mut self) -> Result<(), Stop> {
        self.silence.heard(false, Instant::now());
        self.read_last_words();
        let ends_with_us = self.greeting.policy.on_disconnect == OnDisconnect::Kill;
        if self.stdin.is_none() {
            if ends_with_us {
                // The next daemon ends the sessions when this connection ends. There is none after a stop on purpose.
                let _ = self.find_daemon(AutoStart::AfterCrash);
            }
            self.say_the_rest()?;
            return Err(Stop::Done);
        }
        let mut again = Vec::new();
        for request in self.open.abandon() {
            match request.head {
                _ if request.is_own => {}
                Some(ref head) if head.is_repeatable => again.push(request),
                Some(head) => self.replies.push(&head.abandoned()),
                None => {}
            }
        }
        self.requests.put_first(again);
        // Write now, so that the agent need not wait for the next daemon. If the agent is gone, the next
        // turn notices.
        let _ = self.replies.write_to(&self.stdout);
        if self.requests.is_empty() && (ends_with_us || !self.subscriptions.is_empty()) {
            // A daemon that was stopped on purpose has left nothing to report, so start one only after a crash.
            self.find_daemon(AutoStart::AfterCrash)?;
        }
        Ok(())
    }

    /// Reads what the daemon sent before it died.
    fn read_last_words(&mut self) {
        let mut words = Vec::new();
        if let Some(mut socket) = self.socket.take() {
            // The stream ends with an error if the daemon had not read everything.
            let _ = socket.read_to_end(&mut words);
        }
        self.take_in(&words);
        self.reply.clear();
        self.requests.start_over();
    }

    /// Connects to a daemon and renews subscriptions and watches. If that fails, the agent's pending
    /// requests are answered with the error; it may try again with its next request. What is to be renewed is not
    /// forgotten: the proxy tries again by itself, unless the daemon was stopped on purpose.
    fn find_daemon(&mut self, start: AutoStart) -> Result<(), Stop> {
        let wire = client::connect(&self.greeting, start).map(client::Connection::into_wire);
        let wire = match wire {
            Ok(wire) => wire,
            Err(error) => {
                for request in self.requests.take() {
                    let was_received = request.asked.is_some();
                    for head in owed([request]) {
                        let answer = if was_received {
                            head.unanswered_because(&error)
                        } else {
                            head.never_sent_because(&error)
                        };
                        self.replies.push(&answer);
                    }
                }
                if !self.subscriptions.is_empty() && client::has_crashed() {
                    self.retry.failed(Instant::now())
                } else {
                    self.retry.over()
                }
                return Ok(());
            }
        };
        self.retry.over();
        self.socket = Some(nonblocking(wire.stream)?);
        self.requests.put_first(self.subscriptions.resume());
        self.take_in(&wire.buffered);
        Ok(())
    }

    /// Ends the service: answers all pending requests with an error, and writes out all replies.
    fn say_the_rest(&mut self) -> Result<(), Error> {
        for head in owed(self.open.abandon()) {
            self.replies.push(&head.abandoned());
        }
        for head in owed(self.requests.take()) {
            self.replies.push(&head.never_sent());
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

/// The requests that have to be answered: those of the agent.
fn owed(requests: impl IntoIterator<Item = Request>) -> impl Iterator<Item = RequestHead> {
    let of_agent = requests.into_iter().filter(|request| !request.is_own);
    of_agent.filter_map(|request| request.head)
}

/// The result of poll(2) for each descriptor.
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
    set.map_err(|error| Error::internal(format!("cannot make the socket non-blocking: {error}")))?;
    Ok(socket)
}
