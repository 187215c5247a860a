//! Messages with file descriptors between keeper and daemon.
//!
//! A frame is a length (u32, little endian), a count of descriptors (u8) and a JSON body. The descriptors
//! are attached to the frame's first byte (SCM_RIGHTS), so they have arrived by the time the frame is
//! complete. Nothing here ever blocks: bytes that do not fit are kept until the socket takes more.
//!
//! The two sides may be of different versions. A message that the receiver does not understand is logged
//! and dropped together with its descriptors.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Maximum number of descriptors that we send with one message: input, pidfd, tail, stdout and stderr.
const MAX_FDS: usize = 5;

/// Maximum number of descriptors in one message (`SCM_MAX_FD` in unix(7)). Another version may send more than we do, and
/// descriptors for which there is no room would shift those of later messages.
const ROOM_FOR_FDS: usize = 253;

/// Longest accepted body, in bytes. A command line with its environment has at most 2 MiB (`ARG_MAX`), and
/// JSON escapes it.
const MAX_BODY: usize = 16 << 20;

const HEADER: usize = 5;

/// One end of a stream socket that carries messages.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
    inbox: Vec<u8>,
    inbox_fds: VecDeque<OwnedFd>,
    outbox: VecDeque<Frame>,
}

/// A frame with fewer bytes than this takes further messages. The memory of a frame is only freed once all
/// of it is sent.
const JOINED: usize = 64 * 1024;

/// The unit of sending: one message with descriptors, or several without.
#[derive(Debug)]
struct Frame {
    bytes: Vec<u8>,
    sent: usize,
    fds: Vec<Rc<OwnedFd>>,
}

/// A serialized message that another process can send with system calls alone.
#[derive(Debug)]
pub struct Announcement<'a> {
    socket: BorrowedFd<'a>,
    length: u32,
    body: Vec<u8>,
}

impl Announcement<'_> {
    /// Sends the message with these descriptors. Returns false if it does not fit now; nothing was sent then.
    pub fn send(&self, fds: &[BorrowedFd<'_>]) -> bool {
        let [a, b, c, d] = self.length.to_le_bytes();
        // The system refuses more descriptors than fit into a byte.
        let header: [u8; HEADER] = [a, b, c, d, fds.len() as u8];
        let parts = [IoSlice::new(&header), IoSlice::new(&self.body)];
        let whole = HEADER + self.body.len();
        matches!(send_with(self.socket, &parts, fds), Ok(sent) if sent == whole)
    }
}

/// A message and the descriptors that came with it.
pub type Received<T> = (T, Vec<OwnedFd>);

impl Channel {
    /// Takes over a connected stream socket.
    pub fn new(socket: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Self {
            socket,
            inbox: Vec::new(),
            inbox_fds: VecDeque::new(),
            outbox: VecDeque::new(),
        })
    }

    /// Sends a message. What does not fit now is sent by later calls of [`Channel::flush`].
    pub fn send<T: Serialize>(&mut self, message: &T, fds: Vec<OwnedFd>) -> io::Result<()> {
        self.queue(message, fds)?;
        self.flush()
    }

    /// Sends a message with descriptors that somebody else has open, too. They are not duplicated, however many messages
    /// wait for room.
    pub fn send_shared<T: Serialize>(
        &mut self,
        message: &T,
        fds: Vec<Rc<OwnedFd>>,
    ) -> io::Result<()> {
        self.queue_shared(message, fds)?;
        self.flush()
    }

    /// Queues a message for the next [`Channel::flush`], so that several messages that are not urgent wake
    /// the other side once.
    pub fn queue<T: Serialize>(&mut self, message: &T, fds: Vec<OwnedFd>) -> io::Result<()> {
        self.queue_shared(message, fds.into_iter().map(Rc::new).collect())
    }

    fn queue_shared<T: Serialize>(&mut self, message: &T, fds: Vec<Rc<OwnedFd>>) -> io::Result<()> {
        debug_assert!(
            fds.len() <= MAX_FDS,
            "more descriptors than a receiver makes room for"
        );
        let body = serde_json::to_vec(message)?;
        let length = u32::try_from(body.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let count = u8::try_from(fds.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let new = Frame {
            bytes: Vec::with_capacity(HEADER + body.len()),
            sent: 0,
            fds,
        };
        // Messages without descriptors join the frame before them and go out in one system call.
        let joins = |last: &&mut Frame| {
            last.fds.is_empty() && new.fds.is_empty() && last.bytes.len() < JOINED
        };
        if self.outbox.back_mut().filter(joins).is_none() {
            self.outbox.push_back(new);
        }
        if let Some(frame) = self.outbox.back_mut() {
            frame.bytes.extend_from_slice(&length.to_le_bytes());
            frame.bytes.push(count);
            frame.bytes.extend_from_slice(&body);
        }
        Ok(())
    }

    /// Sends queued messages, as far as the socket takes them.
    pub fn flush(&mut self) -> io::Result<()> {
        while let Some(frame) = self.outbox.front_mut() {
            match send_some(self.socket.as_fd(), frame) {
                Ok(()) if frame.sent == frame.bytes.len() => {
                    self.outbox.pop_front();
                }
                Ok(()) | Err(Errno::INTR) => {}
                // The socket is full, or the kernel has no memory for the message just now.
                Err(Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Sends queued messages, and waits until the other side has taken them.
    ///
    /// # Errors
    /// `TimedOut` if it has not within that time.
    pub fn flush_within(&mut self, limit: Duration) -> io::Result<()> {
        let until = Instant::now() + limit;
        loop {
            self.flush()?;
            if !self.wants_to_send() {
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            let room = PollFd::new(&self.socket, PollFlags::OUT);
            match poll(&mut [room], Some(&left)) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A message for another process to send through this end. `None` while queued bytes wait for room,
    /// because they have to be sent first.
    pub fn announcement<T: Serialize>(&self, message: &T) -> Option<Announcement<'_>> {
        let body = serde_json::to_vec(message).ok()?;
        let announcement = Announcement {
            socket: self.socket.as_fd(),
            length: u32::try_from(body.len()).ok()?,
            body,
        };
        self.outbox.is_empty().then_some(announcement)
    }

    /// Whether queued bytes wait for room.
    pub fn wants_to_send(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Whether nothing is queued or partly received at this end.
    pub fn is_idle(&self) -> bool {
        self.outbox.is_empty() && self.inbox.is_empty() && self.inbox_fds.is_empty()
    }

    /// Returns every message that has arrived and is understood.
    ///
    /// # Errors
    /// `UnexpectedEof` once the other side is gone, `EMFILE` if there was no room for received descriptors,
    /// and `InvalidData` if a message is too long or one of the `needed` kinds is not understood.
    pub fn receive<T: DeserializeOwned>(
        &mut self,
        needed: &[&str],
    ) -> io::Result<Vec<Received<T>>> {
        let ended = self.fill()?;
        let mut messages = Vec::new();
        let mut is_silent = true;
        while let Some((body, fds)) = self.next_frame()? {
            is_silent = false;
            match serde_json::from_slice(&body) {
                Ok(message) => messages.push((message, fds)),
                Err(error) => pass_over(&body, &error, needed)?,
            }
        }
        if ended && is_silent {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(messages)
    }

    /// Reads until the socket is empty; true at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        let mut buffer = [0u8; 16 * 1024];
        loop {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(ROOM_FOR_FDS))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let mut slices = [IoSliceMut::new(&mut buffer)];
            let flags = RecvFlags::CMSG_CLOEXEC;
            let read = match recvmsg(&self.socket, &mut slices, &mut control, flags) {
                // Descriptors for which there was no room are lost, so those of the next message would be
                // taken for this one's.
                Ok(message) if message.flags.contains(ReturnFlags::CTRUNC) => {
                    return Err(Errno::MFILE.into());
                }
                Ok(message) => message.bytes,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Ok(false),
                // The other side closed without reading everything we sent. Linux reports that once
                // (unix(7) does not mention it). What the other side sent before still counts.
                Err(Errno::CONNRESET) => return Ok(true),
                Err(error) => return Err(error.into()),
            };
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(fds) = message {
                    self.inbox_fds.extend(fds);
                }
            }
            if read == 0 {
                return Ok(true);
            }
            self.inbox.extend_from_slice(&buffer[..read]);
        }
    }

    /// The body and descriptors of the next message; `None` until it is complete.
    fn next_frame(&mut self) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
        let Some((&[a, b, c, d, count], rest)) = self.inbox.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length > MAX_BODY {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a message exceeds the maximum length",
            ));
        }
        let Some(body) = rest.get(..length) else {
            return Ok(None);
        };
        let body = body.to_vec();
        let count = usize::from(count).min(self.inbox_fds.len());
        let fds = self.inbox_fds.drain(..count).collect();
        self.inbox.drain(..HEADER + length);
        Ok(Some((body, fds)))
    }
}

/// Logs a message that is not understood; an error if its kind is needed.
fn pass_over(body: &[u8], error: &serde_json::Error, needed: &[&str]) -> io::Result<()> {
    let kind = kind_of(body);
    if needed.contains(&kind.as_str()) {
        let why = format!("the message `{kind}` from another version is not understood: {error}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    tracing::warn!(kind, %error, "ignored a message from another version");
    Ok(())
}

/// The variant name in a serde-encoded enum: a string, or the key of an object. The value is left out of
/// the log because it may be secret.
fn kind_of(body: &[u8]) -> String {
    let kind = match serde_json::from_slice(body) {
        Ok(Value::String(kind)) => Some(kind),
        Ok(Value::Object(map)) => map.into_iter().next().map(|(kind, _)| kind),
        _ => None,
    };
    kind.unwrap_or_else(|| "(unknown)".to_owned())
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl std::os::fd::AsRawFd for Channel {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.socket.as_raw_fd()
    }
}

fn send_some(socket: BorrowedFd<'_>, frame: &mut Frame) -> Result<(), Errno> {
    let fds: Vec<BorrowedFd<'_>> = match frame.sent {
        0 => frame.fds.iter().map(AsFd::as_fd).collect(),
        _ => Vec::new(),
    };
    let rest = [IoSlice::new(&frame.bytes[frame.sent..])];
    frame.sent += send_with(socket, &rest, &fds)?;
    frame.fds.clear();
    Ok(())
}

fn send_with(
    socket: BorrowedFd<'_>,
    parts: &[IoSlice<'_>],
    fds: &[BorrowedFd<'_>],
) -> Result<usize, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::TOOMANYREFS);
    }
    sendmsg(socket, parts, &mut control, SendFlags::NOSIGNAL)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::sys::detach::socket_pair;

    fn pair() -> (Channel, Channel) {
        let (a, b) = socket_pair().unwrap();
        (Channel::new(a).unwrap(), Channel::new(b).unwrap())
    }

    #[test]
    fn descriptors_arrive_with_their_message() {
        let (mut a, mut b) = pair();
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        a.send(&"none", vec![]).unwrap();
        a.send(&"pipe", vec![writer]).unwrap();
        let messages: Vec<Received<String>> = b.receive(&[]).unwrap();
        assert_eq!(messages[0].0, "none");
        assert!(messages[0].1.is_empty());
        assert_eq!(messages[1].0, "pipe");
        rustix::io::write(&messages[1].1[0], b"x").unwrap();
        assert_eq!(rustix::io::read(&reader, &mut [0; 4]).unwrap(), 1);
    }

    #[test]
    fn messages_without_descriptors_go_out_together() {
        let (mut a, mut b) = pair();
        let (_reader, writer) = rustix::pipe::pipe().unwrap();
        for number in 0..1000 {
            a.queue(&number, vec![]).unwrap();
        }
        assert_eq!(a.outbox.len(), 1);
        a.queue(&1000, vec![writer]).unwrap();
        a.queue(&1001, vec![]).unwrap();
        assert_eq!(a.outbox.len(), 3);
        a.flush().unwrap();
        let got: Vec<Received<i32>> = b.receive(&[]).unwrap();
        assert!(got.iter().map(|(number, _)| *number).eq(0..1002));
        let with: Vec<i32> = got
            .iter()
            .filter(|(_, fds)| !fds.is_empty())
            .map(|got| got.0)
            .collect();
        assert_eq!(with, [1000]);
        // A frame is bounded, however little of it is sent at a time.
        let large = "x".repeat(JOINED);
        a.queue(&large, vec![]).unwrap();
        a.queue(&1, vec![]).unwrap();
        assert_eq!(a.outbox.len(), 2);
    }

    #[test]
    fn a_message_larger_than_the_socket_arrives_whole() {
        let (mut a, mut b) = pair();
        let large = "x".repeat(3 << 20);
        a.send(&large, vec![]).unwrap();
        assert!(a.wants_to_send());
        let mut got: Vec<Received<String>> = Vec::new();
        while got.is_empty() {
            got = b.receive(&[]).unwrap();
            a.flush().unwrap();
        }
        assert_eq!(got[0].0, large);
    }

    #[test]
    fn end_of_stream_is_an_error_after_the_last_message() {
        let (mut a, mut b) = pair();
        a.send(&1, vec![]).unwrap();
        drop(a);
        assert_eq!(b.receive::<i32>(&[]).unwrap().len(), 1);
        assert!(b.receive::<i32>(&[]).is_err());
    }

    #[test]
    fn messages_of_a_peer_that_closed_without_reading_are_received() {
        let (mut a, mut b) = pair();
        b.send(&"never read", vec![]).unwrap();
        a.send(&1, vec![]).unwrap();
        drop(a);
        assert_eq!(b.receive::<i32>(&[]).unwrap().len(), 1);
        assert!(b.receive::<i32>(&[]).is_err());
    }

    #[test]
    fn an_announcement_needs_an_empty_queue() {
        let (mut a, mut b) = pair();
        let (_reader, writer) = rustix::pipe::pipe().unwrap();
        let announcement = a.announcement(&"new").unwrap();
        assert!(announcement.send(&[writer.as_fd()]));
        let messages: Vec<Received<String>> = b.receive(&[]).unwrap();
        assert_eq!((messages[0].0.as_str(), messages[0].1.len()), ("new", 1));
        a.queue(&"waits", vec![]).unwrap();
        assert!(a.announcement(&"new").is_none());
        a.flush().unwrap();
        let announcement = a.announcement(&"new").unwrap();
        // Send until there is no room for more.
        while announcement.send(&[writer.as_fd()]) {}
        drop(announcement);
        drop(a);
        let mut messages: Vec<Received<String>> = b.receive(&[]).unwrap();
        assert_eq!(messages.remove(0).0, "waits");
        assert!(
            messages
                .iter()
                .all(|(said, fds)| said == "new" && fds.len() == 1)
        );
    }

    #[derive(Serialize, serde::Deserialize, PartialEq, Debug)]
    enum Ours {
        Ready,
        Adopt { pid: u32 },
    }

    #[test]
    fn what_another_version_says_beyond_ours_is_passed_over_with_its_descriptors() {
        let (mut newer, mut b) = pair();
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        let (_, ours) = rustix::pipe::pipe().unwrap();
        let theirs = (0..MAX_FDS).map(|_| writer.try_clone().unwrap());
        let unknown = serde_json::json!({"Teleport": {"where": [1, 2]}});
        newer.send(&unknown, theirs.collect()).unwrap();
        newer.send(&"Dance", vec![]).unwrap();
        let longer = serde_json::json!({"Adopt": {"pid": 7, "mood": "new"}});
        newer.send(&longer, vec![ours]).unwrap();
        newer.send(&Ours::Ready, vec![]).unwrap();
        drop(writer);
        let needed = &["Adopt"];
        let messages = b.receive::<Ours>(needed).unwrap();
        assert_eq!(messages[0].0, Ours::Adopt { pid: 7 });
        assert_eq!(messages[0].1.len(), 1);
        assert_eq!((&messages[1].0, messages.len()), (&Ours::Ready, 2));
        // The dropped descriptors were closed.
        assert_eq!(rustix::io::read(&reader, &mut [0; 1]), Ok(0));
        // Receiving only ignored messages is not the end of the stream.
        newer.send(&"Dance", vec![]).unwrap();
        assert!(b.receive::<Ours>(needed).unwrap().is_empty());
    }

    #[test]
    fn extra_descriptors_do_not_shift_those_of_later_messages() {
        let (newer, mut b) = pair();
        let (_, writer) = rustix::pipe::pipe().unwrap();
        let fds = [writer.as_fd(); 2 * MAX_FDS];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2 * MAX_FDS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&fds));
        let frame = [&[7, 0, 0, 0, 2 * MAX_FDS as u8][..], b"\"Dance\""].concat();
        let flags = SendFlags::NOSIGNAL;
        sendmsg(&newer, &[IoSlice::new(&frame)], &mut control, flags).unwrap();
        let mut newer = newer;
        newer.send(&Ours::Adopt { pid: 1 }, vec![writer]).unwrap();
        let messages = b.receive::<Ours>(&[]).unwrap();
        assert_eq!((messages.len(), messages[0].1.len()), (1, 1));
        assert!(b.inbox_fds.is_empty());
    }

    #[test]
    fn a_needed_message_must_be_understood() {
        let (mut newer, mut b) = pair();
        let other = serde_json::json!({"Adopt": {"process": "secret"}});
        newer.send(&other, vec![]).unwrap();
        let error = b.receive::<Ours>(&["Adopt"]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("`Adopt`"), "{error}");
    }
}
