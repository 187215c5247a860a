//! The queue of lines to be sent to one client.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use serde::Serialize;
use tokio::sync::Notify;

use super::Answer;
use crate::protocol::reply::Reply;
use crate::protocol::{Event, RequestId};

/// Queue size in bytes above which new events are dropped and counted.
const EVENT_BYTES: usize = 1 << 20;

/// Queue size in bytes above which no further requests are taken from the client.
const REPLY_BYTES: usize = 4 << 20;

/// Queue size in bytes above which the client gets no new frame of a screen.
const FRAME_BYTES: usize = 64 * 1024;

/// Lines to be sent to one client. Replies are never dropped; the limit on requests in flight
/// bounds their number. Events are dropped and counted while the client is slow.
#[derive(Default)]
pub(crate) struct Outbox {
    /// Reference-counted, because a frame of a screen goes to all its watchers.
    lines: RefCell<VecDeque<Rc<Vec<u8>>>>,
    /// Number of bytes of the first line that were sent.
    begun: Cell<usize>,
    /// Bytes that are still to be sent.
    bytes: Cell<usize>,
    /// Number of bytes ever queued.
    added: Cell<u64>,
    /// Events dropped since the last one that was queued.
    missed: Cell<u64>,
    /// Whether nothing more is sent, because the connection has ended.
    is_closed: Cell<bool>,
    filled: Notify,
    drained: Notify,
}

impl Outbox {
    /// Queues a reply.
    pub(crate) fn push_reply(&self, id: RequestId, answer: Answer) {
        let (result, error) = match answer {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        self.push(&Reply {
            id,
            ok: error.is_none(),
            result,
            error,
        });
    }

    /// Queues an event, or counts it as missed.
    pub(crate) fn push_event(&self, event: &Event) {
        if self.reserve_event() {
            self.push(event);
        }
    }

    /// Queues an event that was serialized with [`line`], or counts it as missed.
    pub(crate) fn push_frame(&self, line: Rc<Vec<u8>>) {
        if self.reserve_event() {
            self.add(line);
        }
    }

    /// Whether there is room for an event. If not, counts it as missed. If there is, and earlier
    /// events were dropped, first queues a `lag` event with their number.
    fn reserve_event(&self) -> bool {
        if self.bytes.get() > EVENT_BYTES {
            self.missed.set(self.missed.get() + 1);
            return false;
        }
        self.tell_missed();
        true
    }

    /// Queues a `lag` event with the number of events that were dropped, if any were.
    fn tell_missed(&self) {
        let missed = self.missed.take();
        if missed > 0 {
            self.push(&Event::lag(missed));
        }
    }

    fn push(&self, what: &impl Serialize) {
        if let Some(line) = line(what) {
            self.add(Rc::new(line));
        }
    }

    fn add(&self, line: Rc<Vec<u8>>) {
        self.bytes.set(self.bytes.get() + line.len());
        self.added.set(self.added.get() + line.len() as u64);
        self.lines.borrow_mut().push_back(line);
        self.filled.notify_one();
    }

    /// The next line to send, and how many of its bytes were sent.
    pub(crate) fn front(&self) -> Option<(Rc<Vec<u8>>, usize)> {
        let line = self.lines.borrow().front()?.clone();
        Some((line, self.begun.get()))
    }

    /// Notes that `count` more bytes of the first line were sent.
    pub(crate) fn sent(&self, count: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(count));
        let begun = self.begun.get() + count;
        let mut lines = self.lines.borrow_mut();
        let is_whole = lines.front().is_some_and(|line| line.len() <= begun);
        self.begun.set(if is_whole { 0 } else { begun });
        if is_whole {
            lines.pop_front();
        }
        drop(lines);
        // Another event may never come. Half, so that a slow client is not told once per line.
        if is_whole && self.bytes.get() <= EVENT_BYTES / 2 {
            self.tell_missed();
        }
        self.drained.notify_waiters();
    }

    /// Nothing more is sent, because the connection has ended.
    pub(crate) fn close(&self) {
        self.is_closed.set(true);
        self.drained.notify_waiters();
    }

    /// Whether the client has to read before it may send further requests.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.get() > REPLY_BYTES
    }

    /// Waits until there is something to send.
    pub(crate) async fn filled(&self) {
        self.filled.notified().await;
    }

    /// Waits until the client has read most of the queue, or the connection has ended.
    pub(crate) async fn room_for_frame(&self) {
        while self.bytes.get() > FRAME_BYTES && !self.is_closed.get() {
            self.drained.notified().await;
        }
    }

    /// Waits until everything that is queued now is in the client's socket. Returns false if the connection ends before
    /// that.
    pub(crate) async fn sent_so_far(&self) -> bool {
        let goal = self.added.get();
        while self.added.get() - (self.bytes.get() as u64) < goal {
            if self.is_closed.get() {
                return false;
            }
            self.drained.notified().await;
        }
        true
    }
}

/// Serializes `what` as a line for a client.
pub(crate) fn line(what: &impl Serialize) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(what).ok()?;
    escape_c1_controls(&mut line);
    line.push(b'\n');
    Some(line)
}

/// Escapes DEL and the C1 control characters. Terminals interpret them, but JSON does not require
/// them to be escaped. They occur only within strings.
fn escape_c1_controls(json: &mut Vec<u8>) {
    let is_late = |at: usize| match json[at] {
        0x7f => true,
        0xc2 => json
            .get(at + 1)
            .is_some_and(|byte| (0x80..0xa0).contains(byte)),
        _ => false,
    };
    let mut candidates = memchr::memchr2_iter(0x7f, 0xc2, json);
    let Some(first) = candidates.find(|&at| is_late(at)) else {
        return;
    };
    let mut safe = json[..first].to_vec();
    let mut at = first;
    while at < json.len() {
        let late = is_late(at);
        let long = late && json[at] == 0xc2;
        at += usize::from(long);
        if late {
            safe.extend_from_slice(format!("\\u{:04x}", json[at]).as_bytes())
        } else {
            safe.push(json[at])
        }
        at += 1;
    }
    *json = safe;
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::EventKind;

    #[test]
    fn lines_are_sent_in_pieces() {
        let outbox = Outbox::default();
        for text in ["one", "two", "three"] {
            outbox.push_frame(Rc::new(text.as_bytes().to_vec()));
        }
        let mut seen = Vec::new();
        while let Some((line, from)) = outbox.front() {
            let piece = &line[from..];
            let piece = &piece[..piece.len().min(2)];
            seen.extend_from_slice(piece);
            outbox.sent(piece.len());
        }
        assert_eq!((seen, outbox.bytes.get()), (b"onetwothree".to_vec(), 0));
    }

    #[test]
    fn a_client_that_reads_again_is_told_what_it_missed_although_nothing_follows() {
        let outbox = Outbox::default();
        outbox.push_frame(Rc::new(vec![b'x'; EVENT_BYTES + 1]));
        for _ in 0..3 {
            outbox.push_event(&Event::of(EventKind::Exited));
        }
        outbox.sent(1);
        assert_eq!(outbox.lines.borrow().len(), 1);
        outbox.sent(EVENT_BYTES);
        let (lag, _) = outbox.front().unwrap();
        let lag: serde_json::Value = serde_json::from_slice(&lag).unwrap();
        assert_eq!(
            (&lag["event"], &lag["data"]),
            (&"lag".into(), &serde_json::json!({"missed": 3}))
        );
        outbox.sent(usize::MAX);
        assert!(outbox.front().is_none());
    }

    #[tokio::test]
    async fn what_was_not_sent_is_known_when_the_connection_ends() {
        let outbox = Outbox::default();
        let line = |length| Rc::new(vec![b'x'; length]);
        outbox.push_frame(line(2 * FRAME_BYTES));
        let (first, later) = tokio::join!(
            async {
                let first = outbox.sent_so_far();
                tokio::join!(first, async { outbox.push_frame(line(10)) }).0
            },
            async { outbox.sent(2 * FRAME_BYTES) }
        );
        assert_eq!((first, later), (true, ()));
        let (sent, ()) = tokio::join!(outbox.sent_so_far(), async { outbox.close() });
        assert!(!sent);
        outbox.push_frame(line(2 * FRAME_BYTES));
        outbox.room_for_frame().await;
        assert!(!outbox.sent_so_far().await);
    }

    #[test]
    fn escapes_all_control_characters() {
        let text = "a\u{9b}31mé\u{7f}\u{1b}\u{80}\u{9f}\u{a0}ÿ漢";
        let mut line = serde_json::to_vec(text).unwrap();
        escape_c1_controls(&mut line);
        let shown = String::from_utf8(line).unwrap();
        assert!(shown.chars().all(|c| !c.is_control()), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
