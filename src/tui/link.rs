//! The way to the daemon: one connection, one thread for each direction, and a new connection when it breaks.
//!
//! Requests go out in the order they were made; the queue is bounded, and what does not fit is reported as
//! dropped rather than waited for, because the view must go on reading keys.

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

/// Requests that wait to be sent at most.
const QUEUE: usize = 1024;

/// Pause before the second and later attempts to connect: the keeper starts a daemon at once, so this is long.
const RETRY: Duration = Duration::from_millis(200);

/// A daemon that has answered nothing for so long is asked about.
const SILENCE: Duration = Duration::from_millis(1500);

/// Where requests go.
pub struct Link {
    queue: SyncSender<(Tag, Action)>,
    shared: Arc<Shared>,
    /// Hangs up once everything asked for has been sent.
    sent: Receiver<()>,
}

/// What both threads know: the way out, and what each question was for.
#[derive(Default)]
struct Shared {
    sender: Mutex<Option<Sender>>,
    asked: Mutex<Asked>,
}

#[derive(Default)]
struct Asked {
    next_id: u64,
    questions: HashMap<u64, Question>,
    /// Since when an answer is waited for and none has come; `None` also once that was looked into.
    silent_since: Option<Instant>,
}

/// What was asked, and has no answer yet.
struct Question {
    tag: Tag,
    /// To be asked again if the daemon dies over it.
    again: Option<Action>,
}

impl Asked {
    /// Also says whether the question is to be asked again where the daemon dies over it: what is only read is asked
    /// for anew in any case.
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
    /// Starts both threads on a connection. `tell` passes news on and says whether anybody still listens.
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

    /// Waits until everything asked for has been sent, for `within` at most.
    pub fn finish(self, within: Duration) {
        drop(self.queue);
        // It says nothing and hangs up, or the daemon takes nothing any more.
        let _ = self.sent.recv_timeout(within);
    }

    /// Tells the daemon that what was asked with this tag need not be answered any more. A question that has not
    /// gone out yet, or was answered already, is let be: its answer is passed over.
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

    /// Asks the daemon; gives the tag back if the queue is full.
    pub fn ask(&self, tag: Tag, action: Action) -> Result<(), Tag> {
        self.queue.try_send((tag, action)).map_err(|error| {
            let (TrySendError::Full((tag, _)) | TrySendError::Disconnected((tag, _))) = error;
            tag
        })
    }

    /// Types bytes into a session.
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

/// Sends what is asked. While there is no connection it says that questions go nowhere: what is to be read is asked
/// for anew when there is one, and of what was to be done a person has to know.
fn send_on(shared: &Shared, requests: &Receiver<(Tag, Action)>, tell: &dyn Fn(News) -> bool) {
    while let Some((tag, mut action)) = next_request(shared, requests, tell) {
        if let Action::Start(start) = &mut action {
            // With a key it runs once, however often it is asked for.
            start
                .key
                .get_or_insert_with(|| SessionId::fresh().to_string());
        }
        if let Err(tag) = send(shared, tag, action) {
            // Whether anybody listens is for the thread that reads to find out.
            let _ = tell(News::Dropped(tag));
        }
    }
}

/// Sends a question; gives the tag back while there is no connection.
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
    // A broken connection is noticed by the thread that reads from it.
    if open.send_line(&request.to_line()).is_err() {
        *sender = None;
    }
    Ok(())
}

/// The next request; `None` if there will be none. Says why the daemon is silent, if it stays so meanwhile.
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

/// Reads until the connection breaks, then finds another, for as long as anybody listens.
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
                    // Says so again, to learn whether anybody listens.
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
                // One line that cannot be read is one answer less, no more.
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
        // Nothing is added meanwhile: that takes a sender.
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

/// A thread that panicked with the lock left the data as good as it was: it is only ever replaced whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::params::Kill;

    #[test]
    fn what_cannot_be_sent_is_said() {
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
