//! `down`: the jobs of a project shall end.

use std::rc::Rc;

use super::read::{check_agent, known};
use super::{SETTLE_MS, Wants, read, reply, wait_until};
use crate::daemon::hub::Hub;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::confirm::may_end_job;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::transport::Answer;
use crate::engine::project::Standing;
use crate::protocol::params::Project;

/// Handles `down`. Without running jobs it does nothing.
pub(super) async fn down(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    let within = wait_ms("waitMs", params.wait_ms, SETTLE_MS)?;
    let Some(id) = known(hub, client, &params).await? else {
        let mut loaded = read::read(hub, client, &params).await?;
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
    hub.change(|state| state.bring_down(&id, by, kill));
    let is_over = |project: &Known| project.is_at_rest() || project.wish.standing == Standing::Up;
    wait_until(hub, &id, within, is_over).await;
    reply::state(hub, &id, None).await
}
