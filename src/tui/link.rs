//! The connection to the daemon, and a new one when it breaks.
//!
//! Requests are sent in order: at once if the daemon takes them, else when the main loop finds that it does. What
//! waits for that is bounded; a request that does not fit is reported as dropped instead of blocking, because the view
//! must continue to read keys.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

use super::later::Later;
use super::message::{Event, Keys, LinkEvent, RequestKind};
use crate::client::{self, AutoStart, Connection, Message, Receiver, Sender};
use crate::protocol::params::{Cancel, Encoding, Write};
use crate::protocol::reply::Reply;
use crate::protocol::{Action, Error, Greeting, Request, SessionId};

/// Number of bytes of requests that wait for the daemon, beyond which further ones are dropped. Large pastes fit.
const ENOUGH: usize = 64 << 20;

/// Delay before another attempt to connect. The keeper restarts a daemon at once, so this is ample.
const RETRY: Duration = Duration::from_millis(200);

/// How long the daemon may leave requests unanswered before the reason is investigated.
const SILENCE: Duration = Duration::from_millis(1500);

/// Requests to the daemon, and what it sends.
pub struct Link {
    greeting: Greeting,
    /// The connection, if there is one.
    open: Option<Open>,
    /// A thread puts the next connection here.
    next: mpsc::Receiver<Connection>,
    give: mpsc::Sender<Connection>,
    pending: Pending,
    /// What was sent to a daemon that died, and is sent to the next one.
    again: Vec<(RequestKind, Action)>,
    events: VecDeque<LinkEvent>,
    later: Later,
    /// Whether a thread finds out why the daemon is silent.
    investigates: Arc<AtomicBool>,
}

/// An open connection.
struct Open {
    sender: Sender,
    receiver: Receiver,
}

/// The requests that are not answered yet.
#[derive(Default)]
struct Pending {
    next_id: u64,
    /// By id, and so in the order in which they were sent: those that are sent again keep it.
    requests: BTreeMap<u64, PendingRequest>,
    /// Since when replies are pending without any arriving; `None` also after that was
    /// investigated.
    silent_since: Option<Instant>,
}

/// A pending request.
struct PendingRequest {
    tag: RequestKind,
    /// Whether its loss is told.
    is_told: bool,
    /// The action to send again if the connection breaks before the reply.
    again: Option<Action>,
}

/// Whether the loss of a request is told: it changes something, or a person waits for the reply. The view repeats other
/// queries after a reconnect.
fn is_told(tag: &RequestKind, action: &Action) -> bool {
    !action.reads() || tag.is_awaited()
}

/// What becomes of the requests that were pending when the connection broke, each in the order in which they were sent.
#[derive(Default)]
struct Lost {
    again: Vec<(RequestKind, Action)>,
    told: Vec<RequestKind>,
}

impl Pending {
    /// Registers a request and returns its id. If the connection breaks, an action that changes
    /// something is sent again if that is safe; a query is not, because the view repeats queries
    /// anyway.
    fn add(&mut self, tag: RequestKind, action: &Action) -> u64 {
        self.next_id += 1;
        self.silent_since.get_or_insert_with(Instant::now);
        let again = !action.reads() && action.may_repeat();
        let request = PendingRequest {
            is_told: is_told(&tag, action),
            tag,
            again: again.then(|| action.clone()),
        };
        self.requests.insert(self.next_id, request);
        self.next_id
    }

    fn take(&mut self, id: u64) -> Option<RequestKind> {
        let request = self.requests.remove(&id);
        self.silent_since = (!self.requests.is_empty()).then(Instant::now);
        request.map(|request| request.tag)
    }

    /// Takes all requests: there will be no replies.
    fn lose(&mut self) -> Lost {
        self.silent_since = None;
        let mut lost = Lost::default();
        for request in std::mem::take(&mut self.requests).into_values() {
            match request.again {
                Some(action) => lost.again.push((request.tag, action)),
                None if request.is_told => lost.told.push(request.tag),
                None => {}
            }
        }
        lost
    }
}

impl Link {
    /// A link that begins with this connection. Other threads report through `later`.
    pub fn new(connection: Connection, greeting: Greeting, later: Later) -> Self {
        let mut link = Self::closed(greeting, later);
        link.begin(connection);
        link
    }

    fn closed(greeting: Greeting, later: Later) -> Self {
        let (give, next) = mpsc::channel();
        Self {
            greeting,
            open: None,
            next,
            give,
            pending: Pending::default(),
            again: Vec::new(),
            events: VecDeque::new(),
            later,
            investigates: Arc::default(),
        }
    }

    /// What has happened since the last call.
    pub fn take_events(&mut self) -> impl Iterator<Item = Event> {
        self.events.drain(..).map(Event::Link)
    }

    /// What to poll, if there is a connection.
    pub fn source(&self) -> Option<PollFd<'_>> {
        let open = self.open.as_ref()?;
        let flags = match open.sender.queued() {
            0 => PollFlags::IN,
            _ => PollFlags::IN | PollFlags::OUT,
        };
        Some(PollFd::new(&open.sender, flags))
    }

    /// Receives and sends what poll(2) has found to be possible.
    pub fn advance(&mut self, ready: PollFlags) {
        if ready.intersects(PollFlags::OUT) {
            self.send_queued();
        }
        if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.receive();
        }
    }

    /// Takes the next connection, if a thread has made one.
    pub fn connected(&mut self) {
        if let Ok(connection) = self.next.try_recv() {
            self.begin(connection);
        }
    }

    /// Waits until all queued requests have been sent, but at most `within`.
    pub fn finish(mut self, within: Duration) {
        let until = Instant::now() + within;
        while let Some(open) = self.open.as_ref().filter(|open| open.sender.queued() > 0) {
            let left = until.saturating_duration_since(Instant::now());
            let mut sources = [PollFd::new(&open.sender, PollFlags::OUT)];
            let limit = Timespec::try_from(left).ok();
            let is_over = left.is_zero() || poll(&mut sources, limit.as_ref()).is_err();
            if is_over || sources[0].revents().contains(PollFlags::HUP) {
                return;
            }
            self.send_queued();
        }
    }

    /// Cancels the request with this tag. No effect if it was already answered; its reply is then ignored.
    pub fn cancel(&mut self, tag: &RequestKind) {
        let mut pending = self.pending.requests.iter();
        let Some((&id, _)) = pending.find(|(_, one)| one.tag == *tag) else {
            return;
        };
        let params = Cancel {
            request_id: Value::from(id),
        };
        let _ = self.request(RequestKind::Cancel, Action::Cancel(params));
    }

    /// Sends a request.
    ///
    /// # Errors
    /// Its tag, if too much waits to be sent, or if there is no connection and its loss is told.
    pub fn request(&mut self, tag: RequestKind, mut action: Action) -> Result<(), RequestKind> {
        let Some(open) = &mut self.open else {
            return if is_told(&tag, &action) {
                Err(tag)
            } else {
                Ok(())
            };
        };
        if open.sender.queued() > ENOUGH {
            return Err(tag);
        }
        if let Action::Start(start) = &mut action {
            // With a key, the job starts only once even if the request is repeated.
            start
                .key
                .get_or_insert_with(|| SessionId::fresh().to_string());
        }
        let id = Value::from(self.pending.add(tag, &action));
        let line = Request { id, action }.to_line();
        // A broken connection is noticed by receiving, which first gets what the daemon has still sent.
        let _ = open.sender.queue_line(&line);
        Ok(())
    }

    /// Types bytes into a job.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn type_into(&mut self, id: SessionId, bytes: &[u8]) -> Result<(), RequestKind> {
        let write = Write {
            session_id: id.to_string(),
            data: Some(STANDARD.encode(bytes)),
            encoding: Some(Encoding::Base64),
            ..Write::default()
        };
        self.request(RequestKind::Type(id, Keys::of(bytes)), Action::Write(write))
    }

    /// Time until the daemon has left requests unanswered for so long that [`investigate`](Self::investigate) is
    /// to be called; `None` if no reply is pending.
    pub fn silence_due(&self) -> Option<Duration> {
        let since = self.pending.silent_since?;
        Some(SILENCE.saturating_sub(since.elapsed()))
    }

    /// Finds out why the daemon is silent, and reports it as [`LinkEvent::Silent`].
    pub fn investigate(&mut self) {
        self.pending.silent_since = None;
        if self.investigates.swap(true, Ordering::AcqRel) {
            return;
        }
        let (investigates, later) = (Arc::clone(&self.investigates), self.later.clone());
        let begun = std::thread::Builder::new().spawn(move || {
            if let Err(error) = client::why_silent() {
                later.send(Event::Link(LinkEvent::Silent(error)));
            }
            investigates.store(false, Ordering::Release);
        });
        if begun.is_err() {
            // There is no report, and the next silence tries again.
            self.investigates.store(false, Ordering::Release);
        }
    }

    fn begin(&mut self, connection: Connection) {
        let (sender, receiver) = connection.split();
        let has_read = receiver.has_read();
        self.open = Some(Open { sender, receiver });
        self.events.push_back(LinkEvent::Up);
        for (tag, action) in std::mem::take(&mut self.again) {
            if let Err(tag) = self.request(tag, action) {
                self.events.push_back(LinkEvent::Dropped(tag));
            }
        }
        if has_read {
            self.receive();
        }
    }

    fn receive(&mut self) {
        let Some(open) = &mut self.open else {
            return;
        };
        match open.receiver.receive_ready() {
            Ok(messages) => {
                for message in messages {
                    let event = match message {
                        Message::Event(event) => Some(LinkEvent::Event(event)),
                        Message::Reply(reply) => self.reply(reply),
                    };
                    self.events.extend(event);
                }
            }
            Err(_) => self.lose(),
        }
    }

    /// The event for a reply; `None` if nobody waits for it.
    fn reply(&mut self, reply: Reply) -> Option<LinkEvent> {
        let tag = self.pending.take(reply.id.as_u64()?)?;
        let result = match reply.error {
            Some(error) => Err(error),
            None => Ok(reply.result.unwrap_or_default()),
        };
        Some(LinkEvent::Reply(tag, result))
    }

    fn send_queued(&mut self) {
        if let Some(open) = &mut self.open {
            // As in `request`.
            let _ = open.sender.send_queued();
        }
    }

    /// The connection broke: reports what is lost with it, and has the next one made.
    fn lose(&mut self) {
        self.open = None;
        self.events.push_back(LinkEvent::Down);
        let lost = self.pending.lose();
        self.again.extend(lost.again);
        let told = lost.told.into_iter().map(LinkEvent::Dropped);
        self.events.extend(told);
        let (greeting, give) = (self.greeting.clone(), self.give.clone());
        let later = self.later.clone();
        let begun = std::thread::Builder::new()
            .name("connect".to_owned())
            .spawn(move || connect(&greeting, &give, &later));
        if let Err(error) = begun {
            let message = format!("there is no thread to connect to the daemon with: {error}");
            let error = Error::internal(message).hint("open the view again; jobs go on");
            self.events.push_back(LinkEvent::Silent(error));
        }
    }
}

/// Connects, as long as there is a view.
fn connect(greeting: &Greeting, give: &mpsc::Sender<Connection>, later: &Later) {
    loop {
        match client::connect(greeting, AutoStart::Yes) {
            Ok(connection) => {
                let _ = give.send(connection);
                later.ring();
                return;
            }
            Err(_) => std::thread::sleep(RETRY),
        }
        // Repeated to learn whether there still is one.
        if !later.send(Event::Link(LinkEvent::Down)) {
            return;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::params::{Kill, List, Log, Project, ProjectOp, StatusParams};
    use crate::tui::later::later;
    use crate::tui::message::{CopyFrom, ProjectRequest};

    #[test]
    fn unanswered_requests_keep_their_order() {
        let mut pending = Pending::default();
        let tags: Vec<RequestKind> = (0..20)
            .map(|_| RequestKind::Kill(SessionId::fresh(), false))
            .collect();
        for tag in &tags {
            pending.add(tag.clone(), &Action::Kill(Kill::default()));
        }
        let lost = pending.requests.into_values().map(|request| request.tag);
        assert_eq!(lost.collect::<Vec<_>>(), tags);
    }

    #[test]
    fn reports_changes_that_cannot_be_sent() {
        let (later, _results) = later().unwrap();
        let mut link = Link::closed(Greeting::default(), later);
        let tag = RequestKind::Kill(SessionId::fresh(), false);
        let kill = Action::Kill(Kill::default());
        assert_eq!(link.request(tag.clone(), kill), Err(tag));
        let list = Action::List(List::default());
        assert_eq!(link.request(RequestKind::List, list), Ok(()));
        let tag = RequestKind::Url(SessionId::fresh());
        let status = Action::Status(StatusParams::default());
        assert_eq!(link.request(tag.clone(), status), Err(tag));
    }

    #[test]
    fn tells_of_replies_that_a_person_waits_for_in_vain() {
        let mut pending = Pending::default();
        let job = SessionId::fresh();
        let plan = ProjectRequest::Plan { dir: "/".into() };
        let op = Some(ProjectOp::Plan);
        let look = Project {
            op,
            ..Project::default()
        };
        let told = [
            (
                RequestKind::Copy(job.clone(), CopyFrom::Lines),
                Action::Log(Log::default()),
            ),
            (
                RequestKind::Url(job.clone()),
                Action::Status(StatusParams::default()),
            ),
            (RequestKind::Project(plan), Action::Project(look.clone())),
            (
                RequestKind::Kill(job.clone(), true),
                Action::Kill(Kill::default()),
            ),
        ];
        let here = RequestKind::Project(ProjectRequest::Here);
        let others = [
            (RequestKind::List, Action::List(List::default())),
            (here, Action::Project(look)),
        ];
        for (tag, action) in told.iter().chain(&others) {
            pending.add(tag.clone(), action);
        }
        let lost = pending.lose();
        let expected: Vec<RequestKind> = told.into_iter().map(|(tag, _)| tag).collect();
        assert_eq!(lost.told, expected);
        assert!(lost.again.is_empty() && pending.requests.is_empty());
    }
}
