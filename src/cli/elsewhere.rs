//! Verbs of other programs, and what bgproc has instead: for a verb that is not there, and for `help WORD`.

/// What is typed for a start at a later time, which only schedules have.
pub(in crate::cli) const LATER: &str = "bgproc run --in 10m COMMAND and bgproc run --at 18:00 COMMAND start a job later; the times of a job that runs again and again are its `schedule` in bgproc.toml: bgproc help schedules";

/// What is typed to take a job out of its queue for a while.
pub(in crate::cli) const HELD: &str = "bgproc stop JOB takes a job that waits out of its queue, and bgproc start JOB puts it back; bgproc group NAME --pause holds the whole queue";

/// What is typed to run several instances of a job.
pub(in crate::cli) const SCALED: &str =
    "for a Procfile: bgproc up -m NAME=N; in bgproc.toml each instance is a job of its own";

/// Verbs of other programs, with the command of bgproc that does the same.
const COMMANDS: [(&str, &str); 46] = [
    ("jobs", "ls"),
    ("ps-a", "ls"),
    ("jlist", "ls --json"),
    ("prettylist", "ls --json"),
    ("describe", "status JOB"),
    ("info", "status JOB"),
    ("is-active", "status JOB"),
    ("pid", "status JOB"),
    ("ping", "daemon status"),
    ("maintail", "daemon logs"),
    ("del", "rm JOB"),
    ("terminate", "stop JOB"),
    ("end", "stop JOB"),
    // They also remove the session or container.
    ("kill-session", "stop JOB"),
    ("kill-window", "stop JOB"),
    ("kill-pane", "stop JOB"),
    ("kill-server", "daemon stop --kill"),
    ("new-session", "run -a COMMAND"),
    ("rename-session", "rename JOB NAME"),
    ("re", "restart JOB"),
    ("restart-all", "restart '*'"),
    ("output", "logs JOB"),
    ("journal", "logs JOB"),
    ("journalctl", "logs JOB"),
    ("fo", "logs -f JOB"),
    ("flush", "clear JOB"),
    ("fg", "attach JOB"),
    ("connect", "attach JOB"),
    ("bg", "run COMMAND"),
    ("new", "run COMMAND"),
    ("spawn", "run COMMAND"),
    ("nohup", "run COMMAND"),
    ("disown", "run COMMAND"),
    // They check a project file, or show what it would do.
    ("config", "up -n"),
    ("validate", "up -n"),
    ("check", "up -n"),
    ("plan", "up -n"),
    ("reread", "up -n"),
    ("has-session", "status JOB"),
    ("parallel", "group NAME --parallel N"),
    ("enqueue", "run -g GROUP COMMAND"),
    ("switch", "move JOB --first"),
    ("resurrect", "resume"),
    ("enable", "daemon install"),
    ("upgrade", "daemon upgrade"),
    ("version", "--version"),
];

/// Verbs of other programs for which there is more than one answer, or none.
const ANSWERS: [(&[&str], &str); 13] = [
    (
        &["monit", "dashboard", "tui"],
        "bgproc without a verb opens the dashboard",
    ),
    (
        &["edit"],
        "in the dashboard, e changes name, group and command of a job; the jobs of a project are changed in its file",
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
        &["crontab", "cron", "timer", "schedule", "schedules"],
        "schedules are in the project file: bgproc help schedules",
    ),
    (&["at", "delay", "later", "enqueue-at"], LATER),
    (
        &["watch", "watches"],
        "watches are in the project file: bgproc help watches",
    ),
    (&["stash", "hold"], HELD),
    (&["scale"], SCALED),
    (
        &["startup"],
        "bgproc daemon install brings projects, and jobs with --restart always, back at boot; bgproc resume starts others that were lost",
    ),
    (
        &["save", "dump"],
        "nothing needs to be saved: bgproc resume starts jobs that were lost in a reboot, and bgproc daemon install brings projects, and jobs with --restart always, back at boot",
    ),
    (
        &["update"],
        "bgproc reload applies a changed project file; bgproc daemon upgrade replaces the daemon by a new version",
    ),
    (
        &["ts", "tsp"],
        "bgproc group NAME --parallel 1 makes a queue, bgproc run -g NAME COMMAND puts a job into it",
    ),
];

/// Programs whose name is typed before their verb.
pub(in crate::cli) const PROGRAMS: [&str; 14] = [
    "docker",
    "podman",
    "compose",
    "systemctl",
    "supervisorctl",
    "pm2",
    "pueue",
    "tmux",
    "overmind",
    "foreman",
    "pitchfork",
    "process-compose",
    // `process-compose process restart web`
    "process",
    "service",
];

/// The command of bgproc that does what a verb of another program does, without `bgproc`.
pub(in crate::cli) fn command(word: &str) -> Option<&'static str> {
    let mut rows = COMMANDS.iter();
    rows.find(|(theirs, _)| *theirs == word)
        .map(|(_, ours)| *ours)
}

/// What to do instead of a verb of another program.
pub(in crate::cli) fn instead(word: &str) -> Option<String> {
    if let Some(ours) = command(word) {
        return Some(format!("use bgproc {ours}"));
    }
    let answer = ANSWERS.iter().find(|(theirs, _)| theirs.contains(&word));
    answer.map(|(_, hint)| (*hint).to_owned())
}

/// The verbs of other programs, with the commands that are proposed for them.
#[cfg(test)]
pub(in crate::cli) fn commands() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.into_iter()
}
