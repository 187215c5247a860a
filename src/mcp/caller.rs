//! Actions of the protocol as calls that can be awaited.
//!
//! The other end is the proxy of `--serve`, on a thread of its own, behind a pair of
//! sockets instead of standard input and output: it reconnects, asks again what may
//! be asked again, and keeps subscriptions standing. Requests are numbered here; a
//! call that is dropped before its answer came is cancelled.

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
use crate::protocol::nature::{Nature, When};
use crate::protocol::reply::Reply;
use crate::protocol::{Error, ErrorCode, Event, Greeting, MAX_LINE};
use crate::serve::proxy::Proxy;

/// Request lines on their way to the proxy; callers wait while it is full.
const LINES: usize = 256;

/// Events that nobody has taken; what comes beyond is dropped.
const EVENTS: usize = 1024;

/// A result, or why there is none.
pub type Answer = Result<Value, Error>;

/// The way to the daemon, shared by all calls.
#[derive(Clone, Debug)]
pub struct Caller(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    /// To the proxy, until no more requests follow.
    lines: RefCell<Option<mpsc::Sender<Vec<u8>>>>,
    next: Cell<u64>,
    pending: RefCell<HashMap<u64, Pending>>,
    /// Set once nobody will answer, or nobody wants to wait.
    stop: Cell<Stop>,
    /// The proxy has ended.
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
    /// No more waits.
    Waits,
    /// The proxy is gone.
    All,
}

/// Connects, starting a daemon if need be. To be called within a runtime and a
/// local set. Events are those that are subscribed to.
pub fn connect(greeting: Greeting) -> Result<(Caller, mpsc::Receiver<Event>), Error> {
    let wire = client::connect(&greeting, AutoStart::Yes)?.into_wire();
    let (ours, theirs) = StdStream::pair().map_err(no_way)?;
    let input = OwnedFd::from(theirs.try_clone().map_err(no_way)?);
    let mut proxy = Proxy::new(greeting, wire, input, theirs.into())?;
    // It ends with its input; what broke it is told by the calls that it leaves open.
    std::thread::Builder::new()
        .name("proxy".to_owned())
        .spawn(move || proxy.run())
        .map_err(no_way)?;
    ours.set_nonblocking(true).map_err(no_way)?;
    let (reader, writer) = UnixStream::from_std(ours).map_err(no_way)?.into_split();
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

fn no_way(error: std::io::Error) -> Error {
    Error::internal(format!("no way to the daemon: {error}"))
}

impl Caller {
    /// Asks for an action and waits for its answer; `params` is an object.
    pub async fn call(&self, action: &str, params: Value) -> Answer {
        let mut params = match params {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        let waits = Nature::of(action).map_or(When::Never, |nature| nature.waits);
        let is_wait = waits.holds(|name| params.contains_key(name));
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
            // The daemon's refusal would name no request.
            return Err(too_large());
        }
        line.push('\n');
        let (answer, answered) = oneshot::channel();
        let pending = Pending { answer, is_wait };
        self.0.pending.borrow_mut().insert(id, pending);
        let _in_flight = InFlight { caller: self, id };
        let sent = lines.send(line.into_bytes()).await;
        // It holds the way open, and an answer may take long.
        drop(lines);
        if sent.is_err() {
            return Err(gone());
        }
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    /// The client is gone: nobody waits any more.
    pub fn stop_waiting(&self) {
        if self.0.stop.get() == Stop::No {
            self.0.stop.set(Stop::Waits);
        }
        self.take_back(|pending| pending.is_wait);
    }

    /// Time is up: nobody expects an answer any more, whatever was asked for.
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

    /// Says that no more requests follow, and waits until the daemon has let go of
    /// this connection: what ends from then on is kept for the scope's next one.
    pub async fn hang_up(&self) {
        self.0.lines.take();
        if self.0.stop.get() != Stop::All {
            self.0.ended.notified().await;
        }
    }

    fn cancel(&self, request: u64) {
        let line = json!({ "id": null, "action": "cancel", "requestId": request });
        if let Some(lines) = &*self.0.lines.borrow() {
            // With 256 requests before it, the daemon refuses this one as well.
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
            (false, None) => Err(Error::internal("an error without words")),
        };
        // Who asked may have gone.
        let _ = pending.answer.send(answer);
    }
}

/// A call on its way; dropped, it is none any more.
struct InFlight<'a> {
    caller: &'a Caller,
    id: u64,
}

impl Drop for InFlight<'_> {
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
    // Each of them hears that nobody answers.
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
    Error::new(ErrorCode::Cancelled, "the client has hung up")
}
