//! Services of a compose file: each is a job that runs `docker compose up SERVICE`.

mod ports;

use super::sketch::{Need, Part, Sketch, seconds};
use super::source::{Fields, Source};
use super::toml_text::Toml;
use super::yaml::{self, Node, Value};
use crate::project::Fault;
use crate::protocol::duration;
use ports::published;

/// How long a service has to become ready: its image may have to be loaded first.
const READY: &str = "10m";

/// The grace of docker.
const GRACE: u64 = 10;

/// How much longer `docker compose stop` may take than the grace of the service.
const SLACK: u64 = 5;

/// The names that docker compose finds without `-f`.
pub(super) const NAMES: [&str; 4] = [
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
];

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let root = yaml::parse(source.path, source.text)?;
    let services = root.get("services").and_then(Node::entries);
    let services = services.unwrap_or_default();
    let mut part = source.part();
    let compose = program(source);
    // Services that others wait for until they have ended.
    let tasks: Vec<&str> = services
        .iter()
        .flat_map(|(_, node)| completed(node))
        .collect();
    for (name, node) in services {
        if node.entries().is_none() {
            return Err(source.fault(node, "a service must be a map"));
        }
        let is_task = tasks.contains(&name.as_str());
        part.jobs.push(job(source, &compose, name, node, is_task)?);
    }
    Ok(part)
}

/// The start of the command lines. A file with another name is named.
fn program(source: &Source<'_>) -> String {
    let name = source.path.file_name().unwrap_or_default();
    if NAMES.iter().any(|known| name == *known) {
        "docker compose".to_owned()
    } else {
        format!("docker compose -f {}", quoted(&name.to_string_lossy()))
    }
}

fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned())
}

fn job(
    source: &Source<'_>,
    compose: &str,
    name: &str,
    node: &Node,
    is_task: bool,
) -> Result<Sketch, Fault> {
    let mut job = source.job(name, node.line);
    let fields = Fields::new(node);
    let word = quoted(name);
    if is_task {
        // `up` does not pass on the exit code of a service.
        job.set("kind", "task");
        job.set("run", format!("{compose} run --rm --no-deps {word}"));
    } else {
        job.set("run", format!("{compose} up {word}"))
    }
    if let Some(dir) = source.cwd(None) {
        job.set("cwd", dir);
    }
    if !is_task {
        ready(&mut job, compose, name, &fields);
        let grace = fields.text("stop_grace_period");
        let grace = grace.and_then(|grace| duration::parse(grace).ok());
        let grace = grace.map_or(GRACE, |grace| grace.as_secs());
        let stop = format!("{compose} stop {word}");
        let grace = seconds(grace.saturating_add(SLACK));
        job.set(
            "stop",
            Toml::table([("run", stop.into()), ("grace", grace.into())]),
        );
    }
    if fields.get("profiles").is_some() {
        job.set("autostart", Toml::Bool(false));
    }
    if let Some(node) = fields.get("depends_on") {
        job.needs = needs(source, node)?;
    }
    Ok(job)
}

/// Ready when the first published port accepts connections, else when docker finds it healthy.
fn ready(job: &mut Sketch, compose: &str, name: &str, fields: &Fields<'_>) {
    let ports = fields.get("ports").map(|ports| &ports.value);
    let ports: &[Node] = match ports {
        Some(Value::List(ports)) => ports,
        _ => &[],
    };
    let check = if let Some(address) = ports.iter().find_map(published) {
        ("tcp", address)
    } else if fields.get("healthcheck").is_some() {
        let word = quoted(name);
        let line = format!("{compose} ps --format '{{{{.Health}}}}' {word} | grep -qx healthy");
        ("exec", line)
    } else {
        if !ports.is_empty() {
            job.note("Its ports have no fixed number on this machine, so it has no ready check.");
        }
        return;
    };
    let (key, value) = check;
    let ready = [(key, value.into()), ("timeout", READY.into())];
    job.set("ready", Toml::table(ready));
}

/// `depends_on`: a list, or a map with conditions.
fn needs(source: &Source<'_>, node: &Node) -> Result<Vec<Need>, Fault> {
    let need = |name: &str, is| Need {
        name: name.to_owned(),
        is,
    };
    if let Some(entries) = node.entries() {
        let needs = entries.iter().map(|(name, node)| {
            let is = match node.get("condition").and_then(Node::text) {
                None | Some("service_started") => "started",
                Some("service_healthy") => "ready",
                Some("service_completed_successfully") => "ok",
                Some(other) => {
                    let message = format!("{other:?} is not a condition of docker compose");
                    return Err(source.fault(node, message));
                }
            };
            Ok(need(name, Some(is)))
        });
        return needs.collect();
    }
    let names = node.texts();
    let names = names.ok_or_else(|| source.fault(node, "must be a list of services"))?;
    Ok(names.into_iter().map(|name| need(name, None)).collect())
}

/// The services that this one waits for until they have ended.
fn completed(node: &Node) -> Vec<&str> {
    let entries = node.get("depends_on").and_then(Node::entries);
    let entries = entries.unwrap_or_default().iter();
    let is_end = |node: &Node| {
        let condition = node.get("condition").and_then(Node::text);
        condition == Some("service_completed_successfully")
    };
    let names = entries.filter(|(_, node)| is_end(node));
    names.map(|(name, _)| name.as_str()).collect()
}
