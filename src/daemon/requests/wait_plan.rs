//! Waiting until something holds of one session or several.

use std::rc::Rc;

use tokio::time::{Duration, Instant};

use super::client::Client;
use super::limits::{max_chars, wait_ms};
use super::new_output::{Show, polled};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::engine::matcher::{Conditions, Decision, Matcher};
use crate::engine::wait_inputs::WaitInputs;
use crate::engine::waits::Pending;
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::params::Stream;
use crate::protocol::reply::{Matched, Outcome, Waited, WaitedAll};
use crate::protocol::{Error, SessionId};

/// Time allowed where nobody says otherwise, in milliseconds.
const DEFAULT_TIMEOUT_MS: u64 = 10_000;

/// For so long what is there already is looked at, even if less time was allowed, in milliseconds: a `timeoutMs`
/// of 0 asks about just that, and a log of full size takes about as long.
const LOOK_MS: u64 = 2000;

/// Bytes of the log looked at before others have their turn.
const CHUNK: usize = 64 * 1024;

/// What to wait for, read and checked.
pub(crate) struct Plan {
    conditions: Rc<Conditions>,
    timeout_ms: u64,
    max_chars: usize,
    after_input: bool,
}

impl Plan {
    pub(crate) fn new(client: &Client, spec: &WaitSpec) -> Result<Self, Error> {
        let view = spec.view.unwrap_or_default();
        let conditions = Conditions::new(spec.until.as_deref(), spec.fail.as_deref(), view)?;
        Ok(Self {
            conditions: Rc::new(conditions),
            timeout_ms: wait_ms("timeoutMs", spec.timeout_ms, DEFAULT_TIMEOUT_MS)?,
            max_chars: max_chars(client, spec.max_chars)?,
            after_input: false,
        })
    }

    /// Goes on where a session ends only because somebody restarts it.
    pub(crate) fn through_restarts(mut self, on: bool) -> Self {
        if let Some(conditions) = Rc::get_mut(&mut self.conditions) {
            conditions.set_through_restarts(on);
        }
        self
    }

    /// Silence before an input says nothing about it: it counts from now.
    pub(crate) fn after_input(mut self) -> Self {
        self.after_input = true;
        self
    }

    /// Waits on each session from its offset.
    pub(crate) async fn run(
        &self,
        hub: &Hub,
        client: &Client,
        from: Vec<(u64, SessionId)>,
        mode: WaitMode,
    ) -> Result<WaitedAll, Error> {
        self.check_probes(hub, &from)?;
        let began = now().boot;
        let until = Instant::now() + Duration::from_millis(self.timeout_ms.max(LOOK_MS));
        if self.conditions.wants_input() {
            for (_, id) in &from {
                hub.see_input(id).await;
            }
        }
        let mut parts = Vec::new();
        for (offset, id) in &from {
            let (matcher, decision) = self.enter(hub, id, *offset, began, until).await?;
            parts.push((id.clone(), matcher, decision));
        }
        // A flood can write as fast as it is looked at: then there is no time left to wait.
        let late = Instant::now() >= until;
        // While one session was looked at, another may have gone on.
        for (id, matcher, decision) in &mut parts {
            if decision.is_none() && !late {
                *decision = self.catch_up(hub, id, matcher)?;
            }
        }
        let pending = Pending::new(mode, parts, Some(began + self.timeout_ms));
        let at_entry = pending.is_over();
        let verdict = match late {
            true => pending.verdict(),
            false => hub.wait(pending).await,
        };
        let elapsed_ms = now().boot - began;
        let mut results = Vec::new();
        for ((offset, id), (_, decision)) in from.into_iter().zip(verdict) {
            let (outcome, matched) = outcome(decision);
            let show = Show {
                since: offset,
                max_chars: self.max_chars,
                stream: Stream::All,
                moves: true,
            };
            let polled = polled(hub, client, &id, show).await?;
            // What followed an input was not there before it.
            let at_entry = at_entry && !self.after_input;
            let matched_at_entry = at_entry && outcome == Outcome::Matched;
            results.push(Waited {
                outcome,
                matched,
                matched_at_entry,
                elapsed_ms,
                polled,
            });
        }
        Ok(sum_up(results, mode, elapsed_ms))
    }

    /// Without a probe nothing would ever be ready.
    fn check_probes(&self, hub: &Hub, from: &[(u64, SessionId)]) -> Result<(), Error> {
        if !self.conditions.wants_ready() {
            return Ok(());
        }
        let state = hub.read();
        let mut sessions = from.iter().filter_map(|(_, id)| state.sessions.get(id));
        match sessions.find(|session| session.ready().is_none()) {
            Some(session) => Err(Error::invalid(format!(
                "Session {} has no readiness probe, so it can never be ready",
                session.id
            ))
            .hint("give `ready` to `start`, or wait for a `pattern` or a `port`")),
            None => Ok(()),
        }
    }

    /// Looks at what is there already; what was not looked at by `until` decides nothing.
    async fn enter(
        &self,
        hub: &Hub,
        id: &SessionId,
        offset: u64,
        began: u64,
        until: Instant,
    ) -> Result<(Matcher, Option<Decision>), Error> {
        let gone = || Error::session_not_found(id.as_str());
        let mut at = reading::checkpoint(hub, id, offset)
            .await
            .ok_or_else(gone)?;
        let mut matcher = {
            let state = hub.read();
            let session = state.sessions.get(id).ok_or_else(gone)?;
            // A cursor in the middle of a sequence is where the sequence begins.
            at.offset = at.offset.min(offset);
            Matcher::new(self.conditions.clone(), session.output.layout(), at, began)
                .silence_from_now(self.after_input)
        };
        if self.conditions.reads_output() {
            // Given up or not: the time is looked at below.
            let _ = tokio::time::timeout_at(until, hub.catch_up(id)).await;
        }
        while self.conditions.reads_output() {
            if Instant::now() >= until {
                return Ok((matcher, None));
            }
            let read = {
                let state = hub.read();
                let end = state.sessions.get(id).ok_or_else(gone)?.output.end();
                let io = state.sessions.io(id).ok_or_else(gone)?;
                io.log.read(matcher.position(), end, CHUNK)
            };
            if read.1.is_empty() {
                break;
            }
            if let Some(decision) = matcher.output(read.0, &read.1) {
                return Ok((matcher, Some(decision)));
            }
            tokio::task::yield_now().await;
        }
        let decision = self.catch_up(hub, id, &mut matcher)?;
        Ok((matcher, decision))
    }

    /// Looks at the rest, and at what does not come as bytes. Without an await:
    /// from here on the matcher is told what happens.
    fn catch_up(
        &self,
        hub: &Hub,
        id: &SessionId,
        matcher: &mut Matcher,
    ) -> Result<Option<Decision>, Error> {
        let gone = || Error::session_not_found(id.as_str());
        hub.change(|state| {
            let end = state.sessions.get(id).ok_or_else(gone)?.output.end();
            if self.conditions.reads_output() && matcher.position() < end {
                let io = state.sessions.io(id).ok_or_else(gone)?;
                let (start, bytes) = io.log.read_all(matcher.position(), end);
                if let Some(decision) = matcher.output(start, &bytes) {
                    return Ok(Some(decision));
                }
            }
            let wanted: Vec<u16> = self.conditions.ports().collect();
            let ports = (!wanted.is_empty()).then(|| state.sessions.ports(id, Some(&wanted)));
            let restarting = state.restarting.contains_key(id);
            let session = state.sessions.get_mut(id).ok_or_else(gone)?;
            let facts = WaitInputs {
                restarting,
                ports: ports.as_deref(),
                ..session.facts()
            };
            Ok(matcher.look(&mut session.output, facts, now().boot))
        })
    }
}

fn outcome(decision: Option<Decision>) -> (Outcome, Option<Matched>) {
    match decision {
        Some(Decision::Matched(matched)) => (Outcome::Matched, Some(matched)),
        Some(Decision::Failed(matched)) => (Outcome::Failed, Some(matched)),
        Some(Decision::Exited) => (Outcome::Exited, None),
        Some(Decision::Lost) => (Outcome::Lost, None),
        None => (Outcome::Timeout, None),
    }
}

/// How several came out as one: a failure counts first, then what was asked for.
fn sum_up(results: Vec<Waited>, mode: WaitMode, elapsed_ms: u64) -> WaitedAll {
    let having = |outcome| results.iter().find(|result| result.outcome == outcome);
    let all_matched = results
        .iter()
        .all(|result| result.outcome == Outcome::Matched);
    let decisive = having(Outcome::Failed).or_else(|| match mode {
        WaitMode::Any => having(Outcome::Matched),
        WaitMode::All if all_matched => results.first(),
        WaitMode::All => None,
    });
    // Of `any`, one that was still being waited for could have matched; of
    // `all`, one that has ended decides.
    let undecided = || having(Outcome::Timeout);
    let ended = || having(Outcome::Lost).or_else(|| having(Outcome::Exited));
    let decisive = decisive.or_else(|| match mode {
        WaitMode::Any => undecided().or_else(ended),
        WaitMode::All => ended().or_else(undecided),
    });
    let outcome = decisive.map_or(Outcome::Timeout, |result| result.outcome);
    let matched = decisive.and_then(|result| {
        let mut matched = result.matched.clone()?;
        matched.session_id = Some(result.polled.session_id.clone());
        Some(matched)
    });
    let matched_at_entry = decisive.is_some_and(|result| result.matched_at_entry);
    WaitedAll {
        outcome,
        matched,
        matched_at_entry,
        elapsed_ms,
        results,
    }
}
