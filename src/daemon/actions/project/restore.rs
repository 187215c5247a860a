//! `restore`: after a reboot, the jobs of all projects that were up run again.
//!
//! The environment of their client was never written to a file, so they get the one of the client that asks. The
//! applied definitions count; only values that look secret are read from the project files again.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::change::in_order;
use super::read::read_known;
use super::up::caller;
use super::wait_until;
use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::Project;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::State;
use crate::daemon::state::job_states::seen_of_all;
use crate::daemon::transport::Answer;
use crate::engine::project::{Phase, Seen, Standing};
use crate::project::Project as File;
use crate::protocol::Error;
use crate::protocol::reply::{Restored, RestoredProject};

/// Restores all projects that were up and whose environment was lost.
pub(super) async fn restore(hub: &Hub, client: &Rc<Client>) -> Answer {
    client.people_only("restore projects")?;
    if client.greeting.env.is_none() {
        let why = "`restore` needs the environment of the client";
        return Err(Error::invalid(why).hint("bgproc daemon start --restore sends it"));
    }
    let mut projects = Vec::new();
    // Not in the head of the loop, where the borrow would last until its end.
    let lost = lost(&hub.read());
    for (id, applied) in lost {
        // Values that look secret are in the project file only.
        let loaded = read_known(hub, client, &applied).await;
        let restored = hub.change(|state| {
            // Somebody may have brought it up or down meanwhile.
            let project = state
                .projects
                .get_mut(&id)
                .filter(|project| is_lost(project))?;
            let name = project.name();
            let wanted = match &loaded {
                Ok(loaded) => {
                    project.restore_secrets(&loaded.project);
                    wish(state, client, &id)
                }
                Err(_) => Vec::new(),
            };
            Some((name, wanted))
        });
        let Some((project, wanted)) = restored else {
            continue;
        };
        // Until it is decided which of them start.
        wait_until(hub, &id, 0, |_| true).await;
        let (jobs, not_started) = what_became(&hub.read(), &id, wanted);
        projects.push(RestoredProject {
            project,
            jobs,
            not_started,
            error: loaded.err().map(|error| error.message),
        });
    }
    answer(Restored { projects })
}

/// The projects that were up and whose environment was lost.
fn lost(state: &State) -> Vec<(ProjectId, File)> {
    let lost = state.projects.of_files().filter(|project| is_lost(project));
    lost.map(|project| (project.id.clone(), project.applied.clone()))
        .collect()
}

/// Whether a project was up and its environment was lost.
fn is_lost(project: &Project) -> bool {
    project.caller.is_none() && project.wish.standing == Standing::Up
}

fn wish(state: &mut State, client: &Client, id: &ProjectId) -> Vec<String> {
    state.set_caller(id, caller(&client.greeting));
    let Some(project) = state.projects.get(id) else {
        return Vec::new();
    };
    let now = seen_of_all(project, &state.sessions);
    let look = |name: &str| Seen::of(&now, name);
    let lost = project.wish.lost();
    let jobs = in_order(&project.applied, &project.wish, &lost, None);
    if let Some(project) = state.projects.get_mut(id) {
        project.wish.up(&jobs, look);
    }
    state.wish_changed(id);
    jobs
}

/// Which of these jobs start or run, and of those that wait or were skipped, why. The others are as they are to be.
fn what_became(
    state: &State,
    id: &ProjectId,
    wanted: Vec<String>,
) -> (Vec<String>, BTreeMap<String, String>) {
    let (mut jobs, mut not_started) = (Vec::new(), BTreeMap::new());
    let phases = state
        .projects
        .get(id)
        .map(|project| &project.decision.phases);
    for name in wanted {
        match phases.and_then(|phases| phases.get(&name)) {
            Some(Phase::Starting | Phase::Running | Phase::Ready) => jobs.push(name),
            Some(phase @ (Phase::Queued(why) | Phase::Skipped(why))) => {
                not_started.insert(name, format!("{}: {why}", phase.as_str()));
            }
            _ => {}
        }
    }
    (jobs, not_started)
}
