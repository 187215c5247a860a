//! What people read about a job: its name, state, times and sizes.

use std::sync::{LazyLock, OnceLock};

use jiff::tz::TimeZone;

use super::style::Tone;
pub use crate::protocol::duration::{brief_span, exact_span, span};
use crate::protocol::project::{PhaseName, ProjectRole, SCHEDULE_OFF};
use crate::protocol::report::{Activity, Evidence, Reported};
use crate::protocol::run::{Flaky, Run};
use crate::protocol::status::Asks;
use crate::protocol::{Ending, Record, Status, Summary, Timestamp, shell};
use crate::term::sanitize::clean;

/// The label, or the id if there is none; `web@gpu1` if the job is on another host.
pub fn name(job: &Summary) -> String {
    match (&job.label, job.session_id.host()) {
        (Some(label), Some(host)) => format!("{}@{host}", clean(label)),
        (Some(label), None) => clean(label),
        (None, _) => job.session_id.to_string(),
    }
}

/// The label, or the id if there is none, without the host, which stands beside it.
pub fn bare_name(job: &Summary) -> String {
    match &job.label {
        Some(label) => clean(label),
        None => job.session_id.bare().to_owned(),
    }
}

/// How old the state of a job is whose host is not connected: `seen 6m ago`.
pub fn seen(job: &Summary, now: Timestamp) -> Option<String> {
    let ago = span(since(job.seen_at?, now));
    Some(format!("seen {ago} ago"))
}

/// The state as a word, and its tone. If the host of the job is not connected, the state that was last known, with its
/// age: it may not be so any more.
pub fn dated_state(job: &Summary, now: Timestamp) -> (String, Tone) {
    let (state, tone) = state(job);
    match seen(job, now) {
        Some(seen) => (format!("{state} ({seen})"), Tone::Faint),
        None => (state, tone),
    }
}

/// The state as a word, with the place of the job, and its tone: `queued #3`, `running on n17`.
pub fn state(job: &Summary) -> (String, Tone) {
    let (word, tone) = state_word(job);
    let in_queue = job.waiting.as_ref().and_then(|waiting| waiting.place);
    let place = in_queue
        .map(|place| format!("#{place}"))
        .or_else(|| on_node(job));
    match place {
        Some(place) => (format!("{word} {place}"), tone),
        None => (word, tone),
    }
}

/// The state as a word alone, and its tone.
pub fn state_word(job: &Summary) -> (String, Tone) {
    let (word, tone) = match job.status {
        Status::Running if job.reported().is_some() => reported(job),
        Status::Running => match job.asks() {
            Some(Asks::Password) => ("needs password", Tone::Wants),
            Some(Asks::Line) => ("needs input", Tone::Wants),
            None if job.ready == Some(false) => ("starting", Tone::Normal),
            None => ("running", Tone::Good),
        },
        Status::Queued if never_starts(job) => ("skipped", Tone::Bad),
        Status::Queued | Status::Done if is(job, PhaseName::Scheduled) => {
            ("scheduled", Tone::Faint)
        }
        Status::Queued | Status::Starting | Status::Stopping | Status::Retrying => {
            (job.status.as_str(), Tone::Normal)
        }
        // Its schedule is not followed now.
        Status::Done if is(job, PhaseName::Queued) => (PhaseName::Queued.as_str(), Tone::Normal),
        Status::Paused => ("paused", Tone::Held),
        Status::Done if job.ended_early().is_some() => ("failed", Tone::Bad),
        Status::Done => ("done", Tone::Faint),
        // It has never run.
        Status::Killed if job.signal.is_none() && is(job, PhaseName::Stopped) => {
            ("stopped", Tone::Faint)
        }
        Status::Killed => ("killed", Tone::Faint),
        Status::TimedOut => ("timed out", Tone::Faint),
        Status::Lost => ("lost", Tone::Bad),
        Status::Error => return (Ending::from(job).to_string(), Tone::Bad),
    };
    (word.to_owned(), tone)
}

/// Why the run of a job counts as failed although its command has ended well, cleaned.
pub fn ended_early(job: &Summary) -> Option<String> {
    job.ended_early().map(clean)
}

/// Where a batch system runs a job: `on n17`, `on n17, run 2`.
fn on_node(job: &Summary) -> Option<String> {
    let engine = job.engine.as_ref().filter(|_| job.status.has_process())?;
    engine.place().map(|place| clean(&place))
}

/// What a batch system knows of a job: `Slurm job 7 of launcher gpu: RUNNING on n17, limit 4h`.
pub fn engine(job: &Summary) -> Option<String> {
    let (launcher, engine) = (job.launcher.as_ref()?, job.engine.as_ref()?);
    let mut line = engine.title(launcher);
    if let Some(state) = &engine.state {
        line.push_str(&format!(": {state}"));
    }
    if let Some(place) = engine.place() {
        line.push_str(&format!(" {place}"));
    }
    if let Some(limit) = engine.time_limit_sec {
        line.push_str(&format!(", limit {}", span(limit.saturating_mul(1000))));
    }
    if let Some(more) = of_engine(job) {
        line.push_str(&format!(", {more}"));
    }
    Some(line)
}

/// What a batch system says beyond the state of a job: when it may start, and whether the batch system answers at all.
pub fn of_engine(job: &Summary) -> Option<String> {
    let engine = job.engine.as_ref().filter(|_| job.ended_at.is_none())?;
    let start = engine
        .estimated_start_at
        .filter(|_| job.status == Status::Queued);
    let start = start.map(|at| format!("~{}", clock(at)));
    let silent = engine.silent_since;
    let kind = job.launcher.as_ref();
    let kind = kind.map_or("the batch system", |launcher| launcher.kind.name());
    let silent = silent.map(|at| format!("no answer from {kind} since {}", clock(at)));
    let said: Vec<String> = [start, silent].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// Whether a job has ended without a run, because it was stopped or cancelled while it waited.
pub fn was_stopped_before_it_ran(job: &Summary) -> bool {
    let has_end = job.exit_code.is_some() || job.signal.is_some();
    job.status == Status::Killed && job.started_at.is_none() && !has_end
}

/// Whether a job waits for something that cannot come any more by itself.
pub fn never_starts(job: &Summary) -> bool {
    job.waiting.as_ref().is_some_and(|waiting| waiting.never)
}

/// The state that the program of a job has reported.
fn reported(job: &Summary) -> (&'static str, Tone) {
    match job.reported().map(|report| report.state) {
        Some(Activity::Blocked) => (Activity::Blocked.as_str(), Tone::Wants),
        Some(Activity::Idle) => (Activity::Idle.as_str(), Tone::Faint),
        Some(Activity::Working) => (Activity::Working.as_str(), Tone::Good),
        None => ("running", Tone::Good),
    }
}

/// What a running job does, and how that is known: by its report, by the kernel, or by its output.
pub fn activity(job: &Summary, now: Timestamp) -> Option<String> {
    if job.status != Status::Running {
        return None;
    }
    if let Some(report) = job.reported() {
        let ago = span(since(report.at, now));
        let (state, message) = (report.state.as_str(), report_message(report));
        return Some(format!("{state}{message} (it reported so {ago} ago)"));
    }
    match job.asks() {
        Some(Asks::Password) => Some("waits for a password (the kernel says so)".to_owned()),
        Some(Asks::Line) => Some("waits for a line of input (the kernel says so)".to_owned()),
        None => {
            // Output of the run before says nothing of this one.
            let last = job.last_output_at?;
            let is_of_run = job.started_at.is_none_or(|started| last >= started);
            let ago = span(since(last, now));
            is_of_run.then(|| format!("wrote output {ago} ago"))
        }
    }
}

/// The last report of a job that no longer holds, and why.
pub fn former_report(job: &Summary, now: Timestamp) -> Option<String> {
    let report = job.report.as_ref()?;
    let since_then = match report.replaced_by? {
        Evidence::Input => "a newer input state replaced it",
        Evidence::Output => "it has written output since",
    };
    let ago = span(since(report.at, now));
    let (state, message) = (report.state.as_str(), report_message(report));
    Some(format!("{state}{message} ({ago} ago; {since_then})"))
}

/// The words of a report, after its state.
pub fn report_message(report: &Reported) -> String {
    let message = report.message.as_deref().map(clean);
    message.map_or_else(String::new, |message| format!(": {message}"))
}

/// Whether it is a job of a project in this phase.
fn is(job: &Summary, phase: PhaseName) -> bool {
    job.project.as_ref().is_some_and(|of| of.phase == phase)
}

/// How long the job has been running, how long ago it ended, or when its time to start comes: `in 8h36m`.
pub fn time(job: &Summary, now: Timestamp) -> String {
    if let Some(next) = next_run(job).or(job.delayed_until()) {
        return until(next, now);
    }
    match job.ended_at {
        Some(ended) => format!("{} ago", span(since(ended, now))),
        // It has not run yet.
        None if job.status == Status::Queued => "-".to_owned(),
        None => span(job.runtime_ms),
    }
}

/// When the schedule of a job that does not run starts it next.
pub fn next_run(job: &Summary) -> Option<Timestamp> {
    job.project.as_ref()?.next_start()
}

/// What a stop of a job with a schedule means: `its schedule is off; bgproc up night switches it on`.
pub fn schedule_off(of: &ProjectRole) -> String {
    // `start` would also run it now.
    let job = shell::quote(&clean(&of.job)).into_owned();
    format!("{SCHEDULE_OFF}; bgproc up {job} switches it on")
}

/// What a job that does not run yet waits for: `needs db ready`, `starts at 18:00`.
pub fn waits_for(job: &Summary) -> Option<String> {
    if let Some(at) = job.delayed_until() {
        return Some(format!("starts at {}", clock(at)));
    }
    let why = clean(&job.waiting.as_ref()?.why);
    Some(match of_engine(job) {
        Some(more) => format!("{why}, {more}"),
        None => why,
    })
}

/// The time until `then`: `in 8h36m`.
pub fn until(then: Timestamp, now: Timestamp) -> String {
    format!("in {}", span(since(now, then)))
}

/// Milliseconds from `then` to `now`; 0 if the clock was set back.
pub fn since(then: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.millis() - then.millis()).unwrap_or(0)
}

/// The command as it would be typed, on one line.
pub fn command(job: &Summary) -> String {
    let line = shell::line(&job.command, job.args.as_deref());
    clean(&line)
}

/// One line about a job, for lists of candidates.
pub fn summary(record: &Record, now: Timestamp) -> String {
    let job = &record.summary;
    let (state, _) = state(job);
    let (id, time) = (&job.session_id, time(job, now));
    let line = format!("{id}  {state}  {time}  {}", command(job));
    match job.label {
        Some(_) => format!("{}  {line}", name(job)),
        None => line,
    }
}

/// How a run ended: `3  2026-11-21 21:00:05  exit 1, ran 0.4s`.
pub fn run(run: &Run) -> String {
    let began = local(run.started_at);
    let because = run
        .because
        .as_ref()
        .map(|why| format!("  ({})", clean(why)));
    let because = because.unwrap_or_default();
    let Some(ended) = run.ended_at else {
        return format!("{}  {began}  in progress{because}", run.run);
    };
    let how = Ending::from(run);
    if run.lost && how.known().is_none() {
        // How long it ran is not known either.
        return format!("{}  {began}  {how}{because}", run.run);
    }
    let ran = brief_span(since(run.started_at, ended));
    format!("{}  {began}  {how}, ran {ran}{because}", run.run)
}

/// How often a job fails whose result changes although its definition does not: `2/9: …`.
pub fn flaky(flaky: Flaky) -> String {
    let Flaky { failed, runs } = flaky;
    format!("flaky {failed}/{runs}: {failed} of {runs} runs of the same definition failed")
}

/// Formats a size as `512`, `9.1K` or `182M`, in powers of 1024 as `ls -h` and `top` do.
pub fn bytes(count: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)];
    for (unit, shift) in UNITS {
        let whole = count >> shift;
        if whole >= 10 {
            return format!("{whole}{unit}");
        }
        if whole > 0 {
            let tenths = ((count >> (shift - 10)) & 1023) * 10 / 1024;
            return format!("{whole}.{tenths}{unit}");
        }
    }
    count.to_string()
}

/// An amount of bytes within a sentence: `1 byte`, `64 bytes`, `48M`.
pub fn amount(count: u64) -> String {
    match count {
        1 => "1 byte".to_owned(),
        2..1024 | 0 => format!("{count} bytes"),
        _ => bytes(count),
    }
}

/// Makes [`local`] and [`stamp`] use UTC from now on.
pub fn show_utc() {
    // Called once, before any output.
    let _ = IN_UTC.set(());
}

/// A time for people: local as `2026-11-21 21:00:05`, or UTC as `2026-11-21 20:00:05Z`.
pub fn local(at: Timestamp) -> String {
    match IN_UTC.get() {
        Some(()) => formatted(at, TimeZone::UTC, "%Y-%m-%d %H:%M:%SZ"),
        None => formatted(at, ZONE.clone(), "%Y-%m-%d %H:%M:%S"),
    }
}

/// A time of one of the next days as `14:20`, another one with its day.
fn clock(at: Timestamp) -> String {
    let near = at.millis().abs_diff(now().millis()) < 20 * 3_600_000;
    let pattern = if near { "%H:%M" } else { "%a %d %b %H:%M" };
    let zone = match IN_UTC.get() {
        Some(()) => TimeZone::UTC,
        None => ZONE.clone(),
    };
    formatted(at, zone, pattern)
}

/// A time for programs: local as `2026-11-21T21:00:05.123+01:00`, or UTC.
pub fn stamp(at: Timestamp) -> String {
    match IN_UTC.get() {
        Some(()) => at.to_string(),
        None => formatted(at, ZONE.clone(), "%Y-%m-%dT%H:%M:%S.%3f%:z"),
    }
}

fn formatted(at: Timestamp, zone: TimeZone, format: &str) -> String {
    match jiff::Timestamp::from_millisecond(at.millis()) {
        Ok(time) => time.to_zoned(zone).strftime(format).to_string(),
        Err(_) => at.to_string(),
    }
}

/// Set if times are shown in UTC. It applies to the whole process, as `TZ` does.
static IN_UTC: OnceLock<()> = OnceLock::new();

/// The time zone of this machine. Without `TZ` it is read from `/etc/localtime`, because finding a zone by
/// its name reads the directory of all zones.
static ZONE: LazyLock<TimeZone> = LazyLock::new(|| {
    let rules = match std::env::var_os("TZ") {
        None => std::fs::read("/etc/localtime").ok(),
        Some(_) => None,
    };
    rules
        .and_then(|rules| TimeZone::tzif("Local", &rules).ok())
        .unwrap_or_else(TimeZone::system)
});

/// The wall clock time.
pub fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Mode;
    use crate::protocol::status::InputState;

    #[test]
    fn a_service_that_ended_early_has_failed() {
        let mut job = record("a", Some("web"), Status::Done).summary;
        assert_eq!(state(&job).0, "done");
        let role = serde_json::json!({"name": "shop", "dir": "/srv", "job": "web",
            "phase": "failed", "why": "ended before it was ready", "place": 0, "needs": []});
        job.project = serde_json::from_value(role).unwrap();
        assert_eq!(state(&job), ("failed".to_owned(), Tone::Bad));
        let why = ended_early(&job);
        assert_eq!(why.as_deref(), Some("ended before it was ready"));
    }

    #[test]
    fn sizes_are_in_powers_of_1024() {
        for (count, expected) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (9_400, "9.1K"),
            (182 << 20, "182M"),
            (5 << 40, "5.0T"),
        ] {
            assert_eq!(bytes(count), expected);
        }
    }

    #[test]
    fn states_say_what_matters_most() {
        let mut job = record("a", Some("web"), Status::Running).summary;
        assert_eq!(state(&job).0, "running");
        job.input_state = InputState::Line;
        assert_eq!(state(&job).0, "needs input");
        job.mode = Mode::Pipe;
        assert_eq!(state(&job).0, "running", "a filter reads, and asks nothing");
        assert_eq!(activity(&job, Timestamp(0)), None);
        job.input_state = InputState::Password;
        assert_eq!(state(&job).0, "needs password");
        job.status = Status::Error;
        job.exit_code = Some(127);
        assert_eq!(state(&job).0, "exit 127");
        (job.exit_code, job.signal) = (None, Some("SIGSEGV".to_owned()));
        assert_eq!(state(&job).0, "SIGSEGV");
    }

    #[test]
    fn the_newest_of_report_kernel_and_output_is_shown() {
        let mut job = record("a", Some("claude"), Status::Running).summary;
        job.last_output_at = Some(Timestamp(1000));
        let now = Timestamp(61_000);
        assert_eq!(activity(&job, now).unwrap(), "wrote output 1m00s ago");
        job.started_at = Some(Timestamp(60_000));
        assert_eq!(activity(&job, now), None, "that was the run before");
        job.input_state = InputState::Password;
        assert!(activity(&job, now).unwrap().contains("kernel"));
        let mut report = Reported {
            state: Activity::Blocked,
            message: Some("wants\x1b[31m Bash".to_owned()),
            at: Timestamp(58_000),
            replaced_by: None,
        };
        job.report = Some(report.clone());
        assert_eq!(state(&job), ("blocked".to_owned(), Tone::Wants));
        let shown = activity(&job, now).unwrap();
        assert_eq!(shown, "blocked: wants Bash (it reported so 3s ago)");
        assert_eq!(former_report(&job, now), None);
        report.replaced_by = Some(Evidence::Output);
        job.report = Some(report);
        assert_eq!(state(&job).0, "needs password");
        let before = former_report(&job, now).unwrap();
        assert!(before.ends_with("it has written output since)"), "{before}");
        job.status = Status::Done;
        assert_eq!(activity(&job, now), None, "it has ended");
    }

    #[test]
    fn jobs_with_a_schedule_say_when_they_run_next() {
        let mut job = record("a", Some("night"), Status::Done).summary;
        job.ended_at = Some(Timestamp(1000));
        job.project = Some(crate::protocol::project::ProjectRole {
            project: crate::protocol::project::ProjectName {
                name: "shop".to_owned(),
                dir: "/shop".to_owned(),
            },
            job: "night".to_owned(),
            phase: PhaseName::Scheduled,
            why: None,
            next_run: Some(Timestamp(7_442_000)),
            confirm: false,
            place: 0,
            needs: Vec::new(),
            ports: Vec::new(),
            url: None,
            watch: None,
        });
        assert_eq!(state(&job).0, "scheduled");
        assert_eq!(time(&job, Timestamp(2000)), "in 2h04m");
        // A run that failed is not hidden by the next one.
        (job.status, job.exit_code) = (Status::Error, Some(1));
        assert_eq!(state(&job).0, "exit 1");
    }

    #[test]
    fn a_lost_run_is_not_in_progress() {
        let mut lost = Run::begun(3, 0, Timestamp(0));
        assert!(run(&lost).ends_with("  in progress"));
        (lost.ended_at, lost.lost) = (Some(Timestamp(9000)), true);
        assert!(run(&lost).ends_with("  lost"), "{}", run(&lost));
    }

    #[test]
    fn names_and_commands_are_cleaned_and_quoted() {
        let mut job = record("a", Some("we\x1b[31mb"), Status::Running).summary;
        assert!(!name(&job).contains('\x1b'));
        job.command = "echo".to_owned();
        job.args = Some(vec!["a b".to_owned(), "it's".to_owned(), "-n".to_owned()]);
        assert_eq!(command(&job), r#"echo 'a b' "it's" -n"#);
    }
}
