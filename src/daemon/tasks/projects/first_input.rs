//! Types the input of a `start` that waited for its turn.

use std::rc::Rc;

use crate::daemon::hub::Hub;
use crate::daemon::sessions::input::{FIRST_PATIENCE, Input, Typed};
use crate::engine::registry::Principal;
use crate::protocol::SessionId;
use crate::protocol::status::Mode;
use crate::sys::pty;

/// Types `input` into a session that has just started, in the name of who started it. The job runs in any case: a
/// program that does not read its input is no error.
pub(super) fn type_into(hub: &Hub, id: &SessionId, input: String) {
    let target = {
        let state = hub.read();
        let session = state.sessions.get(id);
        let owner = session.map(|session| Principal::of(session.scope.clone()));
        let io = state.sessions.io(id);
        owner.zip(io.and_then(|io| io.input.clone()))
    };
    let Some((owner, target)) = target else {
        return;
    };
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_local(async move {
        let echo = echoes(&hub, &id, &target);
        let turn = target.turn().await.patient(FIRST_PATIENCE);
        let Ok(taken) = turn.write(input.as_bytes()).await else {
            return;
        };
        let bytes = &input.as_bytes()[..taken.bytes];
        let typed = Typed::now(&owner, bytes, echo);
        hub.change(|state| {
            state.typed(&id, bytes);
            state.record_typed(&id, vec![typed]);
        });
    });
}

/// Whether what is typed is shown, so that it is no password.
fn echoes(hub: &Hub, id: &SessionId, input: &Rc<Input>) -> bool {
    let state = hub.read();
    let mode = state.sessions.get(id).map(|session| session.spec.mode);
    mode == Some(Mode::Pipe) || pty::line_discipline(&**input).is_ok_and(|line| line.echo)
}
