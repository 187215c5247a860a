//! Follows what happens on a host over the main channel of its link: events, and the records that change with them.

use std::collections::BTreeSet;
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

use crate::config::LOCAL;
use crate::daemon::clock::sleep_until;
use crate::daemon::hosts::channel::{Channel, fields, greeted};
use crate::daemon::hosts::{Attempt, Entry};
use crate::daemon::hub::Hub;
use crate::link::fault::{self, Cause};
use crate::link::frames::Start;
use crate::link::{Host, Link};
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::{
    Error, ErrorCode, Event, EventKind, Greeting, PROTOCOL, Role, SessionId, VERSION,
};

/// Longest time until the daemon of a host has said hello and what it knows: it may have to start first. For a new link
/// the time that it took to open counts, too.
const PATIENCE: Duration = Duration::from_secs(30);

/// Longest time until a host that is asked for a sign of life has given one.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// A daemon that ends the main channel sooner than this after its hello, and again, is not connected to for now.
const STEADY: Duration = Duration::from_secs(2);

/// Time after which a program has read what was typed into it, and reads the next thing or nothing.
const REACTION: Duration = Duration::from_millis(500);

/// How long changes are collected before they are saved.
const SAVES: Duration = Duration::from_secs(5);

/// Live events that are asked for while a client here wants them. Older daemons do not know the last one.
const LIVE: [EventKind; 6] = [
    EventKind::Output,
    EventKind::Title,
    EventKind::Bell,
    EventKind::AgentInput,
    EventKind::Phase,
    EventKind::Changed,
];

/// Follows a host until its link, whose opening has begun at `began`, ends or is closed. Returns why.
pub(super) async fn follow(hub: &Hub, attempt: &Attempt, link: Link, began: Instant) -> Error {
    let host = &attempt.host;
    let link = Rc::new(link);
    let closing = match hub.read().hosts.get(&host.name) {
        Some(entry) => entry.closing(),
        None => return fault::unreachable(host, "it is not in the configuration any more"),
    };
    let closed = closing.notified();
    let following = async {
        let (mut start, mut deadline) = (attempt.start, began + PATIENCE);
        loop {
            let began = Instant::now();
            let ended = connection(hub, attempt, &link, start, deadline).await;
            start = Start::AfterCrash;
            deadline = Instant::now() + PATIENCE;
            // The daemon of the host may restart while the link holds.
            match (link.fault(), ended) {
                (Some(fault), _) => return fault,
                (None, Ended::Silent(why)) => return why,
                (None, Ended::Daemon(why)) if began.elapsed() < STEADY => return why,
                (None, Ended::Daemon(_)) => {}
            }
        }
    };
    tokio::select! {
        why = following => why,
        () = closed => fault::unreachable(host, "it was disconnected"),
    }
}

/// Why a connection has ended.
enum Ended {
    /// The daemon there has ended it, or refuses.
    Daemon(Error),
    /// Nothing comes through the link any more.
    Silent(Error),
}

/// One connection to the daemon of the host, which has to be there at the deadline. Returns why it has ended.
async fn connection(
    hub: &Hub,
    attempt: &Attempt,
    link: &Rc<Link>,
    start: Start,
    deadline: Instant,
) -> Ended {
    let host = &attempt.host;
    let broken = |error: io::Error| fault::unreachable(host, &error.to_string());
    let greeting = Greeting {
        role: Role::Human,
        ..Greeting::default()
    };
    let opened = link.channel(start);
    let opened = opened.and_then(|stream| Channel::open(stream, &greeting).map_err(broken));
    let (channel, events) = match opened {
        Ok(opened) => opened,
        Err(error) => return Ended::Daemon(error),
    };
    let mut main = Main {
        hub,
        host,
        channel: channel.clone(),
        events,
        stale: BTreeSet::new(),
        typed: BTreeSet::new(),
        has_missed: false,
        history: None,
        live: Live::Off,
        is_silent: false,
    };
    let version = match timeout_at(deadline, main.catch_up()).await {
        Ok(Ok(version)) => version,
        Ok(Err(error)) => {
            channel.close();
            return Ended::Daemon(error);
        }
        Err(_) => {
            let why = "its daemon does not answer";
            return Ended::Silent(fault::unreachable_by(host, Cause::DaemonSilent, why));
        }
    };
    if !hub.change(|state| state.host_opened(attempt, link, &channel, &version)) {
        return Ended::Silent(fault::unreachable(host, "it was disconnected"));
    }
    let outcome = main.go_on().await;
    channel.close();
    let why = outcome.err().unwrap_or_else(|| main.ended());
    if main.is_silent {
        Ended::Silent(why)
    } else {
        Ended::Daemon(why)
    }
}

/// The work on the main channel.
struct Main<'a> {
    hub: &'a Hub,
    host: &'a Host,
    channel: Rc<Channel>,
    events: mpsc::Receiver<Event>,
    /// Sessions whose records have changed.
    stale: BTreeSet<SessionId>,
    /// Sessions that somebody has typed into. What they read then is known a moment later, and no event tells it.
    typed: BTreeSet<SessionId>,
    /// Whether the host has dropped events, because they were not taken fast enough. Until it is asked for them again,
    /// later events are not taken: the last one says from where on it is asked.
    has_missed: bool,
    /// The subscription to what happens to sessions.
    history: Option<String>,
    /// The subscription to live events.
    live: Live,
    /// Whether the host did not give a sign of life.
    is_silent: bool,
}

/// The subscription to events that are told only while somebody wants them.
#[derive(Default)]
enum Live {
    /// Nobody wants them.
    #[default]
    Off,
    /// It has this id.
    On(String),
    /// The host has refused it. Lists show what these events would tell.
    Refused,
}

impl Main<'_> {
    /// Takes the events since the last one that was taken, and all records. Returns the version there.
    async fn catch_up(&mut self) -> Result<String, Error> {
        let name = &self.host.name;
        let greeted = greeted(&self.channel, &mut self.events).await;
        let hello = greeted.map_err(|error| fault::of_daemon(self.host, error))?;
        if hello.protocol != PROTOCOL {
            let message = format!(
                "bgproc {} on host {name} speaks protocol {}, bgproc {VERSION} here speaks {PROTOCOL}",
                hello.version, hello.protocol
            );
            return Err(Error::new(ErrorCode::IncompatibleVersion, message)
                .hint(fault::other_protocol(name, hello.protocol.cmp(&PROTOCOL))));
        }
        if self.is_node() {
            // What happens there is in the log of its session, and in the words of its batch system.
            return Ok(hello.version);
        }
        self.follow_history().await?;
        self.list().await?;
        Ok(hello.version)
    }

    /// Subscribes to what happens to sessions, from the last event that was taken.
    async fn follow_history(&mut self) -> Result<(), Error> {
        let (hub, name) = (self.hub, &self.host.name);
        // Where the host's numbers are, before anything is asked for again.
        let place = self.ask("subscribe", json!({ "events": [] })).await??;
        let number = |field: &str| place.get(field).and_then(Value::as_u64).unwrap_or(0);
        let (newest, forgotten) = (number("nextSeq"), number("forgottenSeq"));
        let known = hub.read().events.bus.past.host_seq(name);
        let from = match known {
            // The first time: what has happened before is not told.
            None => newest,
            // Its numbers began anew.
            Some(known) if newest < known => 0,
            Some(known) => known,
        };
        if known != Some(from) {
            hub.change(|state| {
                if let Some(known) = known {
                    state.host_gap(name, known, None);
                }
                state.events.skip_to(name, from);
            });
        } else if forgotten > from {
            hub.change(|state| state.host_gap(name, from, Some(forgotten)));
        }
        let wanted = json!({ "fromSeq": from + 1, "withScope": true });
        // An older daemon cannot say the scope.
        let said = self.ask_or_less("subscribe", wanted, "withScope").await?;
        self.history = said["subscriptionId"].as_str().map(str::to_owned);
        Ok(())
    }

    /// Asks for the events again that the host has dropped. Lists do not tell who waits for an end.
    async fn make_up(&mut self) -> Result<(), Error> {
        if let Some(id) = self.history.take() {
            let wanted = json!({ "subscriptionId": id });
            self.ask("unsubscribe", wanted).await??;
        }
        self.has_missed = false;
        self.follow_history().await?;
        self.list().await
    }

    /// Publishes the events of the host as they come, and asks for the records of the sessions that they are about.
    async fn go_on(&mut self) -> Result<(), Error> {
        let interest = self
            .hub
            .read()
            .hosts
            .get(&self.host.name)
            .map(Entry::interest);
        let interest = interest.ok_or_else(|| self.ended())?;
        let mut saves_at = None;
        let mut reacts_at = None;
        loop {
            if self.has_missed {
                self.make_up().await?;
            }
            self.probe().await?;
            self.follow_interest().await?;
            if let Some(id) = self.stale.pop_first() {
                // It may have been removed, which an event tells.
                if let Ok(record) = self
                    .ask("status", json!({ "sessionId": id.bare() }))
                    .await?
                {
                    self.hub
                        .change(|state| state.host_record(&self.host.name, record));
                }
                saves_at.get_or_insert_with(|| Instant::now() + SAVES);
                continue;
            }
            if !self.typed.is_empty() {
                reacts_at.get_or_insert_with(|| Instant::now() + REACTION);
            }
            tokio::select! {
                () = sleep_until(reacts_at) => {
                    reacts_at = None;
                    self.stale.append(&mut self.typed);
                }
                event = self.events.recv() => match event {
                    Some(event) => self.take(event),
                    None => return Err(self.ended()),
                },
                () = interest.notified() => {}
                () = sleep_until(saves_at) => {
                    saves_at = None;
                    self.hub.change(|state| state.save_host(&self.host.name));
                }
            }
        }
    }

    /// Whether the host is the node on which a batch system runs a session.
    fn is_node(&self) -> bool {
        let state = self.hub.read();
        state.hosts.get(&self.host.name).is_some_and(Entry::is_node)
    }

    fn take(&mut self, event: Event) {
        if event.event == EventKind::Lag {
            self.has_missed = true;
        }
        if self.has_missed {
            return;
        }
        let is_typed = matches!(
            event.event,
            EventKind::HumanInput | EventKind::HumanAnswered
        );
        let changed = self
            .hub
            .change(|state| state.host_event(&self.host.name, event));
        if is_typed {
            self.typed.extend(changed.clone());
        }
        self.stale.extend(changed);
    }

    /// Sends a request and waits for its answer. Takes the events that come before it.
    async fn ask(&mut self, action: &str, params: Value) -> Result<Result<Value, Error>, Error> {
        let channel = self.channel.clone();
        let mut call = pin!(channel.call(action, fields(params)));
        loop {
            tokio::select! {
                biased;
                answer = &mut call => return answer.map_err(|_| self.ended()),
                Some(event) = self.events.recv() => self.take(event),
            }
        }
    }

    /// Sends a request with a parameter that an older daemon may not know, and which is left out then.
    async fn ask_or_less(
        &mut self,
        action: &str,
        mut params: Value,
        newer: &str,
    ) -> Result<Value, Error> {
        match self.ask(action, params.clone()).await? {
            Err(error) if error.code == ErrorCode::InvalidParams => {
                if let Some(fields) = params.as_object_mut() {
                    fields.remove(newer);
                }
                self.ask(action, params).await?
            }
            answer => answer,
        }
    }

    /// Asks for all records.
    async fn list(&mut self) -> Result<(), Error> {
        let wanted = json!({ "limit": ALL_SESSIONS, "hosts": [LOCAL] });
        // The hosts of an older daemon are unknown to it.
        let mut answer = self.ask_or_less("list", wanted, "hosts").await?;
        if let Some(Value::Array(records)) = answer.get_mut("sessions").map(Value::take) {
            self.hub
                .change(|state| state.host_records(&self.host.name, records));
        }
        Ok(())
    }

    /// Asks the host for a sign of life if somebody doubts that it is there.
    async fn probe(&mut self) -> Result<(), Error> {
        let name = &self.host.name;
        let is_doubted = self.hub.change(|state| {
            let entry = state.hosts.get_mut(name);
            entry.is_some_and(Entry::take_doubt)
        });
        if is_doubted {
            match timeout(SIGN_OF_LIFE, self.ask("stats", json!({}))).await {
                // A refusal is a sign of life, too.
                Ok(answer) => drop(answer?),
                Err(_) => {
                    self.is_silent = true;
                    return Err(fault::unreachable(self.host, "it does not answer any more"));
                }
            }
        }
        Ok(())
    }

    /// Subscribes to live events while a client here wants them.
    async fn follow_interest(&mut self) -> Result<(), Error> {
        let wants = {
            let state = self.hub.read();
            LIVE.iter().any(|kind| state.events.has_listeners(*kind))
                && state.events.bus.is_watched(&self.host.name)
        };
        match (wants, std::mem::take(&mut self.live)) {
            (true, Live::Off) => {
                let mut answer = self.ask("subscribe", json!({ "events": LIVE })).await?;
                if answer.is_err() {
                    let known = &LIVE[..LIVE.len() - 1];
                    answer = self.ask("subscribe", json!({ "events": known })).await?;
                }
                let id = answer.ok().and_then(|said| {
                    let id = said.get("subscriptionId")?.as_str()?;
                    Some(id.to_owned())
                });
                self.live = id.map_or(Live::Refused, Live::On);
            }
            (false, Live::On(id)) => {
                let wanted = json!({ "subscriptionId": id });
                let _ = self.ask("unsubscribe", wanted).await?;
            }
            (false, Live::Off | Live::Refused) => {}
            (true, before) => self.live = before,
        }
        Ok(())
    }

    fn ended(&self) -> Error {
        let refusal = self.channel.refusal();
        refusal.unwrap_or_else(|| fault::unreachable(self.host, "its daemon ended the connection"))
    }
}
