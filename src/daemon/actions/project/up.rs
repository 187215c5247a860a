//! `up` and `reload`: the jobs of a project shall run as its file says.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

use super::change::{Changes, compare};
use super::ports::{Ports, assign_ports};
use super::read::{Loaded, check_agent, nothing, read_with_env_files};
use super::{SETTLE_MS, Wants, borrow, reply, resolve, wait_until};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::projects::{ProjectId, spec, wishes};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::confirm::may_end_job;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::state::State;
use crate::daemon::state::job_states::seen_of_all;
use crate::daemon::transport::Answer;
use crate::engine::life::Actor;
use crate::engine::project::Seen;
use crate::protocol::hello::Policy;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::reply::PlannedChange;
use crate::protocol::{Error, EventKind, Greeting, Role};

/// Who has stopped a job that is not in the file any more: nobody but the option that people know.
const PRUNE: &str = "--prune";

/// Handles `up` and `reload`.
pub(super) async fn up(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    let within = wait_ms("waitMs", params.wait_ms, SETTLE_MS)?;
    let loaded = read_with_env_files(hub, client, &params).await?;
    check_agent(client, &loaded.project, Wants::Change)?;
    let main = borrow::read_main(hub, client, &loaded).await?;
    let odd = resolve::check(hub, client, &loaded, &params, is_reload(&params)).await?;
    let applied = hub.change(|state| {
        let borrowed = match &main {
            Some(main) => borrow::bring_up(state, client, main, &loaded, &params)?,
            None => BTreeMap::new(),
        };
        apply(state, client, &loaded, &params, borrowed)
    })?;
    let Applied { id, plan, meant } = applied;
    resolve::fill_in_urls(hub, &id).await;
    wait_until(hub, &id, within, |project| {
        hub.read().has_settled(project, Some(&meant))
    })
    .await;
    let warnings = [loaded.project.warnings, odd].concat();
    reply::planned(hub, &id, Some(&meant), plan, &warnings).await
}

/// What a request has changed.
pub(super) struct Applied {
    /// The project.
    pub(super) id: ProjectId,
    /// What people are shown.
    plan: Vec<PlannedChange>,
    /// The jobs that the request is about.
    meant: BTreeSet<String>,
}

/// Brings the definitions into force and changes the wish. `borrowed` are the jobs of the main checkout.
pub(super) fn apply(
    state: &mut State,
    client: &Client,
    loaded: &Loaded,
    params: &Project,
    borrowed: BTreeMap<String, ProjectId>,
) -> Result<Applied, Error> {
    let known = state.projects.at(&loaded.project.dir);
    let known = known.map(|project| project.id.clone());
    let Checked {
        id,
        changes,
        offset,
        ports,
    } = match known {
        Some(id) => check_known(state, client, loaded, params, &id, borrowed)?,
        None => check_new(state, client, loaded, params, borrowed)?,
    };
    if let Some(project) = state.projects.get_mut(&id) {
        (project.offset, project.ports) = (offset, ports);
        bring_into_force(project, client, loaded, params, &changes);
    }
    state.set_caller(&id, caller(&client.greeting));
    create_sessions(state, &id, &changes)?;
    // A `reload` brings up nothing that is down.
    if !is_reload(params) || !changes.wanted.is_empty() {
        wish(state, &id, &changes, params.no_deps == Some(true));
    }
    state.watch_again(&id, &changes.wanted);
    describe_sessions(state, &id, &client.principal.actor());
    state.wish_changed(&id);
    let own = changes.wanted.into_iter().chain(changes.borrowed);
    let meant = own.chain(changes.restarted).chain(changes.pruned).collect();
    Ok(Applied {
        id,
        plan: changes.plan,
        meant,
    })
}

fn is_reload(params: &Project) -> bool {
    params.op == Some(ProjectOp::Reload)
}

/// What is to be brought into force, after all checks.
struct Checked {
    id: ProjectId,
    changes: Changes,
    offset: u16,
    ports: Ports,
}

/// Checks whether a known project may be changed. Only then other jobs count as those of the main checkout.
fn check_known(
    state: &mut State,
    client: &Client,
    loaded: &Loaded,
    params: &Project,
    id: &str,
    mut borrowed: BTreeMap<String, ProjectId>,
) -> Result<Checked, Error> {
    let gone = || Error::internal("the project is not known any more");
    let project = state.projects.get_mut(id).ok_or_else(gone)?;
    // A file that would allow more does not count before a person has brought it into force.
    check_agent(client, &project.applied, Wants::Change)?;
    project.restore_secrets(&loaded.project);
    std::mem::swap(&mut project.borrowed, &mut borrowed);
    let project = state.projects.get(id).ok_or_else(gone)?;
    let checked = check(state, client, loaded, params, project);
    if checked.is_err()
        && let Some(project) = state.projects.get_mut(id)
    {
        project.borrowed = borrowed;
    }
    checked
}

/// Compares the file with what is in force, and checks whether the client may change that. Changes nothing.
fn check(
    state: &State,
    client: &Client,
    loaded: &Loaded,
    params: &Project,
    project: &Known,
) -> Result<Checked, Error> {
    let changes = compare(project, loaded, params, is_reload(params))?;
    let mut ended = changes.restarted.iter().chain(&changes.pruned);
    ended.try_for_each(|job| may_end_job(project, client, job))?;
    check_room(state, project, &changes)?;
    let (offset, ports) = assign_ports(state, project, loaded, &changes.effective)?;
    Ok(Checked {
        id: project.id.clone(),
        changes,
        offset,
        ports,
    })
}

/// Makes a project known, if the client may bring it up.
fn check_new(
    state: &mut State,
    client: &Client,
    loaded: &Loaded,
    params: &Project,
    borrowed: BTreeMap<String, ProjectId>,
) -> Result<Checked, Error> {
    let empty = nothing(&loaded.project);
    let mut project = Known::new(empty, loaded.worktree(), loaded.identity);
    project.borrowed = borrowed;
    let checked = check(state, client, loaded, params, &project)?;
    state.projects.insert(project);
    Ok(checked)
}

/// Brings the definitions into force, and what else the file and the request say of the project.
fn bring_into_force(
    project: &mut Known,
    client: &Client,
    loaded: &Loaded,
    params: &Project,
    changes: &Changes,
) {
    project.dir.clone_from(&loaded.project.dir);
    (project.device, project.inode) = loaded.identity;
    project.worktree = loaded.worktree();
    project.asked_by = client.principal.actor();
    project.all |= params.jobs.is_none() && params.except.is_none() && !is_reload(params);
    project.wish.all_or_none |= params.all_or_none == Some(true);
    project.survivors.clear();
    project.failed_stops.clear();
    project.kill = false;
    for (from, to) in &changes.renamed {
        project.rename(from, to);
    }
    project.applied = changes.effective.clone();
    let jobs = &changes.effective.jobs;
    project.env_prints.retain(|name, _| jobs.contains_key(name));
    wishes::define(&mut project.wish, &changes.effective, &project.borrowed);
}

/// Creates the sessions of the wanted jobs that have none.
fn create_sessions(state: &mut State, id: &ProjectId, changes: &Changes) -> Result<(), Error> {
    for name in &changes.wanted {
        if !lacks_session(state, id, changes, name) {
            continue;
        }
        state.create_job_session(id, name)?;
        let project = state.projects.get_mut(id);
        if let Some(job) = project.and_then(|project| project.wish.jobs.get_mut(name)) {
            // Its runs are counted from 1 again.
            (job.forget, job.owed) = (0, None);
        }
    }
    Ok(())
}

/// Whether a job is to run and has no session.
fn lacks_session(state: &State, id: &ProjectId, changes: &Changes, name: &String) -> bool {
    let project = state.projects.get(id);
    let job = project.and_then(|project| project.wish.jobs.get(name));
    let is_done = job.is_some_and(|job| job.passed);
    if is_done && !changes.restarted.contains(name) {
        return false;
    }
    let session = project.and_then(|project| project.sessions.get(name));
    session.is_none_or(|session| state.sessions.get(session).is_none())
}

/// What is kept of the client: its environment, umask and limits. The rights of an agent were checked.
pub(super) fn caller(greeting: &Greeting) -> Greeting {
    Greeting {
        role: Role::Human,
        scope: None,
        policy: Policy::default(),
        ..greeting.clone()
    }
}

fn wish(state: &mut State, id: &ProjectId, changes: &Changes, alone: bool) {
    let Some(project) = state.projects.get(id) else {
        return;
    };
    let now = seen_of_all(project, &state.sessions);
    let look = |name: &str| Seen::of(&now, name);
    let Some(project) = state.projects.get_mut(id) else {
        return;
    };
    project.wish.up(&changes.wanted, look);
    for name in &changes.restarted {
        project.wish.restart(name, look);
        if let Some(job) = project.wish.jobs.get_mut(name) {
            // Its results are those of another definition.
            job.forget = look(name).run;
        }
    }
    if alone {
        project.wish.start_alone(&changes.wanted);
    }
    for name in &changes.pruned {
        project.wish.hold(name, PRUNE);
    }
}

/// Applies to the sessions what can be applied while they run. Sessions of jobs that are not defined any more belong
/// to nobody's project. Those that wait for their first run, which nothing starts any more, are stopped.
fn describe_sessions(state: &mut State, id: &ProjectId, by: &Actor) {
    let Some(project) = state.projects.get_mut(id) else {
        return;
    };
    let share = spec::share(&project.applied);
    let (mut described, mut left) = (Vec::new(), Vec::new());
    let own = project.sessions.iter();
    for (name, session) in own.filter(|(name, _)| !project.is_foreign(name)) {
        match project.applied.jobs.get(name) {
            Some(job) => described.push((session.clone(), spec::described(id, name, job))),
            None => {
                let begins = project.under_way.contains_key(name);
                left.push((name.clone(), session.clone(), begins));
            }
        }
    }
    for (name, ..) in &left {
        project.sessions.remove(name);
    }
    for (_, id, begins) in left {
        let mut never_runs = false;
        if let Some(session) = state.sessions.get_mut(&id) {
            session.spec.project = None;
            session.time_limits.keep = false;
            let why = "its job left the project file before it ran";
            never_runs = !begins && session.life.leave_queue(Some(by), why, now());
        }
        state.persist(&id);
        // It has no phase any more.
        state.publish(EventKind::Phase, &id, Value::Null);
        if never_runs {
            state.end_without_start(&id);
        }
    }
    for (id, described) in described {
        let Some(session) = state.sessions.get_mut(&id) else {
            continue;
        };
        let before = (
            session.spec.clone(),
            session.time_limits.keep,
            session.share,
        );
        described.apply_in_place(&mut session.spec);
        session.time_limits.keep = true;
        // Five hundred records take their time.
        if before != (session.spec.clone(), true, share) {
            state.share(&id, share);
            state.persist(&id);
        }
    }
}

/// Checks before the first start that there is room for all jobs.
fn check_room(state: &State, project: &Known, changes: &Changes) -> Result<(), Error> {
    let is_alive = |name: &&String| {
        let session = project
            .sessions
            .get(*name)
            .and_then(|id| state.sessions.get(id));
        session.is_some_and(|session| !session.life.status().is_finished())
    };
    let more = changes.wanted.iter().filter(|name| !is_alive(name)).count();
    let registry = &state.sessions.registry;
    registry.check_room_for(more, |session| state.is_in_queue(session))
}
