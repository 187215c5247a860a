//! Reports restarts of jobs while a command waits for them.

use super::show;
use super::told::Told;
use crate::cli::beside;
use crate::protocol::{Error, EventKind, SessionId};

/// Starts a thread that prints each restart of these jobs.
pub(crate) fn tell(jobs: Vec<(SessionId, String)>) -> Result<(), Error> {
    let mut told = Told::of(&[EventKind::Restarted])?;
    beside::start(move || {
        while let Ok(event) = told.next() {
            let Some(event) = event else { continue };
            let job = jobs
                .iter()
                .find(|(id, _)| Some(id) == event.session_id.as_ref());
            if let Some((_, name)) = job {
                let restarts = event.data["restarts"].as_u64().unwrap_or_default();
                let run = u32::try_from(restarts + 1).unwrap_or(u32::MAX);
                show::tell_restart(name, run);
            }
        }
    })
}
