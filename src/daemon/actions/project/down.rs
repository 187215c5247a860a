//! `down`: the jobs of a project shall end.

use std::rc::Rc;

use super::read::{check_agent, known};
use super::{SETTLE_MS, Wants, read, reply, wait_until};
use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::confirm::may_end_job;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::life::Actor;
use crate::engine::project::{Seen, Standing};
use crate::protocol::params::Project;

/// Handles `down`. Without running jobs it does nothing.
pub(super) async fn down(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    let within = wait_ms("waitMs", params.wait_ms, SETTLE_MS)?;
    let Some(id) = known(hub, client, &params).await? else {
        let mut loaded = read::read(client, &params).await?;
        check_agent(client, &loaded.project, Wants::Change)?;
        // Only processes that are left are told here.
        loaded.project.warnings.clear();
        return reply::of_file(&loaded);
    };
    {
        let state = hub.read();
        if let Some(project) = state.projects.get(&id) {
            check_agent(client, &project.applied, Wants::Change)?;
            let mut jobs = project.applied.jobs.keys();
            jobs.try_for_each(|job| may_end_job(project, client, job))?;
        }
    }
    let (by, kill) = (client.principal.actor(), params.now == Some(true));
    hub.change(|state| bring_down(state, &id, by, kill));
    let is_over = |project: &Known| project.is_at_rest() || project.wish.standing == Standing::Up;
    wait_until(hub, &id, within, is_over).await;
    reply::state(hub, &id, None)
}

fn bring_down(state: &mut State, id: &ProjectId, by: Actor, kill: bool) {
    let Some(project) = state.projects.get_mut(id) else {
        return;
    };
    let now = project.seen.clone();
    project.wish.down(|name| Seen::of(&now, name));
    project.asked_by = by;
    project.kill = kill;
    project.all = false;
    project.survivors.clear();
    let own = project.sessions.iter();
    let own = own.filter(|(name, _)| !project.is_foreign(name));
    let sessions: Vec<_> = own.map(|(_, session)| session.clone()).collect();
    for session in sessions {
        let kept = state
            .sessions
            .get_mut(&session)
            .filter(|session| session.time_limits.keep);
        if let Some(known) = kept {
            known.time_limits.keep = false;
            state.persist(&session);
        }
    }
    // Nothing starts any more without a client that brings its environment.
    state.keeper.unstore(id);
    state.wish_changed(id);
}
