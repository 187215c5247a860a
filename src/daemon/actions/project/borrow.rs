//! Jobs with `per = "repo"`: all worktrees share that of the main checkout.
//!
//! The project of a linked worktree borrows such a job: it is brought up in the project of the main checkout, with
//! the file that is there, and only looked at from here.

use std::collections::BTreeMap;

use super::change::compare;
use super::read::{Loaded, check_agent, nothing, read_with_env_files};
use super::{Wants, up};
use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::requests::client::Client;
use crate::daemon::state::State;
use crate::project::job::Per;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::{Error, ErrorCode};

/// The names of the jobs that a project borrows of the main checkout.
pub(super) fn names(loaded: &Loaded) -> Vec<String> {
    let is_linked = loaded
        .checkout
        .as_ref()
        .is_some_and(|checkout| checkout.is_linked);
    let jobs = loaded.project.jobs.iter();
    let borrowed = jobs.filter(|(_, job)| is_linked && job.per == Per::Repo);
    borrowed.map(|(name, _)| name.clone()).collect()
}

/// Reads the project file of the main checkout, if jobs are borrowed of it.
pub(super) async fn read_main(
    hub: &Hub,
    client: &Client,
    loaded: &Loaded,
) -> Result<Option<Loaded>, Error> {
    let names = names(loaded);
    let (Some(first), Some(checkout)) = (names.first(), &loaded.checkout) else {
        return Ok(None);
    };
    let missing = |why: &str| {
        let message = format!(
            "job {first} has per = \"repo\", but the main checkout {} {why}",
            checkout.main.display()
        );
        Error::new(ErrorCode::InvalidProject, message)
            .hint("merge the project file there, or remove the key")
    };
    let dir = checkout.in_main(&loaded.project.dir);
    let dir = dir.ok_or_else(|| missing("has no such directory"))?;
    let params = Project {
        dir: Some(dir.display().to_string()),
        ..Project::default()
    };
    let main = match read_with_env_files(hub, client, &params).await {
        Ok(main) if main.project.dir == dir => main,
        Ok(_) => return Err(missing("has no project file there")),
        Err(error) if error.code == ErrorCode::ProjectNotFound => {
            return Err(missing("has no project file there"));
        }
        Err(error) => return Err(error),
    };
    if let Some(unknown) = names
        .iter()
        .find(|name| !main.project.jobs.contains_key(*name))
    {
        return Err(missing(&format!("has no job {unknown}")));
    }
    check_agent(client, &main.project, Wants::Change)?;
    Ok(Some(main))
}

/// The jobs that a project borrows, and whose they are; no id if the main checkout was never up.
pub(super) fn lenders(state: &State, loaded: &Loaded) -> BTreeMap<String, ProjectId> {
    let checkout = loaded.checkout.as_ref();
    let main = checkout.and_then(|checkout| checkout.in_main(&loaded.project.dir));
    let main = main.and_then(|dir| state.projects.at(&dir));
    let lender = main.map(|main| main.id.clone()).unwrap_or_default();
    let names = names(loaded).into_iter();
    names.map(|name| (name, lender.clone())).collect()
}

/// Brings up the jobs of the main checkout that a request for a worktree wants. Returns whose the borrowed jobs are.
pub(super) fn bring_up(
    state: &mut State,
    client: &Client,
    main: &Loaded,
    loaded: &Loaded,
    params: &Project,
) -> Result<BTreeMap<String, ProjectId>, Error> {
    let is_reload = params.op == Some(ProjectOp::Reload);
    let mut fresh = Known::new(nothing(&loaded.project), loaded.worktree(), loaded.identity);
    fresh.borrowed = lenders(state, loaded);
    let known = state.projects.at(&loaded.project.dir).unwrap_or(&fresh);
    let wanted = compare(known, loaded, params, is_reload)?.borrowed;
    let known = state.projects.at(&main.project.dir);
    let known = known.map(|known| known.id.clone());
    let lender = if wanted.is_empty() {
        known.unwrap_or_default()
    } else {
        let params = Project {
            op: Some(ProjectOp::Up),
            jobs: Some(wanted.into_iter().collect()),
            ..Project::default()
        };
        up::apply(state, client, main, &params, BTreeMap::new())?.id
    };
    let names = names(loaded).into_iter();
    Ok(names.map(|name| (name, lender.clone())).collect())
}
