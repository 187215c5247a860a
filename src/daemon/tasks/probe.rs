//! The attempts of readiness probes that are not about what the job writes or listens on: a connection, a
//! request, a command, a file, or quiet. A job of a project that is ready is probed now and then, also about its port;
//! others are not, so they cost nothing at rest.
//!
//! One attempt runs at a time for each session, and the next one is planned when it is over.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::shell_line;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::line_shell::LineShell;
use crate::daemon::threads;
use crate::engine::readiness::Refusal;
use crate::engine::timers::Due;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::probe::Check;
use crate::protocol::{Probe, SessionId};
use crate::sys::ports;

/// Longest time of one attempt.
const ATTEMPT: Duration = Duration::from_secs(10);

/// The largest part of an answer that is read: its status line and headers.
const MAX_ANSWER: u64 = 16 * 1024;

/// The largest rest of an answer that is read, in bytes.
const REST: u64 = 1 << 20;

/// Longest time for that.
const REST_TIME: Duration = Duration::from_secs(1);

/// Makes an attempt in a task of its own, and plans the next one if it does not succeed.
pub(crate) fn attempt(hub: &Hub, id: &SessionId) {
    let known = {
        let state = hub.read();
        let found = state.sessions.both(id).and_then(|(session, io)| {
            let (probe, run) = session.attempted_probe()?;
            Some((
                probe.clone(),
                run,
                session.idle_ms(now()),
                io.spec()?.clone(),
                state.line_shell(session),
            ))
        });
        let Some(found) = found else { return };
        found
    };
    let (probe, run, idle_ms, spec, shell) = known;
    let (hub, id) = (hub.clone(), id.clone());
    if let Check::Quiet(ms) = probe.check() {
        // Not a task: whether there was output since is known here.
        return hub.change(|state| {
            if idle_ms >= ms && !state.is_behind(&id) {
                state.attempt_succeeded(&id, run)
            } else {
                state.attempt_probe_at(&id, now().boot + ms.saturating_sub(idle_ms).max(1))
            }
        });
    }
    if let Check::File(path) = probe.check() {
        let path = Path::new(&spec.cwd).join(path);
        tokio::task::spawn_local(look_for(hub, id, run, path));
        return;
    }
    tokio::task::spawn_local(async move {
        let made = make(&probe, &shell, &spec).await;
        hub.change(|state| match made {
            Attempt::Holds => state.attempt_succeeded(&id, run),
            Attempt::Fails(told) => state.attempt_failed(&id, run, told),
        });
    });
}

/// What an attempt has shown.
enum Attempt {
    /// It is ready.
    Holds,
    /// It is not, and this was told.
    Fails(Option<Refusal>),
}

/// Makes one attempt, which takes [`ATTEMPT`] at most.
async fn make(probe: &Probe, shell: &LineShell, spec: &SpawnSpec) -> Attempt {
    let mut told = None;
    let holds = match probe.check() {
        Check::Tcp(place) => matches!(timeout(ATTEMPT, connect(place)).await, Ok(Ok(_))),
        Check::Http(url, wanted) => {
            let answered = timeout(ATTEMPT, answer(url)).await.unwrap_or_default();
            told = answered.map(Refusal::Status);
            answered.is_some_and(|status| wanted.contains(&status))
        }
        Check::Command(line) => {
            let command = shell_line::command(shell, line, spec);
            let done = shell_line::finish(command, ATTEMPT).await;
            told = done.err().map(Refusal::Line);
            told.is_none()
        }
        // It has listened before. Who has the port is not looked up: that costs a look at every process.
        Check::Port(port) => ports::listening().iter().any(|socket| socket.port == port),
        Check::File(_) | Check::Pattern(_) | Check::Quiet(_) => false,
    };
    if holds {
        Attempt::Holds
    } else {
        Attempt::Fails(told)
    }
}

/// Looks for a file. A file system that does not answer holds the thread that looks, for however long, and each attempt
/// that takes too long fails. But there is no second thread until the first one has an answer.
async fn look_for(hub: Hub, id: SessionId, run: u32, path: PathBuf) {
    let mut look = pin!(threads::run("probe", move || path.exists()));
    loop {
        let found = timeout(ATTEMPT, look.as_mut()).await;
        let goes_on = hub.change(|state| {
            let session = state.sessions.get(&id);
            let probed = session.and_then(|session| session.attempted_probe());
            match found {
                _ if probed.is_none_or(|(_, current)| current != run) => false,
                Ok(Ok(true)) => {
                    state.attempt_succeeded(&id, run);
                    false
                }
                Ok(_) => {
                    state.attempt_failed(&id, run, None);
                    false
                }
                Err(_) => {
                    state.attempt_failed(&id, run, None);
                    state.timers.set(Due::Probe(id.clone()), None);
                    true
                }
            }
        });
        if !goes_on {
            return;
        }
    }
}

/// Connects to `HOST:PORT`. To look up the name may take long.
async fn connect(place: &str) -> io::Result<TcpStream> {
    let addresses = match place.parse::<SocketAddr>() {
        Ok(address) => vec![address],
        Err(_) => {
            let place = place.to_owned();
            let found = threads::run("names", move || place.to_socket_addrs()).await;
            found
                .map_err(|error| io::Error::other(error.message))??
                .collect()
        }
    };
    TcpStream::connect(&addresses[..]).await
}

/// The status of the answer to a request for an `http:` URL.
async fn answer(url: &str) -> Option<u16> {
    let rest = url.strip_prefix("http://")?;
    let (host, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let path = path.split('#').next().filter(|path| !path.is_empty());
    let path = path.unwrap_or("/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    // A port is present if a colon follows the last bracket of an IPv6 address.
    let has_port = host.rfind(':') > host.rfind(']');
    let place = if has_port {
        host.to_owned()
    } else {
        format!("{host}:80")
    };
    let mut stream = connect(&place).await.ok()?;
    let request = format!(
        "GET {slash}{path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: bgproc\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut read = Vec::new();
    let mut stream = stream.take(MAX_ANSWER);
    while stream.read_buf(&mut read).await.ok()? > 0 {
        // The status line is complete when it ends; the headers do not matter.
        let mut headers = [];
        let mut response = httparse::Response::new(&mut headers);
        let parsed = response.parse(&read);
        if let Some(code) = response.code {
            tokio::spawn(read_out(stream.into_inner()));
            return Some(code);
        }
        match parsed {
            Ok(_) | Err(httparse::Error::TooManyHeaders) => {}
            Err(_) => return None,
        }
    }
    None
}

/// Reads the rest of an answer: many servers log an error if the other side hangs up before that.
async fn read_out(stream: TcpStream) {
    let mut rest = stream.take(REST);
    // A server may answer without end.
    let _ = timeout(
        REST_TIME,
        tokio::io::copy(&mut rest, &mut tokio::io::sink()),
    )
    .await;
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_read_to_its_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 512]).await.unwrap();
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n";
            stream.write_all(head.as_bytes()).await.unwrap();
            // More than the buffers of both sockets hold at first: it fails if the other side hangs up.
            let (body, mut rest) = (vec![b'x'; 500_000], Vec::new());
            stream.write_all(&body).await.unwrap();
            stream.shutdown().await.unwrap();
            stream.read_to_end(&mut rest).await.unwrap();
        };
        let (code, ()) = tokio::join!(answer(&url), serve);
        assert_eq!(code, Some(200));
    }

    /// A server that answers one request with these pieces.
    async fn server(pieces: &'static [&'static str]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 512];
            let length = stream.read(&mut request).await.unwrap();
            let request = std::str::from_utf8(&request[..length]).unwrap();
            assert!(
                request.starts_with("GET /health?x=1 HTTP/1.1\r\n"),
                "{request}"
            );
            for piece in pieces {
                stream.write_all(piece.as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                tokio::task::yield_now().await;
            }
        });
        port
    }

    #[tokio::test]
    async fn reads_the_status_of_an_answer_that_comes_in_pieces() {
        let port = server(&["HTTP/1.1 20", "4 No Content\r\nServer: x\r\n", "\r\n"]).await;
        let url = format!("http://127.0.0.1:{port}/health?x=1#top");
        assert_eq!(answer(&url).await, Some(204));
    }

    #[tokio::test]
    async fn what_is_no_answer_has_no_status() {
        let port = server(&["SSH-2.0-OpenSSH\r\n"]).await;
        let url = format!("http://127.0.0.1:{port}/health?x=1");
        assert_eq!(answer(&url).await, None);
        assert_eq!(answer("http://127.0.0.1:1/").await, None);
        assert_eq!(answer("ftp://127.0.0.1:1/").await, None);
    }
}
