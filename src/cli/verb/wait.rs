//! `wait`: waits until a condition holds for jobs.

use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::context::{Among, Context, target};
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::jobs::patience::Patience;
use crate::cli::jobs::{cuts, sudden_end};
use crate::cli::logs::{restarts, skipped};
use crate::cli::output::{note, words};
use crate::cli::value::condition;
use crate::client::read_reply;
use crate::protocol::bounds::TURN_MS;
use crate::protocol::condition::WaitMode;
use crate::protocol::duration;
use crate::protocol::params::{Poll, Wait as Params};
use crate::protocol::reply::{Outcome, Polled, Waited, WaitedAll};
use crate::protocol::shell::quote;
use crate::protocol::shell_state::ShellActivity;
use crate::protocol::{Action, Condition, Ending, SessionId, Status};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub struct Wait {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
    /// What to wait for: exit (of the last run), ready (--ready-log, --ready-port or --ready-cmd), port:N, input, quiet (2 s without output) or quiet:TIME, match:REGEX (a line of this run, past or future), gone:REGEX (from the screen), command (the one that the job's shell runs, with its exit code, if the shell marks its prompts: OSC 133)
    #[arg(long = "for", value_name = "WHAT", default_value = "exit", value_parser = condition::parse)]
    until: Condition,
    /// With several jobs: the first one is enough
    #[arg(long)]
    any: bool,
    /// Give up after this time with exit code 124
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
}

impl Wait {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut targets = Vec::new();
        for target in &self.jobs {
            if is_empty_queue(ctx, target)? {
                note(&format!("{} has no jobs", clean(target)));
            } else {
                targets.push(target.clone());
            }
        }
        let found = ctx.many(&targets, Among::Any)?;
        let jobs = found.jobs.iter().map(|job| &job.summary);
        let ids: Vec<_> = jobs.clone().map(|job| job.session_id.clone()).collect();
        let names: Vec<_> = jobs.clone().map(words::name).collect();
        if ids.is_empty() {
            return Ok(found.exit);
        }
        if !jobs.clone().all(|job| job.status.is_finished()) {
            cuts::tell(&found.jobs);
            restarts::tell(ids.iter().cloned().zip(names.clone()).collect())?;
            let targets = ctx.lasting(&targets, &found.jobs);
            interrupt::leave_with(interrupt::goes_on(&targets))?;
        }
        let mode = if self.any {
            WaitMode::Any
        } else {
            WaitMode::All
        };
        if let Condition::Ready(_) = self.until
            && let Some(never) = found.jobs.iter().find(|job| job.summary.ready.is_none())
        {
            let target = ctx.target_of(never);
            let (never, name) = (&never.summary, words::name(&never.summary));
            let message = format!("{name} has no readiness probe, so it can never be ready");
            let failure = Failure::with_message(Exit::USAGE, message);
            let gives = if never.project.is_some() {
                "`ready` in its project file gives it one, and bgproc reload takes it"
            } else {
                "bgproc run --ready-log, --ready-port or --ready-cmd gives it one"
            };
            return Err(failure.hint(format!(
                "{gives}; bgproc wait {} --for match:REGEX or --for port:N needs none",
                quote(&target)
            )));
        }
        // A time beyond what the clock can say never comes.
        let timeout = self.timeout;
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        skipped::leave_with(found.jobs.iter(), mode)?;
        let since = match (&self.until, ids.as_slice()) {
            (Condition::Command(_), [only]) => match running_command(ctx, only)? {
                Running::Since(cursor) => Some(cursor),
                Running::Nothing(exit) => return Ok(found.exit.or(exit)),
            },
            (Condition::Command(_), _) => {
                let message = "--for command is for one job at a time";
                return Err(Failure::Usage(message.to_owned()));
            }
            _ => None,
        };
        let exit = until(ctx, &ids, &self.until, since.as_deref(), mode, deadline)?;
        Ok(found.exit.or(exit))
    }
}

/// Whether a target is a queue without jobs, so that there is nothing to wait for.
fn is_empty_queue(ctx: &mut Context, target: &str) -> Result<bool, Failure> {
    let Some(group) = target.strip_prefix("g:") else {
        return Ok(false);
    };
    if target::is_named(target, &ctx.jobs()?) {
        return Ok(false);
    }
    let queues = ctx.queues()?;
    Ok(queues.iter().any(|queue| queue.queue == group))
}

/// What the shell of a job runs.
enum Running {
    /// A command, whose end is in the output from this cursor on.
    Since(String),
    /// Nothing: the exit code of its last command.
    Nothing(Exit),
}

fn running_command(ctx: &mut Context, id: &SessionId) -> Result<Running, Failure> {
    let polled: Polled = ctx.read(&Action::Poll(Poll {
        session_id: id.to_string(),
        max_chars: Some(1),
        ..Poll::default()
    }))?;
    let Some(shell) = polled.shell else {
        let message = "its shell does not mark its commands (OSC 133)";
        let failure = Failure::with_message(Exit::STATE, message);
        return Err(failure.hint("`--for input` waits until a shell is at its prompt"));
    };
    Ok(match shell.activity {
        Some(ShellActivity::Command) => Running::Since(polled.cursor),
        _ => Running::Nothing(of_command(shell.exit_code)),
    })
}

/// The exit code for a command of a shell.
fn of_command(code: Option<i32>) -> Exit {
    code.map_or(Exit::OK, |code| {
        Exit(u8::try_from(code & 0xff).unwrap_or(1))
    })
}

/// Waits as long as needed, in requests no longer than the protocol allows.
fn until(
    ctx: &mut Context,
    ids: &[SessionId],
    condition: &Condition,
    since: Option<&str>,
    mode: WaitMode,
    deadline: Option<Instant>,
) -> Result<Exit, Failure> {
    let mut patience = Patience::until(deadline);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let turn = left.map_or(TURN_MS, |left| duration::millis(left).min(TURN_MS));
        let params = Params {
            session_ids: Some(ids.iter().map(SessionId::to_string).collect()),
            mode: Some(mode),
            until: Some(vec![condition.clone()]),
            since: since.map(str::to_owned),
            timeout_ms: Some(turn),
            max_chars: (!ctx.json).then_some(1),
            through_restarts: Some(true),
            ..Params::default()
        };
        let Some(value) = patience.ask(ctx, Action::Wait(params))? else {
            continue;
        };
        let waited: WaitedAll = read_reply(value.clone())?;
        if waited.outcome == Outcome::Timeout
            && left.is_none_or(|left| duration::millis(left) > turn)
        {
            continue;
        }
        if ctx.json {
            ctx.out.json(&value)?;
        }
        if let Condition::Exit(_) = condition {
            if ids.len() > 1 {
                tell_failed(ctx, &waited, mode);
            }
            let is_told = |one: &&Waited| {
                let polled = &one.polled;
                // How several have failed is said already.
                let is_sudden = ids.len() == 1
                    && polled.status.is_finished()
                    && sudden_end::is_sudden(
                        polled.status,
                        polled.exit_code,
                        polled.signal.as_deref(),
                    );
                is_sudden || polled.status == Status::Lost
            };
            for one in decisive(&waited, mode).filter(is_told) {
                sudden_end::tell(ctx, &one.polled.session_id)?;
            }
        }
        tell_missed(ctx, &waited, condition, mode);
        if !ctx.json && ctx.out.is_terminal() && ids.len() > 1 {
            let line = met(ctx, &waited, condition, mode);
            line.map_or(Ok(()), |line| ctx.out.line(&line))?;
        }
        return Ok(result(&waited, condition, mode));
    }
}

/// The jobs that the outcome is about: with `any`, only the one that has met the condition, if one has.
fn decisive(waited: &WaitedAll, mode: WaitMode) -> impl Iterator<Item = &Waited> {
    let matched = waited.matched.as_ref().filter(|_| mode == WaitMode::Any);
    let only = matched.and_then(|matched| matched.session_id.as_ref());
    let results = waited.results.iter();
    results.filter(move |one| only.is_none_or(|id| one.polled.session_id == *id))
}

/// Which of several jobs have met the condition, for people: `api  exit 3`. `None` if it was not met.
fn met(ctx: &Context, waited: &WaitedAll, condition: &Condition, mode: WaitMode) -> Option<String> {
    let ended = waited.outcome == Outcome::Exited && matches!(condition, Condition::Exit(_));
    if waited.outcome != Outcome::Matched && !ended {
        return None;
    }
    let jobs: Vec<&Waited> = decisive(waited, mode).collect();
    let names = jobs.iter().map(|one| ctx.name_of(&one.polled.session_id));
    let names = names.collect::<Vec<_>>().join(" ");
    let what = match (condition, jobs.as_slice()) {
        (Condition::Exit(_), [one]) => Ending::from(&one.polled).to_string(),
        (Condition::Exit(_), _) => "ended".to_owned(),
        (Condition::Pattern(_), _) => match waited.matched.as_ref()?.text.as_deref() {
            Some(line) => clean(line),
            None => "match".to_owned(),
        },
        (Condition::Gone(pattern), _) => format!("no longer shows {pattern}"),
        (Condition::Input(_), _) => "waits for input".to_owned(),
        (Condition::IdleMs(ms), _) => format!("quiet for {}", words::exact_span(*ms)),
        (Condition::Ready(_), _) => "ready".to_owned(),
        (Condition::Port(port), _) => format!("listens on port {port}"),
        (Condition::Command(_), _) => "command ended".to_owned(),
    };
    Some(format!("{names}  {what}"))
}

/// Prints for which jobs the condition has not been met, and why the wait ended all the same.
fn tell_missed(ctx: &Context, waited: &WaitedAll, condition: &Condition, mode: WaitMode) {
    let missed = unmet(condition);
    let is_late = matches!(waited.outcome, Outcome::Timeout | Outcome::Running);
    for one in decisive(waited, mode) {
        let name = ctx.name_of(&one.polled.session_id);
        match one.outcome {
            Outcome::Timeout | Outcome::Running if is_late => {
                note(&format!("the timeout expired: {name} {missed}"));
            }
            Outcome::Exited if !matches!(condition, Condition::Exit(_)) => {
                note(&format!(
                    "{name} ended before the condition was met: it {missed}"
                ));
            }
            Outcome::Lost => note(&format!(
                "{name} is lost: no keeper was running when it ended, so its exit code is unknown"
            )),
            _ => {}
        }
    }
}

/// What is so while a condition is not met: `has not ended`.
fn unmet(condition: &Condition) -> String {
    match condition {
        Condition::Exit(_) => "has not ended".to_owned(),
        Condition::Pattern(pattern) => format!("has printed no line that matches {pattern}"),
        Condition::Gone(pattern) => format!("still shows {pattern}"),
        Condition::Input(_) => "does not wait for input".to_owned(),
        Condition::IdleMs(ms) => format!("was not quiet for {}", words::exact_span(*ms)),
        Condition::Ready(_) => "is not ready".to_owned(),
        Condition::Port(port) => format!("does not listen on port {port}"),
        Condition::Command(_) => "still runs the command of its shell".to_owned(),
    }
}

/// Prints which of several jobs failed and how, because the exit code is that of one job only.
fn tell_failed(ctx: &Context, waited: &WaitedAll, mode: WaitMode) {
    for one in decisive(waited, mode) {
        let polled = &one.polled;
        let code = Exit::of_job(polled.status, polled.exit_code, polled.signal.as_deref());
        let is_lost = polled.status == Status::Lost;
        if !polled.status.is_finished() || is_lost || code == Exit::OK {
            continue;
        }
        let (name, how) = (ctx.name_of(&polled.session_id), Ending::from(polled));
        note(&match polled.status {
            // The code is 124 then, whatever its own is.
            Status::TimedOut => format!("{name} reached its time limit ({how})"),
            _ => format!("{name} failed ({how})"),
        });
    }
}

fn result(waited: &WaitedAll, condition: &Condition, mode: WaitMode) -> Exit {
    let for_exit = matches!(condition, Condition::Exit(_));
    match waited.outcome {
        Outcome::Timeout | Outcome::Running => Exit::TIMED_OUT,
        Outcome::Matched | Outcome::Exited if for_exit => exit_of(waited, mode),
        Outcome::Matched => match (condition, &waited.matched) {
            (Condition::Command(_), Some(matched)) => of_command(matched.exit_code),
            _ => Exit::OK,
        },
        Outcome::Exited => Exit::STATE,
        Outcome::Lost | Outcome::Failed => Exit::FAILED,
    }
}

/// The exit code of the job that ended the wait, or with `all` the first failing one.
fn exit_of(waited: &WaitedAll, mode: WaitMode) -> Exit {
    let code =
        |polled: &Polled| Exit::of_job(polled.status, polled.exit_code, polled.signal.as_deref());
    if mode == WaitMode::Any {
        let matched = waited
            .matched
            .as_ref()
            .and_then(|matched| matched.session_id.as_ref());
        let first = waited.results.iter().find(|one| match matched {
            Some(id) => one.polled.session_id == *id,
            None => one.polled.status.is_finished(),
        });
        return first.map_or(Exit::OK, |one| code(&one.polled));
    }
    let ended =
        |one: &&Waited| one.polled.status.is_finished() || one.polled.status == Status::Lost;
    let codes = waited
        .results
        .iter()
        .filter(ended)
        .map(|one| code(&one.polled));
    codes.fold(Exit::OK, Exit::or)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn waited(matched: Option<&str>, codes: &[(&str, Option<i32>, Option<&str>)]) -> WaitedAll {
        let result = |(id, code, signal): &(&str, Option<i32>, Option<&str>)| {
            let status = match (code, signal) {
                (None, None) => "running",
                (Some(0), _) => "done",
                _ => "error",
            };
            json!({"outcome": "matched", "matched": null, "matchedAtEntry": false, "elapsedMs": 1,
                "sessionId": id, "status": status, "exitCode": code, "signal": signal, "output": "",
                "prevCursor": "a", "cursor": "a", "omitted": {"bytes": 0, "lines": 0},
                "inputState": "none", "offloaded": false, "outputFile": null, "outputBytes": 0})
        };
        let matched = matched.map(
            |id| json!({"index": 0, "kind": "exit", "line": null, "text": null, "sessionId": id}),
        );
        let results: Vec<_> = codes.iter().map(result).collect();
        serde_json::from_value(json!({"outcome": "matched", "matched": matched,
            "matchedAtEntry": false, "elapsedMs": 1, "results": results}))
        .unwrap()
    }

    #[test]
    fn all_takes_the_first_bad_code_and_any_the_one_that_ended() {
        let exit = Condition::Exit(true);
        let codes = [
            ("a00000000000", Some(0), None),
            ("b00000000000", None, Some("SIGTERM")),
            ("c00000000000", Some(3), None),
        ];
        assert_eq!(
            result(&waited(Some("a00000000000"), &codes), &exit, WaitMode::All),
            Exit(143)
        );
        let codes = [
            ("a00000000000", None, None),
            ("c00000000000", Some(3), None),
        ];
        assert_eq!(
            result(&waited(Some("c00000000000"), &codes), &exit, WaitMode::Any),
            Exit(3)
        );
        assert_eq!(result(&waited(None, &codes), &exit, WaitMode::Any), Exit(3));
    }

    #[test]
    fn with_any_the_outcome_is_about_the_job_that_matched() {
        let codes = [
            ("a00000000000", Some(3), None),
            ("b00000000000", None, None),
        ];
        let told = |matched, mode| -> Vec<String> {
            let waited = waited(matched, &codes);
            let told = decisive(&waited, mode).map(|one| one.polled.session_id.to_string());
            told.collect()
        };
        let (a, b) = ("a00000000000", "b00000000000");
        assert_eq!(told(Some(b), WaitMode::Any), [b]);
        assert_eq!(told(Some(b), WaitMode::All), [a, b]);
        assert_eq!(told(None, WaitMode::Any), [a, b]);
    }

    #[test]
    fn an_end_before_the_condition_is_met_is_not_a_success() {
        let mut ended = waited(None, &[("a00000000000", Some(0), None)]);
        ended.outcome = Outcome::Exited;
        let condition = Condition::Pattern("x".to_owned());
        assert_eq!(result(&ended, &condition, WaitMode::All), Exit::STATE);
        ended.outcome = Outcome::Timeout;
        assert_eq!(result(&ended, &condition, WaitMode::All), Exit::TIMED_OUT);
    }
}
