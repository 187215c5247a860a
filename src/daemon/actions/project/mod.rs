//! `project`: the jobs of a project file.
//!
//! [`read`] finds and reads the file, [`resolve`] fills in its templates, [`change`] compares it with what is in force,
//! and [`plan`] says what would change. [`up`], [`down`], [`restart`] and [`restore`] change the wish; [`borrow`] does so
//! for the jobs that a worktree takes from its main checkout, and [`ports`] gives jobs their ports. [`reply`] says how
//! the jobs are, and [`environment`] with which variables one runs. The wish is worked off by
//! [`tasks::projects`](crate::daemon::tasks), whether the client stays or not.

mod borrow;
mod change;
mod down;
mod environment;
mod plan;
mod ports;
mod read;
mod reply;
mod resolve;
pub(super) mod restart;
mod restore;
mod up;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::slice::from_ref;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::projects::wishes::selected;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::transport::Answer;
use crate::project as file;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::{Error, ErrorCode, Role};

/// How long `up`, `down` and `reload` wait by default, in milliseconds.
const SETTLE_MS: u64 = 10_000;

/// How long a request waits at most for what follows from it to be decided, which takes some milliseconds.
const DECIDED: Duration = Duration::from_secs(1);

/// Handles the action.
pub(super) async fn project(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    check(client, &params)?;
    match params.op.unwrap_or_default() {
        ProjectOp::Up | ProjectOp::Reload => up::up(hub, client, params).await,
        ProjectOp::Plan => plan::plan(hub, client, params).await,
        ProjectOp::Down => down::down(hub, client, params).await,
        ProjectOp::Env => environment::environment(hub, client, params).await,
        ProjectOp::Restore => restore::restore(hub, client).await,
        ProjectOp::Status => status(hub, client, params).await,
    }
}

/// Checks the parameters by themselves.
fn check(client: &Client, params: &Project) -> Result<(), Error> {
    if params.files.is_some() && client.principal.role == Role::Agent {
        let message = "agents use the project file of the directory, not `files`";
        return Err(Error::new(ErrorCode::PermissionDenied, message));
    }
    let lists = [
        ("files", &params.files),
        ("jobs", &params.jobs),
        ("except", &params.except),
    ];
    for (name, list) in lists {
        if list.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid(format!("`{name}` is empty")));
        }
    }
    if params.files.is_some() && params.dir.is_some() {
        return Err(Error::invalid("only one of `dir` and `files` may be given"));
    }
    if params.op == Some(ProjectOp::Down) && params.jobs.is_some() {
        let message = "`down` brings the whole project down, so `jobs` may not be given";
        return Err(Error::invalid(message));
    }
    let brings_up = match params.op {
        Some(ProjectOp::Up) => true,
        Some(ProjectOp::Plan) => params.reload != Some(true),
        _ => false,
    };
    if params.except.is_some() && !brings_up {
        return Err(Error::invalid(
            "`except` goes with `up`, and a `plan` of it, only",
        ));
    }
    if let Some(text) = &params.formation {
        read::formation(text)?;
    }
    match params.port {
        Some(0) => Err(Error::invalid("`port` is a number from 1 to 65535")),
        _ => Ok(()),
    }
}

/// Says how the jobs are, at once or when something has changed.
async fn status(hub: &Hub, client: &Rc<Client>, params: Project) -> Answer {
    let within = wait_ms("waitMs", params.wait_ms, 0)?;
    let target = read::known(hub, client, &params).await?;
    let Some(id) = target else {
        let loaded = read::read(hub, client, &params).await?;
        read::check_agent(client, &loaded.project, Wants::Read)?;
        check_names(&loaded.project, &params)?;
        return reply::of_file(&loaded);
    };
    if let Some(project) = hub.read().projects.get(&id) {
        check_names(&project.applied, &params)?;
    }
    // The client of an `up` that is under way brings its environment again after the loss of daemon and keeper.
    bring_environment(hub, client, &id).await;
    let seq = params.after;
    wait_until(hub, &id, within, |project| match seq {
        Some(seq) => project.seq != seq,
        None => hub
            .read()
            .has_settled(project, meant(project, &params).as_ref()),
    })
    .await;
    let meant = {
        let state = hub.read();
        let project = state.projects.get(&id);
        project.and_then(|project| meant(project, &params))
    };
    reply::state(hub, &id, meant.as_ref()).await
}

/// Fails if a request for the state names a job that there is not.
fn check_names(project: &file::Project, params: &Project) -> Result<(), Error> {
    let mut words = params.jobs.iter().flatten();
    words.try_for_each(|word| named(project, word).map(drop))
}

/// The jobs that a word names: a name, `g:GROUP`, `+TAG` or a pattern.
fn named(project: &file::Project, word: &String) -> Result<BTreeSet<String>, Error> {
    if project.jobs.contains_key(word) {
        Ok(BTreeSet::from([word.clone()]))
    } else {
        selected(project, Some(from_ref(word)))
    }
}

/// The jobs that a request for the state is about: those that it names, with what they need; `None` is all that are
/// wanted. Jobs that are not in force any more are left out.
fn meant(project: &Known, params: &Project) -> Option<BTreeSet<String>> {
    let applied = &project.applied;
    let words = params.jobs.as_ref()?.iter();
    let named = words.flat_map(|word| named(applied, word).unwrap_or_default());
    let named: BTreeSet<String> = named.collect();
    let names = named.iter().map(String::as_str);
    Some(project.wish.with_needs(names, params.no_deps != Some(true)))
}

/// After the loss of daemon and keeper, the client of an `up` that still waits brings its environment again.
async fn bring_environment(hub: &Hub, client: &Client, id: &ProjectId) {
    let lost = {
        let state = hub.read();
        let project = state
            .projects
            .get(id)
            .filter(|project| project.caller.is_none());
        project.map(|project| project.applied.clone())
    };
    let brings = client.principal.role == Role::Human && client.greeting.env.is_some();
    let Some(applied) = lost.filter(|_| brings) else {
        return;
    };
    // Values that look secret are in the project file only.
    let loaded = read::read_known(hub, client, &applied).await;
    hub.change(|state| {
        let Some(project) = state
            .projects
            .get_mut(id)
            .filter(|project| project.caller.is_none())
        else {
            return;
        };
        if let Ok(loaded) = &loaded {
            project.restore_secrets(&loaded.project);
        }
        state.set_caller(id, up::caller(&client.greeting));
        state.projects.touch(id);
    });
}

/// What a client wants of a project.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wants {
    Read,
    Change,
}

/// Waits until a project is as wanted, at most `within` milliseconds. What was marked before is decided first, which may
/// take longer: whoever asks next finds the project as it is after this request.
pub(super) async fn wait_until(
    hub: &Hub,
    id: &ProjectId,
    within: u64,
    is_so: impl Fn(&Known) -> bool,
) {
    let began = Instant::now();
    let deadline = began + Duration::from_millis(within);
    let seq = hub.read().projects.get(id).map(|project| project.seq);
    loop {
        let (changed, until) = {
            let state = hub.read();
            let Some(project) = state.projects.get(id) else {
                return;
            };
            let is_due = state.projects.is_due(id);
            if !is_due && is_so(project) {
                return;
            }
            // Each decision counts as a change.
            let is_undecided = is_due && Some(project.seq) == seq;
            let until = if is_undecided {
                deadline.max(began + DECIDED)
            } else {
                deadline
            };
            (project.changed.clone(), until)
        };
        // The borrow has ended, and nothing else runs until the await.
        if timeout_at(until, changed.notified()).await.is_err() {
            return;
        }
    }
}

/// The error for a client that may not do this with a project.
fn refused(client: &Client, name: &str, wants: Wants) -> Error {
    let (what, hint) = match wants {
        Wants::Read => (
            "read about",
            "`agents = \"read\"` or `\"write\"` in the project file allows it",
        ),
        Wants::Change => (
            "change",
            "`agents = \"write\"` in the project file allows it",
        ),
    };
    debug_assert_eq!(client.principal.role, Role::Agent);
    Error::new(
        ErrorCode::PermissionDenied,
        format!("agents may not {what} the jobs of project {name}"),
    )
    .hint(hint)
}
