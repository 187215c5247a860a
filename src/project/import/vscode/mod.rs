//! Jobs of `.vscode/tasks.json`.
//!
//! Tasks that go on (`isBackground`) are services, which `up` starts; the others start when they are named, as in VS Code.
//! A task whose command has what only the editor knows, such as the open file, is left out.

mod order;
mod text;

use std::path::Path;

use super::json_tree;
use super::sketch::{Need, Part, Sketch, literal};
use super::source::{Fields, Source};
use super::toml_text::Toml;
use super::yaml::{Node, Value};
use super::{package, variable};
use crate::project::Fault;
use crate::protocol::shell::quote;
use text::{Texts, word};

/// Keys of a task that are about the editor.
const LOOKS: &[&str] = &[
    "group",
    "hide",
    "icon",
    "presentation",
    "problemMatcher",
    "promptOnClose",
    "runOptions",
    "windows",
    "osx",
    "linux",
];

/// The keys of a task for this operating system only.
const HERE: &str = if cfg!(target_os = "macos") {
    "osx"
} else {
    "linux"
};

/// The directory of the project, as seen from the new file: that around `.vscode`. `of` is the directory of the file at
/// `path`.
pub(super) fn project<'a>(of: &'a Path, path: &Path) -> &'a Path {
    let is_own = |dir: &Path| dir.ends_with(".vscode");
    match of.parent() {
        Some(parent) if is_own(of) => parent,
        _ if of.as_os_str().is_empty() && path.parent().is_some_and(is_own) => Path::new(".."),
        _ => of,
    }
}

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let root = json_tree::parse(source.path, source.text)?;
    let mut part = source.part();
    let top = Fields::new(&root);
    top.ignore(&[
        "version",
        "inputs",
        "windows",
        "osx",
        "linux",
        "presentation",
        "$schema",
    ]);
    let Some(Value::List(tasks)) = top.get("tasks").map(|tasks| &tasks.value) else {
        let message = "the file has no list \"tasks\"";
        return Err(source.fault(top.get("tasks").unwrap_or(&root), message));
    };
    let shared = top.get("options");
    let mut sequences = Vec::new();
    for node in tasks {
        let name = name(node);
        let mut job = source.job(&name, node.line);
        match fill(source, &mut job, node, shared) {
            Ok(()) => {
                if node.get("dependsOrder").and_then(Node::text) == Some("sequence") {
                    let needs = job.needs.iter().map(|need| need.name.clone());
                    sequences.push((name, needs.collect()));
                }
                part.jobs.push(job);
            }
            Err(why) => {
                let origin = &job.origin;
                let note = format!("{name:?} ({origin}) is left out: {why}.");
                part.notes.push(note);
            }
        }
    }
    order::keep(&mut part.jobs, &sequences);
    if part.jobs.iter().any(|job| job.has("autostart")) {
        part.notes.push(
            "Jobs with autostart = false start when they are named: bgproc up NAME.".to_owned(),
        );
    }
    part.notes
        .extend(top.rest().map(|rest| format!("{}: {rest}", source.shown)));
    Ok(part)
}

/// How VS Code calls a task.
fn name(node: &Node) -> String {
    let text = |key: &str| node.get(key).and_then(Node::text);
    let own = text("label").or_else(|| text("taskName"));
    let of_script = || Some(format!("{}: {}", text("type")?, text("script")?));
    let name = own.map(str::to_owned).or_else(of_script);
    name.or_else(|| text("command").map(str::to_owned))
        .unwrap_or_default()
}

/// A task, and where its keys are looked for.
struct Task<'a> {
    node: &'a Node,
    fields: Fields<'a>,
    /// Its keys for this operating system, which come first.
    here: Option<&'a Node>,
    /// Its options, the first ones first: for this system, its own, those of all tasks.
    options: [Option<&'a Node>; 3],
}

impl<'a> Task<'a> {
    fn new(node: &'a Node, shared: Option<&'a Node>) -> Self {
        let fields = Fields::new(node);
        fields.ignore(LOOKS);
        fields.ignore(&["label", "taskName"]);
        let here = node.get(HERE);
        let options = [
            here.and_then(|here| here.get("options")),
            fields.get("options"),
            shared,
        ];
        Self {
            node,
            fields,
            here,
            options,
        }
    }

    fn field(&self, key: &'static str) -> Option<&'a Node> {
        let own = self.fields.get(key);
        self.here.and_then(|here| here.get(key)).or(own)
    }

    fn option(&self, key: &str) -> Option<&'a Node> {
        let mut options = self.options.iter().flatten();
        options.find_map(|options| options.get(key))
    }

    fn kind(&self) -> Option<&'a str> {
        self.field("type").and_then(Node::text)
    }

    fn is_background(&self) -> bool {
        self.field("isBackground").and_then(Node::flag) == Some(true)
    }

    /// Whether VS Code starts it when it opens the directory.
    fn runs_on_open(&self) -> bool {
        let options = self.node.get("runOptions");
        let run_on = options.and_then(|options| options.get("runOn"));
        run_on.and_then(Node::text) == Some("folderOpen")
    }
}

/// Fills in a job. The error is why it cannot be taken over.
fn fill(
    source: &Source<'_>,
    job: &mut Sketch,
    node: &Node,
    shared: Option<&Node>,
) -> Result<(), String> {
    let task = Task::new(node, shared);
    let cwd = task.option("cwd").and_then(Node::text);
    let cwd = text::directory(cwd.unwrap_or_default())?;
    let texts = Texts::in_directory(&cwd);
    command(source, job, &task, &texts)?;
    let of_script = match task.kind() {
        Some("npm") => task.fields.text("path"),
        _ => None,
    };
    if let Some(cwd) = source.cwd(Some(of_script.unwrap_or(&cwd))) {
        job.set("cwd", cwd);
    }
    if !task.is_background() {
        job.set("kind", "task");
        if !task.runs_on_open() {
            job.set("autostart", Toml::Bool(false));
        }
    }
    if let Some(detail) = task.fields.text("detail") {
        job.set("description", detail);
    }
    // Later ones win.
    for options in task.options.into_iter().rev().flatten() {
        environment(&texts, job, options);
    }
    needs(job, &task.fields);
    if items(node.get("problemMatcher")).any(|matcher| matcher.get("background").is_some()) {
        job.note("The patterns of its problemMatcher that say when it is ready are not taken over: ready = { log = \"REGEX\" }.");
    }
    job.notes.extend(task.fields.rest());
    Ok(())
}

/// What it runs.
fn command(
    source: &Source<'_>,
    job: &mut Sketch,
    task: &Task<'_>,
    texts: &Texts,
) -> Result<(), String> {
    match (task.kind(), task.field("command")) {
        (Some("npm"), _) => {
            let script = task.fields.text("script").ok_or("it has no script")?;
            let words = [package::manager(source, None).0, "run", script].map(literal);
            job.set("cmd", words.into_iter().collect::<Toml>());
        }
        (None | Some("shell"), Some(command)) => {
            let line = line(texts, command, task.field("args"))?;
            match task.option("shell") {
                Some(shell) => job.set("cmd", in_shell(texts, shell, &line)?),
                None => job.set("run", line),
            }
        }
        (Some("process"), Some(command)) => {
            let words = std::iter::once(command).chain(items(task.field("args")));
            let words = words.map(|node| texts.template(value(node)?.0));
            let words = words.collect::<Result<Vec<_>, _>>()?;
            job.set("cmd", words.into_iter().collect::<Toml>());
        }
        (Some(other), _) if !["shell", "process"].contains(&other) => {
            return Err(format!("tasks of type {other:?} are made by VS Code"));
        }
        // It only brings others up.
        (_, None) if task.fields.get("dependsOn").is_some() => {
            job.set("cmd", ["true".to_owned()].into_iter().collect::<Toml>());
        }
        (_, None) => return Err("it has no command".to_owned()),
        (_, Some(_)) => return Err("its command is not known".to_owned()),
    }
    Ok(())
}

/// The items of a list, or the one value.
fn items(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    let items = node.map(|node| match &node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    });
    items.unwrap_or_default().iter()
}

/// A text, and how it is to be quoted if that is said: `{ "value": "a b", "quoting": "strong" }`.
fn value(node: &Node) -> Result<(&str, Option<&str>), String> {
    let of_map = || {
        Some((
            node.get("value")?.text()?,
            node.get("quoting").and_then(Node::text),
        ))
    };
    let plain = node.text().map(|text| (text, None));
    plain
        .or_else(of_map)
        .ok_or_else(|| "its command or an argument is no text".to_owned())
}

/// The shell line that VS Code makes of a command and its arguments. A command alone is a line already.
fn line(texts: &Texts, command: &Node, args: Option<&Node>) -> Result<String, String> {
    let (text, quoting) = value(command)?;
    let args: Vec<&Node> = items(args).collect();
    if args.is_empty() && quoting.is_none() {
        return texts.line(text);
    }
    let words = std::iter::once(command).chain(args).map(|node| {
        let (text, quoting) = value(node)?;
        Ok(word(&texts.line(text)?, quoting))
    });
    Ok(words.collect::<Result<Vec<String>, String>>()?.join(" "))
}

/// The words that run a line in a shell of the task's own.
fn in_shell(texts: &Texts, shell: &Node, line: &str) -> Result<Toml, String> {
    let program = shell
        .get("executable")
        .and_then(Node::text)
        .unwrap_or("/bin/sh");
    let args = items(shell.get("args")).map(|arg| texts.template(arg.text().unwrap_or_default()));
    let mut args = args.collect::<Result<Vec<_>, _>>()?;
    if args.is_empty() {
        args.push("-c".to_owned());
    }
    let words = std::iter::once(texts.template(program)?).chain(args);
    Ok(words.chain([literal(line)]).collect())
}

fn environment(texts: &Texts, job: &mut Sketch, options: &Node) {
    for (name, node) in options
        .get("env")
        .and_then(Node::entries)
        .unwrap_or_default()
    {
        let value = node.text().ok_or_else(|| "it is no text".to_owned());
        match value.and_then(|value| texts.template(value)) {
            Ok(value) => variable(&mut job.env, name, value.into()),
            Err(why) => job.note(format!(
                "Not taken over: the variable {}: {why}.",
                quote(name)
            )),
        }
    }
}

fn needs(job: &mut Sketch, fields: &Fields<'_>) {
    fields.ignore(&["dependsOrder"]);
    for node in items(fields.get("dependsOn")) {
        match node.text() {
            Some(name) => job.needs.push(Need {
                name: name.to_owned(),
                is: None,
            }),
            None => job.note("Not taken over: a task in dependsOn that has no label."),
        }
    }
}
