//! `restart` of a session that runs a job of a project: the wish is changed, and its file is read again.

use std::rc::Rc;

use super::ports::assign_ports;
use super::read::{Loaded, read_known};
use super::up::caller;
use super::wait_until;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::projects::{ProjectId, wishes};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::started::started;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::state::State;
use crate::daemon::state::job_states::seen_of_all;
use crate::daemon::transport::Answer;
use crate::engine::meta::ProjectJob;
use crate::engine::project::need::{Met, Needs};
use crate::engine::project::{Phase, Seen, Why};
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::project::Need;
use crate::protocol::record::Record;
use crate::protocol::{Error, ErrorCode, SessionId, Status};

/// How a job is run again.
#[derive(Clone, Copy)]
pub(in crate::daemon::actions) struct How {
    /// With the line that resumes it, if it was lost.
    pub(in crate::daemon::actions) resumes: bool,
    /// How long the run before has to end, in milliseconds. Without it, as long as the project file says.
    pub(in crate::daemon::actions) grace: Option<u64>,
}

/// Requests a run of the job that `session` runs, before those that it waits for, and waits for it as `restart` does.
/// `waits`: the client has said that it waits.
pub(in crate::daemon::actions) async fn restart(
    hub: &Hub,
    client: &Rc<Client>,
    session: &SessionId,
    of: ProjectJob,
    how: How,
    (plan, spec, waits): (Plan, WaitSpec, bool),
) -> Answer {
    let known = hub
        .read()
        .projects
        .get(&of.id)
        .map(|project| project.applied.clone());
    let known = known.ok_or_else(|| Error::session_not_found(session.as_str()))?;
    let loaded = read_known(hub, client, &known).await?;
    let from = hub.read().sessions.log_end(session);
    let before = hub.read().sessions.run(session);
    check_needs(&hub.read(), session, &of, &loaded)?;
    hub.change(|state| {
        define(state, &of, &loaded)?;
        start_out_of_turn(state, session, how.resumes);
        end_within(state, session, &of, how.grace);
        wish(state, client, &of);
        Ok::<(), Error>(())
    })?;
    let within = spec.timeout_ms.unwrap_or_default();
    wait_until_decided(hub, session, &of, before, within).await;
    let (record, runs) = begun(hub, client, session, &of, before)?;
    if !runs || (!waits && !client.is_lean()) {
        return answer(record);
    }
    let waited = plan
        .run(hub, client, vec![(from, session.clone())], WaitMode::Any)
        .await?;
    answer(started(hub, session, waited, spec.names_conditions())?)
}

/// Refuses to restart a job that would not start because of what it needs.
fn check_needs(
    state: &State,
    session: &SessionId,
    of: &ProjectJob,
    loaded: &Loaded,
) -> Result<(), Error> {
    let Some(need) = unmet(state, of, loaded) else {
        return Ok(());
    };
    let (job, why) = (&of.job, Why::Needs(need.clone()));
    let known = state.sessions.get(session);
    let message = if known.is_some_and(|known| known.life.status().has_process()) {
        format!("{job} was not restarted and goes on: it {why}")
    } else {
        format!("{job} not started: {why}")
    };
    let hint = format!("bgproc up {} starts {}, too", of.job, need.job);
    Err(Error::new(ErrorCode::SpawnFailed, message).hint(hint))
}

/// Waits until the run after `before` has begun, cannot be started, or must wait for something that may take long.
async fn wait_until_decided(
    hub: &Hub,
    session: &SessionId,
    of: &ProjectJob,
    before: Option<u32>,
    within: u64,
) {
    wait_until(hub, &of.id, within, |project| {
        let run = hub.read().sessions.run(session);
        let phase = project.decision.phases.get(&of.job);
        let job = project.wish.jobs.get(&of.job);
        run > before
            || job.is_some_and(|job| job.broken.is_some())
            || matches!(
                phase,
                Some(Phase::Failed | Phase::Skipped(_) | Phase::Stopped)
            )
    })
    .await;
}

/// The record of the session, and whether the run after `before` has begun. Returns an error if the job cannot be
/// started.
fn begun(
    hub: &Hub,
    client: &Client,
    session: &SessionId,
    of: &ProjectJob,
    before: Option<u32>,
) -> Result<(Record, bool), Error> {
    let state = hub.read();
    let known = state.sessions.get(session);
    let known = known.ok_or_else(|| Error::session_not_found(session.as_str()))?;
    let runs = state.sessions.run(session) > before;
    if runs {
        client.tell_state(known);
    }
    let project = state.projects.get(&of.id);
    let job = project.and_then(|project| project.wish.jobs.get(&of.job));
    match job.and_then(|job| job.broken.as_ref()) {
        Some(why) => {
            let message = format!("{} not started: {why}", of.job);
            Err(Error::new(ErrorCode::SpawnFailed, message))
        }
        None => Ok((state.record(known, now()), runs)),
    }
}

/// The need because of which the job would not start. A job that runs goes on then: what it was started with is still
/// there.
fn unmet(state: &State, of: &ProjectJob, loaded: &Loaded) -> Option<Need> {
    let project = state.projects.get(&of.id)?;
    let mut wish = project.wish.clone();
    let new = loaded.project.jobs.get(&of.job);
    if let (Some(job), Some(new)) = (wish.jobs.get_mut(&of.job), new) {
        job.needs.clone_from(&new.needs);
    }
    let now = seen_of_all(project, &state.sessions);
    wish.restart(&of.job, |name| Seen::of(&now, name));
    let seen = now.iter().map(|(name, seen)| (name.as_str(), *seen));
    match Needs::of(&wish, &seen.collect()).met(&of.job) {
        Met::Never(need) => Some(need),
        Met::Yes | Met::NotYet(_) => None,
    }
}

/// Lets the run that a job is owed start before those that it waits for.
fn start_out_of_turn(state: &mut State, id: &SessionId, resumes: bool) {
    state.start_out_of_turn(id);
    if let Some(session) = state.sessions.get_mut(id) {
        session.resumes =
            resumes && session.life.status() == Status::Lost && session.spec.resume.is_some();
    }
}

/// Notes how long the present run has to end, if the request says so.
fn end_within(state: &mut State, session: &SessionId, of: &ProjectJob, grace: Option<u64>) {
    let run = state.sessions.run(session);
    if let (Some(project), Some(run)) = (state.projects.get_mut(&of.id), run) {
        match grace {
            Some(grace) => project.graces.insert(session.clone(), (run, grace)),
            None => project.graces.remove(session),
        };
    }
}

fn wish(state: &mut State, client: &Client, of: &ProjectJob) {
    state.set_caller(&of.id, caller(&client.greeting));
    let Some(project) = state.projects.get(&of.id) else {
        return;
    };
    let now = seen_of_all(project, &state.sessions);
    let id: ProjectId = of.id.clone();
    if let Some(project) = state.projects.get_mut(&id) {
        let look = |name: &str| Seen::of(&now, name);
        project.wish.restart(&of.job, look);
        project.asked_by = client.principal.actor();
    }
    state.watch_again(&id, std::slice::from_ref(&of.job));
    state.wish_changed(&id);
}

/// Brings the definition of the job into force, and gives it its ports, if the jobs that it needs are known.
fn define(state: &mut State, of: &ProjectJob, loaded: &Loaded) -> Result<(), Error> {
    let Some(project) = state.projects.get_mut(&of.id) else {
        return Ok(());
    };
    project.restore_secrets(&loaded.project);
    let known = |need: &Need| project.applied.jobs.contains_key(&need.job);
    let new = loaded.project.jobs.get(&of.job);
    let Some(new) = new.filter(|new| new.needs.iter().all(known)) else {
        return Ok(());
    };
    let mut effective = project.applied.clone();
    effective.jobs.insert(of.job.clone(), new.clone());
    let Some(project) = state.projects.get(&of.id) else {
        return Ok(());
    };
    let (offset, ports) = assign_ports(state, project, loaded, &effective)?;
    if let Some(project) = state.projects.get_mut(&of.id) {
        (project.offset, project.ports) = (offset, ports);
        project.applied = effective;
        wishes::define(&mut project.wish, &project.applied, &project.borrowed);
    }
    Ok(())
}
