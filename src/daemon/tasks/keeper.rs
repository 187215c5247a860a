//! The task that reads the keeper's socket, and replaces a keeper that died.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;

use super::successor;
use crate::daemon::hub::Hub;
use crate::daemon::transport::write_readiness::WriteReadiness;
use crate::sys::readiness;

/// Handles the keeper's messages until the daemon stops. If the keeper dies, starts another one and hands
/// everything over to it.
pub(crate) async fn run(hub: Hub, mut end: OwnedFd) -> io::Result<()> {
    let mut pause = successor::FIRST_PAUSE;
    loop {
        match serve(&hub, end).await? {
            Over::Stopping => return Ok(()),
            Over::KeeperGone => {
                hub.change(|state| state.input_probes.forget());
                end = successor::start(&hub, &mut pause).await?;
            }
        }
    }
}

enum Over {
    Stopping,
    KeeperGone,
}

async fn serve(hub: &Hub, end: OwnedFd) -> io::Result<Over> {
    let socket = readiness::watch(end, Interest::READABLE)?;
    // Without it the daemon would end when it has no descriptors left.
    let mut room = WriteReadiness::reserved(socket.get_ref())?;
    loop {
        room.want(socket.get_ref(), hub.read().keeper.wants_to_send())?;
        tokio::select! {
            ready = socket.readable() => {
                ready?.clear_ready();
                let messages = hub.change(|state| state.keeper.receive());
                let messages = match messages {
                    Ok(messages) => messages,
                    // A keeper that was told to quit ends before the daemon does.
                    Err(_) if hub.read().keeper.is_quitting() => return Ok(Over::Stopping),
                    Err(error) => {
                        tracing::warn!(%error, "the keeper died");
                        return Ok(Over::KeeperGone);
                    }
                };
                hub.change(|state| {
                    for message in messages {
                        state.take_message(message);
                    }
                });
            }
            ready = room.there() => {
                ready?;
                hub.change(|state| state.keeper.flush());
            }
            () = hub.keeper_has_mail() => {}
            () = hub.stopping() => return Ok(Over::Stopping),
        }
    }
}
