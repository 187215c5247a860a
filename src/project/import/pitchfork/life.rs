//! `retry`, `cron`, `watch`, `stop_signal`, `hooks` and limits.

use super::super::sketch::Sketch;
use super::super::source::{Fields, Source};
use super::super::toml_text::Toml;
use super::super::yaml::Node;
use super::{short, templates};
use crate::protocol::duration;

/// Restarts without a limit.
const NO_LIMIT: i64 = u32::MAX as i64;

/// How long nothing must change before pitchfork restarts a daemon.
const DEBOUNCE: &str = "1s";

/// The hooks that exist here, with their names.
const HOOKS: [(&str, &str); 3] = [
    ("on_ready", "ready"),
    ("on_fail", "failed"),
    ("on_exit", "exit"),
];

/// Sets what is about the life of a daemon.
pub(super) fn read(source: &Source<'_>, job: &mut Sketch, fields: &Fields<'_>) {
    retry(job, fields);
    if let Some(node) = fields.get("cron") {
        cron(job, node);
    }
    watch(source, job, fields);
    if let Some(node) = fields.get("stop_signal") {
        stop(job, node);
    }
    if let Some(memory) = fields.text("memory_limit") {
        job.set("limits", Toml::table([("memory", memory.into())]));
    }
    if fields.flag("pty") == Some(false) {
        job.set("pty", Toml::Bool(false));
    }
    if fields.flag("boot_start") == Some(true) {
        job.note("boot_start: `bgproc daemon install` brings projects up at boot.");
    }
    if fields.flag("mise") == Some(true) {
        job.note("Not taken over: mise. `mise x -- COMMAND` in `run` does the same.");
    }
    if let Some(node) = fields.get("hooks") {
        hooks(job, node);
    }
}

fn retry(job: &mut Sketch, fields: &Fields<'_>) {
    let max = match (fields.flag("retry"), fields.number("retry")) {
        (Some(true), _) => NO_LIMIT,
        (_, Some(number)) => i64::try_from(number).unwrap_or(NO_LIMIT).min(NO_LIMIT),
        _ => 0,
    };
    if max > 0 {
        let restart = [("when", "on-failure".into()), ("max", Toml::Integer(max))];
        job.set("restart", Toml::table(restart));
    }
}

/// pitchfork's lines begin with the second, ours with the minute.
fn cron(job: &mut Sketch, node: &Node) {
    let (line, table) = short(node, "schedule");
    let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    let cron = match words.as_slice() {
        ["0", minute, rest @ ..] if words.len() == 6 => [&[*minute][..], rest].concat().join(" "),
        _ if words.len() == 5 => words.join(" "),
        _ => {
            let line = words.join(" ");
            job.note(format!(
                "Not taken over: cron: {line}. bgproc has five fields, without seconds."
            ));
            return;
        }
    };
    let days = words.last().copied().unwrap_or_default();
    if days.contains(|c: char| c.is_ascii_digit()) {
        job.note(format!(
            "schedule: the weekdays {days} are read as pitchfork's manual has them, where 0 is Sunday. The program itself \
             takes 1 as Sunday."
        ));
    }
    let mut schedule = vec![("cron".to_owned(), cron.into())];
    let of = |key: &str| table.and_then(|table| table.get(key)?.text());
    match of("retrigger") {
        None | Some("finish") => {}
        Some("always") => schedule.push(("overlap".to_owned(), "restart".into())),
        Some(other) => job.note(format!(
            "Not taken over: retrigger: {other}. It runs at every time at which the last run has ended."
        )),
    }
    if of("immediate") == Some("true") {
        job.note("Not taken over: immediate.");
    }
    job.set("schedule", Toml::Table(schedule));
}

/// Globs, which are relative to the file. Their directories are watched.
fn watch(source: &Source<'_>, job: &mut Sketch, fields: &Fields<'_>) {
    let (mut paths, mut only) = (Vec::new(), Vec::new());
    for glob in fields.texts("watch").unwrap_or_default() {
        let glob = glob.trim_start_matches("./");
        if glob.starts_with(['/', '~']) || glob.split('/').any(|part| part == "..") {
            job.note(format!(
                "Not taken over: watch: {glob:?}, which is not below the directory of the file."
            ));
            continue;
        }
        let glob = match source.dir {
            "" if glob.contains('/') => glob.to_owned(),
            // Without a `/` it would be for any depth.
            "" => format!("./{glob}"),
            dir => format!("{dir}/{glob}"),
        };
        let path = directory(&glob);
        if !paths.contains(&path) {
            paths.push(path);
        }
        only.push(glob);
    }
    if only.is_empty() {
        return;
    }
    let mut watch = vec![("paths".to_owned(), paths.into_iter().collect())];
    watch.push(("only".to_owned(), only.into_iter().collect()));
    watch.push(("debounce".to_owned(), DEBOUNCE.into()));
    job.set("watch", Toml::Table(watch));
}

/// The path before the first part that is a pattern: a directory, or a file.
fn directory(glob: &str) -> String {
    let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{']);
    let parts = glob.split('/').take_while(is_plain);
    let parts: Vec<&str> = parts.filter(|part| *part != ".").collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

fn stop(job: &mut Sketch, node: &Node) {
    let (signal, table) = short(node, "signal");
    let signal = signal.map(|name| name.trim_start_matches("SIG"));
    let mut stop = Vec::new();
    if let Some(signal) = signal.filter(|name| *name != "TERM") {
        stop.push(("signal".to_owned(), signal.into()));
    }
    let timeout = table.and_then(|table| table.get("timeout")?.text());
    if let Some(timeout) = timeout.filter(|text| duration::parse(text).is_ok()) {
        stop.push(("grace".to_owned(), timeout.into()));
    }
    if !stop.is_empty() {
        job.set("stop", Toml::Table(stop));
    }
}

fn hooks(job: &mut Sketch, node: &Node) {
    let hooks = Fields::new(node);
    let mut on = Vec::new();
    for (theirs, ours) in HOOKS {
        let Some(line) = hooks.text(theirs) else {
            continue;
        };
        templates(line, &mut job.notes);
        if line.contains("PITCHFORK_") {
            job.note(format!(
                "Look at on.{ours}: its variables are BGPROC_JOB, BGPROC_EXIT_CODE and others, not PITCHFORK_*."
            ));
        }
        on.push((ours.to_owned(), line.into()));
    }
    if !on.is_empty() {
        job.set("on", Toml::Table(on));
    }
    let rest = hooks.rest();
    job.notes.extend(rest.map(|rest| format!("hooks: {rest}")));
}
