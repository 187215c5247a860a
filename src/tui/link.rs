//! The connection to the daemon: one connection, one thread per direction, and a reconnect when it
//! breaks.
//!
//! Requests are sent in order. The queue is bounded; a request that does not fit is reported as
//! dropped instead of blocking, because the view must continue to read keys.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::message::{Keys, LinkEvent, RequestKind};
use crate::client::{self, AutoStart, Connection, Message, Sender};
use crate::protocol::params::{Cancel, Encoding, Write};
use crate::protocol::{Action, Error, Greeting, Request, SessionId};

/// Maximum number of queued requests.
const QUEUE: usize = 1024;

/// Delay before another attempt to connect. The keeper restarts a daemon at once, so this is ample.
const RETRY: Duration = Duration::from_millis(200);

/// How long the daemon may leave requests unanswered before the reason is investigated.
const SILENCE: Duration = Duration::from_millis(1500);

/// Sends requests to the daemon.
pub struct Link {
    queue: SyncSender<(RequestKind, Action)>,
    shared: Arc<Shared>,
    /// Disconnects once all queued requests have been sent.
    sent: Receiver<()>,
}

/// State shared by both threads: the sender, and the pending requests.
#[derive(Default)]
struct Shared {
    sender: Mutex<Option<Sender>>,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    next_id: u64,
    requests: HashMap<u64, PendingRequest>,
    /// Since when replies are pending without any arriving; `None` also after that was
    /// investigated.
    silent_since: Option<Instant>,
}

/// A pending request.
struct PendingRequest {
    tag: RequestKind,
    /// Whether it changes something. A query that is lost is of no interest, because the view repeats
    /// queries after a reconnect.
    changes: bool,
    /// The action to send again if the connection breaks before the reply.
    again: Option<Action>,
}

impl Pending {
    /// Registers a request and returns its id. If the connection breaks, an action that changes
    /// something is sent again if that is safe; a query is not, because the view repeats queries
    /// anyway.
    fn add(&mut self, tag: RequestKind, action: &Action) -> u64 {
        self.next_id += 1;
        self.silent_since.get_or_insert_with(Instant::now);
        let changes = !action.reads();
        let again = (changes && action.may_repeat()).then(|| action.clone());
        let request = PendingRequest {
            tag,
            changes,
            again,
        };
        self.requests.insert(self.next_id, request);
        self.next_id
    }

    fn take(&mut self, id: u64) -> Option<RequestKind> {
        let request = self.requests.remove(&id);
        self.silent_since = (!self.requests.is_empty()).then(Instant::now);
        request.map(|request| request.tag)
    }
}

impl Link {
    /// Starts both threads on a connection. `tell` forwards events and returns whether anybody still
    /// listens.
    pub fn start(
        connection: Connection,
        greeting: Greeting,
        tell: impl Fn(LinkEvent) -> bool + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let tell = Arc::new(tell);
        let (queue, requests) = sync_channel(QUEUE);
        let (out, tell_out) = (Arc::clone(&shared), Arc::clone(&tell));
        let (sending, sent) = sync_channel(0);
        std::thread::Builder::new()
            .name("link-out".to_owned())
            .spawn(move || {
                send_on(&out, &requests, &*tell_out);
                drop(sending);
            })?;
        let link = Self {
            queue,
            sent,
            shared: Arc::clone(&shared),
        };
        std::thread::Builder::new()
            .name("link-in".to_owned())
            .spawn(move || receive_on(&shared, connection, &greeting, &*tell))?;
        Ok(link)
    }

    /// Waits until all queued requests have been sent, but at most `within`.
    pub fn finish(self, within: Duration) {
        drop(self.queue);
        // Nothing is ever sent on this channel: either it disconnects, or the daemon no longer
        // accepts data.
        let _ = self.sent.recv_timeout(within);
    }

    /// Cancels the request with this tag. No effect if it has not been sent yet or was already
    /// answered; its reply is then ignored.
    pub fn cancel(&self, tag: &RequestKind) {
        let pending = lock(&self.shared.pending);
        let Some((&id, _)) = pending.requests.iter().find(|(_, one)| one.tag == *tag) else {
            return;
        };
        drop(pending);
        let params = Cancel {
            request_id: Value::from(id),
        };
        let _ = self.request(RequestKind::Cancel, Action::Cancel(params));
    }

    /// Queues a request; returns the tag as the error if the queue is full.
    pub fn request(&self, tag: RequestKind, action: Action) -> Result<(), RequestKind> {
        self.queue.try_send((tag, action)).map_err(|error| {
            let (TrySendError::Full((tag, _)) | TrySendError::Disconnected((tag, _))) = error;
            tag
        })
    }

    /// Types bytes into a job.
    pub fn type_into(&self, id: SessionId, bytes: &[u8]) -> Result<(), RequestKind> {
        let write = Write {
            session_id: id.to_string(),
            data: Some(STANDARD.encode(bytes)),
            encoding: Some(Encoding::Base64),
            ..Write::default()
        };
        self.request(RequestKind::Type(id, Keys::of(bytes)), Action::Write(write))
    }
}

/// Sends queued requests. Without a connection, reports those that change something as dropped.
fn send_on(
    shared: &Shared,
    requests: &Receiver<(RequestKind, Action)>,
    tell: &dyn Fn(LinkEvent) -> bool,
) {
    while let Some((tag, mut action)) = next_request(shared, requests, tell) {
        if let Action::Start(start) = &mut action {
            // With a key, the job starts only once even if the request is repeated.
            start
                .key
                .get_or_insert_with(|| SessionId::fresh().to_string());
        }
        let changes = !action.reads();
        if let Err(tag) = send(shared, tag, action)
            && changes
        {
            // The receiving thread finds out whether anybody still listens.
            let _ = tell(LinkEvent::Dropped(tag));
        }
    }
}

/// Sends a request; returns the tag as the error if there is no connection.
fn send(shared: &Shared, tag: RequestKind, action: Action) -> Result<(), RequestKind> {
    let mut sender = lock(&shared.sender);
    let Some(open) = sender.as_mut() else {
        return Err(tag);
    };
    let id = lock(&shared.pending).add(tag, &action);
    let request = Request {
        id: Value::from(id),
        action,
    };
    // The receiving thread notices a broken connection.
    if open.send_line(&request.to_line()).is_err() {
        *sender = None;
    }
    Ok(())
}

/// The next queued request; `None` if the queue is closed. While waiting, reports why the daemon is
/// silent if it leaves requests unanswered for too long.
fn next_request(
    shared: &Shared,
    requests: &Receiver<(RequestKind, Action)>,
    tell: &dyn Fn(LinkEvent) -> bool,
) -> Option<(RequestKind, Action)> {
    loop {
        let silent_since = lock(&shared.pending).silent_since;
        let Some(since) = silent_since else {
            return requests.recv().ok();
        };
        match requests.recv_timeout(SILENCE.saturating_sub(since.elapsed())) {
            Ok(request) => return Some(request),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                let mut pending = lock(&shared.pending);
                let is_silent = pending
                    .silent_since
                    .is_some_and(|since| since.elapsed() >= SILENCE);
                if is_silent {
                    pending.silent_since = None;
                }
                drop(pending);
                if is_silent && let Err(error) = client::why_silent() {
                    let _ = tell(LinkEvent::Silent(error));
                }
            }
        }
    }
}

/// Receives messages until the connection breaks, then reconnects, as long as anybody listens.
fn receive_on(
    shared: &Shared,
    first: Connection,
    greeting: &Greeting,
    tell: &dyn Fn(LinkEvent) -> bool,
) {
    let mut next = Some(first);
    let mut again = Vec::new();
    loop {
        let connection = match next.take() {
            Some(connection) => connection,
            None => match client::connect(greeting, AutoStart::Yes) {
                Ok(connection) => connection,
                Err(_) => {
                    std::thread::sleep(RETRY);
                    // Repeated to learn whether anybody still listens.
                    if !tell(LinkEvent::Down) {
                        return;
                    }
                    continue;
                }
            },
        };
        let (sender, mut receiver) = connection.split();
        *lock(&shared.sender) = Some(sender);
        if !tell(LinkEvent::Up) {
            return;
        }
        for (tag, action) in again.drain(..) {
            if let Err(tag) = send(shared, tag, action)
                && !tell(LinkEvent::Dropped(tag))
            {
                return;
            }
        }
        loop {
            let event = match receiver.receive() {
                Ok(Message::Event(event)) => LinkEvent::Event(event),
                Ok(Message::Reply(reply)) => {
                    let tag = reply
                        .id
                        .as_u64()
                        .and_then(|id| lock(&shared.pending).take(id));
                    match (tag, reply.error) {
                        (Some(tag), Some(error)) => LinkEvent::Reply(tag, Err(error)),
                        (Some(tag), None) => {
                            LinkEvent::Reply(tag, Ok(reply.result.unwrap_or_default()))
                        }
                        (None, _) => continue,
                    }
                }
                Err(error) if is_over(&error) => break,
                // An unreadable line costs only one reply.
                Err(_) => continue,
            };
            if !tell(event) {
                return;
            }
        }
        *lock(&shared.sender) = None;
        if !tell(LinkEvent::Down) {
            return;
        }
        // No request is added meanwhile, because that requires a sender.
        let lost = std::mem::take(&mut lock(&shared.pending).requests);
        for request in lost.into_values() {
            match request.again {
                Some(action) => again.push((request.tag, action)),
                None if request.changes && !tell(LinkEvent::Dropped(request.tag)) => return,
                None => {}
            }
        }
    }
}

fn is_over(error: &Error) -> bool {
    error.code == crate::protocol::ErrorCode::DaemonUnavailable
}

/// Ignores poisoning: the data is only ever replaced as a whole, so it is valid after a panic.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::params::Kill;

    #[test]
    fn reports_requests_that_cannot_be_sent() {
        let (queue, requests) = sync_channel(1);
        let tag = RequestKind::Kill(SessionId::fresh());
        let kill = Action::Kill(Kill::default());
        queue.send((tag.clone(), kill)).unwrap();
        drop(queue);
        let told = Mutex::new(Vec::new());
        send_on(&Shared::default(), &requests, &|event| {
            if let LinkEvent::Dropped(tag) = event {
                lock(&told).push(tag);
            }
            true
        });
        assert_eq!(*lock(&told), [tag]);
    }
}
