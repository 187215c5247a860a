//! Verbs that bgproc does not have: those of other programs, and mistyped ones.

use std::path::Path;

use super::Said;
use super::words::{either, near};
use crate::cli::verb::{Verb, is_topic};
use crate::protocol::name::fault;
use crate::protocol::shell::quote;

/// Verbs of other programs, with the command of bgproc that does the same.
const ELSEWHERE: [(&str, &str); 49] = [
    ("jobs", "ls"),
    ("ps-a", "ls"),
    ("jlist", "ls --json"),
    ("prettylist", "ls --json"),
    ("describe", "status JOB"),
    ("info", "status JOB"),
    ("is-active", "status JOB"),
    ("pid", "status JOB"),
    ("ping", "daemon status"),
    ("del", "rm"),
    ("terminate", "stop"),
    ("end", "stop"),
    // They also remove the session or container.
    ("kill-session", "stop JOB"),
    ("kill-window", "stop JOB"),
    ("kill-pane", "stop JOB"),
    ("kill-server", "daemon stop --kill"),
    ("new-session", "run -a COMMAND"),
    ("rename-session", "rename JOB NAME"),
    ("re", "restart JOB"),
    ("restart-all", "restart '*'"),
    ("output", "logs"),
    ("journal", "logs"),
    ("journalctl", "logs"),
    ("fo", "logs -f JOB"),
    ("flush", "clear JOB"),
    ("fg", "attach JOB"),
    ("connect", "attach JOB"),
    ("bg", "run COMMAND"),
    ("new", "run COMMAND"),
    ("spawn", "run COMMAND"),
    ("nohup", "run COMMAND"),
    ("disown", "run COMMAND"),
    ("scale", "up -m NAME=N"),
    // They check a project file, or show what it would do.
    ("config", "up -n"),
    ("validate", "up -n"),
    ("check", "up -n"),
    ("plan", "up -n"),
    ("has-session", "status JOB"),
    ("parallel", "group NAME --parallel N"),
    ("enqueue", "run -g GROUP COMMAND"),
    ("switch", "move JOB"),
    ("startup", "daemon install"),
    ("save", "daemon install"),
    ("resurrect", "daemon install"),
    ("enable", "daemon install"),
    ("upgrade", "daemon upgrade"),
    ("update", "daemon upgrade"),
    ("reset", "clean"),
    ("version", "--version"),
];

/// The verbs of other programs, with the commands that are proposed for them.
#[cfg(test)]
pub(super) fn commands() -> impl Iterator<Item = (&'static str, &'static str)> {
    ELSEWHERE.into_iter()
}

/// Verbs of other programs for which there is more than one answer, or none.
const OTHERWISE: [(&[&str], &str); 6] = [
    (
        &["monit", "dashboard", "tui"],
        "bgproc without a verb opens the dashboard",
    ),
    (
        &["quit", "shutdown"],
        "bgproc down ends the jobs of a project, bgproc daemon stop the daemon",
    ),
    (
        &["detach"],
        "ctrl-] and then q leave a job; bgproc run starts one in the background",
    ),
    (
        &["crontab", "cron", "at", "timer", "schedule", "schedules"],
        "schedules are in the project file: bgproc help schedules",
    ),
    (
        &["watch", "watches"],
        "watches are in the project file: bgproc help watches",
    ),
    (
        &["stash", "hold", "enqueue-at"],
        "no job is held alone; bgproc group NAME --pause holds a queue",
    ),
];

/// Programs whose name is typed before their verb.
const PROGRAMS: [&str; 11] = [
    "docker",
    "podman",
    "compose",
    "systemctl",
    "pm2",
    "pueue",
    "tmux",
    "overmind",
    "process-compose",
    // `process-compose process restart web`
    "process",
    "service",
];

/// An unknown verb, and the words behind it.
pub(super) fn no_verb(word: &str, rest: &[&str]) -> Said {
    let message = format!("there is no verb `{word}`");
    let hint = known(word).unwrap_or_else(|| guessed(word, rest));
    (message, Some(hint))
}

fn known(word: &str) -> Option<String> {
    if let Some((_, ours)) = ELSEWHERE.iter().find(|(theirs, _)| *theirs == word) {
        return Some(format!("use bgproc {ours}"));
    }
    let otherwise = OTHERWISE.iter().find(|(theirs, _)| theirs.contains(&word));
    otherwise.map(|(_, hint)| (*hint).to_owned())
}

fn guessed(word: &str, rest: &[&str]) -> String {
    let grammars = Verb::grammars();
    if PROGRAMS.contains(&word)
        && let Some(verb) = rest.first()
        && grammars.find_subcommand(verb).is_some()
    {
        let words: Vec<_> = rest.iter().map(|word| quote(word)).collect();
        let line = words.join(" ");
        return format!("use bgproc {line}; to run a command: bgproc run {word} {line}");
    }
    let known = grammars
        .get_subcommands()
        .flat_map(|verb| std::iter::once(verb.get_name()).chain(verb.get_all_aliases()));
    if is_topic(word) {
        return format!("bgproc help {word} shows that chapter");
    }
    let line = std::iter::once(&word).chain(rest).map(|word| quote(word));
    let line = line.collect::<Vec<_>>().join(" ");
    match near(word, known) {
        Some(near) => format!("did you mean {near}?"),
        // One argument of `run` is a shell line, in which a name with blanks needs quotes of its own.
        None if rest.is_empty() && Path::new(word).is_file() => {
            format!("to run a program: bgproc run {}", quote(&quote(word)))
        }
        None if word.contains(['/', '.']) => format!("to run a program: bgproc run {line}"),
        None if rest.is_empty() && fault(word).is_none() && !word.contains(' ') => format!(
            "bgproc help lists the verbs; to run a command: bgproc run {line}; for a job of this name: bgproc status {line}, or bgproc attach {line}"
        ),
        None => format!("bgproc help lists the verbs; to run a command: bgproc run {line}"),
    }
}

/// An unknown verb below a verb, as in `daemon stpo`.
pub(super) fn no_verb_of(verb: &str, word: &str) -> Said {
    let grammar = Verb::grammar(verb).unwrap_or_default();
    let known: Vec<String> = grammar
        .get_subcommands()
        .map(|verb| verb.get_name().to_owned())
        .collect();
    let hint = match near(word, known.iter().map(String::as_str)) {
        _ if (verb, word) == ("daemon", "restart") => {
            "bgproc daemon upgrade replaces daemon and keeper; jobs go on".to_owned()
        }
        Some(near) => format!("did you mean {verb} {near}?"),
        None => format!("its verbs are {}", either(&known)),
    };
    (format!("{verb} has no verb `{word}`"), Some(hint))
}
