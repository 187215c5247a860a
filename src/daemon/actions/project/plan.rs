//! `plan`: what `up` would change.

use std::rc::Rc;

use super::read::{check_agent, nothing, read};
use super::{Wants, change, reply};
use crate::daemon::hub::Hub;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::requests::client::Client;
use crate::daemon::transport::Answer;
use crate::protocol::params::Project;

/// Compares the file with what is in force, and changes nothing.
pub(super) async fn plan(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    let loaded = read(client, &params).await?;
    check_agent(client, &loaded.project, Wants::Read)?;
    let known = {
        let state = hub.read();
        let known = state.projects.at(&loaded.project.dir);
        if let Some(known) = known {
            check_agent(client, &known.applied, Wants::Read)?;
        }
        known.map(|project| project.id.clone())
    };
    let is_reload = params.apply == Some(true);
    match known {
        Some(id) => {
            let changes = {
                let state = hub.read();
                let project = state.projects.get(&id);
                project.map(|project| change::compare(project, &loaded.project, &params, is_reload))
            };
            let plan = changes
                .transpose()?
                .map_or_else(Vec::new, |changes| changes.plan);
            reply::planned(hub, &id, plan, &loaded.project.warnings)
        }
        None => {
            let empty = Known::new(nothing(&loaded.project), String::new(), loaded.identity);
            let changes = change::compare(&empty, &loaded.project, &params, is_reload)?;
            reply::planned_of_file(&loaded, changes.plan)
        }
    }
}
