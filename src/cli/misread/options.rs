//! Options that a verb does not have: those of other programs, those of project files, and those before the verb.

use clap::{Command, CommandFactory};

use super::Said;
use super::words::{DESTRUCTIVE, either, near, takes};
use crate::cli::Cli;
use crate::cli::verb::Verb;

/// Options that are known elsewhere: the verb, the options, and what to do.
const ELSEWHERE: [(&str, &[&str], &str); 28] = [
    (
        "run",
        &[
            "--schedule",
            "--every",
            "--cron",
            "--on-calendar",
            "--on-active",
        ],
        "that is `schedule` of a job in bgproc.toml: bgproc help schedules",
    ),
    (
        "run",
        &["--watch"],
        "that is `watch` of a job in bgproc.toml: bgproc help watches",
    ),
    (
        "run",
        &["--memory", "--max-memory-restart", "--nice"],
        "that is `limits` of a job in bgproc.toml: bgproc help limits",
    ),
    (
        "run",
        &["--cwd", "--working-directory", "--workdir"],
        "did you mean -C DIR?",
    ),
    ("run", &["--setenv", "-E"], "did you mean -e K=V?"),
    ("run", &["--label", "--unit", "-l"], "did you mean -n NAME?"),
    (
        "run",
        &["-i", "-t", "--interactive", "--tty"],
        "did you mean -a? It shows the job and types into it",
    ),
    (
        "run",
        &["--max-restarts"],
        "did you mean --restart always:N?",
    ),
    (
        "run",
        &["--ready"],
        "did you mean --ready-log, --ready-port or --ready-cmd?",
    ),
    (
        "run",
        &["--port", "-p"],
        "the command says where it listens; --ready-port N waits for that",
    ),
    (
        "run",
        &["--shell"],
        "/bin/sh runs a line; for another shell: bgproc run bash -c 'COMMAND LINE'",
    ),
    (
        "ls",
        &["--project", "-p"],
        "bgproc ls '*' lists the jobs of this directory's project",
    ),
    ("wait", &["--until"], "did you mean --for?"),
    (
        "run",
        &["--stashed"],
        "no job is held alone; bgproc group NAME --pause holds a queue",
    ),
    (
        "up",
        &["-l", "--processes"],
        "the jobs are arguments: bgproc up JOB...",
    ),
    ("up", &["-p"], "did you mean --port N?"),
    (
        "up",
        &["-e", "--env", "--env-file"],
        "that is `env_file` in bgproc.toml: bgproc help environment",
    ),
    ("up", &["--scale"], "did you mean -m NAME=N?"),
    ("capture", &["-p"], "bgproc capture JOB prints the screen"),
    (
        "ls",
        &["--failed"],
        "bgproc ls --status failed lists those that have failed",
    ),
    (
        "",
        &["--failed"],
        "bgproc ls --status failed lists those that have failed",
    ),
    (
        "start",
        &["--failed", "--all-failed"],
        "bgproc restart --failed runs those again that have failed",
    ),
    ("status", &["-a", "--all"], "bgproc ls lists all jobs"),
    (
        "status",
        &["-g", "--group"],
        "bgproc ls -g GROUP lists the jobs of a group",
    ),
    (
        "clean",
        &["-g", "--group"],
        "bgproc rm g:GROUP removes the jobs of a group",
    ),
    (
        "clean",
        &["-a", "--all"],
        "it removes all ended jobs without it",
    ),
    ("logs", &["--timestamps"], "did you mean --times?"),
    ("logs", &["-F"], "-f goes on over restarts, too"),
];

/// What to do about an option that this verb does not have, if it is known.
pub(super) fn known(grammar: &Command, flag: &str) -> Option<String> {
    let verb = grammar.get_name();
    if let Some(hint) = elsewhere(verb, flag) {
        return Some(hint);
    }
    let takes_jobs = grammar.get_positionals().any(|argument| {
        let mut names = argument.get_value_names().unwrap_or_default().iter();
        names.any(|name| name.starts_with("JOB"))
    });
    match flag {
        "-a" | "--all" if takes_jobs => Some(format!(
            "write '*' for all jobs, g:GROUP for a group: bgproc {verb} '*'"
        )),
        "-g" | "--group" if takes_jobs => Some(format!(
            "a group is named like a job: bgproc {verb} g:GROUP"
        )),
        _ => None,
    }
}

fn elsewhere(verb: &str, flag: &str) -> Option<String> {
    let mut rows = ELSEWHERE.iter();
    let row = rows.find(|(of, flags, _)| *of == verb && flags.contains(&flag));
    row.map(|(.., hint)| (*hint).to_owned())
}

/// An option without a verb.
pub(super) fn front_flag(flag: &str) -> Said {
    let verbs: Vec<_> = Verb::grammars()
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set() && takes(verb, flag))
        .map(|verb| verb.get_name().to_owned())
        .collect();
    if !verbs.is_empty() {
        let message = format!("{flag} is an option of {}", either(&verbs));
        let harmless = verbs
            .iter()
            .find(|verb| !DESTRUCTIVE.contains(&verb.as_str()));
        let hint = match (elsewhere("", flag), harmless) {
            (Some(hint), _) => hint,
            (None, Some(verb)) => {
                let usage = if verb == "run" { " COMMAND" } else { "" };
                format!("write the verb first: bgproc {verb} {flag}{usage}")
            }
            (None, None) => "write the verb first".to_owned(),
        };
        return (message, Some(hint));
    }
    let message = format!("there is no option {flag}");
    let mut grammar = Cli::command();
    // Adds --help.
    grammar.build();
    let known: Vec<String> = grammar
        .get_arguments()
        .filter(|option| !option.is_hide_set())
        .filter_map(|option| Some(format!("--{}", option.get_long()?)))
        .collect();
    match near(flag, known.iter().map(String::as_str)) {
        Some(near) => (message, Some(format!("did you mean {near}?"))),
        None => (message, Some("bgproc help lists the options".to_owned())),
    }
}
