//! Reports restarts of jobs while a command waits for them.

use crate::cli::output::hosts::tell_unreachable;
use crate::client::{Connection, greeting, host};
use crate::protocol::params::Subscribe;
use crate::protocol::{Action, Error, EventKind, SessionId};

use super::show;

/// Starts a thread that prints each restart of these jobs.
pub(crate) fn tell(jobs: Vec<(SessionId, String)>) -> Result<(), Error> {
    let mut connection = subscribe()?;
    std::thread::spawn(move || {
        loop {
            let event = match connection.next_event() {
                Ok(event) => event,
                // The daemon has ended; subscribe to the next one.
                Err(_) => match subscribe() {
                    Ok(next) => {
                        connection = next;
                        continue;
                    }
                    Err(_) => return,
                },
            };
            if event.event != EventKind::Restarted {
                continue;
            }
            let job = jobs
                .iter()
                .find(|(id, _)| Some(id) == event.session_id.as_ref());
            if let Some((_, name)) = job {
                let restarts = event.data["restarts"].as_u64().unwrap_or_default();
                let run = u32::try_from(restarts + 1).unwrap_or(u32::MAX);
                show::tell_restart(name, run);
            }
        }
    });
    Ok(())
}

fn subscribe() -> Result<Connection, Error> {
    let mut connection = host::connect_again(&greeting::human(), tell_unreachable)?;
    connection.call(Action::Subscribe(Subscribe {
        events: Some(vec![EventKind::Restarted]),
        ..Subscribe::default()
    }))?;
    Ok(connection)
}
