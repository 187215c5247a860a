//! Searches the output that is there, and waits for more.

use tokio::time::{Duration, Instant};

use super::Plan;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::engine::matcher::{Decision, Matcher};
use crate::engine::wait_inputs::WaitInputs;
use crate::engine::waits::{Pending, Verdict};
use crate::protocol::condition::WaitMode;
use crate::protocol::{Error, SessionId};

/// Least time for which existing output is searched, in milliseconds, even if the timeout is shorter: a
/// `timeoutMs` of 0 asks about just that output, and searching a log of full size takes about this long.
const LOOK_MS: u64 = 2000;

/// Bytes before a wait in which the beginning of its first line is searched.
const LINE: u64 = 16 * 1024;

/// Bytes of the log searched before other tasks have their turn.
const CHUNK: usize = 64 * 1024;

/// How a wait has ended.
pub(crate) struct Decided {
    pub(crate) verdict: Verdict,
    /// Of each session, whether it was decided when the wait began.
    pub(super) at_entry: Vec<bool>,
    pub(crate) elapsed_ms: u64,
}

impl Plan {
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
        let verdict = if late || self.is_shut_out(hub, from) {
            pending.verdict()
        } else {
            hub.wait(pending).await
        };
        Ok(Decided {
            verdict,
            at_entry,
            elapsed_ms: now().boot - began,
        })
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
        // The file of what was dropped may still be open.
        let offset = offset.max(hub.read().sessions.log_first(id));
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
                let unseen = matcher.position()..output.end();
                let read = state.sessions.read_log(id, unseen, CHUNK)?;
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
                let unseen = matcher.position()..end;
                let (start, bytes) = state.sessions.read_log(id, unseen, usize::MAX)?;
                let layouts = output.layouts();
                if let Some(decision) = matcher.past_output(&layouts, start, &bytes) {
                    return Ok(Some(decision));
                }
            }
            matcher.resize(output.layout().size);
            let wanted: Vec<u16> = self.conditions.ports().collect();
            let ports = (!wanted.is_empty()).then(|| state.sessions.ports_among(id, &wanted));
            let wants_foreground = self.conditions.wants_foreground();
            let inputs = state.wait_inputs(id, wants_foreground).ok_or_else(gone)?;
            let inputs = WaitInputs {
                is_behind: state.is_behind(id),
                ports: ports.as_deref(),
                ..inputs
            };
            let session = state.sessions.get_mut(id).ok_or_else(gone)?;
            Ok(matcher.look(&mut session.output, inputs, now().boot))
        })
    }
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
