//! The queue of requests to the daemon: whole lines, which are sent from their beginning again if a daemon
//! dies.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Instant;

use super::in_flight::Request;
use super::subscriptions::Subscriptions;

/// Requests in the order in which they are sent.
#[derive(Debug, Default)]
pub struct Queue {
    requests: VecDeque<Request>,
    bytes: usize,
    /// Number of bytes of the first request that are sent.
    sent: usize,
    /// The line that is sent instead of the first request, if it has to be changed.
    instead: Option<Vec<u8>>,
}

impl Queue {
    /// Whether no request waits.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Number of bytes in all waiting requests.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a request at the end.
    pub fn push(&mut self, request: Request) {
        self.bytes += request.line.len();
        self.requests.push_back(request);
    }

    /// Adds requests at the front, in their order.
    pub fn put_first(&mut self, requests: Vec<Request>) {
        for request in requests.into_iter().rev() {
            self.bytes += request.line.len();
            self.requests.push_front(request);
        }
    }

    /// Sends as much of the first request as `socket` takes. Returns the request once all of it is sent.
    pub fn send(
        &mut self,
        mut socket: impl Write,
        subscriptions: &mut Subscriptions,
        now: Instant,
    ) -> io::Result<Option<Request>> {
        let Some(request) = self.requests.front() else {
            return Ok(None);
        };
        if self.sent == 0 {
            let renamed = subscriptions.translate(request);
            self.instead = renamed.or_else(|| request.again(now));
        }
        let line = self.instead.as_ref().unwrap_or(&request.line);
        self.sent += socket.write(&line[self.sent..])?;
        if self.sent < line.len() {
            return Ok(None);
        }
        self.sent = 0;
        let whole = self.requests.pop_front();
        self.bytes -= whole.as_ref().map_or(0, |whole| whole.line.len());
        Ok(whole)
    }

    /// Prepares the queue for the next daemon. A line whose newline was not sent has not been read as a
    /// line, so it is sent again; the proxy's own requests were for the old daemon and are dropped.
    pub fn start_over(&mut self) {
        self.sent = 0;
        self.requests.retain(|request| !request.is_own);
        self.bytes = self.requests.iter().map(|request| request.line.len()).sum();
    }

    /// Takes all waiting requests.
    pub fn take(&mut self) -> VecDeque<Request> {
        std::mem::take(self).requests
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A writer that takes five bytes at a time.
    struct Narrow<'a>(&'a mut Vec<u8>);

    impl Write for Narrow<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(5);
            self.0.extend(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn request(line: &str) -> Request {
        Request::of_agent(line.as_bytes().to_vec())
    }

    #[test]
    fn a_partly_sent_line_is_sent_again_from_its_beginning() {
        let mut queue = Queue::default();
        queue.push(request("12345678\n"));
        queue.push(request("last\n"));
        let (mut out, mut subscriptions, now) =
            (Vec::new(), Subscriptions::default(), Instant::now());
        let mut send = |queue: &mut Queue| queue.send(Narrow(&mut out), &mut subscriptions, now);
        assert_eq!(send(&mut queue).unwrap(), None);
        queue.start_over();
        let own = Request::own(serde_json::Map::new(), "watch", 0);
        queue.put_first(vec![own, request("first\n")]);
        queue.start_over();
        assert_eq!(queue.bytes(), 20);
        let mut sent = Vec::new();
        while !queue.is_empty() {
            sent.extend(send(&mut queue).unwrap().map(|request| request.line));
        }
        assert_eq!(sent, [&b"first\n"[..], b"12345678\n", b"last\n"]);
        assert_eq!(
            (queue.bytes(), out),
            (0, b"12345first\n12345678\nlast\n".to_vec())
        );
    }
}
