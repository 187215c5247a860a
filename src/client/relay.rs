//! `bgproc relay`: the other end of a link. Each of its channels becomes a connection to this machine's daemon.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use serde_json::{Map, Value};

use super::connect::{reach, reach_running, unavailable};
use super::connection::AutoStart;
use super::greeting;
use crate::link::frames::Start;
use crate::link::mux::{Mux, Side};
use crate::protocol::reply::Reply;
use crate::protocol::{Error, Greeting};

/// Serves the link on standard input and output until it ends.
pub fn run() -> io::Result<()> {
    let from = io::stdin().as_fd().try_clone_to_owned()?;
    let to = io::stdout().as_fd().try_clone_to_owned()?;
    let accept = |start, first: &[u8]| {
        // The client gets it in place of the daemon's first line.
        connect(start, first).map_err(|error| Reply::refusal(Value::Null, error))
    };
    Mux::new(from, to, Vec::new(), Side::Accepts(Box::new(accept)))?.run()
}

fn connect(start: Start, first: &[u8]) -> Result<UnixStream, Error> {
    let mut stream = match start {
        Start::Yes => reach(AutoStart::Yes)?,
        Start::AfterCrash => reach(AutoStart::AfterCrash)?,
        Start::No => reach_running()?.map_err(|why| unavailable(&why))?,
    };
    let is_on_node = super::home()?.session.is_some();
    let sent = stream.write_all(&completed(first, surroundings(is_on_node))?);
    sent.map_err(|error| unavailable(&format!("the connection to the daemon broke: {error}")))?;
    Ok(stream)
}

/// What of a greeting is the surroundings of a client.
const SURROUNDINGS: [&str; 4] = ["cwd", "env", "umask", "inherit"];

/// The surroundings of this login: directory, environment and limits.
///
/// On the node of a batch job they are of no use: `srun` has brought the environment of the daemon that has started it.
/// Jobs there get the environment of the batch job, which the daemon on the node has, and start in the home directory.
fn surroundings(is_on_node: bool) -> Greeting {
    if is_on_node {
        Greeting {
            cwd: std::env::var("HOME").ok(),
            ..Greeting::default()
        }
    } else {
        greeting::with_surroundings(Greeting::default())
    }
}

/// The first line of a client with the surroundings here. Those of the client's machine do not travel.
fn completed(first: &[u8], own: Greeting) -> Result<Vec<u8>, Error> {
    let unreadable = |error: serde_json::Error| {
        Error::internal(format!(
            "the greeting of the client cannot be read: {error}"
        ))
    };
    let mut line: Map<String, Value> = serde_json::from_slice(first).map_err(unreadable)?;
    let own = serde_json::to_value(own).map_err(unreadable)?;
    for name in SURROUNDINGS {
        let _ = match own.get(name) {
            Some(value) => line.insert(name.to_owned(), value.clone()),
            None => line.remove(name),
        };
    }
    let mut line = serde_json::to_vec(&line).map_err(unreadable)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_surroundings_are_those_of_this_login() {
        let first = json!({"action": "hello", "role": "human", "later": 7, "cwd": "/theirs",
            "env": {"THEIRS": "1"}});
        let first = format!("{first}\n");
        let line = completed(first.as_bytes(), surroundings(false)).unwrap();
        assert_eq!(line.last(), Some(&b'\n'));
        let line: Value = serde_json::from_slice(&line).unwrap();
        let here = std::env::current_dir().unwrap();
        assert_eq!(line["cwd"], json!(here));
        assert_eq!(line["env"]["THEIRS"], Value::Null);
        assert_eq!(line["env"]["PATH"], json!(std::env::var("PATH").unwrap()));
        assert_eq!(
            (&line["role"], &line["later"]),
            (&json!("human"), &json!(7))
        );
        assert!(completed(b"{", Greeting::default()).is_err());
        // On a node, the environment here is that of the daemon which has run srun.
        let line = completed(first.as_bytes(), surroundings(true)).unwrap();
        let line: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&line["env"], &line["umask"]), (&Value::Null, &Value::Null));
        assert_eq!(line["cwd"], json!(std::env::var("HOME").ok()));
    }
}
