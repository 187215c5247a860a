//! What a wait returns.

use crate::daemon::hub::Hub;
use crate::daemon::requests::new_output::cursor;
use crate::engine::matcher::Decision;
use crate::protocol::condition::WaitMode;
use crate::protocol::reply::{Left, Matched, Outcome, Polled, Waited, WaitedAll};
use crate::protocol::status::InputState;
use crate::protocol::{SessionId, Status};

/// The outcome for one session, and what has matched.
pub(super) fn outcome(decision: Option<Decision>) -> (Outcome, Option<Matched>) {
    match decision {
        Some(Decision::Matched(matched)) => (Outcome::Matched, Some(matched)),
        Some(Decision::Failed(matched)) => (Outcome::Failed, Some(matched)),
        Some(Decision::Exited) => (Outcome::Exited, None),
        Some(Decision::Lost) => (Outcome::Lost, None),
        None => (Outcome::Timeout, None),
    }
}

/// The result for a session that was removed while it was waited for.
pub(super) fn of_removed(hub: &Hub, id: &SessionId, elapsed_ms: u64) -> Waited {
    let state = hub.read();
    let tombstone = state.sessions.registry.tombstones.get(id);
    Waited {
        outcome: Outcome::Lost,
        matched: None,
        matched_at_entry: false,
        elapsed_ms,
        seen_before: None,
        screen_row: None,
        idle_ms: None,
        label: None,
        polled: Polled {
            session_id: id.clone(),
            status: tombstone.map_or(Status::Lost, |tombstone| tombstone.status),
            exit_code: tombstone.and_then(|tombstone| tombstone.exit_code),
            signal: None,
            output: String::new(),
            stdout: None,
            stderr: None,
            prev_cursor: cursor(0),
            cursor: cursor(0),
            omitted: Left::default(),
            input_state: InputState::Closed,
            progress: None,
            shell: None,
            offloaded: false,
            output_file: None,
            output_files: Vec::new(),
            output_bytes: 0,
            omitted_lines: None,
            remaining: Vec::new(),
            reason: Some("it was removed".to_owned()),
            screen: None,
        },
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
pub(super) fn sum_up(results: Vec<Waited>, mode: WaitMode, elapsed_ms: u64) -> WaitedAll {
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
    let matched_at_entry = if all_have_matched {
        results.iter().all(|result| result.matched_at_entry)
    } else {
        decisive.is_some_and(|result| result.matched_at_entry)
    };
    WaitedAll {
        outcome,
        matched,
        matched_at_entry,
        elapsed_ms,
        results,
    }
}
