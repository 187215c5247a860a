//! Waits for conditions on one session or several.

use std::collections::HashMap;
use std::rc::Rc;

use tokio::time::{Duration, Instant};

use super::client::{Client, Moves};
use super::limits::{max_chars, wait_ms};
use super::new_output::{LEAN_BYTES, Show, polled};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::engine::conditions::Conditions;
use crate::engine::echo::Echo;
use crate::engine::matcher::{Decision, Matcher};
use crate::engine::registry::Principal;
use crate::engine::shell_command::TypedCommand;
use crate::engine::wait_inputs::WaitInputs;
use crate::engine::waits::{Pending, Verdict};
use crate::protocol::condition::{View, WaitMode, WaitSpec};
use crate::protocol::params::Stream;
use crate::protocol::reply::{Matched, Outcome, Waited, WaitedAll};
use crate::protocol::{Error, SessionId};

/// Timeout if the request gives none, in milliseconds.
const DEFAULT_TIMEOUT_MS: u64 = 10_000;

/// Least time for which existing output is searched, in milliseconds, even if the timeout is shorter: a
/// `timeoutMs` of 0 asks about just that output, and searching a log of full size takes about this long.
const LOOK_MS: u64 = 2000;

/// Bytes before a wait in which the beginning of its first line is searched.
const LINE: u64 = 16 * 1024;

/// Bytes of the log searched before other tasks have their turn.
const CHUNK: usize = 64 * 1024;

/// The conditions of a wait, parsed and checked.
pub(crate) struct Plan {
    viewer: Principal,
    conditions: Rc<Conditions>,
    timeout_ms: u64,
    max_chars: usize,
    /// Whether the same request types.
    after_input: bool,
    /// Whether output is searched from there on, and not from an earlier place that the client names.
    from_input: bool,
    /// Whether the reply has the screen.
    screen: bool,
    /// What the same request types.
    echo: Echo,
    /// What earlier requests have typed into each session.
    earlier_echo: HashMap<SessionId, Echo>,
    moves: Moves,
    /// Whether the reply has only output that the client has not been shown, even if more is searched.
    only_new: bool,
}

impl Plan {
    pub(crate) fn new(client: &Client, spec: &WaitSpec) -> Result<Self, Error> {
        let view = spec.view.unwrap_or_default();
        let conditions = Conditions::new(spec.until.as_deref(), spec.fail.as_deref(), view)?;
        Self::with(client, spec, conditions, Moves::All)
    }

    /// The wait for what a request asks for, or else for `otherwise`; in both cases also for its failures.
    ///
    /// The client has not asked for `otherwise`. So a model's next `wait` finds what is shown here, too.
    pub(crate) fn or_else(
        client: &Client,
        spec: &WaitSpec,
        otherwise: Conditions,
    ) -> Result<Self, Error> {
        if spec.wanted().is_some() {
            return Self::new(client, spec);
        }
        let moves = match client.is_lean() {
            true => Moves::Shown,
            false => Moves::All,
        };
        let fail = spec.fail.as_deref().unwrap_or_default();
        let conditions = otherwise.or_fail(fail, spec.view.unwrap_or_default())?;
        Self::with(client, spec, conditions, moves)
    }

    /// The wait for the end of a command that was typed into a shell.
    pub(crate) fn end_of(
        client: &Client,
        spec: &WaitSpec,
        command: TypedCommand,
    ) -> Result<Self, Error> {
        let plan = Self::with(client, spec, Conditions::end_of(command), Moves::All)?;
        Ok(plan.after_input())
    }

    fn with(
        client: &Client,
        spec: &WaitSpec,
        conditions: Conditions,
        moves: Moves,
    ) -> Result<Self, Error> {
        Ok(Self {
            viewer: client.principal.clone(),
            conditions: Rc::new(conditions),
            timeout_ms: wait_ms("timeoutMs", spec.timeout_ms, DEFAULT_TIMEOUT_MS)?,
            max_chars: max_chars(client, spec.max_chars)?,
            after_input: false,
            from_input: spec.since.is_none(),
            screen: spec.view == Some(View::Screen),
            echo: Echo::default(),
            earlier_echo: HashMap::new(),
            moves,
            only_new: false,
        })
    }

    /// How long it waits at most.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// Leaves output that the client has been shown out of the reply.
    pub(crate) fn only_new(mut self, on: bool) -> Self {
        self.only_new = on;
        self
    }

    /// Adds the screen to the reply.
    pub(crate) fn with_screen(mut self, on: bool) -> Self {
        self.screen |= on;
        self
    }

    /// Makes the wait continue when a session ends only because a client restarts it.
    pub(crate) fn through_restarts(mut self, on: bool) -> Self {
        if let Some(conditions) = Rc::get_mut(&mut self.conditions) {
            conditions.set_through_restarts(on);
        }
        self
    }

    /// Counts silence from now, because silence before an input says nothing about its effect.
    pub(crate) fn after_input(mut self) -> Self {
        self.after_input = true;
        self
    }

    /// Sets the bytes that the request types. Patterns do not match their echo.
    pub(crate) fn typing(mut self, bytes: &[u8]) -> Self {
        self.echo = Echo::of(bytes);
        self
    }

    /// Sets what the client has typed into each session earlier. Patterns do not match the echo of that either.
    pub(crate) fn typed_earlier(mut self, echo: HashMap<SessionId, Echo>) -> Self {
        self.earlier_echo = echo;
        self
    }

    /// Maximum number of characters of output in the reply.
    pub(crate) fn max_chars(&self) -> usize {
        self.max_chars
    }

    /// Waits on each session, starting from its offset.
    pub(crate) async fn decide(
        &self,
        hub: &Hub,
        from: &[(u64, SessionId)],
        mode: WaitMode,
    ) -> Result<Decided, Error> {
        self.check_probes(hub, from)?;
        let began = now().boot;
        let until = Instant::now() + Duration::from_millis(self.timeout_ms.max(LOOK_MS));
        if self.conditions.wants_input() {
            for (_, id) in from {
                hub.check_input(id).await;
            }
        }
        let mut parts = Vec::new();
        for (offset, id) in from {
            let (matcher, decision) = self.enter(hub, id, *offset, began, until).await?;
            parts.push((id.clone(), matcher, decision));
        }
        // Search again: while one session was searched, another may have written more.
        while Instant::now() < until {
            for (id, matcher, decision) in &mut parts {
                if decision.is_none() {
                    *decision = self.catch_up(hub, id, matcher)?;
                }
            }
            // A program that ended while this wait was not registered: render what it wrote before.
            let unread = parts
                .iter()
                .find(|(id, _, decision)| decision.is_none() && self.is_unread(hub, id));
            match unread {
                Some((id, ..)) => hub.catch_up(id).await,
                None => break,
            }
        }
        // Output may be written as fast as it is searched; then no time is left to wait.
        let late = Instant::now() >= until;
        let at_entry = parts.iter().map(|part| part.2.is_some()).collect();
        let pending = Pending::new(mode, parts, Some(began + self.timeout_ms));
        let pending = pending.of(self.viewer.clone());
        let verdict = match late || self.is_shut_out(hub, from) {
            true => pending.verdict(),
            false => hub.wait(pending).await,
        };
        Ok(Decided {
            verdict,
            at_entry,
            elapsed_ms: now().boot - began,
        })
    }

    /// Waits on each session, starting from its offset, and returns its new output. An offset that is not kept any more
    /// stands for the start of the log.
    pub(crate) async fn run(
        &self,
        hub: &Hub,
        client: &Client,
        from: Vec<(u64, SessionId)>,
        mode: WaitMode,
    ) -> Result<WaitedAll, Error> {
        let Decided {
            verdict,
            at_entry,
            elapsed_ms,
        } = self.decide(hub, &from, mode).await?;
        let matched = |(_, decision): &(_, Option<Decision>)| {
            matches!(decision, Some(Decision::Matched(_) | Decision::Failed(_)))
        };
        let is_decided = verdict.iter().any(matched);
        // The sessions share the space of a reply for a model.
        let max_chars = match client.is_lean() {
            true => self.max_chars.min(LEAN_BYTES / from.len().max(1)),
            false => self.max_chars,
        };
        let mut results = Vec::new();
        for (((offset, id), (_, decision)), at_entry) in from.into_iter().zip(verdict).zip(at_entry)
        {
            let (mut outcome, matched) = outcome(decision);
            if is_decided && outcome == Outcome::Timeout && client.is_lean() {
                outcome = Outcome::Running;
            }
            let goes_on = outcome == Outcome::Running;
            let (first, end, shown, label) = {
                let state = hub.read();
                let session = state.sessions.get(&id);
                (
                    state.sessions.log_first(&id),
                    state.sessions.log_end(&id),
                    session.map(|session| client.shown(session)),
                    session.and_then(|session| session.spec.label.clone()),
                )
            };
            let since = match self.only_new {
                // Its output is left for the next request.
                _ if goes_on => end,
                true => offset.max(shown.unwrap_or(offset)),
                false => offset,
            };
            let show = Show {
                dropped: first.saturating_sub(since),
                since: since.max(first),
                until: None,
                max_chars,
                stream: Stream::All,
                moves: match outcome {
                    Outcome::Running => Moves::Nothing,
                    // The client has asked for the failure, so its next `wait` does not find it again.
                    Outcome::Failed => Moves::All,
                    _ => self.moves,
                },
                screen: self.screen,
                oldest: false,
            };
            let mut polled = polled(hub, client, &id, show).await?;
            if let Some(state) = matched.as_ref().and_then(|matched| matched.input_state) {
                polled.input_state = state;
            }
            // What is searched from the input on cannot have been there before it.
            let at_entry = at_entry && !(self.after_input && self.from_input);
            let is_decided = matches!(outcome, Outcome::Matched | Outcome::Failed);
            let matched_at_entry = at_entry && is_decided;
            results.push(Waited {
                outcome,
                matched,
                matched_at_entry,
                elapsed_ms,
                label,
                polled,
            });
        }
        Ok(sum_up(results, mode, elapsed_ms))
    }

    /// Whether a session is not shared with the client any more, since it was found.
    fn is_shut_out(&self, hub: &Hub, from: &[(u64, SessionId)]) -> bool {
        let state = hub.read();
        let mut known = from.iter().filter_map(|(_, id)| state.sessions.get(id));
        known.any(|session| !self.viewer.sees(session))
    }

    /// Whether a session has ended with output that has not been rendered, and that may match.
    fn is_unread(&self, hub: &Hub, id: &SessionId) -> bool {
        let state = hub.read();
        let session = state.sessions.get(id);
        let is_over = session.is_some_and(|session| session.life.status().is_finished());
        is_over && self.conditions.reads_output() && state.is_behind(id)
    }

    /// Refuses to wait for readiness of a session without a probe, which would never be ready.
    fn check_probes(&self, hub: &Hub, from: &[(u64, SessionId)]) -> Result<(), Error> {
        if !self.conditions.wants_ready() {
            return Ok(());
        }
        let state = hub.read();
        let mut sessions = from.iter().filter_map(|(_, id)| state.sessions.get(id));
        match sessions.find(|session| session.ready().is_none()) {
            Some(session) => Err(never_ready(&format!("Session {}", session.id))),
            None => Ok(()),
        }
    }

    /// The same for a session that is about to be started without a probe.
    pub(crate) fn check_without_probe(&self) -> Result<(), Error> {
        match self.conditions.wants_ready() {
            true => Err(never_ready("The session")),
            false => Ok(()),
        }
    }

    /// Searches the existing output. Output that is not searched by `until` decides nothing.
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
            // If the offset is within an escape sequence, the checkpoint is at its beginning.
            at.offset = at.offset.min(offset);
            let layout = session.output.layout_at(at.offset);
            Matcher::new(self.conditions.clone(), layout, at, began)
                .silence_from_now(self.after_input)
                .ignore_echo(self.earlier_echo.get(id).unwrap_or(&self.echo).clone())
        };
        if matcher.reads_lines()
            && let Some((start, bytes)) = line_before(hub, id, matcher.position())
        {
            let begin = reading::checkpoint(hub, id, start).await.ok_or_else(gone)?;
            let state = hub.read();
            let output = &state.sessions.get(id).ok_or_else(gone)?.output;
            matcher = matcher.within_line(&output.layouts(), begin, &bytes);
        }
        if self.conditions.reads_output() {
            // The result does not matter: the loop below checks the time.
            let _ = tokio::time::timeout_at(until, hub.catch_up(id)).await;
        }
        while self.conditions.reads_output() {
            if Instant::now() >= until {
                return Ok((matcher, None));
            }
            let (read, layouts) = {
                let state = hub.read();
                let output = &state.sessions.get(id).ok_or_else(gone)?.output;
                let io = state.sessions.io(id).ok_or_else(gone)?;
                let read = io.log.read(matcher.position(), output.end(), CHUNK);
                (read, output.layouts())
            };
            if read.0 > matcher.position() && self.skip_dropped(hub, id, &mut matcher) {
                continue;
            }
            if read.1.is_empty() {
                break;
            }
            if let Some(decision) = matcher.past_output(&layouts, read.0, &read.1) {
                return Ok((matcher, Some(decision)));
            }
            tokio::task::yield_now().await;
        }
        let decision = self.catch_up(hub, id, &mut matcher)?;
        Ok((matcher, decision))
    }

    /// Lets a matcher continue where the log begins by now, if the output that it would check next was dropped.
    /// Returns false if it was not.
    fn skip_dropped(&self, hub: &Hub, id: &SessionId, matcher: &mut Matcher) -> bool {
        hub.change(|state| {
            let beginning = state.log_start_after(id, matcher.position());
            let skipped = state.sessions.get(id).zip(beginning);
            if let Some((session, at)) = skipped {
                matcher.skip_to(session.output.layout_at(at.offset), at);
            }
            skipped.is_some()
        })
    }

    /// Searches the remaining output, and checks the conditions other than output. It does not await, so that
    /// the matcher misses nothing before it is registered.
    fn catch_up(
        &self,
        hub: &Hub,
        id: &SessionId,
        matcher: &mut Matcher,
    ) -> Result<Option<Decision>, Error> {
        let gone = || Error::session_not_found(id.as_str());
        if self.conditions.reads_output() {
            self.skip_dropped(hub, id, matcher);
        }
        hub.change(|state| {
            let output = &state.sessions.get(id).ok_or_else(gone)?.output;
            let end = output.end();
            if self.conditions.reads_output() && matcher.position() < end {
                let io = state.sessions.io(id).ok_or_else(gone)?;
                let (start, bytes) = io.log.read_all(matcher.position(), end);
                let layouts = output.layouts();
                if let Some(decision) = matcher.past_output(&layouts, start, &bytes) {
                    return Ok(Some(decision));
                }
            }
            matcher.resize(output.layout().size);
            let wanted: Vec<u16> = self.conditions.ports().collect();
            let ports = (!wanted.is_empty()).then(|| state.sessions.ports_among(id, &wanted));
            let restarting = state.restarting.contains_key(id);
            let is_behind = state.is_behind(id);
            let foreground = match self.conditions.wants_foreground() {
                true => state.sessions.foreground(id),
                false => None,
            };
            let session = state.sessions.get_mut(id).ok_or_else(gone)?;
            let facts = WaitInputs {
                restarting,
                is_behind,
                ports: ports.as_deref(),
                foreground,
                ..session.facts()
            };
            Ok(matcher.look(&mut session.output, facts, now().boot))
        })
    }
}

fn never_ready(session: &str) -> Error {
    let message = format!("{session} has no readiness probe, so it can never be ready");
    Error::invalid(message).hint("give `ready` to `start`, or wait for a `pattern` or a `port`")
}

/// The part of a line that lies before `offset`, and where the line begins. `None` if `offset` is at its beginning, or
/// too far from it.
fn line_before(hub: &Hub, id: &SessionId, offset: u64) -> Option<(u64, Vec<u8>)> {
    let from = offset.saturating_sub(LINE);
    let state = hub.read();
    let (start, bytes) = state.sessions.io(id)?.log.read_all(from, offset);
    if start + bytes.len() as u64 != offset {
        return None;
    }
    let at = match memchr::memrchr(b'\n', &bytes) {
        Some(newline) => newline + 1,
        None if start == 0 => 0,
        None => return None,
    };
    let line = bytes[at..].to_vec();
    (!line.is_empty()).then_some((start + at as u64, line))
}

/// How a wait has ended.
pub(crate) struct Decided {
    pub(crate) verdict: Verdict,
    /// Of each session, whether it was decided when the wait began.
    at_entry: Vec<bool>,
    pub(crate) elapsed_ms: u64,
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

/// The rank of an outcome among those of several sessions, or machines: the lowest decides a wait on all of them. A
/// failure counts first, then what `mode` asks for. With `any`, a session that was still pending could have matched;
/// with `all`, one that has ended decides.
pub(crate) fn rank(mode: WaitMode, outcome: Outcome) -> u8 {
    use Outcome::{Exited, Failed, Lost, Matched, Running, Timeout};
    match (mode, outcome) {
        (_, Failed) => 0,
        (WaitMode::Any | WaitMode::Next, Matched) => 1,
        (WaitMode::Any | WaitMode::Next, Timeout | Running) => 2,
        (_, Lost) => 3,
        (_, Exited) => 4,
        (WaitMode::All, Timeout | Running) => 5,
        (WaitMode::All, Matched) => 6,
    }
}

/// Combines the results of several sessions.
fn sum_up(results: Vec<Waited>, mode: WaitMode, elapsed_ms: u64) -> WaitedAll {
    let decisive = results
        .iter()
        .min_by_key(|result| rank(mode, result.outcome));
    let outcome = match decisive.map(|result| result.outcome) {
        // The others go on.
        None | Some(Outcome::Running) => Outcome::Timeout,
        Some(outcome) => outcome,
    };
    let matched = decisive.and_then(|result| {
        let mut matched = result.matched.clone()?;
        matched.session_id = Some(result.polled.session_id.clone());
        Some(matched)
    });
    let all_have_matched = mode == WaitMode::All && outcome == Outcome::Matched;
    let matched_at_entry = match all_have_matched {
        true => results.iter().all(|result| result.matched_at_entry),
        false => decisive.is_some_and(|result| result.matched_at_entry),
    };
    WaitedAll {
        outcome,
        matched,
        matched_at_entry,
        elapsed_ms,
        results,
    }
}
