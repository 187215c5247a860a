//! One client: lines in, replies and events out.
//!
//! Requests run concurrently, but each is begun in the order of its arrival,
//! so that inputs to one session are applied in that order. A request that is
//! answered at once never becomes a task.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;
use tokio::net::UnixStream;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::actions::{self, Answer};
use super::again;
use super::end_tree::{self, GRACE_MS};
use super::hub::Hub;
use super::lines::{Line, Lines};
use super::outbox::Outbox;
use super::stream::Stream;
use crate::engine::bus::ConnectionId;
use crate::engine::registry::Principal;
use crate::protocol::hello::{Limits, OnDisconnect};
use crate::protocol::{
    Action, Error, ErrorCode, Event, EventKind, Greeting, Hello, MAX_LINE, PROTOCOL, Request,
    RequestId, Role, Scope, SessionId, VERSION,
};
use crate::sys::signal;

/// Requests in flight at most.
const MAX_IN_FLIGHT: usize = 256;

/// `maxChars` at most.
pub(super) const MAX_CHARS: usize = 262_144;

/// After the end of its input a client gets so long for what is in flight.
const LAST_CALL: Duration = Duration::from_secs(2);

/// One connected client.
pub(super) struct Client {
    pub(super) id: ConnectionId,
    pub(super) viewer: Principal,
    pub(super) greeting: Greeting,
    pub(super) outbox: Rc<Outbox>,
    /// By the order of their arrival: nothing keeps a client from using an id twice.
    in_flight: RefCell<BTreeMap<u64, InFlight>>,
    begun: Cell<u64>,
    settled: Notify,
    /// What it watches; dropped, the watching ends.
    pub(super) watches: RefCell<HashMap<SessionId, AbortHandle>>,
}

struct InFlight {
    id: RequestId,
    task: AbortHandle,
    is_wait: bool,
}

impl Client {
    /// Cancels the oldest request in flight that has this id; false if there is none.
    pub(super) fn cancel(&self, id: &RequestId) -> bool {
        let oldest = {
            let in_flight = self.in_flight.borrow();
            let mut of_that_id = in_flight.iter().filter(|(_, request)| request.id == *id);
            of_that_id.next().map(|(&place, _)| place)
        };
        oldest.is_some_and(|place| self.cancel_one(place))
    }

    fn cancel_one(&self, place: u64) -> bool {
        let Some(request) = self.in_flight.borrow_mut().remove(&place) else {
            return false;
        };
        request.task.abort();
        self.outbox.push_reply(request.id, Err(cancelled()));
        true
    }

    /// Cancels all in flight of a kind.
    fn cancel_all(&self, wanted: impl Fn(&InFlight) -> bool) {
        let places: Vec<u64> = {
            let in_flight = self.in_flight.borrow();
            let wanted = in_flight.iter().filter(|(_, request)| wanted(request));
            wanted.map(|(&place, _)| place).collect()
        };
        for place in places {
            self.cancel_one(place);
        }
    }
}

fn cancelled() -> Error {
    Error::new(ErrorCode::Cancelled, "The request was cancelled")
}

/// Serves a client until it is gone.
pub(super) async fn run(hub: Hub, stream: UnixStream) {
    let stream = match Stream::new(stream) {
        Ok(stream) => stream,
        Err(error) => {
            tracing::warn!(%error, "a connection cannot be watched");
            return;
        }
    };
    let outbox = Rc::new(Outbox::default());
    let id = hub.state().add_connection(outbox.clone());
    let mut session = Session {
        hub: hub.clone(),
        stream,
        outbox,
        id,
        client: None,
    };
    // However it ended, the client is gone; its jobs are not.
    let _ = session.serve().await;
    let client = session.client.take();
    hub.with(|state| {
        state.bus.forget(id);
        state.let_go_of_all(id);
        state.outboxes.remove(&id);
    });
    if let Some(client) = client {
        for request in client.in_flight.take().into_values() {
            request.task.abort();
        }
        for watch in client.watches.take().into_values() {
            watch.abort();
        }
        leave(&hub, &client);
    }
}

/// Ends the sessions of a client that wants them to end with it.
fn leave(hub: &Hub, client: &Client) {
    if client.greeting.policy.on_disconnect != OnDisconnect::Kill {
        return;
    }
    let scope = &client.viewer.scope;
    let ids: Vec<SessionId> = {
        let state = hub.state();
        let own = state.registry.iter().filter(|s| s.scope == *scope);
        own.filter(|s| !s.life.status().is_finished() && s.life.ending().is_none())
            .map(|s| s.id.clone())
            .collect()
    };
    for id in ids {
        let actor = actions::actor(&client.viewer);
        let hub = hub.clone();
        tokio::task::spawn_local(async move {
            again::stop(&hub, &id, &actor).await;
            end_tree::begin(&hub, &id, actor, signal::TERM, GRACE_MS);
        });
    }
}

struct Session {
    hub: Hub,
    stream: Stream,
    outbox: Rc<Outbox>,
    id: ConnectionId,
    client: Option<Rc<Client>>,
}

impl Session {
    async fn serve(&mut self) -> io::Result<()> {
        let mut lines = Lines::default();
        let mut waiting = VecDeque::new();
        let mut buffer = vec![0; 16 * 1024];
        loop {
            self.send()?;
            if !self.outbox.is_full()
                && let Some(line) = waiting.pop_front()
            {
                self.take_line(line).await?;
                if !waiting.is_empty() {
                    // Others have their turn between any two requests.
                    tokio::task::yield_now().await;
                }
                continue;
            }
            let reads = !self.outbox.is_full() && waiting.is_empty();
            let read = tokio::select! {
                biased;
                read = self.stream.read(&mut buffer), if reads => read?,
                room = self.stream.has_room() => {
                    room?;
                    continue;
                }
                () = self.outbox.filled() => continue,
            };
            if read == 0 {
                break;
            }
            waiting.extend(lines.take(&buffer[..read]));
        }
        if let Some(line) = lines.rest() {
            self.take_line(line).await?;
        }
        self.finish().await
    }

    /// Sends what there is; true if the client has to read first.
    fn send(&mut self) -> io::Result<bool> {
        loop {
            let Some((line, from)) = self.outbox.front() else {
                return Ok(false);
            };
            match self.stream.send(&line[from..])? {
                Some(sent) => self.outbox.sent(sent),
                None => return Ok(true),
            }
        }
    }

    async fn take_line(&mut self, line: Line) -> io::Result<()> {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong => {
                let message = format!("A request line has at most {MAX_LINE} bytes");
                let error = Error::new(ErrorCode::TooLarge, message)
                    .hint("send large data in several `write` requests");
                self.outbox.push_reply(Value::Null, Err(error));
                return Ok(());
            }
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let client = match &self.client {
            Some(client) => client.clone(),
            None => {
                let greeting = greeting_of(&line);
                let greeted = greeting.is_some();
                let client = self.introduce(greeting.unwrap_or_default())?;
                if greeted {
                    return Ok(());
                }
                client
            }
        };
        match Request::parse(&line) {
            Ok(request) => begin(&self.hub, &client, request).await,
            Err((id, error)) => self.outbox.push_reply(id, Err(error)),
        }
        Ok(())
    }

    /// Settles who the client is and says hello.
    fn introduce(&mut self, mut greeting: Greeting) -> io::Result<Rc<Client>> {
        if let Some(asked) = greeting.inherit.take() {
            // What the keeper has as well need not be kept with each job.
            let own = self.hub.state().keeper.handed_on();
            greeting.inherit = asked.beyond(&own).map(Box::new);
        }
        let scope = match (greeting.role, greeting.scope.clone()) {
            (Role::Human, _) => Scope::human(),
            (Role::Agent, Some(scope)) if !scope.is_human() => scope,
            (Role::Agent, _) => Scope::fresh(),
        };
        let viewer = Principal {
            role: greeting.role,
            scope: scope.clone(),
        };
        let settings = self.hub.state().settings;
        let hello = Hello {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            scope,
            pid: std::process::id(),
            limits: actions::limits(&settings, &greeting),
            actions: Action::NAMES.iter().map(|&name| name.to_owned()).collect(),
        };
        let data = serde_json::to_value(hello)?;
        let event = EventKind::Hello;
        self.outbox.push_event(&Event {
            event,
            seq: None,
            at: None,
            session_id: None,
            data,
        });
        let client = Rc::new(Client {
            id: self.id,
            viewer,
            greeting,
            outbox: self.outbox.clone(),
            in_flight: RefCell::default(),
            begun: Cell::new(0),
            settled: Notify::new(),
            watches: RefCell::default(),
        });
        self.client = Some(client.clone());
        Ok(client)
    }

    /// The client says no more: waits are cancelled, the rest may finish.
    async fn finish(&mut self) -> io::Result<()> {
        if let Some(client) = self.client.clone() {
            client.cancel_all(|request| request.is_wait);
            let settled = async {
                while !client.in_flight.borrow().is_empty() {
                    client.settled.notified().await;
                }
            };
            // A request may wait for what was said before its reply to be sent.
            let sending = async {
                loop {
                    while self.send()? {
                        self.stream.has_room().await?;
                    }
                    self.outbox.filled().await;
                }
            };
            let sent: io::Result<()> = tokio::select! {
                () = settled => Ok(()),
                error = sending => error,
                () = tokio::time::sleep(LAST_CALL) => Ok(()),
            };
            sent?;
            client.cancel_all(|_| true);
        }
        while self.send()? {
            self.stream.has_room().await?;
        }
        Ok(())
    }
}

/// The first line may say who the client is.
fn greeting_of(line: &[u8]) -> Option<Greeting> {
    let mut value: Value = serde_json::from_slice(line).ok()?;
    if value.get("action")?.as_str()? != "hello" {
        return None;
    }
    value.as_object_mut()?.remove("action");
    serde_json::from_value(value).ok()
}

/// Begins a request: answers it at once if it can, else leaves it to a task.
async fn begin(hub: &Hub, client: &Rc<Client>, request: Request) {
    let Request { id, action } = request;
    let in_flight = client.in_flight.borrow().len();
    if in_flight >= MAX_IN_FLIGHT && !matches!(action, Action::Cancel(_)) {
        let limit = MAX_IN_FLIGHT as u64;
        let message = format!("{in_flight} requests are in flight; {limit} may");
        let error = Error::limit(message, "maxInFlight", limit, in_flight as u64)
            .hint("wait for replies, or `cancel` a request");
        client.outbox.push_reply(id, Err(error));
        return;
    }
    let is_wait = action.waits();
    let mut work: Pin<Box<dyn Future<Output = Answer>>> =
        Box::pin(actions::run(hub.clone(), client.clone(), action));
    let first = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
    if let Poll::Ready(result) = first {
        client.outbox.push_reply(id, result);
        return;
    }
    let place = client.begun.get();
    client.begun.set(place + 1);
    let task = {
        let (client, id) = (client.clone(), id.clone());
        tokio::task::spawn_local(async move {
            let result = work.await;
            client.in_flight.borrow_mut().remove(&place);
            client.outbox.push_reply(id, result);
            client.settled.notify_one();
        })
    };
    let task = task.abort_handle();
    client
        .in_flight
        .borrow_mut()
        .insert(place, InFlight { id, task, is_wait });
}

/// Limits that do not depend on the client.
pub(super) fn fixed_limits(max_sessions: u32, settings: &super::settings::Settings) -> Limits {
    Limits {
        max_sessions,
        max_sessions_total: settings.caps.total,
        max_finished: settings.caps.retention.agents_count,
        max_line_bytes: MAX_LINE,
        max_in_flight: MAX_IN_FLIGHT,
        max_chars: MAX_CHARS,
        log_bytes: settings.log_bytes,
        total_log_bytes: settings.total_log_bytes,
    }
}
