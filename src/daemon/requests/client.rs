//! One connected client: who it is, and its requests and watches in progress.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{Mutex, Notify};
use tokio::task::AbortHandle;

use super::in_flight::InFlight;
use super::there::Typing;
use crate::daemon::hosts::channel::Channel;
use crate::daemon::programs::reachable::reachable;
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::daemon::transport::outbox::Outbox;
use crate::engine::bus::ConnectionId;
use crate::engine::echo::Echo;
use crate::engine::registry::{Principal, Registry};
use crate::engine::session::Session;
use crate::engine::shell_command::TypedCommand;
use crate::protocol::hello::Replies;
use crate::protocol::reply::lean;
use crate::protocol::{Action, Error, ErrorCode, Greeting, RequestId, Role, SessionId};

/// Longest input of which the echo is known to a later request, in bytes.
const KEPT_BYTES: usize = 64 * 1024;

/// How far a client knows the output of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cursors {
    /// Up to here it has been shown the output.
    shown: u64,
    /// From here on its next `wait` searches.
    searched: u64,
    /// The run that it has been told of.
    told_run: Option<u32>,
    /// The run whose end it has been told.
    ended_run: Option<u32>,
    /// The first and the last line that its last reply has left out of the output that counts as shown.
    left_out: Option<[u64; 2]>,
}

impl Cursors {
    /// Those of a client that knows the output up to `offset`.
    pub(crate) fn at(offset: u64) -> Self {
        Self {
            shown: offset,
            searched: offset,
            ..Self::default()
        }
    }
}

/// Which of a client's cursors of a session a reply moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moves {
    /// None.
    Nothing,
    /// The end of what it has been shown. Its next `wait` still searches this output.
    Shown,
    /// Also the place from which its next `wait` searches.
    All,
}

/// One connected client.
pub(crate) struct Client {
    pub(crate) id: ConnectionId,
    pub(crate) principal: Principal,
    pub(crate) greeting: Greeting,
    pub(crate) outbox: Rc<Outbox>,
    pub(crate) in_flight: InFlight,
    /// How far it has been shown the output of each session: its own, and at first how far earlier
    /// connections of its scope had been shown those that were there already.
    pub(crate) cursors: RefCell<HashMap<SessionId, Cursors>>,
    /// What a model has typed into each session since the place from which its next `wait` searches.
    pub(crate) typed: RefCell<HashMap<SessionId, Echo>>,
    /// The command that it typed with `exec` into each session and that has not ended, as far as it was told.
    pub(crate) awaited: RefCell<HashMap<SessionId, TypedCommand>>,
    /// The sessions it watches, each with the task that sends the frames.
    pub(crate) watches: RefCell<HashMap<SessionId, AbortHandle>>,
    /// Held while a request looks whether a directory answers, so that the client's requests keep their order.
    pub(crate) looking: Mutex<()>,
    /// What it has on other hosts.
    pub(crate) there: There,
}

/// What a client has on other hosts.
#[derive(Default)]
pub(crate) struct There {
    /// Its connections to the daemons of hosts.
    channels: RefCell<HashMap<Box<str>, Rc<Channel>>>,
    /// What its requests to each host share.
    lanes: RefCell<HashMap<Box<str>, Rc<Lane>>>,
    /// The screens that it watches on each host: the `watch` of each session.
    watches: RefCell<BTreeMap<SessionId, Action>>,
    is_gone: Cell<bool>,
    gone: Notify,
}

/// What the requests of a client to one host share.
#[derive(Default)]
pub(crate) struct Lane {
    /// Held by the request that opens the connection, so that all use the same.
    pub(crate) opening: Mutex<()>,
    /// The order of what it types there.
    pub(crate) typing: Typing,
}

impl Client {
    /// Whether its replies are for a model, and therefore short.
    pub(crate) fn is_lean(&self) -> bool {
        self.greeting.replies == Replies::Lean
    }

    /// Waits until the directory of a program answers ([`reachable`]).
    pub(crate) async fn reachable(&self, dir: &Path) -> Result<(), Error> {
        let _turn = self.looking.lock().await;
        reachable(dir).await
    }

    /// Offset up to which it has been shown the output of a session. People share the cursor of their scope,
    /// because each of their commands is a connection.
    pub(crate) fn shown(&self, session: &Session) -> u64 {
        match self.principal.role {
            Role::Human => session.output.shown(&self.principal.scope),
            Role::Agent => self.cursors(session).shown,
        }
    }

    /// Offset from which its next `wait` searches the output of a session.
    pub(crate) fn searched(&self, session: &Session) -> u64 {
        match self.principal.role {
            Role::Human => session.output.shown(&self.principal.scope),
            Role::Agent => self.cursors(session).searched,
        }
    }

    /// Forgets the cursors of removed sessions if there are more of them than of others.
    pub(crate) fn forget_removed(&self, sessions: &Registry) {
        let mut known = self.cursors.borrow_mut();
        if known.len() > 2 * sessions.count() {
            known.retain(|id, _| sessions.get(id).is_some());
            let mut typed = self.typed.borrow_mut();
            typed.retain(|id, _| sessions.get(id).is_some());
            let mut awaited = self.awaited.borrow_mut();
            awaited.retain(|id, _| sessions.get(id).is_some());
        }
    }

    /// Records that it has been shown the output of a session up to `offset`.
    pub(crate) fn show(&self, session: &mut Session, offset: u64, moves: Moves) {
        let before = self.cursors(session);
        let cursors = Cursors {
            shown: offset,
            searched: match moves {
                Moves::All => offset,
                Moves::Shown | Moves::Nothing => before.searched,
            },
            ..before
        };
        if moves == Moves::All {
            self.typed.borrow_mut().remove(&session.id);
        }
        let mut known = self.cursors.borrow_mut();
        known.insert(session.id.clone(), cursors);
        session.output.show(&self.principal.scope, offset);
    }

    /// Notes which lines the reply leaves out that was just recorded with [`Self::show`].
    pub(crate) fn leave_out(&self, id: &SessionId, lines: Option<[u64; 2]>) {
        let mut known = self.cursors.borrow_mut();
        known.entry(id.clone()).or_default().left_out = lines;
    }

    /// The lines that its last reply has left out.
    pub(crate) fn left_out(&self, id: &SessionId) -> Option<[u64; 2]> {
        self.cursors.borrow().get(id)?.left_out
    }

    /// Lets its next `wait` on a session search from `offset` on, and not earlier.
    pub(crate) fn search_from(&self, id: &SessionId, offset: u64) {
        let mut known = self.cursors.borrow_mut();
        let cursors = known.entry(id.clone()).or_default();
        if cursors.searched < offset {
            cursors.searched = offset;
            self.typed.borrow_mut().remove(id);
        }
    }

    /// Notes what it types into a session. Its next `wait` searches the output to this, which has the echo.
    pub(crate) fn types(&self, id: &SessionId, bytes: &[u8]) {
        if self.is_lean() && !bytes.is_empty() && bytes.len() <= KEPT_BYTES {
            let mut typed = self.typed.borrow_mut();
            typed.entry(id.clone()).or_default().keep(bytes);
        }
    }

    /// What it has typed into a session, as far as its next `wait` searches.
    pub(crate) fn typed_earlier(&self, id: &SessionId) -> Option<Echo> {
        self.typed.borrow().get(id).cloned()
    }

    /// Records that it is told the state of a session: which run it is in, and the end if the session has ended.
    pub(crate) fn tell_state(&self, session: &Session) {
        let mut known = self.cursors.borrow_mut();
        let cursors = known.entry(session.id.clone()).or_default();
        cursors.told_run = run(session);
        if session.life.status().is_finished() {
            cursors.ended_run = run(session);
        }
    }

    /// That a session was started again since it was told the state.
    pub(crate) fn untold_restarts(&self, session: &Session) -> Option<String> {
        session.life.restarted_since(self.cursors(session).told_run)
    }

    /// Whether it knows that a session has ended.
    pub(crate) fn knows_end(&self, session: &Session) -> bool {
        let is_over = session.life.status().is_finished();
        is_over && self.cursors(session).ended_run == run(session)
    }

    /// Notes the command that it typed with `exec` and that has not ended, as far as it is told.
    pub(crate) fn await_command(&self, id: &SessionId, command: Option<TypedCommand>) {
        let mut awaited = self.awaited.borrow_mut();
        match command {
            Some(command) => drop(awaited.insert(id.clone(), command)),
            None => drop(awaited.remove(id)),
        }
    }

    /// The command that it typed with `exec` and that has not ended, as far as it was told.
    pub(crate) fn awaited_command(&self, id: &SessionId) -> Option<TypedCommand> {
        self.awaited.borrow().get(id).cloned()
    }

    fn cursors(&self, session: &Session) -> Cursors {
        let own = self.cursors.borrow().get(&session.id).copied();
        own.unwrap_or_default()
    }

    /// Queues the reply to a request, in the form that the client has asked for.
    pub(crate) fn reply(&self, id: RequestId, answer: Answer) {
        let answer = match answer {
            Ok(result) if self.is_lean() => stripped(&result),
            answer => answer,
        };
        self.outbox.push_reply(id, answer);
    }

    /// Refuses an agent; `what` completes "only people may".
    pub(crate) fn people_only(&self, what: &str) -> Result<(), Error> {
        match self.principal.role {
            Role::Human => Ok(()),
            Role::Agent => Err(Error::new(
                ErrorCode::PermissionDenied,
                format!("only people may {what}"),
            )),
        }
    }

    /// Refuses an action or a parameter that changes something to a client that may only read.
    pub(crate) fn may_change(&self, what: &str) -> Result<(), Error> {
        if !self.greeting.policy.read_only {
            return Ok(());
        }
        let message = format!("`{what}` is not allowed: this connection is read-only");
        Err(Error::new(ErrorCode::PermissionDenied, message))
    }

    /// Cancels the oldest request in flight that has this id; false if there is none.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let ended = self.in_flight.abort(id);
        let is_there = ended.is_some();
        self.answer_cancelled(ended);
        is_there
    }

    /// Cancels every wait in flight.
    pub(crate) fn cancel_waits(&self) {
        self.answer_cancelled(self.in_flight.abort_waits());
    }

    /// Cancels every request in flight.
    pub(crate) fn cancel_all(&self) {
        self.answer_cancelled(self.in_flight.abort_all());
    }

    fn answer_cancelled(&self, ids: impl IntoIterator<Item = RequestId>) {
        for id in ids {
            let error = Error::new(ErrorCode::Cancelled, "The request was cancelled");
            self.outbox.push_reply(id, Err(error));
        }
    }

    /// What its requests to a host share.
    pub(crate) fn lane(&self, host: &str) -> Rc<Lane> {
        let mut lanes = self.there.lanes.borrow_mut();
        match lanes.get(host) {
            Some(lane) => lane.clone(),
            None => lanes.entry(host.into()).or_default().clone(),
        }
    }

    /// The hosts that it has used.
    pub(crate) fn used_hosts(&self) -> Vec<Box<str>> {
        self.there.lanes.borrow().keys().cloned().collect()
    }

    /// Its connection to the daemon of a host.
    pub(crate) fn channel(&self, host: &str) -> Option<Rc<Channel>> {
        let channels = self.there.channels.borrow();
        let channel = channels.get(host).filter(|channel| !channel.is_closed());
        channel.cloned()
    }

    /// Sets its connection to the daemon of a host.
    pub(crate) fn set_channel(&self, host: &str, channel: Rc<Channel>) {
        if self.there.is_gone.get() {
            channel.close()
        } else {
            let mut channels = self.there.channels.borrow_mut();
            channels.insert(host.into(), channel);
        }
    }

    /// Forgets a connection that has ended.
    pub(crate) fn drop_channel(&self, host: &str, channel: &Rc<Channel>) {
        let mut channels = self.there.channels.borrow_mut();
        if channels
            .get(host)
            .is_some_and(|known| Rc::ptr_eq(known, channel))
        {
            channels.remove(host);
        }
    }

    /// Notes by which request it watches a screen of a host. `None`: it does not any more.
    pub(crate) fn remember_watch(&self, id: &SessionId, watch: Option<&Action>) {
        let mut watches = self.there.watches.borrow_mut();
        match watch {
            Some(watch) => watches.insert(id.clone(), watch.clone()),
            None => watches.remove(id),
        };
    }

    /// The screens of a host that it watches.
    pub(crate) fn watches_of(&self, host: &str) -> Vec<Action> {
        let watches = self.there.watches.borrow();
        let there = watches.iter().filter(|(id, _)| id.host() == Some(host));
        there.map(|(_, action)| action.clone()).collect()
    }

    /// Waits until the client has disconnected.
    pub(crate) async fn gone(&self) {
        while !self.there.is_gone.get() {
            self.there.gone.notified().await;
        }
    }

    /// Aborts all its requests and watches, without replies, because the client has disconnected.
    pub(crate) fn abandon(&self) {
        self.there.is_gone.set(true);
        self.there.gone.notify_waiters();
        self.there.watches.take();
        for channel in self.there.channels.take().into_values() {
            channel.close();
        }
        self.in_flight.abort_all();
        for watch in self.watches.take().into_values() {
            watch.abort();
        }
    }
}

/// The number of a session's latest run.
fn run(session: &Session) -> Option<u32> {
    session.life.runs().last().map(|run| run.run)
}

/// A result without the fields that say nothing.
fn stripped(result: &RawValue) -> Answer {
    let mut value: Value = serde_json::from_str(result.get())
        .map_err(|error| Error::internal(format!("a result could not be read: {error}")))?;
    lean::strip(&mut value);
    answer(value)
}
