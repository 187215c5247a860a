//! Fills in the templates of jobs outside of their starts: to find what is wrong with them before anything starts, and
//! to know their addresses.

use super::borrow;
use super::change::compare;
use super::ports::assign_ports;
use super::read::{Loaded, directory, nothing, refused_from};
use super::up::caller;
use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::projects::spec::Sources;
use crate::daemon::requests::client::Client;
use crate::daemon::state::State;
use crate::daemon::threads;
use crate::project::Fault;
use crate::project::fault::first;
use crate::protocol::Error;
use crate::protocol::params::Project;
use crate::protocol::reply::ChangeKind;

/// Fails if the environment or a template of a job that a request starts cannot be filled in. Returns what is odd about
/// `.env` files.
pub(super) async fn check(
    hub: &Hub,
    client: &Client,
    loaded: &Loaded,
    params: &Project,
    is_reload: bool,
) -> Result<Vec<Fault>, Error> {
    let dir = directory(client, params)?;
    let sources = starting(&hub.read(), client, loaded, params, is_reload)?;
    // Files may be on a slow disk.
    let (faults, mut warnings) = threads::run("resolve", move || look(&sources)).await?;
    warnings.retain(|warning| !loaded.project.warnings.contains(warning));
    let faults = first(faults);
    if faults.is_empty() {
        Ok(warnings)
    } else {
        Err(refused_from(&dir, &faults))
    }
}

/// The jobs that a request starts, or starts again.
fn starting(
    state: &State,
    client: &Client,
    loaded: &Loaded,
    params: &Project,
    is_reload: bool,
) -> Result<Vec<Sources>, Error> {
    let mut fresh = Known::new(nothing(&loaded.project), loaded.worktree(), loaded.identity);
    fresh.borrowed = borrow::lenders(state, loaded);
    let project = state.projects.at(&loaded.project.dir).unwrap_or(&fresh);
    let changes = compare(project, loaded, params, is_reload)?;
    let (_, ports) = assign_ports(state, project, loaded, &changes.effective)?;
    let started = changes.plan.iter().filter(|change| match change.change {
        ChangeKind::Start => !project.borrowed.contains_key(&change.job),
        _ => changes.restarted.contains(&change.job),
    });
    let sources = started.filter_map(|change| {
        Some(Sources {
            id: project.id.clone(),
            job: change.job.clone(),
            defined: changes.effective.jobs.get(&change.job)?.clone(),
            caller: caller(&client.greeting),
            project: loaded.project.name.clone(),
            worktree: loaded.worktree(),
            ports: ports.clone(),
        })
    });
    Ok(sources.collect())
}

/// What is wrong with jobs, and what is odd; each once, since jobs share files.
fn look(sources: &[Sources]) -> (Vec<Fault>, Vec<Fault>) {
    let (mut faults, mut warnings) = (Vec::new(), Vec::new());
    for source in sources {
        let (all, found) = match source.resolve() {
            Ok((environment, _)) => (&mut warnings, environment.warnings),
            Err(found) => (&mut faults, found),
        };
        for fault in found {
            if !all.contains(&fault) {
                all.push(fault);
            }
        }
    }
    (faults, warnings)
}

/// Fills in where to open the jobs of a project: the text may have changed while they run.
pub(super) async fn fill_in_urls(hub: &Hub, id: &ProjectId) {
    let sources: Vec<Sources> = {
        let state = hub.read();
        let Some(project) = state.projects.get(id) else {
            return;
        };
        let jobs = project.applied.jobs.iter();
        let open = jobs.filter(|(name, job)| job.open.is_some() && !project.is_foreign(name));
        open.filter_map(|(name, _)| Sources::of(project, name))
            .collect()
    };
    if sources.is_empty() {
        return;
    }
    let filling = threads::run("urls", move || {
        let url = |source: Sources| Some((source.url()?, source.job));
        sources.into_iter().filter_map(url).collect()
    });
    let urls: Vec<(String, String)> = filling.await.unwrap_or_default();
    hub.change(|state| {
        let Some(project) = state.projects.get_mut(id) else {
            return;
        };
        let before = project.urls.clone();
        for (url, job) in urls {
            project.set_url(&job, Some(url));
        }
        if project.urls != before {
            state.wish_changed(id);
        }
    });
}
