//! Jobs of `mprocs.yaml`.

use super::sketch::{Need, Part, Sketch, literal};
use super::source::{Fields, Source};
use super::toml_text::Toml;
use super::yaml::{Node, Value};
use crate::project::Fault;

/// Keys of the file that are about the looks of mprocs.
const LOOKS: &[&str] = &[
    "hide_keymap_window",
    "mouse_scroll_speed",
    "scrollback",
    "proc_list_width",
    "proc_list_title",
    "keymap_procs",
    "keymap_term",
    "keymap_copy",
];

/// mprocs restarts without a limit.
const NO_LIMIT: i64 = u32::MAX as i64;

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let root = selected(source, source.yaml("procs")?)?;
    let mut part = source.part();
    let top = Fields::new(&root);
    top.ignore(LOOKS);
    let procs = top.get("procs").and_then(Node::entries).unwrap_or_default();
    part.notes
        .extend(top.rest().map(|rest| format!("{}: {rest}", source.shown)));
    for (name, node) in procs {
        if !node.is_null() {
            part.jobs.push(job(source, name, node)?);
        }
    }
    Ok(part)
}

/// The value for this operating system in the place of each `$select: os`.
fn selected(source: &Source<'_>, mut node: Node) -> Result<Node, Fault> {
    if let Some(what) = node.get("$select") {
        if what.text() != Some("os") {
            return Err(source.fault(what, "only \"$select: os\" is known"));
        }
        let chosen = node.get(std::env::consts::OS).or(node.get("$else"));
        return match chosen {
            Some(chosen) => selected(source, chosen.clone()),
            None => Err(source.fault(&node, "$select has neither this system nor $else")),
        };
    }
    node.value = match node.value {
        Value::List(items) => {
            let items = items.into_iter().map(|node| selected(source, node));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        Value::Map(entries) => {
            let entries = entries
                .into_iter()
                .map(|(key, node)| Ok((key, selected(source, node)?)));
            Value::Map(entries.collect::<Result<_, _>>()?)
        }
        scalar => scalar,
    };
    Ok(node)
}

fn job(source: &Source<'_>, name: &str, node: &Node) -> Result<Sketch, Fault> {
    let mut job = source.job(name, node.line);
    let fields = Fields::new(node);
    let (shell, argv) = match &node.value {
        Value::Map(_) => (fields.get("shell"), fields.get("cmd")),
        Value::List(_) => (None, Some(node)),
        Value::Scalar { .. } => (Some(node), None),
    };
    match (shell, argv) {
        (Some(shell), None) => job.set("run", line(source, shell)?),
        (None, Some(argv)) => {
            let words = words(source, argv)?;
            let words = words.iter().map(|word| literal(word));
            job.set("cmd", words.collect::<Toml>());
        }
        (Some(_), Some(_)) => return Err(source.fault(node, "has both shell and cmd")),
        (None, None) => return Err(source.fault(node, "has neither shell nor cmd")),
    }
    let cwd = fields
        .text("cwd")
        .map(|cwd| match cwd.strip_prefix("<CONFIG_DIR>") {
            Some(rest) => literal(rest.trim_start_matches('/')),
            None => literal(cwd),
        });
    if let Some(cwd) = source.cwd(cwd.as_deref()) {
        job.set("cwd", cwd);
    }
    if fields.flag("autostart") == Some(false) {
        job.set("autostart", Toml::Bool(false));
    }
    if fields.flag("autorestart") == Some(true) {
        let always = [("when", "always".into()), ("max", Toml::Integer(NO_LIMIT))];
        job.set("restart", Toml::table(always));
    }
    if let Some(node) = fields.get("stop") {
        stop(source, &mut job, node)?;
    }
    environment(source, &mut job, &fields)?;
    let needs = fields.texts("deps").unwrap_or_default().into_iter();
    job.needs = needs
        .map(|name| Need {
            name: name.to_owned(),
            is: None,
        })
        .collect();
    if fields.get("log").is_some() {
        job.note("Its log files are left out: bgproc keeps the output itself (bgproc logs).");
    }
    fields.ignore(&["scrollback", "mouse_scroll_speed"]);
    job.notes.extend(fields.rest());
    Ok(job)
}

/// A shell line.
fn line<'a>(source: &Source<'_>, node: &'a Node) -> Result<&'a str, Fault> {
    let line = node.text().filter(|line| !line.trim().is_empty());
    line.ok_or_else(|| source.fault(node, "must be a shell line"))
}

/// The words of a command: a list, or as dekit takes them also a text, which no shell reads.
fn words(source: &Source<'_>, node: &Node) -> Result<Vec<String>, Fault> {
    let words = match &node.value {
        Value::List(_) => node
            .texts()
            .map(|words| words.into_iter().map(str::to_owned).collect()),
        _ => node.text().and_then(shlex::split),
    };
    let words = words.filter(|words: &Vec<String>| !words.is_empty());
    let must = "cmd must be a list of texts, or a text with words and complete quotes";
    words.ok_or_else(|| source.fault(node, must))
}

fn environment(source: &Source<'_>, job: &mut Sketch, fields: &Fields<'_>) -> Result<(), Fault> {
    let env = fields.get("env").and_then(Node::entries);
    for (name, node) in env.unwrap_or_default() {
        let value = match node.text() {
            _ if node.is_null() => Toml::Bool(false),
            Some(value) => literal(value).into(),
            None => return Err(source.fault(node, "must be a text or null")),
        };
        super::variable(&mut job.env, name, value);
    }
    let more = fields.texts("add_path").unwrap_or_default();
    if !more.is_empty() {
        // Behind the PATH of the job itself, if it sets one.
        let own = env.unwrap_or_default().iter();
        let own = own.rev().find(|(name, _)| name == "PATH");
        let base = own.and_then(|(_, node)| node.text()).map(literal);
        let paths = [base.unwrap_or_else(|| "${PATH}".to_owned())].into_iter();
        let paths: Vec<String> = paths.chain(more.into_iter().map(literal)).collect();
        super::variable(&mut job.env, "PATH", paths.join(":").into());
    }
    Ok(())
}

fn stop(source: &Source<'_>, job: &mut Sketch, node: &Node) -> Result<(), Fault> {
    let value = match node.text() {
        // The usual signal.
        Some("SIGTERM") => return Ok(()),
        Some("SIGINT") => ("signal", "INT".into()),
        Some("SIGKILL" | "hard-kill") => ("signal", "KILL".into()),
        Some(other) => {
            job.note(format!("Not taken over: stop: {other}."));
            return Ok(());
        }
        None => {
            if let Some(keys) = node.get("send-keys") {
                let keys = keys.texts().filter(|keys| !keys.is_empty());
                let keys = keys.ok_or_else(|| source.fault(node, "send-keys must be a list"))?;
                ("keys", keys.into_iter().map(key).collect::<Toml>())
            } else if let Some(command) = node.get("cmd") {
                ("run", line(source, command)?.into())
            } else {
                return Err(source.fault(node, "must be a signal, send-keys or cmd"));
            }
        }
    };
    job.set("stop", Toml::table([value]));
    Ok(())
}

/// A key such as `<C-c>`, in the names of tmux.
fn key(name: &str) -> String {
    let inner = name
        .strip_prefix('<')
        .and_then(|name| name.strip_suffix('>'));
    let inner = inner.unwrap_or(name);
    let base = inner.rfind('-').filter(|at| *at > 0).map_or(0, |at| at + 1);
    let (modifiers, base) = inner.split_at(base);
    let base = match base.to_ascii_lowercase().as_str() {
        "esc" => "Escape",
        "bs" => "BSpace",
        "del" => "DC",
        "insert" => "IC",
        "lt" => "<",
        "gt" => ">",
        "minus" => "-",
        _ => base,
    };
    format!("{modifiers}{base}")
}
