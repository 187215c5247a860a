//! Types keys into a job, because its file says so.

use crate::daemon::hub::Hub;
use crate::daemon::sessions::input::Typed;
use crate::engine::registry::Principal;
use crate::protocol::status::{InputState, Mode};
use crate::protocol::{Scope, SessionId};
use crate::sys::pty;
use crate::term::keys;

/// Types keys by their names, or as text if there is no such key. A program that asks for a password gets none. `by` is
/// what types them, as the log of what was typed tells it.
pub(super) async fn press(hub: &Hub, id: &SessionId, names: &[String], by: &str) {
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
    let echo = pty::line_discipline(&*input).is_ok_and(|line| line.echo);
    let turn = input.turn().await;
    // A job that does not read is ended by a signal after its grace period.
    let Ok(taken) = turn.write(&bytes).await else {
        return;
    };
    let Some(by) = Scope::named(by).map(Principal::of) else {
        return;
    };
    let typed = Typed::now(&by, &bytes[..taken.bytes], echo);
    hub.change(|state| {
        state.typed(id, &bytes[..taken.bytes]);
        state.log_typed(id, &typed);
    });
}
