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
    let sent = stream.write_all(&completed(first)?);
    sent.map_err(|error| unavailable(&format!("the connection to the daemon broke: {error}")))?;
    Ok(stream)
}

/// What of a greeting is the surroundings of a client.
const SURROUNDINGS: [&str; 4] = ["cwd", "env", "umask", "inherit"];

/// The first line of a client with the surroundings of this login: its directory, environment and limits. Those of
/// the client's machine do not travel.
fn completed(first: &[u8]) -> Result<Vec<u8>, Error> {
    let unreadable = |error: serde_json::Error| {
        Error::internal(format!(
            "the greeting of the client cannot be read: {error}"
        ))
    };
    let mut line: Map<String, Value> = serde_json::from_slice(first).map_err(unreadable)?;
    let own = greeting::with_surroundings(Greeting::default());
    let own = serde_json::to_value(own).map_err(unreadable)?;
    for name in SURROUNDINGS {
        line.insert(name.to_owned(), own[name].clone());
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
        let line = completed(format!("{first}\n").as_bytes()).unwrap();
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
        assert!(completed(b"{").is_err());
    }
}
