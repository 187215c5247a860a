//! `list`: the sessions one can see.

use super::super::connection::Client;
use super::super::hub::{Hub, now};
use super::super::text;
use super::{Answer, answer};
use crate::engine::registry::{Registry, is_listed};
use crate::engine::session::Session;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::{Record, Role, SessionId, Summary};

/// Sessions returned where nobody says otherwise.
const DEFAULT_LIMIT: usize = 200;

/// Lines of output with `includeOutput`, and characters at most.
const OUTPUT_LINES: usize = 10;
const OUTPUT_CHARS: usize = 4000;

/// Oldest first; with more than `limit` the newest stay. People get whole records.
pub(super) fn list(hub: &Hub, client: &Client, params: List) -> Answer {
    let mut state = hub.state();
    let seen = state.registry.iter().filter(|s| client.viewer.sees(s));
    let seen: Vec<SessionId> = seen.map(|session| session.id.clone()).collect();
    state.look_at_usage(&seen);
    let now = now();
    let (group, label) = (params.group.as_deref(), params.label.as_deref());
    let listed: Vec<&Session> = state
        .registry
        .iter()
        .filter(|session| client.viewer.sees(session))
        .filter(|session| is_listed(session, params.status, group, label))
        .collect();
    let counts = Registry::counts(listed.iter().copied());
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    let newest = &listed[listed.len().saturating_sub(limit)..];
    let records: Vec<Record> = newest
        .iter()
        .map(|session| {
            let mut record = state.record(session, now);
            state.add_usage(&mut record);
            if params.include_output == Some(true) {
                record.summary.output =
                    Some(last_lines(&text::tail(&state, &session.id, OUTPUT_CHARS)));
            }
            record
        })
        .collect();
    match client.viewer.role {
        Role::Human => answer(Listed {
            sessions: records,
            counts,
        }),
        Role::Agent => {
            let sessions: Vec<Summary> = records.into_iter().map(|r| r.summary).collect();
            answer(Listed { sessions, counts })
        }
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(OUTPUT_LINES)..].join("\n")
}
