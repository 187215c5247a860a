//! `resize`: changes the size of a terminal.

use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::checked_size;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::repaint;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::params::Resize;
use crate::protocol::reply::Resized;
use crate::protocol::status::Mode;
use crate::protocol::{Error, ErrorCode};
use crate::sys::pty;

/// Resizes the terminal.
pub(super) fn resize(hub: &Hub, client: &Client, params: Resize) -> Answer {
    let size = checked_size(Some(params.rows), Some(params.cols))?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    hub.change(|state| {
        let Some(session) = state.sessions.get(&id) else {
            return Err(Error::session_not_found(id.as_str()));
        };
        if session.spec.mode == Mode::Pipe {
            let message = format!("Session {id} has pipes, not a terminal");
            return Err(Error::new(ErrorCode::NotATty, message));
        }
        if session.output.size() != size {
            repaint::resize(state, &id, size);
            if let Some(input) = state.sessions.io(&id).and_then(|io| io.input.clone()) {
                // The program may have just ended; then the size applies to the next run.
                let _ = pty::resize(&*input, size.rows(), size.cols());
            }
            state.persist(&id);
        }
        answer(Resized {
            rows: size.rows(),
            cols: size.cols(),
        })
    })
}
