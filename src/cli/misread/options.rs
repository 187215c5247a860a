//! Options that a verb does not have: those of other programs, those of project files, and those before the verb.

use std::path::Path;

use clap::{Command, CommandFactory};

use super::words::{DESTRUCTIVE, near, takes};
use super::{Said, is_in};
use crate::cli::Cli;
use crate::cli::elsewhere::{HELD, LATER, SCALED};
use crate::cli::verb::Verb;
use crate::project::find::NAMES;
use crate::protocol::shell::quote;
use crate::protocol::suggest::either;

/// What is typed to limit a job on this machine.
const LIMITS: &str =
    "did you mean --limit NAME=VALUE, as memory=2G or nice=5? bgproc help limits has the names";

/// What is typed to see what a project file means.
const PLAN: &str = "did you mean -n (--dry-run)? It prints the plan";

/// What is typed for a partition of a batch system.
const PARTITION: &str = "did you mean --on LAUNCHER:PARTITION?";

/// What names the directory of a project in other programs.
const DIRECTORIES: [&str; 6] = [
    "-C",
    "--cwd",
    "--dir",
    "--directory",
    "--project-directory",
    "--root",
];

/// Options of `run --on` that limit a job of a batch system.
const OF_BATCH: [&str; 3] = ["--mem", "--cpus", "--time"];

/// The option that they need.
pub(super) const BATCH: &str = "--on";

/// Options that are known elsewhere: the verb, the options, and what to do.
const ELSEWHERE: [(&str, &[&str], &str); 43] = [
    (
        "run",
        &[
            "--schedule",
            "--every",
            "--cron",
            "--cron-restart",
            "--on-calendar",
            "--on-active",
        ],
        "that is `schedule` of a job in bgproc.toml: bgproc help schedules",
    ),
    (
        "run",
        &["--delay", "--start-at", "--start-in", "--later"],
        LATER,
    ),
    (
        "run",
        &[
            "--watch",
            "--ignore-watch",
            "--watch-delay",
            "--on-change",
            "--exts",
            "--ignore",
            "--debounce",
        ],
        "that is `watch` of a job in bgproc.toml: bgproc help watches",
    ),
    (
        "run",
        &[
            "--memory",
            "--max-memory",
            "--max-memory-restart",
            "--limits",
            "--nice",
            "--ulimit",
        ],
        LIMITS,
    ),
    (
        "run",
        &["--cwd", "--working-directory", "--workdir"],
        "did you mean -C DIR?",
    ),
    ("run", &["--setenv", "-E"], "did you mean -e K=V?"),
    (
        "run",
        &["--label", "--unit", "--title", "-l"],
        "did you mean -n NAME?",
    ),
    (
        "run",
        &[
            "--depends",
            "--depends-on",
            "--dependency",
            "--needs",
            "--requires",
            "--wait-for",
        ],
        "did you mean --after JOB?",
    ),
    (
        "run",
        &["--on-exit", "--on-success", "--then"],
        "bgproc run --after JOB:done COMMAND starts a job when another one has ended, JOB:ok when it has ended well",
    ),
    (
        "run",
        &["--queue"],
        "did you mean -g GROUP? bgproc group GROUP --parallel N makes the group a queue",
    ),
    (
        "run",
        &["--priority"],
        "bgproc move JOB --first makes a job the next one of its queue",
    ),
    (
        "run",
        &["--immediate", "--now"],
        "without a queue every job starts at once; bgproc start JOB starts one that waits in a queue",
    ),
    ("run", &["--stashed"], HELD),
    (
        "run",
        &["--repeat"],
        "did you mean --restart always? The times of a job are its `schedule` in bgproc.toml: bgproc help schedules",
    ),
    (
        "run",
        &["--log-file", "--log", "--output", "-o"],
        "the output is kept: bgproc logs JOB prints it, bgproc export writes it to a file; for a file of its own: bgproc run 'COMMAND 2>&1 | tee FILE'",
    ),
    ("run", &["--instances", "--replicas", "--scale"], SCALED),
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
        &["--port"],
        "the command says where it listens; --ready-port N waits for that",
    ),
    ("run", &["--partition"], PARTITION),
    (
        "run",
        &["-p"],
        "a partition of a batch system: --on LAUNCHER:PARTITION; a port: --ready-port N waits until a job listens",
    ),
    (
        "run",
        &[
            "--account",
            "-A",
            "--constraint",
            "--exclusive",
            "--gres",
            "--nodes",
            "-N",
            "--ntasks",
            "--qos",
            "--reservation",
        ],
        "options of sbatch are `options` of a launcher in config.toml: bgproc help clusters",
    ),
    (
        "run",
        &["--shell"],
        "/bin/sh runs a line; for another shell: bgproc run bash -c 'COMMAND LINE'",
    ),
    (
        "ls",
        &["--project", "-p"],
        "bgproc ls '*' lists the jobs of this directory's project, once it is up",
    ),
    (
        "restart",
        &["--update-env"],
        "-e NAME gives the job the value that a variable has here; it can be repeated",
    ),
    ("wait", &["--until"], "did you mean --for?"),
    (
        "up",
        &["-l", "--processes"],
        "the jobs are arguments: bgproc up JOB...",
    ),
    ("up", &["-p"], "did you mean --port N?"),
    ("up", &["--plan", "--preview"], PLAN),
    ("reload", &["--plan", "--preview"], PLAN),
    (
        "up",
        &["-e", "--env", "--env-file"],
        "that is `env_file` in bgproc.toml: bgproc help environment",
    ),
    ("up", &["--scale"], SCALED),
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

/// The verb for the project of another directory, if `flag` names that directory in `words`: `bgproc up --file
/// shop/bgproc.toml` for `bgproc -C shop up`.
pub(super) fn of_directory(grammar: &Command, flag: &str, words: &[&str]) -> Option<String> {
    if !DIRECTORIES.contains(&flag) || !takes(grammar, "--file") {
        return None;
    }
    let at = words.iter().position(|word| is_in(flag, word))?;
    let attached = words[at].strip_prefix(flag)?;
    let attached = attached.strip_prefix('=').unwrap_or(attached);
    let dir = match attached {
        "" => words.get(at + 1)?,
        dir => dir,
    };
    let has_it = |name: &&&str| Path::new(dir).join(name).is_file();
    let name = NAMES.iter().find(has_it).unwrap_or(&NAMES[0]);
    let file = Path::new(dir).join(name);
    let verb = grammar.get_name();
    let file = quote(file.to_str()?).into_owned();
    Some(format!("bgproc {verb} --file {file}"))
}

fn elsewhere(verb: &str, flag: &str) -> Option<String> {
    let mut rows = ELSEWHERE.iter();
    let row = rows.find(|(of, flags, _)| *of == verb && flags.contains(&flag));
    row.map(|(.., hint)| (*hint).to_owned())
}

/// What is said about an option that only `run --on` takes, on a command line without `--on`.
pub(super) fn local_limit<'a>(mut given: impl Iterator<Item = &'a str>) -> Option<Said> {
    let flag = given.find(|flag| OF_BATCH.contains(flag))?;
    let hint = if flag == "--time" {
        "to end a job on this machine after a time: --timeout TIME"
    } else {
        "to limit a job on this machine: --limit memory=2G; bgproc help limits has the names"
    };
    let message = format!("{flag} needs --on, which submits the job to a batch system");
    Some((message, Some(hint.to_owned())))
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
