//! The keys of a project file, and what other programs call them.

use crate::protocol::suggest;

/// Keys of the file.
pub(super) const DOCUMENT: &[&str] = &[
    "version", "project", "env_file", "include", "shell", "agents", "env", "defaults", "jobs",
    "groups",
];

/// Keys of `[jobs.NAME]`, and of `[defaults]` without those of [`NO_DEFAULT`].
pub(super) const JOB: &[&str] = &[
    "cmd",
    "run",
    "needs",
    "kind",
    "cwd",
    "env",
    "env_file",
    "port",
    "port_busy",
    "per",
    "ready",
    "restart",
    "stop",
    "watch",
    "schedule",
    "group",
    "tags",
    "autostart",
    "confirm",
    "size",
    "pty",
    "ok_codes",
    "timeout",
    "open",
    "notify",
    "description",
    "limits",
    "on",
];

/// Keys of a job that `[defaults]` cannot have.
pub(super) const NO_DEFAULT: &[&str] = &["cmd", "run", "needs"];

/// The two forms of a command. A job has exactly one of them.
pub(super) const PROGRAMS: &[&str] = &["cmd", "run"];

/// The checks of `ready`, of which there is exactly one.
pub(super) const CHECKS: &[&str] = &["log", "port", "tcp", "http", "exec", "file", "quiet"];

/// Keys of `ready`.
pub(super) const READY: &[&str] = &[
    "log", "port", "tcp", "http", "exec", "file", "quiet", "timeout", "every", "status",
];

/// Keys of `restart`.
pub(super) const RESTART: &[&str] = &["when", "max", "backoff", "reset", "unready"];

/// The ways to stop a job, of which there is at most one.
pub(super) const STOPS: &[&str] = &["signal", "keys", "run"];

/// Keys of `stop`.
pub(super) const STOP: &[&str] = &["signal", "keys", "run", "grace"];

/// Keys of `watch`.
pub(super) const WATCH: &[&str] = &[
    "paths",
    "only",
    "ignore",
    "gitignore",
    "debounce",
    "do",
    "cascade",
];

/// The times of a schedule, of which there is exactly one.
pub(super) const TIMES: &[&str] = &["cron", "every"];

/// Keys of `schedule`.
pub(super) const SCHEDULE: &[&str] = &[
    "cron", "every", "tz", "missed", "overlap", "jitter", "at_start",
];

/// Keys of `limits`.
pub(super) const LIMITS: &[&str] = &[
    "memory",
    "processes",
    "open_files",
    "cpu_time",
    "nice",
    "log",
];

/// Keys of `on`.
pub(super) const ON: &[&str] = &["ready", "failed", "exit", "input"];

/// Keys of a need in its long form.
pub(super) const NEED: &[&str] = &["is", "restart"];

/// Keys of `[groups.NAME]`.
pub(super) const GROUP: &[&str] = &["jobs", "parallel", "on_failure"];

/// What other programs, or people who write from memory, call our keys.
const ALIASES: &[(&str, &str)] = &[
    ("after", "needs"),
    ("args", "cmd"),
    ("auto_start", "autostart"),
    ("autorestart", "restart"),
    ("command", "cmd"),
    ("concurrency", "parallel"),
    ("cron", "schedule"),
    ("dependencies", "needs"),
    ("depends", "needs"),
    ("depends_on", "needs"),
    ("dir", "cwd"),
    ("directory", "cwd"),
    ("dotenv", "env_file"),
    ("env_files", "env_file"),
    ("entrypoint", "cmd"),
    ("environment", "env"),
    ("environment_file", "env_file"),
    ("exclude", "ignore"),
    ("exec", "cmd"),
    ("group", "groups"),
    ("health_check", "ready"),
    ("healthcheck", "ready"),
    ("hooks", "on"),
    ("includes", "include"),
    ("interval", "every"),
    ("job", "jobs"),
    ("hung", "unready"),
    ("liveness", "unready"),
    ("max_retries", "max"),
    ("name", "project"),
    ("nofile", "open_files"),
    ("policy", "when"),
    ("ports", "port"),
    ("processes", "jobs"),
    ("readiness", "ready"),
    ("readiness_probe", "ready"),
    ("requires", "needs"),
    ("restart_policy", "restart"),
    ("retry", "restart"),
    ("schedules", "schedule"),
    ("script", "run"),
    ("services", "jobs"),
    ("stop_signal", "stop"),
    ("tag", "tags"),
    ("tasks", "jobs"),
    ("timezone", "tz"),
    ("tty", "pty"),
    ("type", "kind"),
    ("url", "open"),
    ("wait_for", "needs"),
    ("watch_files", "watch"),
    ("watch_paths", "watch"),
    ("watches", "watch"),
    ("working_dir", "cwd"),
    ("working_directory", "cwd"),
    ("workdir", "cwd"),
];

/// The key of `known` that is meant by an unknown one.
pub(super) fn nearest_key(unknown: &str, known: &[&'static str]) -> Option<&'static str> {
    let own = known.iter().map(|key| (*key, *key));
    let aliases = ALIASES
        .iter()
        .filter(|(_, key)| known.contains(key))
        .map(|(alias, key)| (*alias, *key));
    let words: Vec<(&str, &'static str)> = own.chain(aliases).collect();
    let found = suggest::nearest(unknown, words.iter().map(|(word, _)| *word))?;
    let (_, key) = words.iter().find(|(word, _)| *word == found)?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_and_words_of_other_programs_are_understood() {
        for (unknown, known, key) in [
            ("comand", JOB, Some("cmd")),
            ("depends_on", JOB, Some("needs")),
            ("environement", JOB, Some("env")),
            ("enviroment", JOB, Some("env")),
            ("prot", JOB, Some("port")),
            ("healthcheck", JOB, Some("ready")),
            ("autstart", JOB, Some("autostart")),
            ("after", JOB, Some("needs")),
            ("wait_for", JOB, Some("needs")),
            ("requires", JOB, Some("needs")),
            ("dependsOn", JOB, Some("needs")),
            ("watch_paths", JOB, Some("watch")),
            ("workingDirectory", JOB, Some("cwd")),
            // There is nothing that does this.
            ("before", JOB, None),
            ("replicas", JOB, None),
            ("user", JOB, None),
            ("zebra", JOB, None),
            ("servces", DOCUMENT, Some("jobs")),
            ("wen", RESTART, Some("when")),
        ] {
            assert_eq!(nearest_key(unknown, known), key, "{unknown}");
        }
    }
}
