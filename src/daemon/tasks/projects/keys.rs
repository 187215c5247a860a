//! Types keys into a job, because its file says so.

use crate::daemon::hub::Hub;
use crate::protocol::SessionId;
use crate::protocol::status::{InputState, Mode};
use crate::term::keys;

/// Types keys by their names, or as text if there is no such key. A program that asks for a password gets none.
pub(super) async fn press(hub: &Hub, id: &SessionId, names: &[String]) {
    let known = {
        let state = hub.read();
        let found = state.sessions.both(id).and_then(|(session, io)| {
            let may =
                session.spec.mode == Mode::Pty && session.input_state() != InputState::Password;
            Some((io.input.clone().filter(|_| may)?, session.output.modes()))
        });
        let Some(found) = found else { return };
        found
    };
    let (input, modes) = known;
    let encode =
        |name: &String| keys::encode(name, modes).unwrap_or_else(|_| name.clone().into_bytes());
    let bytes: Vec<u8> = names.iter().flat_map(encode).collect();
    let turn = input.turn().await;
    // A job that does not read is ended by a signal after its grace period.
    let _ = turn.write(&bytes).await;
}
