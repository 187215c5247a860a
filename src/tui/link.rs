//! The connection to the daemon: one connection, one thread per direction, and a reconnect when it
//! breaks.
//!
//! Requests are sent in order: at once if the daemon takes them, else by a thread with a queue. The queue is
//! bounded; a request that does not fit is reported as dropped instead of blocking, because the view must continue
//! to read keys.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
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

/// Forwards an event, and returns whether anybody still listens.
type Tell = dyn Fn(LinkEvent) -> bool + Send + Sync;

/// Sends requests to the daemon.
pub struct Link {
    queue: SyncSender<Queued>,
    shared: Arc<Shared>,
    tell: Arc<Tell>,
    /// Disconnects once all queued requests have been sent.
    sent: Receiver<()>,
}

/// What waits for the sending thread: a request, or `None` for the rest of one that the daemon has taken in part.
type Queued = Option<(RequestKind, Action)>;

/// State shared by all threads: the sender, and the pending requests.
#[derive(Default)]
struct Shared {
    sender: Mutex<Option<Sender>>,
    /// Number of queued items that are not sent yet.
    queued: AtomicUsize,
    pending: Mutex<Pending>,
    /// Whether a thread finds out why the daemon is silent.
    investigates: AtomicBool,
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
        let tell: Arc<Tell> = Arc::new(tell);
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
            tell: Arc::clone(&tell),
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

    /// Sends a request; returns the tag as the error if the queue is full.
    pub fn request(&self, tag: RequestKind, action: Action) -> Result<(), RequestKind> {
        // At once, because waking the thread would delay each typed key.
        if self.shared.queued.load(Ordering::Acquire) == 0
            && let Ok(mut sender) = self.shared.sender.try_lock()
            && let Some(open) = sender.as_mut()
        {
            let line = self.shared.line(tag, action);
            match open.try_send_line(&line) {
                Ok(true) => {}
                // The queue is empty, so there is room.
                Ok(false) => drop(self.enqueue(None)),
                // The receiving thread notices a broken connection.
                Err(_) => *sender = None,
            }
            return Ok(());
        }
        let refused = tag.clone();
        self.enqueue(Some((tag, action))).map_err(|()| refused)
    }

    fn enqueue(&self, queued: Queued) -> Result<(), ()> {
        self.shared.queued.fetch_add(1, Ordering::AcqRel);
        self.queue.try_send(queued).map_err(|_| {
            self.shared.queued.fetch_sub(1, Ordering::AcqRel);
        })
    }

    /// Time until the daemon has left requests unanswered for so long that [`investigate`](Self::investigate) is
    /// to be called; `None` if no reply is pending.
    pub fn silence_due(&self) -> Option<Duration> {
        let since = lock(&self.shared.pending).silent_since?;
        Some(SILENCE.saturating_sub(since.elapsed()))
    }

    /// Finds out why the daemon is silent, and reports it as [`LinkEvent::Silent`].
    pub fn investigate(&self) {
        lock(&self.shared.pending).silent_since = None;
        if self.shared.investigates.swap(true, Ordering::AcqRel) {
            return;
        }
        let (shared, tell) = (Arc::clone(&self.shared), Arc::clone(&self.tell));
        let begun = std::thread::Builder::new().spawn(move || {
            if let Err(error) = client::why_silent() {
                let _ = tell(LinkEvent::Silent(error));
            }
            shared.investigates.store(false, Ordering::Release);
        });
        if begun.is_err() {
            // There is no report, and the next silence tries again.
            self.shared.investigates.store(false, Ordering::Release);
        }
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

impl Shared {
    /// The line of a request, which is pending from now on.
    fn line(&self, tag: RequestKind, mut action: Action) -> Vec<u8> {
        if let Action::Start(start) = &mut action {
            // With a key, the job starts only once even if the request is repeated.
            start
                .key
                .get_or_insert_with(|| SessionId::fresh().to_string());
        }
        let id = Value::from(lock(&self.pending).add(tag, &action));
        Request { id, action }.to_line()
    }
}

/// Sends queued requests. Without a connection, reports those that change something as dropped.
fn send_on(shared: &Shared, queue: &Receiver<Queued>, tell: &Tell) {
    for queued in queue {
        match queued {
            None => send_rest(shared),
            Some((tag, action)) => {
                let changes = !action.reads();
                if let Err(tag) = send(shared, tag, action)
                    && changes
                {
                    // The receiving thread finds out whether anybody still listens.
                    let _ = tell(LinkEvent::Dropped(tag));
                }
            }
        }
        shared.queued.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Sends a request; returns the tag as the error if there is no connection.
fn send(shared: &Shared, tag: RequestKind, action: Action) -> Result<(), RequestKind> {
    // Held while the request is added: the receiving thread takes the sender away before it reports what is pending.
    let mut sender = lock(&shared.sender);
    let Some(open) = sender.as_mut() else {
        return Err(tag);
    };
    // The receiving thread notices a broken connection.
    if open.send_line(&shared.line(tag, action)).is_err() {
        *sender = None;
    }
    Ok(())
}

/// Sends the rest of a request that the daemon has taken in part.
fn send_rest(shared: &Shared) {
    let mut sender = lock(&shared.sender);
    if let Some(open) = sender.as_mut()
        && open.send_line(&[]).is_err()
    {
        *sender = None;
    }
}

/// Receives messages until the connection breaks, then reconnects, as long as anybody listens.
fn receive_on(shared: &Shared, first: Connection, greeting: &Greeting, tell: &Tell) {
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
        let lost = {
            let mut pending = lock(&shared.pending);
            pending.silent_since = None;
            std::mem::take(&mut pending.requests)
        };
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
        let tag = RequestKind::Kill(SessionId::fresh(), false);
        let kill = Action::Kill(Kill::default());
        queue.send(Some((tag.clone(), kill))).unwrap();
        drop(queue);
        let told: Arc<Mutex<Vec<RequestKind>>> = Arc::default();
        let telling = Arc::clone(&told);
        send_on(&Shared::default(), &requests, &move |event| {
            if let LinkEvent::Dropped(tag) = event {
                lock(&telling).push(tag);
            }
            true
        });
        assert_eq!(*lock(&told), [tag]);
    }
}
