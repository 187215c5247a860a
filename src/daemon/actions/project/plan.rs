//! `plan`: what `up` or `reload` would change.

use std::rc::Rc;

use super::read::{check_agent, nothing, read_with_env_files};
use super::{Wants, borrow, change, reply, resolve};
use crate::daemon::hub::Hub;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::requests::client::Client;
use crate::daemon::transport::Answer;
use crate::protocol::params::Project;

/// Compares the file with what is in force, and changes nothing.
pub(super) async fn plan(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    let mut loaded = read_with_env_files(hub, client, &params).await?;
    check_agent(client, &loaded.project, Wants::Read)?;
    let is_reload = params.reload == Some(true);
    // What `up` refuses has no plan.
    let odd = resolve::check(hub, client, &loaded, &params, is_reload).await?;
    loaded.project.warnings.extend(odd);
    let compare = |known: &Known| change::compare(known, &loaded, &params, is_reload);
    let known = {
        let state = hub.read();
        let known = state.projects.at(&loaded.project.dir);
        let compared = known.map(|known| {
            check_agent(client, &known.applied, Wants::Read)?;
            Ok((known.id.clone(), compare(known)?.plan))
        });
        compared.transpose()?
    };
    match known {
        Some((id, plan)) => reply::plan(hub, &id, plan, &loaded).await,
        None => {
            let mut empty = Known::new(nothing(&loaded.project), String::new(), loaded.identity);
            empty.borrowed = borrow::lenders(&hub.read(), &loaded);
            reply::planned_of_file(&loaded, compare(&empty)?.plan)
        }
    }
}
