//! `queue`: the queues, and changes of them.

use std::path::{Path, PathBuf};

use crate::daemon::hub::Hub;
use crate::daemon::projects::guests::QUEUES;
use crate::daemon::projects::project::Project;
use crate::daemon::projects::{ProjectId, wishes};
use crate::daemon::requests::checks::checked_name;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::State;
use crate::daemon::state::queues::on_failure;
use crate::daemon::transport::Answer;
use crate::engine::project::{Queue, Seen};
use crate::protocol::bounds::MAX_PARALLEL;
use crate::protocol::params;
use crate::protocol::project::OnFailure;
use crate::protocol::reply::{QueueState, Queues};
use crate::protocol::shell::quote;
use crate::protocol::{Error, ErrorCode, SessionId};

/// Handles the action.
pub(super) async fn queue(hub: &Hub, client: &Client, params: params::Queue) -> Answer {
    let changes = params.changes();
    if params
        .parallel
        .is_some_and(|parallel| parallel > MAX_PARALLEL)
    {
        let message = format!("`parallel` is a number from 0 to {MAX_PARALLEL}");
        return Err(Error::invalid(message));
    }
    let Some(group) = params.group.clone() else {
        return if changes {
            Err(Error::invalid("`group` is missing"))
        } else {
            answer(all(&hub.read(), client))
        };
    };
    let group = checked_name("group", group)?;
    if group.is_empty() {
        return Err(Error::invalid("`group` is empty"));
    }
    let dir = directory(client, params.dir.as_deref());
    client.reachable(&dir).await?;
    let dir = wishes::canonical(&dir);
    let known = hub.read().queue_named(&group, &dir);
    if !changes {
        let known = known.ok_or_else(|| no_queue(&group))?;
        return shown(&hub.read(), client, &known, &group);
    }
    client.people_only("change a queue")?;
    if let Some(known) = known.as_ref().filter(|known| *known != QUEUES)
        && (params.parallel.is_some() || params.on_failure.is_some())
    {
        let name = hub
            .read()
            .projects
            .get(known)
            .map(|project| project.name().name);
        let name = name.unwrap_or_default();
        let message = format!("the queue {group} belongs to project {name}");
        return Err(Error::new(ErrorCode::InvalidRequest, message)
            .hint("change `[groups]` of its file and run bgproc reload"));
    }
    if known.is_none() && params.parallel.unwrap_or_default() == 0 {
        return Err(no_queue(&group));
    }
    let id = known.unwrap_or_else(|| QUEUES.to_owned());
    let by = client.principal.actor();
    hub.change(|state| {
        change(state, &id, &group, &params);
        state.tell_queues(&id, Some(&by));
    });
    shown(&hub.read(), client, &id, &group)
}

fn directory(client: &Client, dir: Option<&str>) -> PathBuf {
    let base = client.greeting.cwd.as_deref().unwrap_or("/");
    Path::new(base).join(dir.unwrap_or_default())
}

fn no_queue(group: &str) -> Error {
    Error::new(
        ErrorCode::SessionNotFound,
        format!("there is no queue {group}"),
    )
    .hint(format!(
        "bgproc group {} --parallel 1 makes one",
        quote(group)
    ))
}

fn change(state: &mut State, id: &ProjectId, group: &str, params: &params::Queue) {
    let Some(project) = state.projects.get_mut(id) else {
        return;
    };
    let queue = project.wish.queues.entry(group.to_owned()).or_default();
    if let Some(parallel) = params.parallel {
        queue.parallel = parallel;
    }
    if let Some(on_failure) = params.on_failure {
        queue.pauses_on_failure = on_failure == OnFailure::Pause;
    }
    match params.paused {
        Some(true) => (queue.paused, queue.failed) = (true, None),
        Some(false) => queue.resume(),
        None => {}
    }
    if queue.parallel == 0 {
        project.wish.queues.remove(group);
    }
    state.wish_changed(id);
}

/// All queues.
fn all(state: &State, client: &Client) -> Queues {
    let mut projects: Vec<&Project> = state.projects.iter().collect();
    projects.sort_unstable_by_key(|project| (project.id != QUEUES, project.dir.clone()));
    let of_project = |project: &&Project| {
        let queues = project.wish.queues.iter();
        let queues = queues.filter(|(_, queue)| queue.parallel > 0);
        let states = queues.map(|(name, queue)| told(state, client, project, name, queue));
        states.collect::<Vec<_>>()
    };
    Queues {
        queues: projects.iter().flat_map(of_project).collect(),
    }
}

fn shown(state: &State, client: &Client, id: &ProjectId, group: &str) -> Answer {
    let project = state.projects.get(id).ok_or_else(|| no_queue(group))?;
    let gone = Queue::default();
    let queue = project.wish.queues.get(group).unwrap_or(&gone);
    answer(Queues {
        queues: vec![told(state, client, project, group, queue)],
    })
}

fn told(
    state: &State,
    client: &Client,
    project: &Project,
    name: &str,
    queue: &Queue,
) -> QueueState {
    let look = |name: &str| Seen::of(&project.seen, name);
    let line = project.wish.line(name, look);
    let began = |id: &SessionId| {
        let session = state.sessions.get(id);
        session.map(|session| session.life.created_at())
    };
    let ids = |names: Vec<String>| -> Vec<SessionId> {
        let sessions = names.iter().filter_map(|name| project.sessions.get(name));
        let sees = |id: &&SessionId| {
            let session = state.sessions.get(id);
            session.is_some_and(|session| client.principal.sees(session))
        };
        sessions.filter(sees).cloned().collect()
    };
    let mut running = ids(line.running);
    running.sort_by_key(began);
    let is_skipped = |id: &SessionId| state.is_skipped(id);
    let (skipped, waiting) = ids(line.waiting).into_iter().partition(is_skipped);
    QueueState {
        queue: name.to_owned(),
        project: (project.id != QUEUES).then(|| project.name()),
        parallel: queue.parallel,
        on_failure: on_failure(queue),
        paused: queue.paused,
        why: state.why_paused(queue),
        running,
        waiting,
        skipped,
    }
}
