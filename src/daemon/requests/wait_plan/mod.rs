//! Waits for conditions on one session or several.

mod results;
mod search;

use std::collections::HashMap;
use std::rc::Rc;

use tokio::time::Duration;

use super::client::{Client, Moves};
use super::limits::{max_chars, wait_ms};
use super::new_output::{LEAN_BYTES, Show, polled};
use crate::daemon::hub::Hub;
use crate::engine::conditions::Conditions;
use crate::engine::echo::Echo;
use crate::engine::matcher::Decision;
use crate::engine::registry::Principal;
use crate::engine::shell_command::TypedCommand;
use crate::protocol::bounds::DEFAULT_WAIT_MS;
use crate::protocol::condition::{View, WaitMode, WaitSpec};
use crate::protocol::params::Stream;
use crate::protocol::reply::{Outcome, Waited, WaitedAll};
use crate::protocol::{Error, ErrorCode, Role, SessionId};

pub(crate) use results::rank;
use results::{of_removed, outcome, sum_up};
pub(crate) use search::Decided;

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
        let moves = if client.is_lean() {
            Moves::Shown
        } else {
            Moves::All
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
        mut conditions: Conditions,
        moves: Moves,
    ) -> Result<Self, Error> {
        // People are told of skipped jobs by events, and may wait for somebody who starts them.
        conditions.set_ends_if_skipped(client.principal.role != Role::Human);
        Ok(Self {
            viewer: client.principal.clone(),
            conditions: Rc::new(conditions),
            timeout_ms: wait_ms("timeoutMs", spec.timeout_ms, DEFAULT_WAIT_MS)?,
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
        let decides = |(_, decision): &(_, Option<Decision>)| match decision {
            Some(Decision::Failed(_)) => true,
            // One of all is not enough.
            Some(Decision::Matched(_)) => mode != WaitMode::All,
            _ => false,
        };
        // If the wait was over before its timeout, the sessions that did not decide it were not waited for any longer.
        let is_decided = verdict.iter().any(decides) || elapsed_ms < self.timeout_ms;
        // The sessions share the space of a reply for a model.
        let max_chars = if client.is_lean() {
            self.max_chars.min(LEAN_BYTES / from.len().max(1))
        } else {
            self.max_chars
        };
        let is_one = from.len() == 1;
        let mut results = Vec::new();
        for ((from, (_, decision)), at_entry) in from.into_iter().zip(verdict).zip(at_entry) {
            let (mut outcome, matched) = outcome(decision);
            if is_decided && outcome == Outcome::Timeout && client.is_lean() {
                outcome = Outcome::Running;
            }
            let show = self.show(hub, client, &from, outcome, max_chars);
            let (_, id) = from;
            if matched
                .as_ref()
                .is_some_and(|matched| matched.kind == "command")
            {
                client.await_command(&id, None);
            }
            let mut polled = match polled(hub, client, &id, show).await {
                // The others are told all the same: their output counts as shown.
                Err(error) if !is_one && error.code == ErrorCode::SessionRemoved => {
                    results.push(of_removed(hub, &id, elapsed_ms));
                    continue;
                }
                polled => polled?,
            };
            if let Some(state) = matched.as_ref().and_then(|matched| matched.input_state) {
                polled.input_state = state;
            }
            // What is searched from the input on cannot have been there before it.
            let at_entry = at_entry && !(self.after_input && self.from_input);
            let has_matched = matches!(outcome, Outcome::Matched | Outcome::Failed);
            let state = hub.read();
            let session = state.sessions.get(&id);
            results.push(Waited {
                outcome,
                matched,
                matched_at_entry: at_entry && has_matched,
                elapsed_ms,
                seen_before: None,
                screen_row: None,
                idle_ms: None,
                label: session.and_then(|session| session.spec.label.clone()),
                polled,
            });
        }
        Ok(sum_up(results, mode, elapsed_ms))
    }

    /// The output of a session that the reply shows.
    fn show(
        &self,
        hub: &Hub,
        client: &Client,
        from: &(u64, SessionId),
        outcome: Outcome,
        max_chars: usize,
    ) -> Show {
        let (offset, id) = from;
        let state = hub.read();
        let first = state.sessions.log_first(id);
        let shown = state.sessions.get(id).map(|session| client.shown(session));
        let since = match self.only_new {
            // Its output is left for the next request.
            _ if outcome == Outcome::Running => state.sessions.log_end(id),
            true => shown.map_or(*offset, |shown| shown.max(*offset)),
            false => *offset,
        };
        Show {
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
        }
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

    /// Refuses to wait for readiness of a session that is about to be started without a probe.
    pub(crate) fn check_without_probe(&self) -> Result<(), Error> {
        if self.conditions.wants_ready() {
            Err(never_ready("The session"))
        } else {
            Ok(())
        }
    }
}

fn never_ready(session: &str) -> Error {
    let message = format!("{session} has no readiness probe, so it can never be ready");
    Error::invalid(message).hint("give `ready` to `start`, or wait for a `pattern` or a `port`")
}
