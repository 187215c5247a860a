//! Daemons of `pitchfork.toml`.
//!
//! `ready` has its checks, `life` what happens to a daemon after its start.

mod life;
mod ready;

use super::sketch::{Need, Part, Sketch, cleaned, literal};
use super::source::{Fields, Source};
use super::toml_text::Toml;
use super::toml_tree;
use super::yaml::{Node, Value};
use crate::project::Fault;

/// Keys of a daemon that are about the logs of pitchfork and how it watches.
const OWN: &[&str] = &[
    "watch_mode",
    "port_bump_attempts",
    "archive_hook",
    "line_retention",
    "time_retention",
    "logs",
];

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let root = toml_tree::parse(source.path, source.text)?;
    let top = Fields::new(&root);
    let daemons = top.get("daemons").and_then(Node::entries);
    let daemons = daemons.ok_or_else(|| source.fault(&root, "the file has no [daemons.NAME]"))?;
    let mut part = source.part();
    if let Some(name) = top.text("namespace") {
        part.top.push(("project", cleaned(name).into()));
    }
    let mut notes = Vec::new();
    environment(&top, &mut part.env, &mut notes);
    part.notes.append(&mut notes);
    let groups = top.get("groups").and_then(Node::entries);
    let starts = |node: &Node| {
        let auto = node.get("auto").and_then(Node::texts).unwrap_or_default();
        let at_boot = node.get("boot_start").and_then(Node::flag) == Some(true);
        at_boot || auto.contains(&"start")
    };
    let some_start = daemons.iter().any(|(_, node)| starts(node));
    for (name, node) in daemons {
        let mut job = job(source, name, node)?;
        if some_start && !starts(node) {
            job.set("autostart", Toml::Bool(false));
        }
        membership(&mut job, groups.unwrap_or_default());
        part.jobs.push(job);
    }
    // The shell of pitchfork does that, when it enters the directory.
    if some_start {
        part.notes.push(format!(
            "bgproc starts nothing when a shell enters a directory: `bgproc up` starts what {} starts then or at boot.",
            source.shown
        ));
    }
    let rest = top.rest().map(|rest| format!("{}: {rest}", source.shown));
    part.notes.extend(rest);
    Ok(part)
}

fn job(source: &Source<'_>, name: &str, node: &Node) -> Result<Sketch, Fault> {
    if node.entries().is_none() {
        return Err(source.fault(node, "a daemon must be a table"));
    }
    let mut job = source.job(name, node.line);
    let fields = Fields::new(node);
    fields.ignore(OWN);
    let run = fields.text("run");
    let run = run.ok_or_else(|| source.fault(node, format!("daemon {name:?} has no run")))?;
    templates(run, &mut job.notes);
    job.set("run", run);
    let dir = fields.text("dir").map(|dir| match dir.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            format!("${{HOME}}{}", literal(rest))
        }
        _ => literal(dir),
    });
    if let Some(cwd) = source.cwd(dir.as_deref()) {
        job.set("cwd", cwd);
    }
    environment(&fields, &mut job.env, &mut job.notes);
    let ports = ports(&mut job, &fields);
    let needs = fields.texts("depends").unwrap_or_default().into_iter();
    job.needs = needs
        .map(|name| Need {
            name: name.to_owned(),
            is: None,
        })
        .collect();
    ready::read(&mut job, &fields, &ports);
    life::read(source, &mut job, &fields);
    // What `read` makes of the file as a whole.
    fields.ignore(&["auto"]);
    job.notes.extend(fields.rest());
    Ok(job)
}

/// Notes that a text is a template of Tera, once for each job.
fn templates(text: &str, notes: &mut Vec<String>) {
    let note = "It has a template ({{ }}), which bgproc does not expand: the port of another job is ${port.JOB}, and \
                BGPROC_PORT_JOB in shell lines.";
    let is_template = ["{{", "{%"].iter().any(|sign| text.contains(sign));
    if is_template && !notes.iter().any(|known| known == note) {
        notes.push(note.to_owned());
    }
}

fn environment(fields: &Fields<'_>, env: &mut Vec<(String, Toml)>, notes: &mut Vec<String>) {
    let variables = fields.get("env").and_then(Node::entries);
    for (name, node) in variables.unwrap_or_default() {
        let Some(value) = node.text() else {
            notes.push(format!("Not taken over: the variable {name:?}."));
            continue;
        };
        templates(value, notes);
        super::variable(env, name, literal(value).into());
    }
}

/// Sets `port`. Returns the ports.
fn ports(job: &mut Sketch, fields: &Fields<'_>) -> Vec<i64> {
    let node = fields.get("port");
    let expected = fields.get("expected_port");
    let bump = fields.get("auto_bump_port");
    let (list, bump) = match node {
        Some(node) if node.entries().is_some() => (node.get("expect"), node.get("bump")),
        Some(node) => (Some(node), None),
        None => (expected, bump),
    };
    let texts = list.and_then(Node::texts).unwrap_or_default().into_iter();
    let ports: Vec<i64> = texts.filter_map(|text| text.parse().ok()).collect();
    match ports.as_slice() {
        [] => return ports,
        [one] => job.set("port", Toml::Integer(*one)),
        several => {
            let named = (0..).zip(several);
            let named = named.map(|(at, port)| (format!("port{at}"), Toml::Integer(*port)));
            job.set("port", Toml::Table(named.collect()));
            job.note(
                "Its ports are not in PORT, PORT0 and PORT1, but in BGPROC_PORT_JOB_PORT0 and so on.",
            );
        }
    }
    if bump.is_some_and(|bump| bump.flag() != Some(false) && bump.text() != Some("0")) {
        job.set("port_busy", "next");
    }
    ports
}

/// The groups that name a job: one is its group, several are tags.
fn membership(job: &mut Sketch, groups: &[(String, Node)]) {
    let has_it = |node: &Node| {
        let daemons = node.get("daemons").and_then(Node::texts);
        daemons.is_some_and(|names| names.contains(&job.name.as_str()))
    };
    let names = groups.iter().filter(|(_, node)| has_it(node));
    let names: Vec<String> = names.map(|(name, _)| cleaned(name)).collect();
    match names.as_slice() {
        [] => {}
        [one] => job.set("group", one.as_str()),
        _ => job.set("tags", names.into_iter().collect::<Toml>()),
    }
}

/// A text, or the one below `key` of a table, and the table.
fn short<'a>(node: &'a Node, key: &str) -> (Option<&'a str>, Option<&'a Node>) {
    match &node.value {
        Value::Map(_) => (node.get(key).and_then(Node::text), Some(node)),
        _ => (node.text(), None),
    }
}
