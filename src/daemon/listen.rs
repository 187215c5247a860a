//! Taking connections.

use std::os::unix::net::UnixListener as StdListener;
use std::time::Duration;

use tokio::net::UnixListener;

use super::connection;
use super::hub::Hub;
use crate::sys::socket;

/// Pause after the system refused a connection (out of descriptors, say).
const PAUSE: Duration = Duration::from_millis(100);

/// Takes connections for ever.
pub(super) async fn run(hub: Hub, listener: StdListener) {
    let listener = match listener
        .set_nonblocking(true)
        .and_then(|()| UnixListener::from_std(listener))
    {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(%error, "cannot listen");
            hub.stop();
            return;
        }
    };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => match socket::check_peer(&stream) {
                Ok(()) => {
                    tokio::task::spawn_local(connection::run(hub.clone(), stream));
                }
                Err(error) => tracing::warn!(%error, "a client is refused"),
            },
            Err(error) => {
                tracing::warn!(%error, "a connection was not taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
