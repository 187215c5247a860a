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

use super::update::{News, Tag};
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
    queue: SyncSender<(Tag, Action)>,
    shared: Arc<Shared>,
    /// Disconnects once all queued requests have been sent.
    sent: Receiver<()>,
}

/// State shared by both threads: the sender, and the pending requests.
#[derive(Default)]
struct Shared {
    sender: Mutex<Option<Sender>>,
    asked: Mutex<Asked>,
}

#[derive(Default)]
struct Asked {
    next_id: u64,
    questions: HashMap<u64, Question>,
    /// Since when replies are pending without any arriving; `None` also after that was
    /// investigated.
    silent_since: Option<Instant>,
}

/// A pending request.
struct Question {
    tag: Tag,
    /// The action to send again if the connection breaks before the reply.
    again: Option<Action>,
}

impl Asked {
    /// Registers a request and returns its id. If the connection breaks, an action that changes
    /// something is sent again if that is safe; a query is not, because the view repeats queries
    /// anyway.
    fn ask(&mut self, tag: Tag, action: &Action) -> u64 {
        self.next_id += 1;
        self.silent_since.get_or_insert_with(Instant::now);
        let again = (tag.acts() && action.may_repeat()).then(|| action.clone());
        let question = Question { tag, again };
        self.questions.insert(self.next_id, question);
        self.next_id
    }

    fn answered(&mut self, id: u64) -> Option<Tag> {
        let question = self.questions.remove(&id);
        self.silent_since = (!self.questions.is_empty()).then(Instant::now);
        question.map(|question| question.tag)
    }
}

impl Link {
    /// Starts both threads on a connection. `tell` forwards news and returns whether anybody still
    /// listens.
    pub fn start(
        connection: Connection,
        greeting: Greeting,
        tell: impl Fn(News) -> bool + Send + Sync + 'static,
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
    pub fn cancel(&self, tag: &Tag) {
        let asked = lock(&self.shared.asked);
        let Some((&id, _)) = asked.questions.iter().find(|(_, one)| one.tag == *tag) else {
            return;
        };
        drop(asked);
        let params = Cancel {
            request_id: Value::from(id),
        };
        let _ = self.ask(Tag::Cancel, Action::Cancel(params));
    }

    /// Queues a request; returns the tag as the error if the queue is full.
    pub fn ask(&self, tag: Tag, action: Action) -> Result<(), Tag> {
        self.queue.try_send((tag, action)).map_err(|error| {
            let (TrySendError::Full((tag, _)) | TrySendError::Disconnected((tag, _))) = error;
            tag
        })
    }

    /// Types bytes into a job.
    pub fn type_into(&self, id: SessionId, bytes: &[u8]) -> Result<(), Tag> {
        let write = Write {
            session_id: id.to_string(),
            data: Some(STANDARD.encode(bytes)),
            encoding: Some(Encoding::Base64),
            ..Write::default()
        };
        self.ask(Tag::Type(id), Action::Write(write))
    }
}

/// Sends queued requests. Without a connection, reports them as dropped: the view repeats queries
/// after a reconnect, and tells the person about actions that were lost.
fn send_on(shared: &Shared, requests: &Receiver<(Tag, Action)>, tell: &dyn Fn(News) -> bool) {
    while let Some((tag, mut action)) = next_request(shared, requests, tell) {
        if let Action::Start(start) = &mut action {
            // With a key, the job starts only once even if the request is repeated.
            start
                .key
                .get_or_insert_with(|| SessionId::fresh().to_string());
        }
        if let Err(tag) = send(shared, tag, action) {
            // The receiving thread finds out whether anybody still listens.
            let _ = tell(News::Dropped(tag));
        }
    }
}

/// Sends a request; returns the tag as the error if there is no connection.
fn send(shared: &Shared, tag: Tag, action: Action) -> Result<(), Tag> {
    let mut sender = lock(&shared.sender);
    let Some(open) = sender.as_mut() else {
        return Err(tag);
    };
    let id = lock(&shared.asked).ask(tag, &action);
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
    requests: &Receiver<(Tag, Action)>,
    tell: &dyn Fn(News) -> bool,
) -> Option<(Tag, Action)> {
    loop {
        let silent_since = lock(&shared.asked).silent_since;
        let Some(since) = silent_since else {
            return requests.recv().ok();
        };
        match requests.recv_timeout(SILENCE.saturating_sub(since.elapsed())) {
            Ok(request) => return Some(request),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                let mut asked = lock(&shared.asked);
                let is_silent = asked
                    .silent_since
                    .is_some_and(|since| since.elapsed() >= SILENCE);
                if is_silent {
                    asked.silent_since = None;
                }
                drop(asked);
                if is_silent && let Err(error) = client::why_silent() {
                    let _ = tell(News::Silent(error));
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
    tell: &dyn Fn(News) -> bool,
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
                    if !tell(News::Down) {
                        return;
                    }
                    continue;
                }
            },
        };
        let (sender, mut receiver) = connection.split();
        *lock(&shared.sender) = Some(sender);
        if !tell(News::Up) {
            return;
        }
        for (tag, action) in again.drain(..) {
            if let Err(tag) = send(shared, tag, action)
                && !tell(News::Dropped(tag))
            {
                return;
            }
        }
        loop {
            let news = match receiver.receive() {
                Ok(Message::Event(event)) => News::Event(event),
                Ok(Message::Reply(reply)) => {
                    let tag = reply
                        .id
                        .as_u64()
                        .and_then(|id| lock(&shared.asked).answered(id));
                    match (tag, reply.error) {
                        (Some(tag), Some(error)) => News::Reply(tag, Err(error)),
                        (Some(tag), None) => News::Reply(tag, Ok(reply.result.unwrap_or_default())),
                        (None, _) => continue,
                    }
                }
                Err(error) if is_over(&error) => break,
                // An unreadable line costs only one reply.
                Err(_) => continue,
            };
            if !tell(news) {
                return;
            }
        }
        *lock(&shared.sender) = None;
        if !tell(News::Down) {
            return;
        }
        // No request is added meanwhile, because that requires a sender.
        let lost = std::mem::take(&mut lock(&shared.asked).questions);
        for Question { tag, again: action } in lost.into_values() {
            match action {
                Some(action) => again.push((tag, action)),
                None if tag.acts() && !tell(News::Dropped(tag)) => return,
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
        let tag = Tag::Kill(SessionId::fresh());
        let kill = Action::Kill(Kill::default());
        queue.send((tag.clone(), kill)).unwrap();
        drop(queue);
        let told = Mutex::new(Vec::new());
        send_on(&Shared::default(), &requests, &|news| {
            if let News::Dropped(tag) = news {
                lock(&told).push(tag);
            }
            true
        });
        assert_eq!(*lock(&told), [tag]);
    }
}
