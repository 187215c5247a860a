//! `why`: says in one sentence why a job is in its state.

use clap::Args;
use serde_json::json;

use crate::cli::context::{Among, Context, target};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::bash_line;
use crate::cli::output::{advised, words};
use crate::protocol::cause::Cause;
use crate::protocol::params::Queue;
use crate::protocol::project::{Level, NEED_REMOVED, PhaseName, SCHEDULE_OFF, Waiting};
use crate::protocol::reply::{Listed, LogLines, Queues};
use crate::protocol::run::{EndedByKind, Run};
use crate::protocol::shell::quote;
use crate::protocol::status::Asks;
use crate::protocol::{Action, Record, Status, Summary};
use crate::term::sanitize::clean;
use crate::tui::message::CardPart;
use crate::tui::model::card::{Card, Owner};
use crate::tui::pane::card;

#[derive(Args, Debug)]
pub struct Why {
    /// The jobs
    #[arg(value_name = "JOB", default_value = "-")]
    jobs: Vec<String>,
}

impl Why {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if let [only] = self.jobs.as_slice()
            && !target::is_several(only)
        {
            let job = ctx.one(only)?;
            let target = ctx.target_of(&job);
            say(ctx, &job, &target)?;
            return Ok(Exit::OK);
        }
        let found = ctx.many(&self.jobs, Among::Any)?;
        let targets = ctx.targets_of(&found.jobs);
        for (job, target) in found.jobs.iter().zip(targets) {
            say(ctx, job, &target)?;
        }
        Ok(found.exit)
    }
}

/// Prints the sentence about a job. `target` is what means it in a command that is proposed.
fn say(ctx: &mut Context, job: &Record, target: &str) -> Result<(), Failure> {
    let (record, card) = look(ctx, job)?;
    let mut parts = parts(&record, card.as_ref(), target);
    if let (Some(cause), Some(first)) = (cause(ctx, &record)?, parts.first_mut()) {
        *first = format!("{}: {cause}", PhaseName::Skipped.as_str());
    }
    parts.extend(start_anyway(&record.summary, target));
    parts.extend(cure(ctx, &record)?);
    parts.extend(ctx.away(&record.summary)?);
    let sentence = format!("{}: {}", words::name(&record.summary), parts.join("; "));
    if ctx.json {
        ctx.out.json(&json!({
            "sessionId": record.summary.session_id,
            "status": record.summary.status,
            "sentence": sentence,
            "firstError": card.and_then(|card| card.error),
            "flaky": record.detail.as_ref().and_then(|detail| detail.flaky),
        }))?;
    } else {
        ctx.out.line(&sentence)?;
    }
    Ok(())
}

/// Reads all about a job, and how it failed, if it did.
fn look(ctx: &mut Context, job: &Record) -> Result<(Record, Option<Card>), Failure> {
    let record = ctx.record(&job.summary.session_id, true)?;
    let job = &record.summary;
    // The output and the runs before say nothing about a start that failed.
    let was_started = job.exit_code.is_some() || job.signal.is_some();
    let card = match job.status {
        Status::Error if !was_started => None,
        Status::Error | Status::TimedOut | Status::Lost | Status::Retrying => {
            Some(read(ctx, &record)?)
        }
        _ => None,
    };
    Ok((record, card))
}

/// What became of the job for which a job was skipped: `migrate exited 1, 2m ago; first error: …`.
fn cause(ctx: &mut Context, record: &Record) -> Result<Option<String>, Failure> {
    let job = &record.summary;
    let waiting = job.waiting.as_ref().filter(|waiting| waiting.never);
    // Another job may have the name of the one that was removed.
    let waiting = waiting.filter(|waiting| !waiting.why.ends_with(NEED_REMOVED));
    // The root of the cause, which it may need through others only.
    let Some((name, needed)) = waiting.and_then(Waiting::needed) else {
        return Ok(None);
    };
    let jobs = ctx.jobs()?;
    let is_root = |other: &&Record| match (&job.project, &other.summary.project) {
        (Some(of), Some(other)) => other.job == name && other.project.dir == of.project.dir,
        (Some(_), None) => false,
        // `--after` has named it, so it was there already.
        (None, _) => {
            words::name(&other.summary) == name && other.summary.created_at < job.created_at
        }
    };
    let Some(root) = jobs.iter().rfind(is_root) else {
        return Ok(None);
    };
    let (root, card) = look(ctx, root)?;
    let target = ctx.target_of(&root);
    let told = parts(&root, card.as_ref(), &target).join("; ");
    // That it has ended well does not say what is wrong with that. Of a service it is said anyway.
    let was_never_ready = needed == Level::Ready.as_str()
        && root.summary.status == Status::Done
        && words::ended_early(&root.summary).is_none();
    Ok(Some(match told.strip_prefix("exit ") {
        Some(code) => format!("{} exited {code}", clean(name)),
        None if was_never_ready => {
            format!("{} ended before it was ready: {told}", clean(name))
        }
        None => format!("{}: {told}", clean(name)),
    }))
}

/// How a job starts without what it needs, if that cannot come any more. A job of a project waits for it all the same.
fn start_anyway(job: &Summary, target: &str) -> Option<String> {
    let is_skipped = job.status == Status::Queued && words::never_starts(job);
    let start = format!("bgproc start {}", quote(target));
    (is_skipped && job.project.is_none())
        .then(|| format!("{} starts it without that", advised(&start)))
}

/// How a queue goes on in which a job waits, if that is paused.
fn cure(ctx: &mut Context, record: &Record) -> Result<Option<String>, Failure> {
    let job = &record.summary;
    let queue = job
        .waiting
        .as_ref()
        .and_then(|waiting| waiting.queue.as_deref());
    let is_elsewhere = job.session_id.host().is_some();
    // What cannot start does not start with its queue either.
    let Some(queue) = queue.filter(|_| !is_elsewhere && !words::never_starts(job)) else {
        return Ok(None);
    };
    // Another session is in the queue that its directory has.
    let of_project = job.project.as_ref().map(|of| of.project.dir.clone());
    let dir = of_project.unwrap_or_else(|| job.cwd.clone());
    let found: Queues = ctx.daemon()?.call_as(Action::Queue(Queue {
        group: Some(queue.to_owned()),
        dir: Some(dir),
        ..Queue::default()
    }))?;
    let is_paused = found.queues.iter().any(|known| known.paused);
    Ok(is_paused.then(|| {
        advised(&format!(
            "bgproc group {} --resume lets it go on",
            quote(&clean(queue))
        ))
    }))
}

/// The parts of the sentence.
fn parts(record: &Record, card: Option<&Card>, target: &str) -> Vec<String> {
    let job = &record.summary;
    let detail = record.detail.as_ref();
    let mut parts = vec![state(record, card, target)];
    let reasons = reasons(record, &parts[0]);
    parts.extend(reasons);
    if let Some(card) = card {
        parts.extend(failure(record, card));
    }
    parts.extend(changed(record));
    let former = words::former_report(job, words::now());
    parts.extend(former.map(|report| format!("before, it reported {report}")));
    parts.extend(resumed(record, target));
    let flaky = detail.and_then(|detail| detail.flaky);
    parts.extend(flaky.map(words::flaky));
    parts.extend(scheduled(job));
    let waiting = job.waiting.as_ref();
    let waiting = waiting.filter(|_| job.status != Status::Queued);
    parts.extend(waiting.map(|waiting| clean(&waiting.why)));
    parts.extend(held(job, target));
    parts.extend(unwatched(job));
    parts.extend(listens(record));
    parts
}

/// The reasons that the daemon gives, without those that `state` has said.
fn reasons(record: &Record, state: &str) -> Vec<String> {
    let job = &record.summary;
    // How the run ended is said already. Of a job that waits it does not count: it is how a former run ended, unless the
    // job waits because of that.
    let ended_by = record.ended_by.as_ref().map(|by| by.kind);
    let counts = job.status != Status::Queued || ended_by == Some(EndedByKind::Watch);
    let reason = record.reason.as_deref().filter(|_| counts);
    let reasons = reason.unwrap_or_default().split("; ");
    let is_new = |reason: &&str| {
        // That a job was stopped does not say how its last run had ended.
        let is_said = reason.starts_with("exit code ") && job.status != Status::Killed;
        !reason.is_empty() && !is_said && !state.contains(reason)
    };
    reasons.filter(is_new).map(str::to_owned).collect()
}

/// What is known of a failure beside how the run ended.
fn failure(record: &Record, card: &Card) -> impl Iterator<Item = String> {
    let error = card.error.as_ref();
    let error = error.map(|error| format!("first error: {error}"));
    let output = card.output.as_deref().unwrap_or_default();
    let lead = bash_line::lead(record, output);
    [error, alike(runs(record)), lead].into_iter().flatten()
}

/// The runs of a job, as far as its record has them.
fn runs(record: &Record) -> &[Run] {
    let detail = record.detail.as_ref();
    detail.map_or(&[], |detail| &detail.runs)
}

/// The command that continues a lost job.
fn resumed(record: &Record, target: &str) -> Option<String> {
    let job = &record.summary;
    let with = super::resume::with(record).filter(|_| job.status == Status::Lost)?;
    let resume = advised(&format!("bgproc resume {}", quote(target)));
    Some(format!("{resume} starts it with: {with}"))
}

/// The ports on which a running job listens.
fn listens(record: &Record) -> Option<String> {
    let [first, rest @ ..] = &record.detail.as_ref()?.ports[..] else {
        return None;
    };
    let rest: String = rest.iter().map(|port| format!(", {port}")).collect();
    let is_running = record.summary.status == Status::Running;
    is_running.then(|| format!("it listens on port {first}{rest}"))
}

/// The state, and since when.
fn state(record: &Record, card: Option<&Card>, target: &str) -> String {
    let job = &record.summary;
    let span = words::span(job.runtime_ms);
    if let Some(report) = job.reported() {
        let ago = words::span(words::since(report.at, words::now()));
        let (state, message) = (report.state.as_str(), words::report_message(report));
        return format!("it is {state}{message}, as it reported {ago} ago");
    }
    match (job.status, job.asks()) {
        (_, Some(Asks::Password)) => "it waits for a password, as the kernel says".to_owned(),
        (_, Some(Asks::Line)) => "it waits for input, as the kernel says".to_owned(),
        (Status::Running, _) if job.ready == Some(false) => {
            format!("it has run for {span} and is not ready")
        }
        (Status::Running, _) if job.ready == Some(true) => {
            format!("it is ready and has run for {span}")
        }
        (Status::Running, _) => format!("it has run for {span}"),
        (Status::Queued, _) if words::next_run(job).is_some() => "it has not run yet".to_owned(),
        (Status::Queued, _) => match &job.project {
            Some(of) => match &of.why {
                Some(why) => format!("{}: {why}", of.phase.as_str()),
                None => of.phase.as_str().to_owned(),
            },
            None => match words::waits_for(job) {
                Some(why) if words::never_starts(job) => {
                    format!("{}: {why}", PhaseName::Skipped.as_str())
                }
                Some(why) if job.delayed_until().is_some() => format!("it {why}"),
                Some(why) => format!("it waits for its turn: {why}"),
                None => "it waits for its turn".to_owned(),
            },
        },
        (Status::Paused, _) => format!(
            "it is paused; {} continues it",
            advised(&format!("bgproc resume {}", quote(target)))
        ),
        _ => {
            let told = match words::ended_early(job) {
                Some(why) => format!("{}: {why}", words::state(job).0),
                // Also if a schedule starts it again.
                None if job.status == Status::Done => job.status.as_str().to_owned(),
                None => words::state(job).0,
            };
            let how = card.map_or(told, |card| card.how(record));
            match job.ended_at {
                // Not when it runs next, which is told beside.
                Some(ended) => {
                    let ago = words::span(words::since(ended, words::now()));
                    format!("{how}, {ago} ago")
                }
                None => how,
            }
        }
    }
}

/// That the schedule of a job is off, or who has stopped a job that had ended already.
fn held(job: &Summary, target: &str) -> Option<String> {
    let of = job.project.as_ref()?;
    let by = of.why.as_ref().filter(|_| of.phase == PhaseName::Stopped)?;
    let had_ended = matches!(job.status, Status::Done | Status::Error);
    if of.schedule_is_off() {
        let off = words::schedule_off(of);
        let by = by.strip_suffix(SCHEDULE_OFF).filter(|_| had_ended);
        // Who has ended a run is its reason, which is told already.
        return Some(format!("{}{off}", by.unwrap_or_default()));
    }
    had_ended.then(|| {
        let start = format!("bgproc start {}", quote(target));
        format!("{by}; {} starts it again", advised(&start))
    })
}

/// Why it was restarted, if nobody has asked for it: which files have changed, or which job was restarted.
fn changed(record: &Record) -> Option<String> {
    if matches!(record.summary.status, Status::Queued | Status::Killed) {
        // Why its last run was started does not say why it waits now, or was ended.
        return None;
    }
    let job = &record.summary;
    if job.status == Status::Error && job.exit_code.is_none() && job.signal.is_none() {
        // Its last start has failed, and the last run is one before.
        return None;
    }
    let run = record.detail.as_ref()?.runs.last()?;
    let because = match Cause::from(run.because.clone()?) {
        Cause::Changed(files) => files.have_changed(),
        other => other.to_string(),
    };
    Some(format!("it was started again because {}", clean(&because)))
}

/// Why it does not react to changes of its files.
fn unwatched(job: &Summary) -> Option<String> {
    let watch = job.project.as_ref()?.watch.as_ref()?;
    let why = clean(watch.why.as_ref()?);
    Some(if why.starts_with("suspended") {
        format!("its watch is {why}")
    } else {
        format!("its files are not watched: {why}")
    })
}

/// When its schedule starts it next, and which times have passed without a run.
fn scheduled(job: &Summary) -> Option<String> {
    let next = words::next_run(job)?;
    let (at, until) = (words::local(next), words::until(next, words::now()));
    let missed = job.project.as_ref().and_then(|of| of.why.as_ref());
    let missed = missed.map(|missed| format!("; {missed}"));
    Some(format!(
        "it runs next at {at}, {until}{}",
        missed.unwrap_or_default()
    ))
}

/// How many runs before the last one ended in the same way.
fn alike(runs: &[Run]) -> Option<String> {
    let (last, before) = runs.split_last()?;
    // How a lost run ended is not known.
    if last.lost {
        return None;
    }
    let same = |run: &&Run| (run.exit_code, &run.signal) == (last.exit_code, &last.signal);
    match before.iter().rev().take_while(same).count() {
        0 => None,
        1 => Some("the run before ended the same way".to_owned()),
        n => Some(format!("the {n} runs before ended the same way")),
    }
}

/// Reads how a job failed.
fn read(ctx: &mut Context, record: &Record) -> Result<Card, Failure> {
    let id = &record.summary.session_id;
    let mut card = Card::new(record.summary.ended_at);
    let mut open = card.runs(runs(record));
    while let Some(part) = open.pop() {
        let action = card::action(id, part);
        match part {
            CardPart::Output(_) => {
                let log: LogLines = ctx.read(&action)?;
                open.extend(card.output(&log, &words::command(&record.summary)));
            }
            CardPart::Before(_) => card.before(&ctx.read::<LogLines>(&action)?),
            CardPart::Port(port) => {
                let listed: Listed<Record> = ctx.read(&action)?;
                let has_it = |other: &&Record| {
                    let ports = other.summary.ports.as_deref().unwrap_or_default();
                    ports.contains(&port) && other.summary.session_id != *id
                };
                card.owner = listed.sessions.iter().find(has_it).map(Owner::of);
            }
            CardPart::Runs => {}
        }
    }
    Ok(card)
}
