//! The stop of one job of a project, in the way that its file says.

use std::time::Duration;

use super::keys;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::state::projects::WITHOUT_SESSION;
use crate::daemon::tasks::tree_kill;
use crate::daemon::tasks::{restart, shell_line};
use crate::engine::conditions::Conditions;
use crate::engine::life::Actor;
use crate::project::stop::Stop;
use crate::project::stop::StopHow;
use crate::protocol::SessionId;
use crate::sys::signal;

/// Stops a job, as was just decided.
pub(super) fn begin(hub: &Hub, project: &str, job: &str) {
    let known = {
        let state = hub.read();
        let project = state.projects.get(project);
        project.and_then(|project| {
            let session = project.sessions.get(job)?.clone();
            let stop = project.applied.jobs.get(job).map(|job| job.stop.clone());
            let mut stop = stop.unwrap_or_default();
            if let Some((run, grace)) = project.graces.get(&session)
                && state.sessions.run(&session) == Some(*run)
            {
                stop.grace_ms = *grace;
            }
            let stop = (!project.kill).then_some(stop);
            Some((session, stop, project.on_behalf_of(job)))
        })
    };
    let Some((session, stop, by)) = known else {
        return hub.change(|state| state.job_has_no_session(project, job, WITHOUT_SESSION));
    };
    let (hub, project) = (hub.clone(), project.to_owned());
    tokio::task::spawn_local(async move {
        let survivors = end(&hub, &session, stop, by).await;
        hub.change(|state| state.job_stopped(&project, &session, &survivors));
    });
}

/// Ends a session on behalf of `by`; without `stop` with KILL. Returns the processes that could not be ended.
async fn end(hub: &Hub, session: &SessionId, stop: Option<Stop>, by: Actor) -> Vec<u32> {
    restart::stop(hub, session, &by).await;
    let (first, grace_ms) = match stop {
        None => (signal::KILL, 0),
        Some(stop) => politely(hub, session, &stop, by.clone()).await,
    };
    let ended = tree_kill::end(hub, session, by, first, grace_ms).await;
    ended.survivors
}

/// Asks a job to end as its file says, if that is not a signal, and waits for its grace period. Returns the signal
/// that ends what is left then, and what is left of the grace period.
pub(crate) async fn politely(hub: &Hub, session: &SessionId, stop: &Stop, by: Actor) -> (i32, u64) {
    if let StopHow::Signal(_) = &stop.how {
        return (first_signal(stop), stop.grace_ms);
    }
    let deadline = now().boot + stop.grace_ms;
    let left = || deadline.saturating_sub(now().boot);
    // Note it first: its end is then not one after which its restart policy runs it again.
    hub.change(|state| {
        if let Some(session) = state.sessions.get_mut(session) {
            session.life.ask_to_end_until(by, deadline);
        }
        state.persist(session);
    });
    let mut may_end = true;
    match &stop.how {
        StopHow::Keys(keys) => keys::press(hub, session, keys, "stop").await,
        StopHow::Run(line) => {
            if let Err(why) = run(hub, session, line, left()).await {
                hub.change(|state| state.stop_line_failed(session, why));
                // What is left of the grace period is for the signal.
                may_end = false;
            }
        }
        StopHow::Signal(_) => {}
    }
    let is_alive = {
        let state = hub.read();
        let session = state.sessions.get(session);
        session.is_some_and(|session| session.life.status().has_process())
    };
    if is_alive && may_end {
        hub.wait_from_now(session, Conditions::exit(), Some(left()))
            .await;
    }
    (signal::TERM, left())
}

/// The first signal that a job gets when it is stopped.
pub(crate) fn first_signal(stop: &Stop) -> i32 {
    match &stop.how {
        StopHow::Signal(name) => signal::number(name).unwrap_or(signal::TERM),
        StopHow::Keys(_) | StopHow::Run(_) => signal::TERM,
    }
}

/// Runs a shell line in the directory and environment of a job, for at most so many milliseconds. What it has started
/// is ended with it then. The error says why it failed.
async fn run(hub: &Hub, session: &SessionId, line: &str, within_ms: u64) -> Result<(), String> {
    let known = {
        let state = hub.read();
        state
            .sessions
            .both(session)
            .and_then(|(session, io)| Some((io.spec()?.clone(), state.line_shell(session))))
    };
    let Some((spec, shell)) = known else {
        return Ok(());
    };
    let command = shell_line::command(&shell, line, &spec);
    let within = Duration::from_millis(within_ms);
    shell_line::run(command, within, "a stop line", session).await
}
