//! The ports that a service publishes on this machine.

use super::super::yaml::Node;

/// The address of a published TCP port: `5432:5432`, `127.0.0.1:8080:80`, `${PORT:-80}:80`, or a map.
pub(super) fn published(port: &Node) -> Option<String> {
    if port.entries().is_some() {
        let text = |key| port.get(key).and_then(Node::text);
        let is_tcp = text("protocol").is_none_or(|protocol| protocol == "tcp");
        let number = first(text("published")?)?;
        return is_tcp.then(|| address(text("host_ip").unwrap_or_default(), &number));
    }
    let text = port.text()?;
    let text = match text.rsplit_once('/') {
        Some((text, "tcp")) => text,
        Some(_) => return None,
        None => text,
    };
    let parts = parts(text);
    let (_, rest) = parts.split_last()?;
    let (number, host) = rest.split_last()?;
    let host = host.join(":");
    Some(address(host.trim_matches(['[', ']']), &first(number)?))
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

/// The first port of `3000-3005`. `None` if docker chooses it.
fn first(number: &str) -> Option<String> {
    if number.contains("${") {
        // docker takes an unset variable as nothing, and then chooses the port.
        return number.contains(":-").then(|| number.to_owned());
    }
    let number = number.split('-').next()?;
    let number = number.parse::<u16>().ok().filter(|number| *number > 0)?;
    Some(number.to_string())
}

fn address(host: &str, port: &str) -> String {
    match host {
        "" | "0.0.0.0" | "::" => format!("localhost:{port}"),
        host => format!("{host}:{port}"),
    }
}
