//! Serves one client: reads requests, sends replies and events.
//!
//! Requests run concurrently, but each is started in the order of arrival, so that inputs to one session are
//! applied in that order. A request that can be answered at once never becomes a task.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;
use tokio::net::UnixStream;
use tokio::sync::Mutex;

use super::greeting;
use crate::daemon::actions;
use crate::daemon::hub::Hub;
use crate::daemon::panics::contained;
use crate::daemon::requests::client::{Client, Cursors, There};
use crate::daemon::requests::in_flight::InFlight;
use crate::daemon::requests::limits::MAX_IN_FLIGHT;
use crate::daemon::requests::stopping::{Manner, Stopping};
use crate::daemon::requests::there;
use crate::daemon::transport::Answer;
use crate::daemon::transport::outbox::Outbox;
use crate::daemon::transport::request_lines::{RequestLine, RequestLines};
use crate::daemon::transport::socket::Socket;
use crate::engine::bus::ConnectionId;
use crate::protocol::hello::OnDisconnect;
use crate::protocol::{Action, Error, ErrorCode, Greeting, MAX_LINE, Request, Role, SessionId};

/// How long a client's requests may continue after the end of its input.
const LAST_CALL: Duration = Duration::from_secs(2);

/// Serves a client until it disconnects.
pub(crate) async fn run(hub: Hub, stream: UnixStream) {
    let stream = match Socket::new(stream) {
        Ok(stream) => stream,
        Err(error) => {
            tracing::warn!(%error, "a connection cannot be watched");
            return;
        }
    };
    let outbox = Rc::new(Outbox::default());
    let id = hub.change(|state| state.events.add_connection(outbox.clone()));
    let mut connection = Connection {
        hub: hub.clone(),
        stream,
        outbox,
        id,
        client: None,
    };
    // Ignore how the connection ended: the client is gone, and its jobs continue.
    let _ = connection.serve().await;
    connection.outbox.close();
    let client = connection.client.take();
    hub.change(|state| {
        state.let_go_of_all(id);
        state.events.remove_connection(id);
        state.hosts.interest_changed();
    });
    if let Some(client) = client {
        client.abandon();
        leave(&hub, &client);
    }
}

/// Ends the sessions of a client that asked for `onDisconnect: kill`, also those that wait for their turn.
fn leave(hub: &Hub, client: &Rc<Client>) {
    if client.greeting.policy.on_disconnect != OnDisconnect::Kill {
        return;
    }
    let scope = &client.principal.scope;
    there::leave::kill_all(hub, client);
    let ids: Vec<SessionId> = {
        let state = hub.read();
        let own = state.sessions.iter().filter(|s| s.scope == *scope);
        own.filter(|s| !s.life.status().is_finished() && s.life.ending().is_none())
            .map(|s| s.id.clone())
            .collect()
    };
    for id in ids {
        let (hub, client) = (hub.clone(), client.clone());
        tokio::task::spawn_local(async move {
            match Stopping::begin(&hub, &client, &id, Manner::default()).await {
                Ok(stopping) => drop(stopping.end(&hub, &client, &id).await),
                Err(error) => tracing::warn!(session = %id, %error, "it is not stopped"),
            }
        });
    }
}

struct Connection {
    hub: Hub,
    stream: Socket,
    outbox: Rc<Outbox>,
    id: ConnectionId,
    client: Option<Rc<Client>>,
}

impl Connection {
    async fn serve(&mut self) -> io::Result<()> {
        let mut lines = RequestLines::default();
        let mut waiting = VecDeque::new();
        let mut buffer = vec![0; 16 * 1024];
        loop {
            self.send()?;
            if !self.outbox.is_full()
                && let Some(line) = waiting.pop_front()
            {
                self.take_line(line).await?;
                if !waiting.is_empty() {
                    // Let other tasks run between two requests.
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

    /// Sends queued lines. Returns true if the socket is full and the client has to read first.
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

    async fn take_line(&mut self, line: RequestLine) -> io::Result<()> {
        let line = match line {
            RequestLine::Whole(line) => line,
            RequestLine::TooLong => {
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
                let greeting = greeting::parse(&line);
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

    /// Creates the client from its greeting, and queues `hello`.
    fn introduce(&mut self, mut greeting: Greeting) -> io::Result<Rc<Client>> {
        if let Some(asked) = greeting.inherit.take() {
            // Store only what differs from the keeper's own values, to save memory per job.
            let own = self.hub.read().keeper.handed_on();
            greeting.inherit = asked.beyond(&own).map(Box::new);
        }
        self.hub.change(|state| state.hosts.greet(&greeting));
        let principal = greeting::principal(&greeting);
        let settings = self.hub.read().settings;
        let hello = greeting::hello(&principal, &greeting, &settings)?;
        self.outbox.push_event(&hello);
        let cursors = match principal.role {
            Role::Human => HashMap::new(),
            Role::Agent => {
                let shown = self.hub.read().sessions.shown_to(&principal.scope);
                let shown = shown.into_iter();
                shown
                    .map(|(id, offset)| (id, Cursors::at(offset)))
                    .collect()
            }
        };
        let client = Rc::new(Client {
            id: self.id,
            principal,
            greeting,
            outbox: self.outbox.clone(),
            in_flight: InFlight::default(),
            cursors: RefCell::new(cursors),
            typed: RefCell::default(),
            awaited: RefCell::default(),
            watches: RefCell::default(),
            looking: Mutex::default(),
            there: There::default(),
        });
        self.client = Some(client.clone());
        Ok(client)
    }

    /// Handles the end of the client's input: waits are cancelled, and the other requests may finish.
    async fn finish(&mut self) -> io::Result<()> {
        if let Some(client) = self.client.clone() {
            client.cancel_waits();
            // Keep sending, because a request may wait until earlier lines are sent.
            let sending = async {
                loop {
                    while self.send()? {
                        self.stream.has_room().await?;
                    }
                    self.outbox.filled().await;
                }
            };
            let sent: io::Result<()> = tokio::select! {
                () = client.in_flight.settled() => Ok(()),
                error = sending => error,
                () = tokio::time::sleep(LAST_CALL) => Ok(()),
            };
            sent?;
            client.cancel_all();
        }
        while self.send()? {
            self.stream.has_room().await?;
        }
        Ok(())
    }
}

/// Starts a request: answers it at once if possible, otherwise in a task.
async fn begin(hub: &Hub, client: &Rc<Client>, request: Request) {
    let Request { id, action } = request;
    let in_flight = client.in_flight.len();
    if in_flight >= MAX_IN_FLIGHT && !matches!(action, Action::Cancel(_)) {
        let limit = MAX_IN_FLIGHT as u64;
        let message = format!("{in_flight} requests are in flight; at most {limit} are allowed");
        let error = Error::limit(message, "maxInFlight", limit, in_flight as u64)
            .hint("wait for replies, or `cancel` a request");
        client.outbox.push_reply(id, Err(error));
        return;
    }
    let is_wait = action.waits();
    let mut work: Pin<Box<dyn Future<Output = Answer>>> =
        Box::pin(contained(actions::run(hub.clone(), client.clone(), action)));
    let first = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
    if let Poll::Ready(result) = first {
        client.reply(id, result);
        return;
    }
    let number = client.in_flight.begin();
    let task = {
        let (client, id) = (client.clone(), id.clone());
        tokio::task::spawn_local(async move {
            let result = work.await;
            client.reply(id, result);
            client.in_flight.done(number);
        })
    };
    client
        .in_flight
        .insert(number, id, task.abort_handle(), is_wait);
}
