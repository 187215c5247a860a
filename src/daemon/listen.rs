//! Taking connections.

use std::os::unix::net::UnixListener as StdListener;
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};

use super::connection;
use super::hub::Hub;
use super::shortage;
use crate::protocol::reply::Reply;
use crate::protocol::{Error, RequestId};
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
                Ok(()) => match shortage::check_connection() {
                    Ok(()) => {
                        tokio::task::spawn_local(connection::run(hub.clone(), stream));
                    }
                    Err(error) => refuse(&stream, error),
                },
                Err(error) => tracing::warn!(%error, "a client is refused"),
            },
            Err(error) => {
                tracing::warn!(%error, "a connection was not taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Says why, instead of hello, and hangs up.
fn refuse(stream: &UnixStream, error: Error) {
    let reply: Reply = Reply {
        id: RequestId::default(),
        ok: false,
        result: None,
        error: Some(error),
    };
    if let Ok(mut line) = serde_json::to_vec(&reply) {
        line.push(b'\n');
        // A fresh socket has room for it, or nobody is there any more.
        let _ = stream.try_write(&line);
    }
}
