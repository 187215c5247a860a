//! Jobs of `process-compose.yaml`.

mod extends;
mod life;
mod probe;
mod text;

use super::sketch::{Need, Part, Sketch};
use super::source::{Fields, Source};
use super::toml_text::Toml;
use super::yaml::{Node, Value};
use crate::project::Fault;
use text::Texts;

/// Keys of the file that are about process-compose itself, or about the form of its logs.
const LOOKS: &[&str] = &[
    "version",
    "log_level",
    "log_length",
    "log_format",
    "log_configuration",
    "log_location",
    "is_strict",
    "is_tui_disabled",
    "ordered_shutdown",
    "disable_env_expansion",
];

/// Keys of a process with the same kind of meaning.
const LOOKS_OF_PROCESS: &[&str] = &[
    "name",
    "extends",
    "is_dotenv_disabled",
    "log_configuration",
    "disable_ansi_colors",
    "is_template_disabled",
    "truncate_log",
    "mcp",
];

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let root = source.yaml("processes")?;
    let top = Fields::new(&root);
    top.ignore(LOOKS);
    let mut part = source.part();
    shell(&mut part, &top);
    if let Some(name) = top.text("name") {
        part.top
            .push(("project", super::sketch::cleaned(name).into()));
    }
    let is_expanded = root.get("disable_env_expansion").and_then(Node::flag) != Some(true);
    let texts = Texts::new(is_expanded, top.get("vars"));
    environment(
        &texts,
        top.get("environment"),
        &mut part.env,
        &mut part.notes,
    );
    let processes = top.get("processes").and_then(Node::entries);
    let processes = processes.unwrap_or_default();
    for (name, node) in processes {
        let node = extends::resolved(source, processes, node)?;
        part.jobs.push(job(source, &texts, name, &node)?);
    }
    let rest = top.rest().map(|rest| format!("{}: {rest}", source.shown));
    part.notes.extend(rest);
    Ok(part)
}

/// process-compose runs lines with bash unless the file says something else.
fn shell(part: &mut Part, top: &Fields<'_>) {
    let config = top.get("shell");
    let of = |key| config.and_then(|shell| shell.get(key)?.text());
    let command = of("shell_command").unwrap_or("bash");
    let argument = of("shell_argument").unwrap_or("-c");
    let words = [command, argument].map(str::to_owned);
    part.top.push(("shell", words.into_iter().collect()));
}

fn job(source: &Source<'_>, texts: &Texts, name: &str, node: &Node) -> Result<Sketch, Fault> {
    if node.entries().is_none() {
        return Err(source.fault(node, "a process must be a map"));
    }
    let mut job = source.job(name, node.line);
    let fields = Fields::new(node);
    fields.ignore(LOOKS_OF_PROCESS);
    let texts = texts.with(fields.get("vars"));
    command(source, &texts, &mut job, &fields, node)?;
    if let Some(text) = fields.text("description") {
        job.keys.insert(0, ("description", text.into()));
    }
    let cwd = fields
        .text("working_dir")
        .map(|cwd| texts.template(cwd, &mut job.notes));
    if let Some(cwd) = source.cwd(cwd.as_deref()) {
        job.set("cwd", cwd);
    }
    if let Some(files) = fields.texts("env_file") {
        let files = files.into_iter().map(|file| below(cwd.as_deref(), file));
        let files = files.filter_map(|file| source.cwd(Some(&file)));
        job.set("env_file", files.collect::<Toml>());
    }
    let (mut env, mut notes) = (Vec::new(), Vec::new());
    environment(&texts, fields.get("environment"), &mut env, &mut notes);
    job.env = env;
    job.notes.append(&mut notes);
    needs(source, &mut job, &fields)?;
    let unready = probe::read(source, &texts, &mut job, &fields)?;
    life::read(&texts, &mut job, &fields, unready);
    groups(&mut job, &fields);
    job.notes.extend(fields.rest());
    Ok(job)
}

/// A path that process-compose takes as beginning at the directory of the process.
fn below(cwd: Option<&str>, path: &str) -> String {
    let path = path.trim_start_matches("./");
    match cwd.map(|cwd| cwd.trim_end_matches('/')) {
        Some(cwd) if cwd != "." && !path.starts_with(['/', '$']) => format!("{cwd}/{path}"),
        _ => path.to_owned(),
    }
}

/// `command`, which wins, or `entrypoint`.
fn command(
    source: &Source<'_>,
    texts: &Texts,
    job: &mut Sketch,
    fields: &Fields<'_>,
    node: &Node,
) -> Result<(), Fault> {
    let command = fields.text("command");
    let entrypoint = fields.texts("entrypoint").filter(|words| !words.is_empty());
    match (command, entrypoint) {
        (Some(command), _) => {
            let line = texts.line(command, &mut job.notes);
            job.set("run", line);
        }
        (None, Some(words)) => {
            let words = words.into_iter();
            let words: Toml = words
                .map(|word| texts.template(word, &mut job.notes))
                .collect();
            job.set("cmd", words);
        }
        (None, None) => {
            let message = format!("process {:?} has neither command nor entrypoint", job.name);
            return Err(source.fault(node, message));
        }
    }
    Ok(())
}

/// A list of `NAME=value`, or a map.
fn environment(
    texts: &Texts,
    node: Option<&Node>,
    env: &mut Vec<(String, Toml)>,
    notes: &mut Vec<String>,
) {
    let Some(node) = node else { return };
    let mut set = |name: &str, value: &str, notes: &mut Vec<String>| {
        let value = texts.template(value, notes);
        super::variable(env, name, value.into());
    };
    match &node.value {
        Value::Map(entries) => {
            for (name, value) in entries {
                set(name, value.text().unwrap_or_default(), notes);
            }
        }
        _ => {
            for item in node.texts().unwrap_or_default() {
                // A name alone is a variable of the caller, which the job has anyway.
                if let Some((name, value)) = item.split_once('=') {
                    set(name, value, notes);
                }
            }
        }
    }
}

fn needs(source: &Source<'_>, job: &mut Sketch, fields: &Fields<'_>) -> Result<(), Fault> {
    let Some(node) = fields.get("depends_on") else {
        return Ok(());
    };
    let Some(entries) = node.entries() else {
        return Err(source.fault(node, "depends_on must be a map"));
    };
    for (name, node) in entries {
        let condition = node.get("condition").and_then(Node::text);
        let is = match condition {
            None | Some("process_started") => "started",
            Some("process_healthy" | "process_log_ready") => "ready",
            Some("process_completed") => "done",
            Some("process_completed_successfully") => "ok",
            Some(other) => {
                let message = format!("{other:?} is not a condition of process-compose");
                return Err(source.fault(node, message));
            }
        };
        job.needs.push(Need {
            name: name.clone(),
            is: Some(is),
        });
    }
    Ok(())
}

/// Namespaces: one is a group, several are tags.
fn groups(job: &mut Sketch, fields: &Fields<'_>) {
    let names = fields.texts("namespace").unwrap_or_default().into_iter();
    let names: Vec<String> = names.map(super::sketch::cleaned).collect();
    match names.as_slice() {
        [] => {}
        [one] => job.set("group", one.as_str()),
        _ => job.set("tags", names.into_iter().collect::<Toml>()),
    }
}
