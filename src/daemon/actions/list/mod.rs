//! `list`: the sessions that a client can see.

mod hosts;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::tasks::usage;
use crate::daemon::transport::Answer;
use crate::engine::input::waits;
use crate::engine::pattern::around;
use crate::engine::registry::{Registry, is_listed};
use crate::engine::session::Session;
use crate::protocol::glob::Glob;
use crate::protocol::params::List;
use crate::protocol::reply::{Brief, Listed};
use crate::protocol::{Record, Role, SessionId, Summary};

/// Default number of sessions returned.
const DEFAULT_LIMIT: usize = 200;

/// Maximum number of lines and of characters of the output that is shown of a session in a list.
const OUTPUT_LINES: usize = 10;
pub(in crate::daemon::actions) const OUTPUT_CHARS: usize = 4000;

/// Bytes of names and command of a session in a list for a model, of which the command gets at least some. With
/// the other fields, a session takes up to 150 bytes.
const BRIEF: usize = 36;
const BRIEF_COMMAND: usize = 16;

/// Bytes of all output in a list for a model.
const LEAN_OUTPUT: usize = 20_000;

/// Maximum number of programs checked for input per request. Each check takes the keeper about a tenth of a millisecond; the
/// others were checked when they were last quiet.
const LOOKS: usize = 16;

/// Lists sessions, oldest first. With more than `limit`, the newest are returned. People get full records,
/// agents summaries.
pub(super) async fn list(hub: &Hub, client: &Rc<Client>, params: List) -> Answer {
    let asked = hosts::ask(hub, client, &params).await?;
    let here = match asked.with_local {
        true => here(hub, client, params.clone()).await?,
        false => answer(Listed::<Summary> {
            sessions: Vec::new(),
            counts: BTreeMap::new(),
            hosts: Vec::new(),
        })?,
    };
    match asked.is_empty() {
        true => Ok(here),
        false => asked.join(&here, params.limit.unwrap_or(DEFAULT_LIMIT)),
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
    let now = now();
    let listed: Vec<&Session> = state.sessions.iter().filter(is_wanted).collect();
    let counts = Registry::counts(listed.iter().copied());
    let newest = &listed[listed.len().saturating_sub(limit)..];
    for session in newest {
        session.tell(&client.principal.scope, state.events.bus.past.seq());
    }
    let add_wanted = |session: &Session, summary: &mut Summary| {
        if params.include_output == Some(true) {
            summary.output = Some(last_lines(
                &state.sessions.tail(&summary.session_id, OUTPUT_CHARS),
            ));
        }
        if let Some(found) = &found {
            let ports = found.ports(session).to_vec();
            summary.urls = Some(state.sessions.urls(&summary.session_id, &ports));
            state.guess_ready(summary, &ports);
            summary.ports = Some(ports);
        }
    };
    match client.principal.role {
        Role::Human => {
            let records = newest.iter().map(|session| {
                let mut record = state.record(session, now);
                record.processes = Some(state.usage.add_to(&mut record.summary));
                add_wanted(session, &mut record.summary);
                record
            });
            answer(Listed {
                sessions: records.collect::<Vec<Record>>(),
                counts,
                hosts: Vec::new(),
            })
        }
        Role::Agent if client.is_lean() && params.verbose != Some(true) => {
            let mut room = LEAN_OUTPUT;
            let brief = newest.iter().map(|session| {
                let mut summary = state.summary(session, now);
                add_wanted(session, &mut summary);
                brief(summary)
            });
            let mut sessions: Vec<Brief> = brief.collect();
            // The newest come first where the space is short.
            for session in sessions.iter_mut().rev() {
                let bytes = session.output.as_ref().map_or(0, String::len);
                match bytes <= room {
                    true => room -= bytes,
                    false => session.output = None,
                }
            }
            answer(Listed {
                sessions,
                counts,
                hosts: Vec::new(),
            })
        }
        Role::Agent => {
            let summaries = newest.iter().map(|session| {
                let mut summary = state.summary(session, now);
                state.usage.add_to(&mut summary);
                add_wanted(session, &mut summary);
                summary
            });
            answer(Listed {
                sessions: summaries.collect::<Vec<Summary>>(),
                counts,
                hosts: Vec::new(),
            })
        }
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

/// What a model needs of a session in a list.
fn brief(summary: Summary) -> Brief {
    let mut words = vec![summary.command.clone()];
    words.extend(summary.args.iter().flatten().cloned());
    let command = words.join(" ");
    let is_over = summary.status.is_finished();
    let names = [&summary.label, &summary.group];
    let names = names.into_iter().flatten().chain(&summary.tags);
    let names: usize = names.map(String::len).sum();
    let room = BRIEF.saturating_sub(names).max(BRIEF_COMMAND);
    let report = summary.reported().cloned();
    Brief {
        session_id: summary.session_id,
        label: summary.label,
        group: summary.group,
        tags: summary.tags,
        status: summary.status,
        exit_code: summary.exit_code,
        signal: summary.signal,
        runtime_ms: summary.runtime_ms,
        restarts: summary.restarts,
        input_state: Some(summary.input_state).filter(|state| !is_over && waits(*state)),
        ready: summary.ready,
        progress: summary.progress,
        shell: summary.shell,
        report,
        command: around(&command, 0..0, room).into_owned(),
        ports: summary.ports,
        urls: summary.urls,
        output: summary.output,
    }
}

/// The last ten lines of a text.
pub(in crate::daemon::actions) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(OUTPUT_LINES)..].join("\n")
}
