//! `availability`, `shutdown`, `schedule`, `watch` and the kinds of processes.

use super::super::sketch::{Sketch, seconds};
use super::super::source::Fields;
use super::super::toml_text::Toml;
use super::super::yaml::Node;
use super::text::Texts;
use crate::protocol::duration;

/// The grace of process-compose.
const GRACE: u64 = 10;

/// Restarts without a limit.
const NO_LIMIT: i64 = u32::MAX as i64;

/// The signals that a file can name by number, on Linux.
const SIGNALS: &[(u64, &str)] = &[
    (1, "HUP"),
    (2, "INT"),
    (3, "QUIT"),
    (6, "ABRT"),
    (9, "KILL"),
    (10, "USR1"),
    (12, "USR2"),
    (13, "PIPE"),
    (14, "ALRM"),
    (15, "TERM"),
];

/// Sets what is about the life of a process. `unready`: after how many seconds without readiness it is ended.
pub(super) fn read(texts: &Texts, job: &mut Sketch, fields: &Fields<'_>, unready: Option<u64>) {
    if !restart(job, fields.get("availability"), unready) && unready.is_some() {
        job.note(
            "process-compose also ends a process whose probe fails too often. Here it goes on, because nothing restarts it.",
        );
    }
    let is_daemon = fields.flag("is_daemon") == Some(true);
    stop(texts, job, fields.get("shutdown"), is_daemon);
    schedule(job, fields.get("schedule"));
    watch(texts, job, fields.get("watch"));
    let codes = fields.texts("success_exit_codes").unwrap_or_default();
    let mut codes: Vec<i64> = codes.iter().filter_map(|code| code.parse().ok()).collect();
    codes.retain(|code| (1..=255).contains(code));
    if !codes.is_empty() {
        codes.insert(0, 0);
        let codes = codes.into_iter().map(Toml::Integer).collect();
        job.set("ok_codes", Toml::List(codes));
    }
    if is_daemon {
        job.keys.insert(0, ("kind", "task".into()));
        job.note(
            "is_daemon: its command returns and leaves a process behind. bgproc ends what a job \
             leaves behind; give the command the option that keeps it in the foreground.",
        );
    }
    let is_disabled = fields.flag("disabled") == Some(true);
    let is_foreground = fields.flag("is_foreground") == Some(true);
    if fields
        .text("is_disabled")
        .is_some_and(|text| text == "true")
        || is_disabled
        || is_foreground
    {
        job.set("autostart", Toml::Bool(false));
    }
    // Each job has a terminal here.
    fields.ignore(&["is_tty", "is_interactive"]);
    if let Some(replicas) = fields.number("replicas").filter(|replicas| *replicas > 1) {
        job.note(format!(
            "Not taken over: replicas: {replicas}. This is one of them; copy the job for more."
        ));
    }
    if let Some(file) = fields.text("log_location") {
        job.note(format!(
            "Its log file {file} is left out: bgproc keeps the output itself (bgproc logs)."
        ));
    }
}

/// Sets `restart`. Returns whether there is one.
fn restart(job: &mut Sketch, node: Option<&Node>, unready: Option<u64>) -> bool {
    let Some(node) = node else { return false };
    let fields = Fields::new(node);
    let when = match fields.text("restart") {
        Some("always") => Some("always"),
        Some("on_failure" | "on-failure") => Some("on-failure"),
        Some("exit_on_failure") => {
            job.note("Not taken over: restart: exit_on_failure. The other jobs go on when this one fails.");
            None
        }
        _ => None,
    };
    if let Some(when) = when {
        let max = fields.number("max_restarts").filter(|max| *max > 0);
        let max = max.and_then(|max| i64::try_from(max).ok());
        let max = Toml::Integer(max.unwrap_or(NO_LIMIT).min(NO_LIMIT));
        let pause = fields.number("backoff_seconds").unwrap_or(1).max(1);
        let mut restart = vec![
            ("when", when.into()),
            ("max", max),
            ("backoff", seconds(pause).into()),
        ];
        restart.extend(unready.map(|unready| ("unready", seconds(unready).into())));
        job.set("restart", Toml::table(restart));
    }
    for (key, what) in [
        (
            "exit_on_end",
            "up --exit-code-from JOB ends the project with a job",
        ),
        ("exit_on_skipped", "a skipped job does not end the others"),
    ] {
        if fields.flag(key) == Some(true) {
            job.note(format!("Not taken over: {key}; {what}."));
        }
    }
    fields.ignore(&["max_restarts", "backoff_seconds"]);
    job.notes.extend(fields.rest());
    when.is_some()
}

fn stop(texts: &Texts, job: &mut Sketch, node: Option<&Node>, is_daemon: bool) {
    let Some(node) = node else { return };
    let fields = Fields::new(node);
    let mut stop = Vec::new();
    let number = fields.number("signal").filter(|signal| *signal > 0);
    let signal = number.and_then(|number| SIGNALS.iter().find(|(known, _)| *known == number));
    if let Some(command) = fields.text("command") {
        let command = texts.line(command, &mut job.notes);
        if is_daemon {
            job.note(format!(
                "Not taken over: shutdown.command ({command}). This job has ended then, and would never run it."
            ));
        } else {
            stop.push(("run".to_owned(), command.into()));
        }
    } else if let Some(keys) = fields.text("send_keys") {
        job.note("Look at stop.keys: the names of the keys are those of tmux (C-c, Enter, q).");
        let keys = keys.split_whitespace().map(str::to_owned);
        stop.push(("keys".to_owned(), keys.collect()));
    } else if let Some((_, name)) = signal {
        if *name != "TERM" {
            stop.push(("signal".to_owned(), (*name).into()));
        }
    } else if let Some(number) = number {
        job.note(format!("Not taken over: the signal {number} of shutdown."));
    }
    if let Some(grace) = fields
        .number("timeout_seconds")
        .filter(|grace| *grace != GRACE)
    {
        stop.push(("grace".to_owned(), seconds(grace).into()));
    }
    if !stop.is_empty() {
        job.set("stop", Toml::Table(stop));
    }
    if fields.flag("parent_only") == Some(true) {
        job.note("Not taken over: shutdown.parent_only; bgproc ends all processes of a job.");
    }
    job.notes.extend(fields.rest());
}

fn schedule(job: &mut Sketch, node: Option<&Node>) {
    let Some(node) = node else { return };
    let fields = Fields::new(node);
    let mut schedule = Vec::new();
    match (fields.text("cron"), fields.text("interval")) {
        (Some(cron), _) => {
            schedule.push(("cron".to_owned(), cron.into()));
            if let Some(zone) = fields.text("timezone") {
                schedule.push(("tz".to_owned(), zone.into()));
            }
        }
        (None, Some(every)) if is_duration(every) => {
            schedule.push(("every".to_owned(), every.into()));
        }
        _ => {
            job.note("Not taken over: schedule.");
            return;
        }
    }
    if fields.flag("run_on_start") == Some(true) {
        schedule.push(("at_start".to_owned(), Toml::Bool(true)));
    }
    job.set("schedule", Toml::Table(schedule));
    job.notes.extend(fields.rest());
}

/// The paths of `watch`. The filters of each path become those of all of them.
fn watch(texts: &Texts, job: &mut Sketch, node: Option<&Node>) {
    let Some(node) = node else { return };
    let fields = Fields::new(node);
    let (mut paths, mut only, mut ignore) = (Vec::new(), Vec::new(), Vec::new());
    let list = fields.get("paths").map(|paths| &paths.value);
    if let Some(super::Value::List(items)) = list {
        for item in items {
            let of = Fields::new(item);
            let path = item.text().or_else(|| of.text("path"));
            paths.extend(path.map(|path| texts.line(path, &mut job.notes)));
            let more = |key| of.texts(key).unwrap_or_default().into_iter();
            only.extend(more("include").map(str::to_owned));
            ignore.extend(more("exclude").map(str::to_owned));
        }
    }
    if paths.is_empty() {
        return;
    }
    if paths.len() > 1 && !(only.is_empty() && ignore.is_empty()) {
        job.note("Look at watch: its filters are those of all paths together.");
    }
    let mut watch = vec![("paths".to_owned(), paths.into_iter().collect())];
    for (key, globs) in [("only", only), ("ignore", ignore)] {
        if !globs.is_empty() {
            watch.push((key.to_owned(), globs.into_iter().collect()));
        }
    }
    if let Some(debounce) = fields.text("debounce").filter(|text| is_duration(text)) {
        watch.push(("debounce".to_owned(), debounce.into()));
    }
    if fields.flag("cascade") == Some(true) {
        watch.push(("cascade".to_owned(), Toml::Bool(true)));
    }
    job.set("watch", Toml::Table(watch));
    fields.ignore(&["max_entries", "buffer_size", "disable_default_excludes"]);
    job.notes.extend(fields.rest());
}

/// Whether a duration of Go is one of ours.
fn is_duration(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_alphabetic())
        && duration::parse(text).is_ok_and(|time| time.as_millis() > 0)
}
