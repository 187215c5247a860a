//! `wait`: waits for conditions on one session or several.

use std::rc::Rc;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find_several;
use crate::daemon::requests::limits::{one_of, wait_ms};
use crate::daemon::requests::new_output::{Since, cursor};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::engine::matcher::Decision;
use crate::engine::registry::Access;
use crate::engine::session::Session;
use crate::protocol::condition::{Condition, View, WaitMode, WaitSpec};
use crate::protocol::params::Wait;
use crate::protocol::reply::{Matched, Outcome, SeenBefore, Waited};
use crate::protocol::{Error, ErrorCode, Role, SessionId};

/// Most output that is searched again after a timeout, in bytes.
const SEARCHED_AGAIN: u64 = 4 << 20;

/// A silence that is not worth telling, in milliseconds.
const SHORT_MS: u64 = 1000;

/// Handles the action.
pub(super) async fn wait(hub: &Hub, client: &Rc<Client>, params: Wait) -> Answer {
    let (one, several) = (params.session_id.as_deref(), params.session_ids.as_deref());
    let (ids, single) = find_several(
        hub,
        client,
        one,
        several,
        params.group.as_deref(),
        Access::Read,
    )?;
    // The plan knows the parameter by its former name only.
    wait_ms("waitMs", params.wait_ms, 0)?;
    let spec = WaitSpec {
        until: params.until,
        fail: params.fail,
        since: params.since,
        view: params.view,
        timeout_ms: one_of("waitMs", params.wait_ms, "timeoutMs", params.timeout_ms)?,
        max_chars: params.max_chars,
    };
    // A model has seen what a `write` has shown it; a condition may hold there all the same.
    let unasked = spec.since.is_none() && client.is_lean();
    let mode = params.mode.unwrap_or_default();
    let plan = plan(hub, client, &spec, mode, &ids)?
        .only_new(unasked)
        .through_restarts(params.through_restarts == Some(true));
    let ids = match mode {
        WaitMode::Next => unknown_ends(hub, client, ids)?,
        _ => ids,
    };
    let since = since(client, &spec)?;
    let mut from = offsets(hub, client, since, unasked, ids);
    if unasked && spec.names_conditions() {
        for place in &mut from {
            search_left_out(hub, client, &spec, place).await?;
        }
    }
    let plan = if unasked {
        let typed = |(_, id): &(u64, SessionId)| Some((id.clone(), client.typed_earlier(id)?));
        plan.typed_earlier(from.iter().filter_map(typed).collect())
    } else {
        plan
    };
    let mut waited = plan.run(hub, client, from.clone(), mode).await?;
    if client.is_lean() {
        tell_silence(hub, &mut waited.results);
    }
    if unasked && spec.names_conditions() {
        for (result, from) in waited.results.iter_mut().zip(&from) {
            tell_seen(hub, client, &spec, from, result).await?;
        }
    }
    match (single, waited.results.pop()) {
        (true, Some(result)) => answer(result),
        (_, last) => {
            waited.results.extend(last);
            answer(waited)
        }
    }
}

/// The wait for what the request names.
fn plan(
    hub: &Hub,
    client: &Client,
    spec: &WaitSpec,
    mode: WaitMode,
    ids: &[SessionId],
) -> Result<Plan, Error> {
    if client.is_lean() && mode != WaitMode::Next {
        Plan::or_else(client, spec, unnamed(hub, client, ids))
    } else {
        Plan::new(client, spec)
    }
}

/// From where the output is searched.
fn since(client: &Client, spec: &WaitSpec) -> Result<Since, Error> {
    Ok(match Since::parse(spec.since.as_deref())? {
        // People share a scope, and each may have seen different output, so they wait for what the job writes
        // in this run, whenever it was written.
        Since::Tail if client.principal.role == Role::Human => Since::Run,
        Since::Tail => Since::New,
        since => since,
    })
}

/// Where the search of each session begins.
fn offsets(
    hub: &Hub,
    client: &Client,
    since: Since,
    unasked: bool,
    ids: Vec<SessionId>,
) -> Vec<(u64, SessionId)> {
    let state = hub.read();
    let offset = |id: &SessionId| match state.sessions.get(id).filter(|_| unasked) {
        Some(session) => client.searched(session),
        None => {
            let asked = since.asked(&state, client, id);
            asked.unwrap_or_else(|| state.sessions.log_first(id))
        }
    };
    ids.into_iter().map(|id| (offset(&id), id)).collect()
}

/// Tells a model of sessions that have written nothing for longer than it has waited.
fn tell_silence(hub: &Hub, results: &mut [Waited]) {
    let state = hub.read();
    for result in results {
        let session = state.sessions.get(&result.polled.session_id);
        let idle = session.map(|session| session.idle_ms(now()));
        let longest = result.elapsed_ms.max(SHORT_MS);
        let is_late = result.outcome == Outcome::Timeout && result.polled.status.has_process();
        result.idle_ms = idle.filter(|idle| is_late && *idle > longest);
    }
}

/// Tells a model what its conditions match that were not met: output it was shown before, or the screen.
async fn tell_seen(
    hub: &Hub,
    client: &Client,
    spec: &WaitSpec,
    from: &(u64, SessionId),
    result: &mut Waited,
) -> Result<(), Error> {
    if matches!(result.outcome, Outcome::Timeout | Outcome::Exited) {
        result.seen_before = seen_before(hub, client, spec, from).await?;
    }
    if result.outcome == Outcome::Timeout && result.seen_before.is_none() {
        result.screen_row = row_of_screen(hub, client, spec, &from.1).await?;
    }
    Ok(())
}

/// What a model waits for that has not said what for: until there is something to do. A server that is ready may read
/// keys all the time, and so may one of several sessions.
fn unnamed(hub: &Hub, client: &Client, ids: &[SessionId]) -> Conditions {
    let state = hub.read();
    let [id] = ids else {
        return Conditions::ends_or_asks();
    };
    let conditions = match state.sessions.get(id).and_then(Session::ready) {
        Some(true) => Conditions::ends_or_asks(),
        ready => Conditions::something_to_do(ready.is_some(), None),
    };
    conditions.or_command_end(client.awaited_command(id).is_some())
}

/// Lets the search begin earlier if the patterns match what the last reply has left out: the model has not seen it.
async fn search_left_out(
    hub: &Hub,
    client: &Client,
    spec: &WaitSpec,
    (from, id): &mut (u64, SessionId),
) -> Result<(), Error> {
    let Some([first, last]) = client.left_out(id) else {
        return Ok(());
    };
    let seen = seen_before(hub, client, spec, &(*from, id.clone())).await?;
    if seen.is_some_and(|seen| (first..=last).contains(&seen.line)) {
        *from = begin_of_run(hub, id);
    }
    Ok(())
}

/// Where the output of the last run begins, as far as it is kept.
fn begin_of_run(hub: &Hub, id: &SessionId) -> u64 {
    let state = hub.read();
    let runs = state.sessions.get(id).map(|session| session.life.runs());
    let run = runs.and_then(<[_]>::last).map_or(0, |run| run.offset);
    run.max(state.sessions.log_first(id))
}

/// What a model has been shown that its patterns match: it may have seen the line and wait for it all the same.
async fn seen_before(
    hub: &Hub,
    client: &Client,
    spec: &WaitSpec,
    (from, id): &(u64, SessionId),
) -> Result<Option<SeenBefore>, Error> {
    let spec = WaitSpec {
        timeout_ms: Some(0),
        ..spec.clone()
    };
    let begin = begin_of_run(hub, id);
    if spec.view == Some(View::Screen) || begin >= *from || *from - begin > SEARCHED_AGAIN {
        return Ok(None);
    }
    let found = found(hub, client, &spec, (begin, id.clone())).await?;
    Ok(found.and_then(|matched| {
        Some(SeenBefore {
            line: matched.line?,
            text: matched.text.unwrap_or_default(),
            since: cursor(begin),
        })
    }))
}

/// The row of a full-screen program that a pattern matches which was searched in lines: such a program writes none.
async fn row_of_screen(
    hub: &Hub,
    client: &Client,
    spec: &WaitSpec,
    id: &SessionId,
) -> Result<Option<u64>, Error> {
    let mut patterns = spec.until.clone().unwrap_or_default();
    patterns.retain(|condition| matches!(condition, Condition::Pattern(_)));
    let end = {
        let state = hub.read();
        let session = state.sessions.get(id);
        let draws =
            |session: &&Session| session.output.alt_screen() || session.output.draws_main_screen();
        session.filter(draws).map(|_| state.sessions.log_end(id))
    };
    let Some(end) = end.filter(|_| spec.view != Some(View::Screen) && !patterns.is_empty()) else {
        return Ok(None);
    };
    let spec = WaitSpec {
        until: Some(patterns),
        view: Some(View::Screen),
        timeout_ms: Some(0),
        ..WaitSpec::default()
    };
    let found = found(hub, client, &spec, (end, id.clone())).await?;
    Ok(found.and_then(|matched| matched.line))
}

/// What matches in a session at once.
async fn found(
    hub: &Hub,
    client: &Client,
    spec: &WaitSpec,
    from: (u64, SessionId),
) -> Result<Option<Matched>, Error> {
    let plan = Plan::new(client, spec)?;
    let decided = plan.decide(hub, &[from], WaitMode::Any).await?;
    let decision = decided.verdict.into_iter().next().and_then(|part| part.1);
    Ok(match decision {
        Some(Decision::Matched(matched) | Decision::Failed(matched)) => Some(matched),
        _ => None,
    })
}

/// The sessions without those of which the client knows the end.
fn unknown_ends(hub: &Hub, client: &Client, ids: Vec<SessionId>) -> Result<Vec<SessionId>, Error> {
    let state = hub.read();
    let known = |id: &SessionId| {
        let session = state.sessions.get(id);
        session.is_some_and(|session| client.knows_end(session))
    };
    let open: Vec<SessionId> = ids.into_iter().filter(|id| !known(id)).collect();
    if open.is_empty() {
        let message = "All of these sessions have ended, and you have been told each end";
        let error = Error::new(ErrorCode::SessionNotRunning, message);
        return Err(error.hint("there is nothing left to wait for; `list` shows how they ended"));
    }
    Ok(open)
}
