//! `ready_http`, `ready_cmd`, `ready_port`, `ready_output` and `ready_delay`.

use super::super::sketch::{Sketch, literal};
use super::super::source::Fields;
use super::super::toml_text::Toml;
use super::super::yaml::Node;
use super::{short, templates};
use crate::protocol::duration;

/// The answers to a request that usually mean success: pitchfork takes any from 200 to 299.
const SUCCESS: [i64; 4] = [200, 201, 202, 204];

/// The checks, the first of which is taken.
const CHECKS: [&str; 4] = ["ready_http", "ready_cmd", "ready_port", "ready_output"];

/// Sets `ready`. `ports` are the job's own.
pub(super) fn read(job: &mut Sketch, fields: &Fields<'_>, ports: &[i64]) {
    let given: Vec<(&str, &Node)> = CHECKS
        .into_iter()
        .filter_map(|key| Some((key, fields.get(key)?)))
        .collect();
    let delay = fields.text("ready_delay");
    let Some((key, node)) = given.first() else {
        if let Some(delay) = delay {
            job.note(format!(
                "Not taken over: ready_delay: {delay}. Without a check a job counts as started after half a second."
            ));
        }
        return;
    };
    for (other, _) in given.iter().skip(1) {
        job.note(format!("Not taken over: {other}, because there is {key}."));
    }
    let Some(mut ready) = check(job, key, node, ports) else {
        job.note(format!("Not taken over: {key}."));
        return;
    };
    let timeout = node.get("timeout").and_then(Node::text);
    if let Some(timeout) = timeout.filter(|text| duration::parse(text).is_ok()) {
        ready.push(("timeout".to_owned(), timeout.into()));
    }
    job.set("ready", Toml::Table(ready));
}

fn check(job: &mut Sketch, key: &str, node: &Node, ports: &[i64]) -> Option<Vec<(String, Toml)>> {
    let inner = match key {
        "ready_http" => "url",
        "ready_cmd" => "run",
        _ => "pattern",
    };
    let (text, table) = short(node, inner);
    let text = text?;
    templates(text, &mut job.notes);
    let one = |key: &str, value: Toml| Some(vec![(key.to_owned(), value)]);
    match key {
        "ready_http" if text.starts_with("https:") => {
            if table.is_some_and(|table| table.get("status").is_some()) {
                job.note("Not taken over: status of ready_http; curl takes any below 400.");
            }
            let url = shlex::try_quote(text).ok()?;
            one("exec", format!("curl -fsS {url}").into())
        }
        "ready_http" => {
            let own = table.and_then(|table| table.get("status")?.texts());
            let own = own.map(|texts| texts.iter().filter_map(|text| text.parse().ok()).collect());
            let codes: Vec<i64> = own.unwrap_or(SUCCESS.to_vec());
            let codes = codes.into_iter().map(Toml::Integer).collect();
            let mut ready = one("http", literal(text).into())?;
            ready.push(("status".to_owned(), Toml::List(codes)));
            Some(ready)
        }
        "ready_cmd" => one("exec", text.into()),
        "ready_port" => match text.parse::<i64>().ok()? {
            own if ports.contains(&own) => one("port", Toml::Integer(own)),
            other => one("tcp", format!("localhost:{other}").into()),
        },
        _ => one("log", literal(text).into()),
    }
}
