//! `status`: details of one job.

use clap::Args;

use super::ls::Ls;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::style::Tone;
use crate::cli::output::words;
use crate::client::read_reply;
use crate::protocol::params::StatusParams;
use crate::protocol::project::ProjectRole;
use crate::protocol::record::{Detail, Share};
use crate::protocol::run::EndedByKind;
use crate::protocol::{Action, Ending, Record, Status, Timestamp};
use crate::term::sanitize::clean;
use crate::tui::outside::open::reachable;

/// Number of the last runs that are shown.
const RUNS: usize = 5;

#[derive(Args, Debug)]
pub struct StatusOf {
    /// The job; without one, all jobs are listed
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// Also show the variables that were set for it, with *** for values that look secret; with `full` all
    /// that it was given, as they are
    #[arg(long, requires = "job", value_name = "full", num_args = 0..=1, require_equals = true, default_missing_value = "set")]
    env: Option<EnvShown>,
}

/// Which variables of a job are shown.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum EnvShown {
    /// Those that were set for it.
    #[value(hide = true)]
    Set,
    /// All that it was given.
    Full,
}

impl StatusOf {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let Some(target) = self.job else {
            return Ls::default().run(ctx);
        };
        let job = ctx.one(&target)?;
        let value = ctx.daemon()?.call(Action::Status(StatusParams {
            session_id: job.summary.session_id.to_string(),
            detail: Some(true),
            full_env: (self.env == Some(EnvShown::Full)).then_some(true),
        }))?;
        let record: Record = read_reply(value.clone())?;
        let away = ctx.away(&record.summary)?;
        if ctx.json {
            ctx.out.json(&value)?;
        } else {
            let (state, tone) = words::dated_state(&record.summary, words::now());
            let name = ctx.out.tint(Tone::Strong, &words::name(&record.summary));
            let state = ctx.out.tint(tone, &state);
            ctx.out.line(&format!("{name}  {state}"))?;
            let mut lines = block(&record, words::now());
            lines.extend(away.map(|why| ("host", why)));
            for (what, text) in lines {
                let what = ctx.out.tint(Tone::Faint, &format!("{what:>9}"));
                ctx.out.line(&format!("{what}  {text}"))?;
            }
            if self.env.is_some() {
                for variable in variables(&record) {
                    let what = ctx.out.tint(Tone::Faint, &format!("{:>9}", "env"));
                    ctx.out.line(&format!("{what}  {variable}"))?;
                }
            }
        }
        // As systemctl status: scripts need to know whether the job is running.
        let is_skipped = words::never_starts(&record.summary);
        Ok(if record.summary.status.is_finished() || is_skipped {
            Exit::STATE
        } else {
            Exit::OK
        })
    }
}

/// The lines of the report, each with its heading.
fn block(record: &Record, now: Timestamp) -> Vec<(&'static str, String)> {
    let mut block = Block::default();
    block.definition(record);
    block.activity(record, now);
    block.times(record, now);
    block.ending(record, now);
    block.output(record);
    if let Some(detail) = &record.detail {
        block.detail(detail);
    }
    block.access(record);
    block.lines
}

#[derive(Default)]
struct Block {
    lines: Vec<(&'static str, String)>,
}

impl Block {
    fn add(&mut self, what: &'static str, text: Option<String>) {
        self.lines.extend(text.map(|text| (what, clean(&text))));
    }

    /// What the job is, as it was started or as its project file has it.
    fn definition(&mut self, record: &Record) {
        let job = &record.summary;
        self.add("id", Some(job.session_id.to_string()));
        self.add("command", Some(words::command(job)));
        self.add("dir", Some(job.cwd.clone()));
        self.add("group", job.group.clone());
        self.add("project", job.project.as_ref().map(project));
        self.add("phase", job.project.as_ref().map(phase));
        self.add("needs", job.project.as_ref().and_then(needs));
        let url = job.project.as_ref().and_then(|of| of.url.as_deref());
        self.add("url", url.map(|url| reachable(url).into_owned()));
        let tags = job.tags.iter().map(|tag| format!("+{tag}"));
        self.add("tags", joined(tags.collect(), " "));
        self.add("about", job.description.clone());
    }

    /// What it does now, or waits for.
    fn activity(&mut self, record: &Record, now: Timestamp) {
        let job = &record.summary;
        self.add("engine", words::engine(job));
        self.add("waits for", words::waits_for(job));
        self.add("does", words::activity(job, now));
        self.add("reported", words::former_report(job, now));
        self.add("pid", job.pid.map(|pid| pid.to_string()));
    }

    /// When it was created, has started and ended. The first run starts when the job is created, which is one line.
    fn times(&mut self, record: &Record, now: Timestamp) {
        let job = &record.summary;
        let runs = record.detail.as_ref().map(|detail| detail.runs.as_slice());
        let last = runs.and_then(<[_]>::last).map(|run| run.started_at);
        let is_waiting = job.status == Status::Queued;
        let has_run = !words::was_stopped_before_it_ran(job);
        let is_first =
            job.restarts == 0 && last.is_none_or(|_| runs.is_some_and(|runs| runs.len() == 1));
        let is_late = last.is_some_and(|at| words::since(job.created_at, at) >= 1000);
        if is_waiting || !has_run || !is_first || is_late {
            self.add("created", Some(moment(job.created_at, now)));
        }
        if !is_waiting && has_run {
            let started = last.unwrap_or(job.created_at);
            self.add("started", Some(moment(started, now)));
        }
        let ended = job.ended_at.map(|at| {
            let ran = words::brief_span(job.runtime_ms);
            if !has_run {
                format!("{}  (it has not run)", words::local(at))
            } else if is_waiting {
                // The state is not that of the run before.
                format!("{}  (ran {ran})", words::local(at))
            } else {
                format!("{}  (ran {ran}): {}", words::local(at), Ending::from(job))
            }
        });
        self.add("ended", ended);
    }

    /// Why it has ended, and what starts it again.
    fn ending(&mut self, record: &Record, now: Timestamp) {
        let job = &record.summary;
        self.add("next run", next_run(record, now));
        self.add("watch", watch(record));
        self.add("ended by", ended_by(record));
        self.add("why", record.reason.clone());
        self.add("resume", job.resume.clone());
        // The runs of a schedule are no restarts.
        let is_scheduled = job.project.as_ref().is_some_and(ProjectRole::has_next_run);
        let restarts = Some(job.restarts).filter(|count| *count > 0 && !is_scheduled);
        self.add("restarts", restarts.map(|count| count.to_string()));
    }

    /// Its terminal, what it has written, and what it uses.
    fn output(&mut self, record: &Record) {
        let job = &record.summary;
        self.add("terminal", Some(terminal(record)));
        // What changes all the time is only known while the host of the job is connected.
        let is_known = job.seen_at.is_none();
        let title = job.title.clone().filter(|_| is_known);
        self.add("title", title.filter(|title| !title.is_empty()));
        self.add("output", is_known.then(|| output(record)));
        let file = record.output_files.last().map(|file| file.path.clone());
        self.add("log", file.or_else(|| job.output_file.clone()));
        self.add("not saved", record.log_degraded.clone());
        let percent = job.cpu_percent.filter(|_| is_known);
        self.add("cpu", percent.map(|percent| format!("{percent:.0}%")));
        let memory = job.memory_bytes.filter(|_| is_known);
        self.add("memory", memory.map(words::bytes));
    }

    /// What the daemon reads from each process, and the settings of the job.
    fn detail(&mut self, detail: &Detail) {
        // A single run is described by the lines above.
        let several = detail.runs.len() > 1;
        let last = detail.runs.iter().rev().take(RUNS).filter(|_| several);
        for run in last {
            self.add("run", Some(words::run(run)));
        }
        self.add("result", detail.flaky.map(words::flaky));
        let ports = detail.ports.iter().map(u16::to_string);
        self.add("port", joined(ports.collect(), " "));
        for url in &detail.urls {
            self.add("url", Some(reachable(url).into_owned()));
        }
        for process in &detail.processes {
            let (pid, state, command) = (process.pid, &process.state, &process.command);
            self.add("process", Some(format!("{pid} {state} {command}")));
        }
        self.add("limits", limits(detail));
    }

    /// Who asks about it, may use it and keeps it.
    fn access(&mut self, record: &Record) {
        let job = &record.summary;
        for asked in &record.asked {
            self.add("asked", Some(asked.message.clone()));
        }
        let is_pinned = job.keep && job.project.is_none();
        let pinned = is_pinned.then(|| "until it is removed (pin)".to_owned());
        self.add("kept", pinned);
        self.add("shared", shared(job.share));
        let held = job.held_by.as_ref();
        self.add("held by", held.map(|_| "a person who types".to_owned()));
        let is_of_agent = !record.scope.is_human();
        self.add("scope", is_of_agent.then(|| record.scope.to_string()));
    }
}

/// `2026-08-01 12:40:03  (5m ago)`.
fn moment(at: Timestamp, now: Timestamp) -> String {
    let ago = words::span(words::since(at, now));
    format!("{}  ({ago} ago)", words::local(at))
}

/// The parts in one text; `None` if there are none.
fn joined(parts: Vec<String>, between: &str) -> Option<String> {
    (!parts.is_empty()).then(|| parts.join(between))
}

/// The variables that were set for a job. After the loss of its environment only their names are known.
fn variables(record: &Record) -> Vec<String> {
    let Some(detail) = &record.detail else {
        return Vec::new();
    };
    let unknown = detail.env_names.iter();
    let unknown = unknown.filter(|name| !detail.env.contains_key(*name));
    let known = detail.env.iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}"),
        None => format!("{name} is removed"),
    });
    let mut all: Vec<String> = known.chain(unknown.cloned()).collect();
    all.sort();
    all.iter().map(|text| clean(text)).collect()
}

fn limits(detail: &Detail) -> Option<String> {
    let limits = detail.limits.unwrap_or_default();
    let limits = [
        detail
            .timeout_ms
            .map(|ms| format!("time {}", words::span(ms))),
        limits
            .log_bytes
            .map(|bytes| format!("log {}", words::bytes(bytes))),
        limits
            .memory_bytes
            .map(|bytes| format!("memory {}", words::bytes(bytes))),
        limits
            .cpu_sec
            .map(|sec| format!("processor time {}", words::span(sec * 1000))),
        limits.processes.map(|count| format!("{count} processes")),
        limits.open_files.map(|count| format!("{count} open files")),
        limits.nice.map(|nice| format!("niceness {nice}")),
    ];
    joined(limits.into_iter().flatten().collect(), ", ")
}

/// `shop  (/home/me/shop)`.
fn project(of: &ProjectRole) -> String {
    format!("{}  ({})", of.project.name, of.project.dir)
}

/// `skipped: needs migrate ok`.
fn phase(of: &ProjectRole) -> String {
    let why = of.why.as_ref().map(|why| format!(": {why}"));
    format!("{}{}", of.phase.as_str(), why.unwrap_or_default())
}

/// `migrate ok, db ready`.
fn needs(of: &ProjectRole) -> Option<String> {
    let needs = of.needs.iter();
    let needs = needs.map(|need| format!("{} {}", need.job, need.is.as_str()));
    joined(needs.collect(), ", ")
}

/// When its schedule starts it next, and which times have passed without a run.
fn next_run(record: &Record, now: Timestamp) -> Option<String> {
    let job = &record.summary;
    let of = job.project.as_ref()?;
    let next = of.next_run?;
    let missed = of.why.as_ref().filter(|_| words::next_run(job).is_some());
    let missed = missed.map(|missed| format!("; {missed}"));
    let (at, until) = (words::local(next), words::until(next, now));
    Some(format!("{at}  ({until}){}", missed.unwrap_or_default()))
}

/// The files that it reacts to, and why it does not react to them now.
fn watch(record: &Record) -> Option<String> {
    let watch = record.summary.project.as_ref()?.watch.as_ref()?;
    let why = watch.why.as_ref().map(|why| format!("; {why}"));
    Some(format!("{}{}", watch.what, why.unwrap_or_default()))
}

fn ended_by(record: &Record) -> Option<String> {
    let by = record.ended_by.as_ref()?;
    let scope = by.scope.as_ref().filter(|scope| !scope.is_human());
    match by.kind {
        EndedByKind::Itself => None,
        EndedByKind::Human => Some("a person".to_owned()),
        EndedByKind::Timeout => Some("its time limit".to_owned()),
        EndedByKind::Limit => Some("a limit".to_owned()),
        EndedByKind::Unready => Some("its restart policy: not ready any more".to_owned()),
        EndedByKind::Watch => Some("its watch".to_owned()),
        EndedByKind::Schedule => Some("its schedule".to_owned()),
        EndedByKind::Project => Some("its project".to_owned()),
        EndedByKind::Agent => Some(match scope {
            Some(scope) => format!("the agent {scope}"),
            None => "an agent".to_owned(),
        }),
    }
}

fn shared(share: Share) -> Option<String> {
    match share {
        Share::None => None,
        Share::Read => Some("every agent may read".to_owned()),
        Share::Write => Some("every agent may read and type".to_owned()),
    }
}

fn terminal(record: &Record) -> String {
    let job = &record.summary;
    let size = match job.mode {
        crate::protocol::Mode::Pty => format!("{}x{}", job.cols, job.rows),
        crate::protocol::Mode::Pipe => "none, pipes".to_owned(),
    };
    let front = record.foreground.as_ref();
    let front = front.map(|program| format!(", {program} in the foreground"));
    format!("{size}{}", front.unwrap_or_default())
}

fn output(record: &Record) -> String {
    let job = &record.summary;
    let total = words::amount(job.output_bytes);
    let lines = match job.output_lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let mut text = format!("{total} in {lines}");
    let (cut, unsaved) = missing(record);
    if cut > 0 {
        let cut = words::amount(cut);
        text.push_str(&format!(", the first {cut} no longer kept"));
    }
    if unsaved > 0 {
        text.push_str(&format!(", {} not saved", words::amount(unsaved)));
    }
    text
}

/// The bytes of the output that are missing: those before the log begins, and those that were not saved.
fn missing(record: &Record) -> (u64, u64) {
    let dropped = record.summary.dropped_bytes;
    // Where the log begins is said of a long one only. A short one that is not saved was hardly cut before.
    let cut = match record.output_files.first() {
        Some(file) => file.offset.min(dropped),
        None if record.log_degraded.is_some() => 0,
        None => dropped,
    };
    (cut, dropped - cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Status;
    use crate::protocol::record::OutputFile;

    #[test]
    fn output_that_was_not_saved_is_told_from_what_is_no_longer_kept() {
        let mut job = record("a", Some("web"), Status::Running);
        job.summary.dropped_bytes = 3;
        assert_eq!(missing(&job), (3, 0));
        job.log_degraded = Some("no space left".to_owned());
        assert_eq!(missing(&job), (0, 3));
        job.output_files = vec![OutputFile {
            path: "/x".to_owned(),
            offset: 2,
        }];
        assert_eq!(missing(&job), (2, 1));
        job.log_degraded = None;
        assert_eq!(missing(&job), (2, 1));
    }

    #[test]
    fn empty_fields_are_omitted_and_text_is_cleaned() {
        let mut job = record("a", Some("web"), Status::Killed);
        job.summary.signal = Some("SIGTERM".to_owned());
        job.summary.ended_at = Some(Timestamp(job.summary.created_at.millis() + 1500));
        job.summary.runtime_ms = 1500;
        job.summary.title = Some("\x1b]0;bad\x07".to_owned());
        job.summary.dropped_bytes = 2048;
        let lines = block(&job, Timestamp(0));
        let text: Vec<_> = lines
            .iter()
            .map(|(what, text)| format!("{what}: {text}"))
            .collect();
        let text = text.join("\n");
        assert!(text.contains("(ran 1.5s): SIGTERM"), "{text}");
        assert!(text.contains("the first 2.0K no longer kept"), "{text}");
        assert!(!text.contains("group:") && !text.contains("pid:"), "{text}");
        assert!(!text.contains(['\x1b', '\x07']), "{text}");
    }

    #[test]
    fn a_job_that_was_stopped_before_it_ran_has_no_start() {
        let mut job = record("a", Some("web"), Status::Killed);
        job.summary.ended_at = Some(Timestamp(0));
        let told = |job: &_| {
            let lines = block(job, Timestamp(0)).into_iter();
            let lines = lines.filter(|(what, _)| ["created", "started", "ended"].contains(what));
            let lines = lines.map(|(what, text)| format!("{what} {text}"));
            lines.collect::<Vec<_>>()
        };
        job.summary.started_at = Some(Timestamp(0));
        assert!(told(&job)[0].starts_with("started "), "{:?}", told(&job));
        job.summary.started_at = None;
        let lines = told(&job);
        assert!(lines[0].starts_with("created "), "{lines:?}");
        assert!(lines[1].ends_with("(it has not run)"), "{lines:?}");
    }

    #[test]
    fn of_a_host_that_is_away_nothing_is_told_that_changes_all_the_time() {
        let mut job = record("a", Some("web"), Status::Running);
        (job.summary.memory_bytes, job.summary.cpu_percent) = (Some(1), Some(1.0));
        let headings = |job: &_| {
            let lines = block(job, Timestamp(0)).into_iter();
            lines.map(|(what, _)| what).collect::<Vec<_>>()
        };
        let volatile = ["output", "cpu", "memory"];
        let known = headings(&job);
        assert!(
            volatile.iter().all(|what| known.contains(what)),
            "{known:?}"
        );
        job.summary.seen_at = Some(Timestamp(0));
        let known = headings(&job);
        assert!(
            !volatile.iter().any(|what| known.contains(what)),
            "{known:?}"
        );
    }
}
