//! `readiness_probe`, `ready_log_line` and `liveness_probe`.
//!
//! process-compose ends a process if one of its probes fails too often in a row, and `availability` says what follows.
//! Here `restart.unready` does that, by the one probe that a job has.

use super::super::sketch::{Sketch, seconds};
use super::super::source::{Fields, Source};
use super::super::toml_text::Toml;
use super::super::yaml::Node;
use super::text::Texts;
use crate::project::Fault;

/// Seconds between two attempts, and how many of them fail in a row until process-compose ends the process, unless the
/// file says something else.
const PERIOD: u64 = 10;
const THRESHOLD: u64 = 3;

/// Sets `ready`. Returns after how many seconds without readiness the process is ended, if it has a probe that says so.
pub(super) fn read(
    source: &Source<'_>,
    texts: &Texts,
    job: &mut Sketch,
    fields: &Fields<'_>,
) -> Result<Option<u64>, Fault> {
    let line = fields.text("ready_log_line");
    let named = |name| fields.get(name).map(|node| (name, node));
    let liveness = named("liveness_probe");
    let Some((name, node)) = named("readiness_probe").or(liveness) else {
        if let Some(line) = line {
            let line = texts.line(line, &mut job.notes);
            // There it is a part of a line, here a pattern.
            let pattern = regex_syntax::escape(&line);
            job.set("ready", Toml::table([("log", pattern.into())]));
        }
        return Ok(None);
    };
    if liveness.is_some_and(|(liveness, _)| liveness != name) {
        job.note("Not taken over: liveness_probe. A job has one probe, here its readiness_probe.");
    }
    if line.is_some() {
        job.note(format!(
            "Not taken over: ready_log_line, because there is a {name}."
        ));
    }
    let probe = Fields::new(node);
    let mut ready = match (probe.get("exec"), probe.get("http_get")) {
        (Some(exec), _) => vec![("exec".to_owned(), command(source, texts, job, exec)?.into())],
        (None, Some(http)) => request(texts, job, &Fields::new(http), name),
        (None, None) => return Err(source.fault(node, "has neither exec nor http_get")),
    };
    let number = |key| probe.number(key).filter(|number| *number > 0);
    let period = number("period_seconds");
    if let Some(period) = period {
        ready.push(("every".to_owned(), seconds(period).into()));
    }
    job.set("ready", Toml::Table(ready));
    let limits = [
        "initial_delay_seconds",
        "timeout_seconds",
        "success_threshold",
    ];
    let said: Vec<&str> = limits
        .into_iter()
        .filter(|key| probe.get(key).is_some())
        .collect();
    if !said.is_empty() {
        job.note(format!(
            "Not taken over: {} of {name}. bgproc checks until ready.timeout (2m).",
            said.join(", ")
        ));
    }
    let threshold = number("failure_threshold").unwrap_or(THRESHOLD);
    job.notes.extend(probe.rest());
    Ok(Some(period.unwrap_or(PERIOD).saturating_mul(threshold)))
}

/// The command of `exec`, in its directory.
fn command(
    source: &Source<'_>,
    texts: &Texts,
    job: &mut Sketch,
    exec: &Node,
) -> Result<String, Fault> {
    let fields = Fields::new(exec);
    let command = fields.text("command");
    let command = command.ok_or_else(|| source.fault(exec, "has no command"))?;
    let command = texts.line(command, &mut job.notes);
    Ok(match fields.text("working_dir") {
        Some(dir) => {
            let dir = shlex::try_quote(dir).unwrap_or_else(|_| dir.into());
            format!("cd {dir} && {{ {command}\n}}")
        }
        None => command,
    })
}

/// The request of `http_get` of the probe `name`. bgproc speaks only http itself, and sends no headers.
fn request(texts: &Texts, job: &mut Sketch, http: &Fields<'_>, name: &str) -> Vec<(String, Toml)> {
    let text = |key, usual: &'static str| http.text(key).unwrap_or(usual);
    let (scheme, host) = (text("scheme", "http"), text("host", "127.0.0.1"));
    let path = text("path", "/");
    let path = path.strip_prefix('/').unwrap_or(path);
    let port = http
        .get("port")
        .or(http.get("num_port"))
        .and_then(Node::text);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let url = format!("{scheme}://{host}{port}/{path}");
    let status = http.number("status_code");
    let headers = http.get("headers").and_then(Node::entries);
    let headers = headers.unwrap_or_default();
    if scheme == "http" && headers.is_empty() {
        let url = texts.template(&url, &mut job.notes);
        let mut ready = vec![("http".to_owned(), url.into())];
        if let Some(status) = status.and_then(|status| i64::try_from(status).ok())
            && (100..=599).contains(&status)
        {
            let codes = Toml::List(vec![Toml::Integer(status)]);
            ready.push(("status".to_owned(), codes));
        }
        return ready;
    }
    let mut words = vec!["curl".to_owned(), "-fsS".to_owned()];
    for (name, value) in headers {
        words.push("-H".to_owned());
        words.push(format!("{name}: {}", value.text().unwrap_or_default()));
    }
    words.push(texts.line(&url, &mut job.notes));
    if status.is_some_and(|status| status != 200) {
        job.note(format!(
            "Not taken over: status_code of {name}; curl takes any below 400."
        ));
    }
    let words = shlex::try_join(words.iter().map(String::as_str));
    let line = words.unwrap_or_else(|_| format!("curl -fsS {url}"));
    vec![("exec".to_owned(), line.into())]
}
