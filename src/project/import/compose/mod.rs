//! Services of a compose file: each is a job that runs `docker compose up SERVICE`.

mod ports;

use super::sketch::{Need, Part, Sketch, cleaned, seconds};
use super::source::{Fields, Source};
use super::toml_text::Toml;
use super::yaml::{self, Node, Value};
use crate::project::Fault;
use crate::protocol::duration;
use ports::{NoAddress, Variables, published};

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

/// The names of files that docker compose lays over those.
const OVERLAYS: [&str; 4] = [
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
];

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let root = yaml::parse(source.path, source.text)?;
    let services = root.get("services").and_then(Node::entries);
    let services = services.unwrap_or_default();
    let mut part = source.part();
    around(source, &root, &mut part);
    let waited = |condition| {
        let of = services.iter();
        of.flat_map(|(_, node)| needed(node, condition)).collect()
    };
    let file = File {
        source,
        compose: program(source),
        variables: Variables::of(source),
        tasks: waited("service_completed_successfully"),
        healthy: waited("service_healthy"),
    };
    for (name, node) in services {
        if node.entries().is_none() {
            return Err(source.fault(node, "a service must be a map"));
        }
        part.jobs.push(job(&file, name, node)?);
    }
    Ok(part)
}

/// What the services of a file have in common.
struct File<'a> {
    source: &'a Source<'a>,
    /// The start of the command lines.
    compose: String,
    variables: Variables,
    /// Services that others wait for until they have ended.
    tasks: Vec<&'a str>,
    /// Services that others wait for until docker finds them healthy.
    healthy: Vec<&'a str>,
}

/// What is said outside of the services: the name of the project, and files that docker compose reads, too.
fn around(source: &Source<'_>, root: &Node, part: &mut Part) {
    let name = root.get("name").and_then(Node::text);
    if let Some(name) = name.filter(|name| !name.trim().is_empty() && !name.contains('$')) {
        part.top.push(("project", cleaned(name).into()));
    }
    let shown = source.shown;
    if root.get("include").is_some_and(|node| !node.is_null()) {
        part.notes.push(format!(
            "{shown}: Not taken over: the services of include. docker compose starts those that others need."
        ));
    }
    // It looks for them only where no file is named.
    let overlays = OVERLAYS.iter().filter(|_| is_usual(source));
    for name in overlays {
        let look = source.files.look(&source.path.with_file_name(name));
        if matches!(look, Ok(Some(_))) {
            part.notes.push(format!(
                "{shown}: docker compose also reads {name}. What it changes was not looked at."
            ));
        }
    }
}

/// The start of the command lines. A file with another name is named.
fn program(source: &Source<'_>) -> String {
    let name = source.path.file_name().unwrap_or_default();
    if is_usual(source) {
        "docker compose".to_owned()
    } else {
        format!("docker compose -f {}", quoted(&name.to_string_lossy()))
    }
}

/// Whether docker compose finds the file without `-f`.
fn is_usual(source: &Source<'_>) -> bool {
    let name = source.path.file_name().unwrap_or_default();
    NAMES.iter().any(|known| name == *known)
}

fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned())
}

fn job(file: &File<'_>, name: &str, node: &Node) -> Result<Sketch, Fault> {
    let (source, compose) = (file.source, &file.compose);
    let is_task = file.tasks.contains(&name);
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
        ready(file, &mut job, name, &fields);
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
    if fields.get("extends").is_some() {
        job.note("It extends another service; the ports, health check and needs of that one are not taken over.");
    }
    if fields.get("profiles").is_some() {
        job.set("autostart", Toml::Bool(false));
    }
    if let Some(node) = fields.get("depends_on") {
        job.needs = needs(source, node)?;
    }
    Ok(job)
}

/// Ready when the first published port accepts connections, else when docker finds it healthy; that comes first if
/// another service waits for it.
fn ready(file: &File<'_>, job: &mut Sketch, name: &str, fields: &Fields<'_>) {
    let ports = fields.get("ports").map(|ports| &ports.value);
    let ports: &[Node] = match ports {
        Some(Value::List(ports)) => ports,
        _ => &[],
    };
    let has_health = fields.get("healthcheck").is_some_and(is_checked);
    let is_waited_for = has_health && file.healthy.contains(&name);
    let addresses = || ports.iter().map(|port| published(port, &file.variables));
    let address = addresses().find_map(Result::ok);
    let check = if let Some(address) = address.filter(|_| !is_waited_for) {
        ("tcp", address)
    } else if has_health {
        let (compose, word) = (&file.compose, quoted(name));
        let line = format!("{compose} ps --format '{{{{.Health}}}}' {word} | grep -qx healthy");
        ("exec", line)
    } else {
        let unset = addresses().find_map(|address| match address {
            Err(NoAddress::Unset(variable)) => Some(variable),
            _ => None,
        });
        if let Some(variable) = unset {
            job.note(format!(
                "Its port is the value of {variable}, which .env does not have, so it has no ready check."
            ));
        } else if !ports.is_empty() {
            job.note("Its ports have no fixed number on this machine, so it has no ready check.");
        }
        return;
    };
    let (key, value) = check;
    let ready = [(key, value.into()), ("timeout", READY.into())];
    job.set("ready", Toml::table(ready));
}

/// Whether a `healthcheck` is one: it may also turn off that of the image.
fn is_checked(node: &Node) -> bool {
    let is_disabled = node.get("disable").and_then(Node::flag) == Some(true);
    let test = node.get("test").and_then(Node::texts);
    let is_none = test.is_some_and(|words| words.first() == Some(&"NONE"));
    !is_disabled && !is_none
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

/// The services that this one waits for until they are so.
fn needed<'a>(node: &'a Node, condition: &str) -> Vec<&'a str> {
    let entries = node.get("depends_on").and_then(Node::entries);
    let entries = entries.unwrap_or_default().iter();
    let is_it = |node: &Node| node.get("condition").and_then(Node::text) == Some(condition);
    let names = entries.filter(|(_, node)| is_it(node));
    names.map(|(name, _)| name.as_str()).collect()
}
