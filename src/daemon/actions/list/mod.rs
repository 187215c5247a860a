//! `list`: the sessions that a client can see.

mod brief;
mod hosts;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::sessions::walk::Found;
use crate::daemon::state::State;
use crate::daemon::tasks::usage;
use crate::daemon::transport::Answer;
use crate::engine::Now;
use crate::engine::registry::{Registry, is_listed};
use crate::engine::session::Session;
use crate::protocol::glob::Glob;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::{Record, Role, SessionId, Summary};
use crate::sys::failpoint;

use brief::briefs;

/// Default number of sessions returned.
const DEFAULT_LIMIT: usize = 200;

/// Maximum number of lines and of characters of the output that is shown of a session in a list.
const OUTPUT_LINES: usize = 10;
pub(in crate::daemon::actions) const OUTPUT_CHARS: usize = 4000;

/// Maximum number of programs checked for input per request. Each check takes the keeper about a tenth of a millisecond; the
/// others were checked when they were last quiet.
const LOOKS: usize = 16;

/// Lists sessions, oldest first. With more than `limit`, the newest are returned. People get full records,
/// agents summaries.
pub(super) async fn list(hub: &Hub, client: &Rc<Client>, params: List) -> Answer {
    let asked = hosts::ask(hub, client, &params).await?;
    failpoint::panic("list");
    let here = if asked.with_local {
        here(hub, client, params.clone()).await?
    } else {
        listed::<Summary>(Vec::new(), BTreeMap::new())?
    };
    if asked.is_empty() {
        Ok(here)
    } else {
        asked.join(&here, params.limit.unwrap_or(DEFAULT_LIMIT))
    }
}

/// Lists the sessions of this machine.
async fn here(hub: &Hub, client: &Client, params: List) -> Answer {
    let group = params.group.as_deref();
    let tag = params.tag.as_deref();
    let label = params.label.as_deref().map(Glob::new);
    let label = label.as_ref();
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    // The session for which a node's home was made is listed by the daemon that has submitted it.
    let holder = hub.read().sessions.store.home().session.clone();
    let is_wanted = |session: &&Session| {
        client.principal.sees(session)
            && holder.as_ref() != Some(&session.id)
            && is_listed(session, params.status, group, tag, label)
    };
    refresh(hub, is_wanted, limit).await;
    let found = usage::look_if(hub, params.include_ports, is_wanted).await;
    let state = hub.read();
    let all: Vec<&Session> = state.sessions.iter().filter(is_wanted).collect();
    let counts = Registry::counts(all.iter().copied());
    let newest = all[all.len().saturating_sub(limit)..].iter().copied();
    for session in newest.clone() {
        session.tell(&client.principal.scope, state.events.bus.past.seq());
    }
    let entries = Entries {
        state: &state,
        found: found.as_deref(),
        with_output: params.include_output == Some(true),
        now: now(),
    };
    match client.principal.role {
        Role::Human => {
            let records = newest.map(|session| entries.record(session));
            listed(records.collect(), counts)
        }
        Role::Agent if client.is_lean() && params.verbose != Some(true) => listed(
            briefs(newest.map(|session| entries.summary(session))),
            counts,
        ),
        Role::Agent => {
            let summaries = newest.map(|session| entries.summary(session));
            listed(summaries.collect(), counts)
        }
    }
}

/// The reply with the sessions of this machine.
fn listed<R: Serialize>(sessions: Vec<R>, counts: BTreeMap<String, u64>) -> Answer {
    answer(Listed {
        sessions,
        counts,
        hosts: Vec::new(),
    })
}

/// What is listed of each session.
struct Entries<'a> {
    state: &'a State,
    /// The ports, if they were asked for.
    found: Option<&'a Found>,
    with_output: bool,
    now: Now,
}

impl Entries<'_> {
    /// The record of a session, for people.
    fn record(&self, session: &Session) -> Record {
        let mut record = self.state.record(session, self.now);
        record.processes = Some(self.complete(session, &mut record.summary));
        record
    }

    /// The summary of a session, for agents.
    fn summary(&self, session: &Session) -> Summary {
        let mut summary = self.state.summary(session, self.now);
        self.complete(session, &mut summary);
        summary
    }

    /// Adds the usage, and what was asked for. Returns the number of processes.
    fn complete(&self, session: &Session, summary: &mut Summary) -> u32 {
        let sessions = &self.state.sessions;
        if self.with_output {
            summary.output = Some(last_lines(&sessions.tail(&session.id, OUTPUT_CHARS)));
        }
        if let Some(found) = self.found {
            let ports = found.ports(session).to_vec();
            summary.urls = Some(sessions.urls(&session.id, &ports));
            self.state.guess_ready(summary, &ports);
            summary.ports = Some(ports);
        }
        self.state.usage.add_to(summary)
    }
}

/// Brings what is known of the `limit` newest of the wanted sessions up to date: whether they wait for input, and what
/// the batch system says of them.
async fn refresh(hub: &Hub, is_wanted: impl Fn(&&Session) -> bool, limit: usize) {
    let old: Vec<SessionId> = {
        let (state, now) = (hub.read(), now().boot);
        let is_old = |session: &&Session| session.takes_input() && session.input.is_old(now);
        let newest = state.sessions.iter().rev().filter(&is_wanted).take(limit);
        let old = newest.filter(is_old).take(LOOKS);
        old.map(|session| session.id.clone()).collect()
    };
    hub.check_inputs(&old).await;
    hub.change(|state| {
        let newest = state.sessions.iter().rev().filter(&is_wanted).take(limit);
        let newest: Vec<SessionId> = newest.map(|session| session.id.clone()).collect();
        state.batches_listed(&newest);
    });
}

/// The last ten lines of a text.
pub(in crate::daemon::actions) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(OUTPUT_LINES)..].join("\n")
}
