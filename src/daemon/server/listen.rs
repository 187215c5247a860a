//! Accepts connections.

use std::io;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::net::unix::SocketAddr;
use tokio::net::{UnixListener, UnixStream};

use super::connection;
use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::check_connection;
use crate::protocol::reply::Reply;
use crate::protocol::{Error, RequestId};
use crate::sys::socket;

/// Pause after accept(2) failed, for example for lack of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections on the keeper's current listening socket; never returns, except if it cannot listen.
pub(crate) async fn run(hub: Hub) {
    loop {
        let listener = hub
            .change(|state| state.keeper.take_listener())
            .and_then(|listener| {
                listener.set_nonblocking(true)?;
                UnixListener::from_std(listener)
            });
        let listener = match listener {
            Ok(listener) => listener,
            Err(error) => {
                tracing::error!(%error, "cannot listen");
                hub.stop();
                return;
            }
        };
        let from_others = async {
            loop {
                serve(&hub, listener.accept().await).await;
            }
        };
        tokio::select! {
            () = from_others => {}
            () = hub.listener_changed() => {}
        }
        // No client finds the old socket any more, but some connections may be waiting in its backlog.
        while let Some(accepted) = accept_waiting(&listener) {
            serve(&hub, Ok(accepted)).await;
        }
    }
}

type Accepted = (UnixStream, SocketAddr);

fn accept_waiting(listener: &UnixListener) -> Option<Accepted> {
    let mut context = Context::from_waker(Waker::noop());
    match listener.poll_accept(&mut context) {
        Poll::Ready(Ok(accepted)) => Some(accepted),
        _ => None,
    }
}

async fn serve(hub: &Hub, accepted: io::Result<Accepted>) {
    match accepted {
        Ok((stream, _)) => match socket::check_peer(&stream) {
            Ok(()) => match check_connection() {
                Ok(()) => {
                    tokio::task::spawn_local(connection::run(hub.clone(), stream));
                }
                Err(error) => refuse(&stream, error),
            },
            Err(error) => tracing::warn!(%error, "refused a client"),
        },
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Sends an error instead of `hello`, and closes the connection.
fn refuse(stream: &UnixStream, error: Error) {
    let line = Reply::refusal(RequestId::default(), error);
    // A fresh socket has room for the line; if the client is gone, no answer is needed.
    let _ = stream.try_write(&line);
}
