//! When a job is ready.

use serde::{Deserialize, Serialize};

use super::keys;
use super::node::Value;
use super::section::{Section, Text};
use super::template;

/// How long a job has to become ready: 2 minutes.
const TIMEOUT_MS: u64 = 120_000;

/// How often a check is repeated: every 500 ms.
const EVERY_MS: u64 = 500;

/// When a job is ready.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// What is checked.
    pub check: Check,
    /// How long it has, in milliseconds.
    #[serde(default = "timeout", skip_serializing_if = "is_timeout")]
    pub timeout_ms: u64,
    /// How often the check is repeated, in milliseconds.
    #[serde(default = "every", skip_serializing_if = "is_every")]
    pub every_ms: u64,
}

/// What shows that a job is ready.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Check {
    /// A line of its output matches this pattern. A template.
    Log(String),
    /// A process of its own tree listens on this port. A template.
    Port(String),
    /// Anybody accepts connections at `host:port`. A template.
    Tcp(String),
    /// A GET request is answered.
    Http {
        /// The address. A template.
        url: String,
        /// The status codes that count.
        status: Vec<u16>,
    },
    /// A shell line ends with code 0.
    Exec(String),
    /// A file exists. A template.
    File(String),
    /// It has written nothing for so many milliseconds.
    Quiet(u64),
}

impl Check {
    /// Whether what is checked can be lost again; see [`Probe::can_fail_later`](crate::protocol::Probe::can_fail_later).
    pub(super) fn can_be_lost(&self) -> bool {
        !matches!(self, Self::Log(_) | Self::Quiet(_))
    }

    /// The key and the text of its template, if it has one.
    pub fn template(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Log(text) => Some(("log", text)),
            Self::Port(text) => Some(("port", text)),
            Self::Tcp(text) => Some(("tcp", text)),
            Self::Http { url, .. } => Some(("http", url)),
            Self::File(text) => Some(("file", text)),
            Self::Exec(_) | Self::Quiet(_) => None,
        }
    }
}

impl Ready {
    /// Reads the table `ready`, with the text of its template.
    pub(super) fn read(section: &Section<'_>) -> Option<(Self, Option<Text>)> {
        let is_meant = section.only(keys::READY, keys::CHECKS);
        let timeout_ms = section.duration("timeout").unwrap_or(TIMEOUT_MS);
        let every_ms = section.duration("every").unwrap_or(EVERY_MS);
        if every_ms == 0 {
            let place = section.get("every").map(|node| &node.place);
            section.wrong(place.unwrap_or(&section.place), "every", "more than 0");
        }
        let key = section.one_of(keys::CHECKS, !is_meant)?;
        if let (Some(status), true) = (section.table.entry("status"), key != "http") {
            let message = format!("\"status\"{} goes with \"http\" only", section.owner());
            section.faults.add(&status.place, message);
        }
        let text = match key {
            "quiet" => None,
            "port" => Some(port(section)?),
            _ => Some(section.text(key)?),
        };
        let check = match (key, text.as_ref()) {
            (_, None) => Check::Quiet(section.duration("quiet")?),
            (_, Some(text)) => check(section, key, text)?,
        };
        let ready = Self {
            check,
            timeout_ms,
            every_ms,
        };
        Some((ready, text))
    }
}

/// A port: a number, or a template.
fn port(section: &Section<'_>) -> Option<Text> {
    match section.get("port")?.value {
        Value::String(_) => section.text("port"),
        _ => {
            let number = section.number("port", 1..=65535)?;
            let place = section.get("port")?.place.clone();
            Some(Text {
                text: number.to_string(),
                place,
            })
        }
    }
}

fn check(section: &Section<'_>, key: &str, text: &Text) -> Option<Check> {
    let check = of(key, text.text.clone(), status(section));
    // The form of an address can depend on the values in it; it is checked when they are known.
    let probe = match key {
        "log" => of(key, template::filled(&text.text), Vec::new()),
        _ if template::is_template(&text.text) => return Some(check),
        _ => check.clone(),
    };
    if let Some(why) = probe.fault() {
        section.wrong(&text.place, key, &why);
        return None;
    }
    Some(check)
}

fn of(key: &str, text: String, status: Vec<u16>) -> Check {
    match key {
        "log" => Check::Log(text),
        "port" => Check::Port(text),
        "tcp" => Check::Tcp(text),
        "http" => Check::Http { url: text, status },
        "file" => Check::File(text),
        _ => Check::Exec(text),
    }
}

fn status(section: &Section<'_>) -> Vec<u16> {
    let Some(node) = section.get("status") else {
        return vec![200];
    };
    let Value::Array(items) = &node.value else {
        section.wrong(&node.place, "status", "a list of numbers: [200]");
        return Vec::new();
    };
    let codes = items
        .iter()
        .filter_map(|item| section.number_of(item, "status", 100..=599));
    codes.filter_map(|code| u16::try_from(code).ok()).collect()
}

impl Check {
    /// What a check with expanded templates must be, if it is not valid.
    pub(super) fn fault(&self) -> Option<String> {
        match self {
            Self::Log(pattern) if pattern.is_empty() => Some("a pattern, not \"\"".to_owned()),
            Self::Log(pattern) => pattern_fault(pattern),
            Self::Port(port) => {
                let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
                (!is_port).then(|| format!("a number from 1 to 65535, not {port:?}"))
            }
            Self::Tcp(address) => {
                let parts = address.rsplit_once(':');
                let is_address = parts.is_some_and(|(host, port)| {
                    !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
                });
                (!is_address).then(|| format!("host:port, not {address:?}"))
            }
            Self::Http { url, .. } => url_fault(url),
            Self::File(path) => path.is_empty().then(|| "a path, not \"\"".to_owned()),
            Self::Exec(line) => {
                let is_blank = line.trim().is_empty();
                is_blank.then(|| format!("a shell line, not {line:?}"))
            }
            Self::Quiet(_) => None,
        }
    }
}

/// Patterns up to this length that count nothing (`x{1000}`) are far below the limit of the size of patterns.
const SHORT_PATTERN: usize = 200;

fn pattern_fault(pattern: &str) -> Option<String> {
    // To compile a pattern takes ten times as long as to parse it, and a file can have hundreds.
    let why = if pattern.len() <= SHORT_PATTERN && !pattern.contains('{') {
        regex_syntax::parse(pattern).err()?.to_string()
    } else {
        regex::Regex::new(pattern).err()?.to_string()
    };
    // The library draws the place into the pattern; its last line says what is wrong.
    let why = why.lines().last().unwrap_or_default();
    let why = why.trim_start_matches("error: ");
    Some(format!("a valid pattern, not {pattern:?}: {why}"))
}

fn url_fault(url: &str) -> Option<String> {
    if url.starts_with("https://") {
        return Some(format!(
            "a http:// address; for https use exec = \"curl -fsS {url}\""
        ));
    }
    let host = url.strip_prefix("http://").unwrap_or_default();
    let is_url = !host.is_empty()
        && !host.starts_with(['/', ':'])
        && !url.contains(|c: char| c.is_whitespace() || c.is_control());
    (!is_url).then(|| format!("an address such as http://localhost:3000/, not {url:?}"))
}

fn timeout() -> u64 {
    TIMEOUT_MS
}

fn is_timeout(ms: &u64) -> bool {
    *ms == TIMEOUT_MS
}

fn every() -> u64 {
    EVERY_MS
}

fn is_every(ms: &u64) -> bool {
    *ms == EVERY_MS
}
