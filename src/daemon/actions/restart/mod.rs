//! `restart`: a new run under the same id.

mod next_run;

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use self::next_run::NextRun;
use super::{project, start, turn};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::allow::{check_env, check_spec};
use crate::daemon::programs::program::check_changes;
use crate::daemon::programs::program::{check_directory, check_still_there, fresh_spec};
use crate::daemon::projects::guests::FirstRun;
use crate::daemon::requests::batch;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::confirm::may_end;
use crate::daemon::requests::ending::{cannot_end, end, end_strays, grace_left, wait_for_exit};
use crate::daemon::requests::find::find;
use crate::daemon::requests::limits::{YIELD_MS, wait_ms};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::started::started;
use crate::daemon::requests::uncancelled::finish_anyway;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::state::State;
use crate::daemon::tasks::restart::RestartGuard;
use crate::daemon::tasks::tree_kill::{Ended, GRACE_MS};
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::engine::life::RestartRequest;
use crate::engine::meta::Spec;
use crate::engine::registry::Access;
use crate::engine::session::Session;
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::params::Restart;
use crate::protocol::record::Record;
use crate::protocol::{Error, ErrorCode, SessionId, Status};
use crate::sys::signal;

/// Ends the current run, if there is one, and starts the next one.
pub(super) async fn restart(hub: &Hub, client: &Rc<Client>, params: Restart) -> Answer {
    let grace = wait_ms("graceMs", params.grace_ms, GRACE_MS)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    let grace = match params.grace_ms {
        Some(_) => grace,
        None => grace_left(hub, &id, grace),
    };
    let env = params.env.clone().unwrap_or_default();
    check_request(hub, client, &id, &env)?;
    let spec = WaitSpec {
        until: params.until,
        fail: params.fail,
        timeout_ms: Some(wait_ms("waitMs", params.wait_ms, YIELD_MS)?),
        ..WaitSpec::default()
    };
    let (has_probe, project) = {
        let state = hub.read();
        let known = state.sessions.get(&id).ok_or_else(|| gone(&id))?;
        (known.spec.ready.is_some(), known.spec.project.clone())
    };
    let plan = Plan::or_else(client, &spec, Conditions::something_to_do(has_probe, None))?;
    let waits = spec.names_conditions() || params.wait_ms.is_some();
    let resumes = params.resume == Some(true);
    if !env.is_empty() {
        has_own_environment(hub, &id, project.is_some())?;
    }
    if let Some(of) = project {
        let how = project::restart::How {
            resumes,
            grace: params.grace_ms.map(|_| grace),
        };
        return project::restart::restart(hub, client, &id, of, how, (plan, spec, waits)).await;
    }
    if let Some(record) = start_waiting(hub, client, &id, resumes).await? {
        return answer(record);
    }
    let unique = params.unique_label == Some(true);
    let next_run = |session: &Session| NextRun {
        grace,
        unique,
        env,
        resumed: session.spec.resumed().filter(|_| {
            // Nobody else may have restarted it meanwhile.
            resumes && session.life.status() == Status::Lost
        }),
    };
    let (from, record) = run_again(hub, client, &id, next_run).await?;
    // What waits in a queue may wait for long, so that only who says what for waits with it.
    let is_in_queue = turn::waits(hub, &id);
    if !waits && (is_in_queue || !client.is_lean()) {
        return answer(record);
    }
    let waited = plan
        .run(hub, client, vec![(from, id.clone())], WaitMode::Any)
        .await?;
    answer(started(hub, &id, waited, spec.names_conditions())?)
}

/// Checks whether the client may restart a session, and with these variables.
fn check_request(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    env: &BTreeMap<String, Option<String>>,
) -> Result<(), Error> {
    may_end(&hub.read(), client, id)?;
    check_env(&client.greeting, env.keys())?;
    check_changes(env)?;
    let again = "start it again with its launcher, as a session of its own";
    batch::refuse(hub, id, "restarted", again)
}

/// Refuses other variables for a session whose environment is not its own, or not known yet.
fn has_own_environment(hub: &Hub, id: &SessionId, is_of_project: bool) -> Result<(), Error> {
    let (why, next) = if is_of_project {
        (
            "gets its environment from its project",
            "change `env` in the project file, then reload",
        )
    } else if turn::waits(hub, id) {
        (
            "waits for its first run",
            "remove it, and start it with `env`",
        )
    } else {
        return Ok(());
    };
    let message = format!("`env`: session {id} {why}");
    Err(Error::invalid(message).hint(next))
}

/// Starts a session that waits for its first run, before those that it waits for, and returns its record. With
/// `resumes`, it goes on waiting. Returns `None` if it does not wait.
async fn start_waiting(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    resumes: bool,
) -> Result<Option<Record>, Error> {
    hub.change(|state| resume_waiting(state, client, id))?;
    if turn::waits(hub, id) {
        if resumes {
            return record(hub, id).map(Some);
        }
        check(hub, client, id, None).await?;
    }
    let Some(queues) = hub.change(|state| state.start_out_of_turn(id)) else {
        return Ok(None);
    };
    turn::decided(hub, &queues, id).await;
    record(hub, id).map(Some)
}

fn record(hub: &Hub, id: &SessionId) -> Result<Record, Error> {
    let state = hub.read();
    let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
    Ok(state.record(session, now()))
}

/// Gives a session that waits the environment of the client, if its own was lost. It keeps its place.
fn resume_waiting(state: &mut State, client: &Client, id: &SessionId) -> Result<(), Error> {
    let has_lost = state
        .waits_in(id)
        .is_some_and(|project| project.has_lost_first_run(id.as_str()));
    let Some(session) = state.sessions.get(id).filter(|_| has_lost) else {
        return Ok(());
    };
    let first_run = FirstRun {
        spawn: fresh_spec(&client.greeting, id, &session.spec)?,
        input: None,
        place: None,
    };
    state.set_first_run(id, first_run);
    // Its group may have been changed since.
    state.follow_group(id);
    Ok(())
}

fn gone(id: &SessionId) -> Error {
    Error::session_not_found(id.as_str())
}

/// Checks whether the client may run this program, whether it can be started as far as can be seen, and whether there is
/// room for one more that runs: nothing is ended for a run that cannot begin.
async fn check(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    resumed: Option<&Spec>,
) -> Result<(), Error> {
    let cwd = {
        let state = hub.read();
        let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
        resumed.unwrap_or(&session.spec).cwd.clone()
    };
    client.reachable(Path::new(&cwd)).await?;
    let state = hub.read();
    let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
    let wanted = resumed.unwrap_or(&session.spec);
    check_spec(&client.greeting, wanted)?;
    check_directory(Path::new(&wanted.cwd))?;
    let is_same = resumed.is_none() && !session.spec.changed;
    if let Some(known) = state
        .sessions
        .io(id)
        .and_then(SessionIo::spec)
        .filter(|_| is_same)
    {
        check_still_there(&known.program)?;
    }
    check_room(&state, client, session)
}

/// Checks whether there is room for the next run of a session. One that has not ended has its place, unless it waits in
/// a queue.
fn check_room(state: &State, client: &Client, session: &Session) -> Result<(), Error> {
    if session.life.is_going() && !state.is_in_queue(session) {
        return Ok(());
    }
    start::check_room(state, client)
}

/// Ends the current run and starts the next one, or lets it wait for its turn in the queue of its group. Returns where
/// its output begins, and the record. Another restart is refused until this returns; what follows is a wait, in which
/// others may restart the session. With `resumes`, a lost session runs the command that continues it.
async fn run_again(
    hub: &Hub,
    client: &Rc<Client>,
    id: &SessionId,
    next_run: impl FnOnce(&Session) -> NextRun,
) -> Result<(u64, Record), Error> {
    let guard = RestartGuard::take(hub, id, Some(client.principal.actor())).ok_or_else(|| {
        let message = format!("Session {id} is already being restarted");
        Error::new(ErrorCode::InvalidRequest, message)
    })?;
    let next_run = next_run(hub.read().sessions.get(id).ok_or_else(|| gone(id))?);
    let (hub, client, id) = (hub.clone(), client.clone(), id.clone());
    finish_anyway(async move {
        let done = end_and_run(&hub, &client, &id, next_run).await;
        hub.change(|state| state.call_off_restart(&id));
        drop(guard);
        done
    })
    .await
}

async fn end_and_run(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    next_run: NextRun,
) -> Result<(u64, Record), Error> {
    check(hub, client, id, next_run.resumed.as_ref()).await?;
    next_run.is_free(&hub.read(), id)?;
    let (status, waits_for_retry) = {
        let state = hub.read();
        let life = &state.sessions.get(id).ok_or_else(|| gone(id))?.life;
        (life.status(), life.retry_at().is_some())
    };
    // A session that waits for the next run of its policy is started now: it has a place in its queue.
    let place = if waits_for_retry {
        None
    } else {
        turn::place_again(hub, id)
    };
    if !status.is_finished() && !waits_for_retry {
        hub.change(|state| {
            // The end that was asked for does not pause the queue.
            state.leave_turn(id);
            // It is stored with the request to end.
            if let Some(session) = state.sessions.get_mut(id) {
                session.life.run_again(Some(next_run.request_of(client)));
            }
        });
        let ended = end(hub, client, id, signal::TERM, next_run.grace).await;
        none_left(id, &ended)?;
    } else if status == Status::Lost && !is_of_node(hub) {
        // Nobody has seen its end: with pipes, it may still run.
        none_left(id, &end_strays(hub, id, signal::TERM, next_run.grace).await)?;
    }
    let from = hub.read().sessions.log_end(id);
    // A condition is about the new run.
    client.search_from(id, from);
    hub.catch_up_within_limit(id).await;
    next_run.begin(hub, Some(client), id, place).await?;
    let state = hub.read();
    let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
    client.tell_state(session);
    Ok((from, state.record(session, now())))
}

/// Whether this daemon serves one job of a batch system, on its node. What another node has lost is not here, and what
/// is left on this one is for the batch system to end.
fn is_of_node(hub: &Hub) -> bool {
    hub.read().sessions.store.home().session.is_some()
}

/// Refuses the next run if processes of the last one could not be ended.
fn none_left(id: &SessionId, ended: &Ended) -> Result<(), Error> {
    if ended.survivors.is_empty() {
        Ok(())
    } else {
        Err(cannot_end(id, "restarted", ended))
    }
}

/// Goes on with the restarts that an earlier daemon has begun.
pub(in crate::daemon) fn go_on(hub: &Hub) {
    let begun: Vec<(SessionId, RestartRequest)> = {
        let state = hub.read();
        let sessions = state.sessions.iter();
        let begun = sessions
            .filter_map(|session| Some((session.id.clone(), session.life.again()?.clone())));
        begun.collect()
    };
    for (id, asked) in begun {
        let Some(guard) = RestartGuard::take(hub, &id, Some(asked.by.clone())) else {
            continue;
        };
        let hub = hub.clone();
        tokio::task::spawn_local(async move {
            if let Err(error) = go_on_with(&hub, &id, &asked).await {
                tracing::warn!(session = %id, %error, "it is not run again");
            }
            hub.change(|state| state.call_off_restart(&id));
            drop(guard);
        });
    }
}

/// Waits for the end of the current run, which the takeover sees to, and starts the next one.
async fn go_on_with(hub: &Hub, id: &SessionId, asked: &RestartRequest) -> Result<(), Error> {
    if !hub.read().sessions.is_over(id) {
        wait_for_exit(hub, id, None).await;
    }
    // What is left may hold its port, for example.
    end_strays(hub, id, signal::TERM, GRACE_MS).await;
    hub.catch_up_within_limit(id).await;
    if asked.other_env {
        let why = "the variables that it was to have are lost, since the daemon was replaced";
        hub.change(|state| {
            // Somebody may have called it off.
            if state.restarting.contains_key(id) {
                next_run::not_started(state, id, why);
            }
        });
        return Err(Error::internal(why));
    }
    let next_run = NextRun {
        grace: GRACE_MS,
        unique: asked.unique,
        env: BTreeMap::new(),
        resumed: None,
    };
    let place = turn::place_again(hub, id);
    next_run.begin(hub, None, id, place).await
}
