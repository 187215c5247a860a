//! Taking connections.

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

/// Pause after the system refused a connection (out of descriptors, say).
const PAUSE: Duration = Duration::from_millis(100);

/// Takes connections for ever, from whichever socket the keeper listens with.
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
        // Nobody finds this socket any more, but some may have been on their way.
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
            Err(error) => tracing::warn!(%error, "a client is refused"),
        },
        Err(error) => {
            tracing::warn!(%error, "a connection was not taken");
            tokio::time::sleep(PAUSE).await;
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
