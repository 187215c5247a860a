//! Calls actions of the protocol asynchronously.
//!
//! The calls go through the proxy of `--serve`. It runs in a thread of its own and is connected by
//! a socket pair instead of standard input and output. The proxy reconnects, repeats requests that
//! are safe to repeat, and restores subscriptions. This module numbers the requests. If a call is
//! dropped before its reply has arrived, its request is cancelled.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::client::{self, AutoStart};
use crate::protocol::reply::Reply;
use crate::protocol::traits::{ActionTraits, When, param};
use crate::protocol::{Error, ErrorCode, Event, Greeting, MAX_LINE};
use crate::serve::proxy::Proxy;

/// Request lines queued for the proxy. Callers wait while the queue is full.
const LINES: usize = 256;

/// Events queued for the receiver. Further events are dropped.
const EVENTS: usize = 1024;

/// The result of an action, or an error.
pub type Answer = Result<Value, Error>;

/// The connection to the daemon, shared by all calls.
#[derive(Clone, Debug)]
pub struct Caller(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Request lines to the proxy. `None` after the last request.
    lines: RefCell<Option<mpsc::Sender<Vec<u8>>>>,
    next: Cell<u64>,
    pending: RefCell<HashMap<u64, Pending>>,
    /// Which calls are refused because the client or the proxy is gone.
    stop: Cell<Stop>,
    /// Notified when the proxy has ended.
    ended: Notify,
}

#[derive(Debug)]
struct Pending {
    answer: oneshot::Sender<Answer>,
    is_wait: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stop {
    No,
    /// The client is gone: calls that wait are refused.
    Waits,
    /// The proxy is gone: all calls are refused.
    All,
}

/// Connects, and starts a daemon if none is running. Must be called within a runtime and a local set. The
/// receiver gets the events that are subscribed to.
pub fn connect(greeting: Greeting) -> Result<(Caller, mpsc::Receiver<Event>), Error> {
    let wire = client::connect(&greeting, AutoStart::Yes)?.into_wire();
    let (ours, theirs) = StdStream::pair().map_err(cannot_connect)?;
    let input = OwnedFd::from(theirs.try_clone().map_err(cannot_connect)?);
    let mut proxy = Proxy::new(greeting, wire, input, theirs.into())?;
    // The thread ends with its input. If the proxy fails, pending calls return an error.
    std::thread::Builder::new()
        .name("proxy".to_owned())
        .spawn(move || proxy.run())
        .map_err(cannot_connect)?;
    ours.set_nonblocking(true).map_err(cannot_connect)?;
    let (reader, writer) = UnixStream::from_std(ours)
        .map_err(cannot_connect)?
        .into_split();
    let (lines, outgoing) = mpsc::channel(LINES);
    let (events, incoming) = mpsc::channel(EVENTS);
    let caller = Caller(Rc::new(Shared {
        lines: RefCell::new(Some(lines)),
        next: Cell::new(1),
        pending: RefCell::default(),
        stop: Cell::new(Stop::No),
        ended: Notify::new(),
    }));
    tokio::task::spawn_local(write(writer, outgoing));
    tokio::task::spawn_local(read(reader, caller.clone(), events));
    Ok((caller, incoming))
}

fn cannot_connect(error: std::io::Error) -> Error {
    Error::internal(format!("cannot connect to the daemon: {error}"))
}

impl Caller {
    /// Runs an action and waits for its reply; `params` is an object.
    pub async fn call(&self, action: &str, params: Value) -> Answer {
        let mut params = match params {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        let waits = ActionTraits::of(action).map_or(When::Never, |traits| traits.waits);
        let is_wait = waits.holds(|name| param(&params, name).cloned());
        match self.0.stop.get() {
            Stop::Waits if is_wait => return Err(cancelled()),
            Stop::All => return Err(gone()),
            _ => {}
        }
        let Some(lines) = self.0.lines.borrow().clone() else {
            return Err(gone());
        };
        let id = self.0.next.get();
        self.0.next.set(id + 1);
        params.insert("id".to_owned(), id.into());
        params.insert("action".to_owned(), action.into());
        let mut line = Value::Object(params).to_string();
        if line.len() > MAX_LINE {
            // Refuse here, because the daemon's refusal would not name the request.
            return Err(too_large());
        }
        line.push('\n');
        let (answer, answered) = oneshot::channel();
        let pending = Pending { answer, is_wait };
        self.0.pending.borrow_mut().insert(id, pending);
        let _in_flight = CancelOnDrop { caller: self, id };
        let sent = lines.send(line.into_bytes()).await;
        // Drop the sender before the wait for the reply: it would keep the proxy's input open.
        drop(lines);
        if sent.is_err() {
            return Err(gone());
        }
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Cancels pending waits and refuses new ones, because the client is gone.
    pub fn stop_waiting(&self) {
        if self.0.stop.get() == Stop::No {
            self.0.stop.set(Stop::Waits);
        }
        self.take_back(|pending| pending.is_wait);
    }

    /// Cancels all pending calls, because the time to finish them is over.
    pub fn stop_calling(&self) {
        self.take_back(|_| true);
    }

    fn take_back(&self, which: impl Fn(&Pending) -> bool) {
        let ids: Vec<u64> = {
            let pending = self.0.pending.borrow();
            let ids = pending.iter().filter(|(_, pending)| which(pending));
            ids.map(|(id, _)| *id).collect()
        };
        for id in ids {
            self.cancel(id);
        }
    }

    /// Closes the input of the proxy and waits until the daemon has closed the connection. The
    /// daemon keeps the reports of sessions that end later for the next connection of the scope.
    pub async fn hang_up(&self) {
        self.0.lines.take();
        if self.0.stop.get() != Stop::All {
            self.0.ended.notified().await;
        }
    }

    fn cancel(&self, request: u64) {
        let line = json!({ "id": null, "action": "cancel", "requestId": request });
        if let Some(lines) = &*self.0.lines.borrow() {
            // If the queue is full, 256 requests are before this one, and the daemon would refuse
            // it anyway.
            let _ = lines.try_send(format!("{line}\n").into_bytes());
        }
    }

    fn answered(&self, reply: Reply) {
        let Some(id) = reply.id.as_u64() else {
            return;
        };
        let Some(pending) = self.0.pending.borrow_mut().remove(&id) else {
            return;
        };
        let answer = match (reply.ok, reply.error) {
            (true, _) => Ok(reply.result.unwrap_or_default()),
            (false, Some(error)) => Err(error),
            (false, None) => Err(Error::internal("the reply is an error without details")),
        };
        // The caller may have dropped the call.
        let _ = pending.answer.send(answer);
    }
}

/// Cancels the request if the call is dropped before its reply.
struct CancelOnDrop<'a> {
    caller: &'a Caller,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self
            .caller
            .0
            .pending
            .borrow_mut()
            .remove(&self.id)
            .is_some()
        {
            self.caller.cancel(self.id);
        }
    }
}

async fn write(mut to: OwnedWriteHalf, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if to.write_all(&line).await.is_err() {
            return;
        }
    }
}

async fn read(from: OwnedReadHalf, caller: Caller, events: mpsc::Sender<Event>) {
    let mut from = BufReader::with_capacity(64 * 1024, from);
    let mut line = Vec::new();
    while matches!(from.read_until(b'\n', &mut line).await, Ok(count) if count > 0) {
        if let Ok(reply) = serde_json::from_slice::<Reply>(&line) {
            caller.answered(reply);
        } else if let Ok(event) = serde_json::from_slice::<Event>(&line) {
            let _ = events.try_send(event);
        }
        line.clear();
    }
    caller.0.stop.set(Stop::All);
    // Dropping the senders makes every pending call fail.
    caller.0.pending.borrow_mut().clear();
    caller.0.ended.notify_one();
}

fn gone() -> Error {
    Error::new(ErrorCode::DaemonUnavailable, "the daemon cannot be reached")
        .hint("run: bgproc doctor")
}

fn too_large() -> Error {
    let message = format!("A request line has at most {MAX_LINE} bytes");
    Error::new(ErrorCode::TooLarge, message).hint("send large data in several calls")
}

fn cancelled() -> Error {
    Error::new(ErrorCode::Cancelled, "the client has disconnected")
}
