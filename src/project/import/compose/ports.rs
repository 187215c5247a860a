//! The ports that a service publishes on this machine.

use std::collections::BTreeMap;

use super::super::source::Source;
use super::super::yaml::Node;
use crate::project::dotenv::{self, Pair, Piece};

/// Why a port has no address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NoAddress {
    /// docker chooses the number, or it is no TCP port.
    Chosen,
    /// Its number is the value of this variable, which `.env` does not have.
    Unset(String),
}

/// The variables of the `.env` file that docker compose reads.
pub(super) struct Variables {
    values: BTreeMap<String, String>,
    /// Whether the jobs have the same file, so that the new file can name a variable instead of its value.
    are_of_jobs: bool,
}

impl Variables {
    /// Reads the `.env` beside a compose file. Without one that can be read there are none.
    pub(super) fn of(source: &Source<'_>) -> Self {
        let path = source.path.with_file_name(".env");
        let content = source.files.read(&path, dotenv::MAX_FILE);
        let pairs = content
            .ok()
            .and_then(|content| dotenv::parse(&path, &content).ok());
        let value = |pair: Pair| match pair.value.as_slice() {
            [Piece::Text(text)] => Some((pair.name, text.clone())),
            _ => None,
        };
        Self {
            values: pairs.into_iter().flatten().filter_map(value).collect(),
            are_of_jobs: source.dir.is_empty(),
        }
    }

    /// The port that is the value of a variable, as the new file says it.
    fn port(&self, name: &str) -> Result<String, NoAddress> {
        match self.values.get(name).map(|value| fixed(value)) {
            None => Err(NoAddress::Unset(name.to_owned())),
            Some(Ok(_)) if self.are_of_jobs => Ok(format!("${{{name}}}")),
            Some(port) => port,
        }
    }
}

/// The address of a published TCP port: `5432:5432`, `127.0.0.1:8080:80`, `${PORT:-80}:80`, or a map.
pub(super) fn published(port: &Node, variables: &Variables) -> Result<String, NoAddress> {
    if port.entries().is_some() {
        let text = |key| port.get(key).and_then(Node::text);
        let is_tcp = text("protocol").is_none_or(|protocol| protocol == "tcp");
        let number = text("published").filter(|_| is_tcp);
        let number = first(number.ok_or(NoAddress::Chosen)?, variables)?;
        return Ok(address(text("host_ip").unwrap_or_default(), &number));
    }
    let text = port.text().ok_or(NoAddress::Chosen)?;
    let text = match text.rsplit_once('/') {
        Some((text, "tcp")) => text,
        // Words of a variable may have a slash.
        Some((_, rest)) if !rest.contains('}') => return Err(NoAddress::Chosen),
        _ => text,
    };
    let parts = parts(text);
    let [host @ .., number, _] = parts.as_slice() else {
        return Err(NoAddress::Chosen);
    };
    let host = host.join(":");
    let number = first(number, variables)?;
    Ok(address(host.trim_matches(['[', ']']), &number))
}

/// The parts between colons. Those inside of `${…}` do not count.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

/// The first port of `3000-3005`, or that of a variable.
fn first(number: &str, variables: &Variables) -> Result<String, NoAddress> {
    let Some(inner) = inner(number) else {
        return fixed(number);
    };
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let (name, rest) = inner.split_at(end.unwrap_or(inner.len()));
    // `-` and `:-` differ for a variable that is set to nothing, which is no port.
    let default = rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-'));
    match default {
        Some("") => Err(NoAddress::Chosen),
        Some(default) => Ok(format!("${{{name}:-{default}}}")),
        // `?` and `:?` refuse to start without the variable.
        None if rest.is_empty() || rest.trim_start_matches(':').starts_with('?') => {
            variables.port(name)
        }
        None => Err(NoAddress::Chosen),
    }
}

/// What stands between the braces of a number that is one variable, or behind its `$`.
fn inner(number: &str) -> Option<&str> {
    let rest = number.strip_prefix('$')?;
    match rest.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}'),
        None => Some(rest),
    }
}

/// The first port of `3000-3005`. Without one, docker chooses it.
fn fixed(number: &str) -> Result<String, NoAddress> {
    let number = number.split('-').next().unwrap_or_default();
    let number = number.parse::<u16>().ok().filter(|number| *number > 0);
    number
        .map(|number| number.to_string())
        .ok_or(NoAddress::Chosen)
}

fn address(host: &str, port: &str) -> String {
    match host {
        "" | "0.0.0.0" | "::" => format!("localhost:{port}"),
        host => format!("{host}:{port}"),
    }
}
