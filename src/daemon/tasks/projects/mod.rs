//! Takes the steps that are decided for projects: starts and stops of jobs.
//!
//! One loop decides, whenever something that a project depends on has changed. Each step runs in a task of its own
//! and reports when it is over, which marks the project again. Nothing is remembered here: a daemon that dies
//! leaves the wish and the sessions, from which the next one decides the same.

mod first_input;
mod keys;
pub(crate) mod schedules;
mod start;
pub(crate) mod stop;
pub(crate) mod watches;

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::daemon::clock::{now, sleep_until_boot};
use crate::daemon::hub::Hub;
use crate::engine::project::Step;

/// Pause after a decision, as a multiple of the time that it took. Each start and end of a job is followed by one, and
/// a decision about 500 jobs takes a millisecond: what comes during the pause is decided together.
const PAUSE: u32 = 10;

/// Shortest pause: timers are no finer. Small projects have none.
const SHORTEST: Duration = Duration::from_millis(1);

/// Longest pause, which nobody notices.
const LONGEST: Duration = Duration::from_millis(20);

/// Waits for projects that are marked, and drives them; never returns.
pub(crate) async fn run(hub: Hub) {
    loop {
        while let Some(took) = drive_next(&hub) {
            let pause = took * PAUSE;
            if pause >= SHORTEST {
                sleep(pause.min(LONGEST)).await;
            }
        }
        let settles = hub.read().projects.next_to_settle();
        tokio::select! {
            () = hub.projects_due() => {}
            () = sleep_until_boot(settles) => hub.change(|state| state.projects.touch_settled(now().boot)),
        }
    }
}

/// Drives all projects that are marked. A new daemon does this before it serves clients: only then are phases and
/// addresses of the jobs known.
pub(crate) fn drive_all(hub: &Hub) {
    while drive_next(hub).is_some() {}
}

/// Drives a project that is marked. Returns how long the decision took; `None` if no project is marked.
fn drive_next(hub: &Hub) -> Option<Duration> {
    let id = hub.change(|state| state.projects.take_due())?;
    let began = Instant::now();
    for step in hub.change(|state| state.drive_project(&id)) {
        match step {
            Step::Start(job) => start::begin(hub, &id, &job),
            Step::Stop(job) => stop::begin(hub, &id, &job),
        }
    }
    Some(began.elapsed())
}
