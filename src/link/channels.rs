//! The state of one channel: what may be sent, what waits for its socket, and which directions have ended.
//!
//! Each direction has a window: the sender sends no more than the receiver has room for. So one channel whose
//! client does not read holds up no other one, and memory is bounded.

use std::collections::VecDeque;

/// Maximum number of bytes of one direction that are on their way or wait for the receiver's socket.
pub const WINDOW: usize = 256 * 1024;

/// The receiver allows more bytes when so many were taken by its socket.
const UPDATE: usize = WINDOW / 4;

/// A channel, as one end of the link sees it.
#[derive(Debug)]
pub struct Channel {
    /// How many bytes the other end has room for.
    may_send: usize,
    /// Bytes from the link that wait for the socket.
    waiting: VecDeque<u8>,
    /// Bytes that the socket has taken since the other end was last allowed more.
    taken: usize,
    /// The other end sends no more.
    received_all: bool,
    /// The socket's writing direction was shut down.
    shut: bool,
    /// The socket sends no more, and the other end was told.
    sent_all: bool,
}

impl Default for Channel {
    fn default() -> Self {
        Self {
            may_send: WINDOW,
            waiting: VecDeque::new(),
            taken: 0,
            received_all: false,
            shut: false,
            sent_all: false,
        }
    }
}

impl Channel {
    /// How many bytes may be read from the socket now; 0 also if it sends no more.
    pub fn may_read(&self) -> usize {
        if self.sent_all { 0 } else { self.may_send }
    }

    /// Notes bytes that were sent on the link.
    pub fn sent(&mut self, bytes: usize) {
        self.may_send = self.may_send.saturating_sub(bytes);
    }

    /// Notes that the other end has room for more bytes.
    pub fn allowed(&mut self, bytes: u32) {
        let bytes = usize::try_from(bytes).unwrap_or(WINDOW);
        self.may_send = self.may_send.saturating_add(bytes).min(WINDOW);
    }

    /// Takes bytes from the link. Returns false if the other end sent more than it was allowed.
    pub fn receive(&mut self, bytes: &[u8]) -> bool {
        self.waiting.extend(bytes);
        self.waiting.len() + self.taken <= WINDOW
    }

    /// Bytes for the socket: the first ones that wait.
    pub fn for_socket(&self) -> &[u8] {
        self.waiting.as_slices().0
    }

    /// All bytes that wait for the socket, in one piece.
    pub fn whole(&mut self) -> &[u8] {
        self.waiting.make_contiguous()
    }

    /// Notes that the socket has taken bytes. Returns how many more the other end may send, if it is time to say so.
    pub fn socket_took(&mut self, bytes: usize) -> Option<u32> {
        self.waiting.drain(..bytes.min(self.waiting.len()));
        self.taken += bytes;
        if self.taken < UPDATE {
            return None;
        }
        u32::try_from(std::mem::take(&mut self.taken)).ok()
    }

    /// Notes that the other end sends no more.
    pub fn receives_no_more(&mut self) {
        self.received_all = true;
    }

    /// Whether the other end sends no more.
    pub fn has_received_all(&self) -> bool {
        self.received_all
    }

    /// Whether the socket's writing direction is to be shut down now. True once.
    pub fn shuts(&mut self) -> bool {
        let shuts = self.received_all && self.waiting.is_empty() && !self.shut;
        self.shut |= shuts;
        shuts
    }

    /// Notes that the socket sends no more.
    pub fn sends_no_more(&mut self) {
        self.sent_all = true;
    }

    /// Whether the socket says no more.
    pub fn has_sent_all(&self) -> bool {
        self.sent_all
    }

    /// Whether both directions have ended.
    pub fn is_over(&self) -> bool {
        self.sent_all && self.shut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_sent_than_the_other_end_has_room_for() {
        let (mut ours, mut theirs) = (Channel::default(), Channel::default());
        let piece = [b'x'; 1000];
        let mut sent = 0;
        while ours.may_read() >= piece.len() {
            ours.sent(piece.len());
            assert!(theirs.receive(&piece));
            sent += piece.len();
        }
        assert_eq!(sent, WINDOW / 1000 * 1000);
        // Nobody reads, so nothing is allowed; then the socket takes all of it.
        let mut allowed = 0;
        while !theirs.for_socket().is_empty() {
            let most = theirs.for_socket().len().min(5000);
            if let Some(bytes) = theirs.socket_took(most) {
                ours.allowed(bytes);
                allowed += bytes;
            }
        }
        assert!(allowed as usize > WINDOW / 2, "{allowed}");
        assert!(ours.may_read() > WINDOW / 2);
        assert!(!theirs.receive(&vec![b'x'; WINDOW + 1]));
    }

    #[test]
    fn a_direction_ends_after_its_last_byte_and_the_channel_after_both() {
        let mut channel = Channel::default();
        assert!(channel.receive(b"last"));
        channel.receives_no_more();
        assert!(!channel.shuts());
        assert_eq!(channel.socket_took(4), None);
        assert!(channel.shuts());
        assert!(!channel.shuts());
        assert!(!channel.is_over());
        channel.sends_no_more();
        assert_eq!(channel.may_read(), 0);
        assert!(channel.is_over());
    }
}
