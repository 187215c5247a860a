//! Takes the steps that are decided for projects: starts and stops of jobs.
//!
//! One loop decides, whenever something that a project depends on has changed. Each step runs in a task of its own
//! and reports when it is over, which marks the project again. Nothing is remembered here: a daemon that dies
//! leaves the wish and the sessions, from which the next one decides the same.

mod keys;
pub(crate) mod schedules;
mod start;
pub(crate) mod stop;
pub(crate) mod watches;

use crate::daemon::hub::Hub;
use crate::engine::project::Step;

/// Waits for projects that are marked, and drives them; never returns.
pub(crate) async fn run(hub: Hub) {
    loop {
        while let Some(id) = hub.change(|state| state.projects.take_due()) {
            for step in hub.change(|state| state.drive_project(&id)) {
                match step {
                    Step::Start(job) => start::begin(&hub, &id, &job),
                    Step::Stop(job) => stop::begin(&hub, &id, &job),
                }
            }
        }
        hub.projects_due().await;
    }
}
