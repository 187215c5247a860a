//! The sessions of other hosts in a list: as the hosts answer, else as they were last known.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::config::LOCAL;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::there;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::hosts::Need;
use crate::protocol::params::List;
use crate::protocol::reply::HostStatus;
use crate::protocol::{Action, Error, Timestamp};

/// Default of `hostWaitMs`.
const WAIT_MS: u64 = 300;

/// What hosts have said, or what is known of them.
pub(super) struct Asked {
    /// Whether the list has the sessions of this machine.
    pub(super) with_local: bool,
    parts: Vec<Part>,
    hosts: Vec<HostStatus>,
}

/// The sessions of one host.
#[derive(Default)]
struct Part {
    sessions: Vec<(Timestamp, Box<RawValue>)>,
    counts: BTreeMap<String, u64>,
}

/// A list, as far as it is understood here.
#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow)]
    sessions: Vec<&'a RawValue>,
    counts: BTreeMap<String, u64>,
}

/// A list of several machines.
#[derive(Serialize)]
struct Joined {
    sessions: Vec<Box<RawValue>>,
    counts: BTreeMap<String, u64>,
    hosts: Vec<HostStatus>,
}

/// Asks the hosts that a list includes, all at once, and waits for their answers at most `hostWaitMs`.
pub(super) async fn ask(hub: &Hub, client: &Rc<Client>, list: &List) -> Result<Asked, Error> {
    hub.change(State::refresh_hosts);
    let wait = wait_ms("hostWaitMs", list.host_wait_ms, WAIT_MS)?;
    let deadline = Instant::now() + Duration::from_millis(wait);
    let names = names(hub, client, list)?;
    let mut asked = Asked {
        with_local: list
            .hosts
            .as_ref()
            .is_none_or(|hosts| hosts.iter().any(|host| host == LOCAL)),
        parts: Vec::new(),
        hosts: Vec::new(),
    };
    if names.is_empty() {
        return Ok(asked);
    }
    // Without waiting, what is known is the answer.
    let mut said = match wait {
        0 => BTreeMap::new(),
        _ => ask_all(hub, client, list, &names, deadline).await,
    };
    let state = hub.read();
    for name in &names {
        let part = match (said.remove(name), state.hosts.get(name)) {
            (Some(part), _) => part,
            (None, Some(entry)) => {
                let (seen, viewer) = (entry.seen(), &client.principal);
                let mut part = Part::default();
                for session in entry.mirror.list(viewer, list, seen, now()) {
                    let status = session.status.as_str().to_owned();
                    *part.counts.entry(status).or_default() += 1;
                    let raw = there::raw(session.json)?;
                    part.sessions.push((session.created, raw));
                }
                part
            }
            (None, None) => continue,
        };
        asked.parts.push(part);
    }
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    asked.hosts = state
        .hosts
        .statuses(&client.greeting, &client.principal, Some(&names));
    Ok(asked)
}

/// The hosts that a list includes.
fn names(hub: &Hub, client: &Client, list: &List) -> Result<Vec<Box<str>>, Error> {
    let state = hub.read();
    let hosts = &state.hosts;
    let Some(wanted) = &list.hosts else {
        let reach = hosts.reach_of(&client.greeting);
        let mut names = hosts.names();
        names.retain(|name| reach.as_ref().is_none_or(|reach| reach.contains(name)));
        return Ok(names);
    };
    let others = wanted.iter().filter(|name| *name != LOCAL);
    let names = others.map(|name| {
        hosts.check(&client.greeting, name)?;
        Ok(name.as_str().into())
    });
    names.collect()
}

/// What the hosts answer before the deadline.
async fn ask_all(
    hub: &Hub,
    client: &Rc<Client>,
    list: &List,
    names: &[Box<str>],
    deadline: Instant,
) -> BTreeMap<Box<str>, Part> {
    let mut tasks = JoinSet::new();
    let are_named = list.hosts.is_some();
    for name in names {
        let can_come = hub.change(|state| {
            state.hosts.need(name, Need::Listed);
            let entry = state.hosts.get(name);
            entry.is_some_and(|entry| entry.can_come(now()))
        });
        // A host whose next attempt is later is not waited for, unless it is named.
        if !can_come && !are_named {
            continue;
        }
        let (hub, client, name) = (hub.clone(), client.clone(), name.clone());
        let mut list = list.clone();
        // Hosts of that host are not reached through it.
        list.hosts = Some(vec![LOCAL.to_owned()]);
        list.host_wait_ms = None;
        tasks.spawn_local(async move {
            // Without a name no attempt is made for this list alone. A link that is being opened may still come in
            // time.
            if !are_named {
                connected(&hub, &name).await;
            }
            let said = there::run(&hub, &client, &name, &Action::List(list)).await;
            (name, said.ok().and_then(|raw| part(&raw)))
        });
    }
    let mut said = BTreeMap::new();
    while let Ok(Some(Ok((name, part)))) = timeout_at(deadline, tasks.join_next()).await {
        said.extend(part.map(|part| (name, part)));
    }
    doubt_silent(hub, names, &said);
    said
}

/// Has those that are connected and have not answered in time give a sign of life.
fn doubt_silent(hub: &Hub, names: &[Box<str>], said: &BTreeMap<Box<str>, Part>) {
    hub.change(|state| {
        for name in names.iter().filter(|name| !said.contains_key(*name)) {
            if let Some(entry) = state.hosts.get_mut(name)
                && entry.link.is_up()
            {
                entry.doubt();
            }
        }
    });
}

/// Waits until a host is connected; for ever if it cannot be.
async fn connected(hub: &Hub, name: &str) {
    loop {
        let settled = match hub.read().hosts.get(name) {
            Some(entry) if entry.link.is_up() => return,
            Some(entry) => entry.settled(),
            None => std::rc::Rc::new(Notify::new()),
        };
        settled.notified().await;
    }
}

fn part(raw: &RawValue) -> Option<Part> {
    let said: Said<'_> = serde_json::from_str(raw.get()).ok()?;
    Some(Part {
        sessions: said.sessions.into_iter().map(dated).collect(),
        counts: said.counts,
    })
}

/// A session with the time of its creation, which orders it among others. Short forms do not say it.
fn dated(raw: &RawValue) -> (Timestamp, Box<RawValue>) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Dated {
        #[serde(default)]
        created_at: Timestamp,
    }
    let dated: Option<Dated> = serde_json::from_str(raw.get()).ok();
    let created = dated.map(|dated| dated.created_at).unwrap_or_default();
    (created, raw.to_owned())
}

impl Asked {
    /// Whether there is nothing but this machine.
    pub(super) fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.with_local
    }

    /// One list: first the sessions of this machine, then those of each host. With more than `limit`, the newest.
    pub(super) fn join(mut self, here: &RawValue, limit: usize) -> Answer {
        let here = part(here).ok_or_else(|| Error::internal("a list could not be read"))?;
        self.parts.insert(0, here);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut sessions = Vec::new();
        for part in self.parts {
            for (status, count) in part.counts {
                *counts.entry(status).or_default() += count;
            }
            sessions.extend(part.sessions);
        }
        if sessions.len() > limit {
            let mut times: Vec<Timestamp> = sessions.iter().map(|(created, _)| *created).collect();
            let excess = times.len() - limit;
            times.select_nth_unstable(excess);
            let oldest = times[excess];
            let mut spare = sessions.len() - limit;
            sessions.retain(|(created, _)| {
                let goes = spare > 0 && *created < oldest;
                spare -= usize::from(goes);
                !goes
            });
            sessions.truncate(limit);
        }
        answer(Joined {
            sessions: sessions.into_iter().map(|(_, raw)| raw).collect(),
            counts,
            hosts: self.hosts,
        })
    }
}
