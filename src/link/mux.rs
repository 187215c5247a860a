//! Moves bytes between a link and the sockets of its channels: one thread, one `poll` loop, no timers.
//!
//! Channels take turns of 16 KiB, and what waits for the link is bounded. So a flood on one channel delays a key on
//! another by one turn.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Receiver;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::channels::{Channel, WINDOW};
use super::frames::{self, End, Frame, Kind, Start};

/// Maximum number of bytes that a channel sends in one turn.
const TURN: usize = 16 * 1024;

/// No more is read from sockets while so many bytes wait for the link.
const OUTBOX: usize = 64 * 1024;

/// Maximum number of bytes that are read from the link at once.
const INBOX: usize = 64 * 1024;

/// Who opens channels, and how.
pub enum Side {
    /// This end opens them: for each socket that arrives. A byte on the stream says that there are some.
    Opens(Receiver<(UnixStream, Start)>, UnixStream),
    /// The other end opens them. The function connects a new channel; it gets the first line that came on it, and
    /// sends the line on itself. An error is the line that answers it.
    Accepts(Box<Accept>),
}

/// See [`Side::Accepts`].
pub type Accept = dyn FnMut(Start, &[u8]) -> Result<UnixStream, Vec<u8>> + Send;

/// One end of a link.
pub struct Mux {
    from: OwnedFd,
    to: OwnedFd,
    side: Side,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
    channels: BTreeMap<u32, Entry>,
    /// The number of the channel that is opened next.
    next: u32,
    /// The channel that has sent last.
    last: u32,
    /// Nobody opens channels any more: the link ends with the last channel.
    closes: bool,
}

struct Entry {
    channel: Channel,
    start: Start,
    /// `None` until the first line has come.
    socket: Option<UnixStream>,
}

/// What became of a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Lives,
    /// It is over on both ends.
    Over,
    /// Its socket is gone; the other end is told.
    Gone,
}

impl Mux {
    /// An end that reads `from` and writes `to`, both of which become non-blocking. `inbox` has what was read from
    /// the link already.
    pub fn new(from: OwnedFd, to: OwnedFd, inbox: Vec<u8>, side: Side) -> io::Result<Self> {
        for fd in [&from, &to] {
            rustix::io::ioctl_fionbio(fd, true)?;
        }
        Ok(Self {
            from,
            to,
            side,
            inbox,
            outbox: Vec::new(),
            channels: BTreeMap::new(),
            next: 1,
            last: 0,
            closes: false,
        })
    }

    /// Runs until the link ends. The sockets of the channels are closed when this is dropped. Returns an error if the
    /// link broke or the other end sent what is no frame.
    pub fn run(&mut self) -> io::Result<()> {
        self.take_frames()?;
        loop {
            self.flush()?;
            if self.closes && self.channels.is_empty() && self.outbox.is_empty() {
                return Ok(());
            }
            let ready = self.wait()?;
            if ready.openings {
                self.open_channels();
            }
            if ready.link && !self.receive()? {
                return Ok(());
            }
            for (id, flags) in ready.sockets {
                self.serve(id, flags);
            }
        }
    }

    fn wait(&self) -> io::Result<Ready> {
        let mut to = PollFlags::empty();
        if !self.outbox.is_empty() {
            to |= PollFlags::OUT;
        }
        let mut fds = vec![
            PollFd::new(&self.from, PollFlags::IN),
            PollFd::new(&self.to, to),
        ];
        if let Side::Opens(_, wakes) = &self.side
            && !self.closes
        {
            fds.push(PollFd::new(wakes, PollFlags::IN));
        }
        let before = fds.len();
        let mut ids = Vec::new();
        // From the channel after the one that has sent last, round once.
        let after = self.channels.range(self.last.saturating_add(1)..);
        let until = self.channels.range(..=self.last);
        for (id, entry) in after.chain(until) {
            let Some(socket) = &entry.socket else {
                continue;
            };
            let mut flags = PollFlags::empty();
            if entry.channel.may_read() > 0 && self.outbox.len() < OUTBOX {
                flags |= PollFlags::IN;
            }
            if !entry.channel.for_socket().is_empty() {
                flags |= PollFlags::OUT;
            }
            if !flags.is_empty() {
                fds.push(PollFd::new(socket, flags));
                ids.push(*id);
            }
        }
        loop {
            match poll(&mut fds, None) {
                Ok(_) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let broken = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        if !is_ready(&fds[0]) && fds[1].revents().intersects(broken) {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let sockets = ids.into_iter().zip(&fds[before..]);
        Ok(Ready {
            link: is_ready(&fds[0]),
            openings: fds[2..before].iter().any(is_ready),
            sockets: sockets
                .filter(|(_, fd)| is_ready(fd))
                .map(|(id, fd)| (id, fd.revents()))
                .collect(),
        })
    }

    /// Writes to the link what it takes.
    fn flush(&mut self) -> io::Result<()> {
        let mut sent = 0;
        while sent < self.outbox.len() {
            match rustix::io::write(&self.to, &self.outbox[sent..]) {
                Ok(bytes) => sent += bytes,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        self.outbox.drain(..sent);
        Ok(())
    }

    /// Reads from the link. Returns false at its end.
    fn receive(&mut self) -> io::Result<bool> {
        let before = self.inbox.len();
        self.inbox.resize(before + INBOX, 0);
        let read = rustix::io::read(&self.from, &mut self.inbox[before..]);
        self.inbox.truncate(before + read.unwrap_or(0));
        match read {
            Ok(0) => return Ok(false),
            Ok(_) => self.take_frames()?,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }

    fn take_frames(&mut self) -> io::Result<()> {
        let inbox = std::mem::take(&mut self.inbox);
        let mut rest = &inbox[..];
        loop {
            match frames::read(rest) {
                Ok(Some((id, frame, length))) => {
                    self.take(id, &frame);
                    rest = &rest[length..];
                }
                Ok(None) => break,
                Err(error) => return Err(io::Error::new(ErrorKind::InvalidData, error)),
            }
        }
        self.inbox = rest.to_vec();
        Ok(())
    }

    fn take(&mut self, id: u32, frame: &Frame<'_>) {
        if let Frame::Open(start) = frame {
            self.channels.entry(id).or_insert(Entry {
                channel: Channel::default(),
                start: *start,
                socket: None,
            });
            return;
        }
        // A channel that has ended here may still get frames that were on their way.
        let Some(entry) = self.channels.get_mut(&id) else {
            return;
        };
        let mut fate = Fate::Lives;
        match frame {
            Frame::Data(bytes) => {
                if !entry.channel.receive(bytes) {
                    fate = Fate::Gone;
                }
            }
            Frame::Window(bytes) => entry.channel.allowed(*bytes),
            Frame::Close(end) => {
                entry.channel.receives_no_more();
                if *end == End::Both {
                    entry.channel.sends_no_more();
                }
            }
            Frame::Open(_) => {}
        }
        if fate == Fate::Lives && entry.socket.is_none() {
            fate = self.connect(id);
        }
        if fate == Fate::Lives {
            fate = self.write_socket(id);
        }
        self.end(id, fate);
    }

    /// Connects a new channel once its first line is there.
    fn connect(&mut self, id: u32) -> Fate {
        let (Some(entry), Side::Accepts(accept)) = (self.channels.get_mut(&id), &mut self.side)
        else {
            return Fate::Gone;
        };
        let all = entry.channel.whole();
        let Some(end) = memchr::memchr(b'\n', all) else {
            let is_full = all.len() >= WINDOW;
            return if is_full || entry.channel.has_received_all() {
                Fate::Gone
            } else {
                Fate::Lives
            };
        };
        match accept(entry.start, &all[..=end]) {
            Ok(socket) if socket.set_nonblocking(true).is_ok() => {
                entry.socket = Some(socket);
                let more = entry.channel.socket_took(end + 1);
                self.allow(id, more);
                Fate::Lives
            }
            Ok(_) => Fate::Gone,
            Err(line) => {
                for piece in line.chunks(frames::MAX_DATA) {
                    frames::write(&mut self.outbox, id, Kind::Data, piece);
                }
                Fate::Gone
            }
        }
    }

    /// Opens a channel for each socket that has arrived.
    fn open_channels(&mut self) {
        let Side::Opens(arrivals, wakes) = &mut self.side else {
            return;
        };
        let mut bytes = [0; 64];
        self.closes |= matches!(wakes.read(&mut bytes), Ok(0));
        for (socket, start) in arrivals.try_iter() {
            if socket.set_nonblocking(true).is_err() {
                continue;
            }
            let id = self.next;
            self.next += 1;
            frames::write(&mut self.outbox, id, Kind::Open, &[start as u8]);
            let entry = Entry {
                channel: Channel::default(),
                start,
                socket: Some(socket),
            };
            self.channels.insert(id, entry);
        }
    }

    /// Reads from and writes to a socket that is ready.
    fn serve(&mut self, id: u32, flags: PollFlags) {
        let mut fate = Fate::Lives;
        if flags.intersects(PollFlags::OUT | PollFlags::HUP | PollFlags::ERR) {
            fate = self.write_socket(id);
        }
        let reads = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        if fate == Fate::Lives && flags.intersects(reads) && self.outbox.len() < OUTBOX {
            fate = self.read_socket(id, flags.contains(PollFlags::HUP));
        }
        self.end(id, fate);
    }

    /// Sends one turn of what a socket says. `hung_up`: after its last byte its peer takes nothing either.
    fn read_socket(&mut self, id: u32, hung_up: bool) -> Fate {
        let Some(entry) = self.channels.get_mut(&id) else {
            return Fate::Lives;
        };
        let Some(socket) = &mut entry.socket else {
            return Fate::Lives;
        };
        let mut turn = [0; TURN];
        let most = entry.channel.may_read().min(TURN);
        if most == 0 {
            return Fate::Lives;
        }
        match socket.read(&mut turn[..most]) {
            Ok(0) if hung_up => Fate::Gone,
            Ok(0) => {
                entry.channel.sends_no_more();
                let is_over = entry.channel.is_over();
                let end = [End::Sending as u8];
                frames::write(&mut self.outbox, id, Kind::Close, &end);
                if is_over { Fate::Over } else { Fate::Lives }
            }
            Ok(bytes) => {
                entry.channel.sent(bytes);
                frames::write(&mut self.outbox, id, Kind::Data, &turn[..bytes]);
                self.last = id;
                Fate::Lives
            }
            Err(error) if is_later(&error) => Fate::Lives,
            Err(_) => Fate::Gone,
        }
    }

    /// Writes to a socket what it takes.
    fn write_socket(&mut self, id: u32) -> Fate {
        let Some(entry) = self.channels.get_mut(&id) else {
            return Fate::Lives;
        };
        let Some(socket) = &mut entry.socket else {
            return Fate::Lives;
        };
        let mut more = 0;
        let mut fate = Fate::Lives;
        while !entry.channel.for_socket().is_empty() {
            match socket.write(entry.channel.for_socket()) {
                Ok(bytes) => more += entry.channel.socket_took(bytes).unwrap_or(0),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_later(&error) => break,
                Err(_) if entry.channel.has_sent_all() => {
                    fate = Fate::Gone;
                    break;
                }
                Err(_) => {
                    // It takes no more. What it has said before, such as why, is still sent on: its end is found out by
                    // reading.
                    let lost = entry.channel.for_socket().len();
                    more += entry.channel.socket_took(lost).unwrap_or(0);
                }
            }
        }
        if fate == Fate::Lives && entry.channel.shuts() {
            // Fails if the peer is gone, which is found out by reading.
            let _ = socket.shutdown(std::net::Shutdown::Write);
        }
        if fate == Fate::Lives && entry.channel.is_over() {
            fate = Fate::Over;
        }
        self.allow(id, Some(more).filter(|more| *more > 0));
        fate
    }

    /// Tells the other end how many more bytes it may send.
    fn allow(&mut self, id: u32, more: Option<u32>) {
        if let Some(more) = more {
            frames::write(&mut self.outbox, id, Kind::Window, &more.to_be_bytes());
        }
    }

    fn end(&mut self, id: u32, fate: Fate) {
        if fate == Fate::Lives {
            return;
        }
        if self.channels.remove(&id).is_some() && fate == Fate::Gone {
            let end = [End::Both as u8];
            frames::write(&mut self.outbox, id, Kind::Close, &end);
        }
    }
}

/// What can be done now.
struct Ready {
    link: bool,
    openings: bool,
    sockets: Vec<(u32, PollFlags)>,
}

/// Whether a socket only has nothing or no room now.
fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(test)]
#[path = "mux_tests.rs"]
mod tests;
