//! `env`: what a job's program would see, and where each value comes from.

use std::rc::Rc;

use super::ports::assign_ports;
use super::read::{directory, read, refused_from};
use super::{borrow, reply};
use crate::daemon::hub::Hub;
use crate::daemon::programs::env_shown::Secrets;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::projects::spec::Sources;
use crate::daemon::projects::wishes;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::threads;
use crate::daemon::transport::Answer;
use crate::project::environment::Origin;
use crate::protocol::Error;
use crate::protocol::params::Project;
use crate::protocol::reply::{JobEnvironment, Variable};

/// Handles `env`: as a start from this client would have it now. Values are not masked: they are the client's own, or
/// from files that it can read.
pub(super) async fn environment(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    client.people_only("read the environment of a job")?;
    let mut loaded = read(hub, client, &params).await?;
    let names = wishes::selected(&loaded.project, params.jobs.as_deref())?;
    let Some(name) = names.first().filter(|_| names.len() == 1) else {
        return Err(Error::invalid("`jobs` names one job"));
    };
    if borrow::names(&loaded).contains(name)
        && let Some(main) = borrow::read_main(hub, client, &loaded).await?
    {
        // It runs in the main checkout, with the file that is there.
        loaded = main;
    }
    let mut project = Known::new(loaded.project.clone(), loaded.worktree(), loaded.identity);
    project.caller = Some(Rc::new(client.greeting.clone()));
    let known = {
        let state = hub.read();
        let known = state.projects.at(&loaded.project.dir);
        project.borrowed = borrow::lenders(&state, &loaded);
        // Those that `up` gives or would give.
        let (_, ports) = assign_ports(&state, known.unwrap_or(&project), &loaded, &loaded.project)?;
        project.ports = ports;
        known.map(|known| known.id.clone())
    };
    let dir = directory(client, &params)?;
    let sources = Sources::of(&project, name).ok_or_else(|| Error::internal("no such job"))?;
    let resolved = threads::run("resolve", move || sources.resolve()).await?;
    let (values, expanded) = resolved.map_err(|faults| refused_from(&dir, &faults))?;
    let secrets = Secrets::of(values.texts());
    let variables = values.values.iter().filter_map(|(name, value)| {
        let text = value.text.clone()?;
        Some(Variable {
            name: name.clone(),
            secret: secrets.have(name, &text),
            value: text,
            from: origin(&value.from),
        })
    });
    let environment = JobEnvironment {
        cwd: expanded.cwd.display().to_string(),
        variables: variables.collect(),
    };
    let mut state = match known {
        Some(id) => reply::state_of(hub, &id, None).await?,
        None => reply::state_of_file(&loaded),
    };
    let warnings = values.warnings.iter().map(ToString::to_string);
    state.warnings.extend(warnings);
    state.environment = Some(environment);
    answer(state)
}

/// Where a value comes from, for people.
fn origin(from: &Origin) -> String {
    match from {
        Origin::Caller => "the environment".to_owned(),
        Origin::Project => "[env]".to_owned(),
        Origin::File { path, line } => format!("{}:{line}", path.display()),
        Origin::Job => "env of the job".to_owned(),
        Origin::Port => "port".to_owned(),
        Origin::Bgproc => "bgproc".to_owned(),
    }
}
