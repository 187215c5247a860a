//! `wait`: until something holds for jobs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::{condition, duration};
use crate::protocol::params::{Poll, Wait as Params};
use crate::protocol::reply::{Outcome, Polled, Waited};
use crate::protocol::{Action, Condition, ErrorCode, SessionId};

/// The longest single wait that the protocol takes.
const LONGEST: Duration = Duration::from_secs(600);

/// What `wait` takes.
#[derive(Args, Debug)]
pub struct Wait {
    /// Which jobs
    #[arg(required = true)]
    jobs: Vec<String>,
    /// exit, input, quiet or quiet:TIME, match:REGEX (a line so far or to come), gone:REGEX (from the screen)
    #[arg(long = "for", value_name = "WHAT", default_value = "exit", value_parser = condition::parse)]
    until: Condition,
    /// The first of several jobs is enough
    #[arg(long)]
    any: bool,
    /// Give up after so long, with exit code 124
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
}

/// How much of what is there already a pattern is looked for in: what `poll` shows at most.
const LOOK_BACK: usize = 262_144;

impl Wait {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let found = ctx.many(&self.jobs, Among::Any)?;
        let ids = found.jobs.into_iter().map(|job| job.summary.session_id);
        let ids: Vec<_> = ids.collect();
        if ids.is_empty() {
            return Ok(found.exit);
        }
        let plan = Plan {
            until: self.until,
            any: self.any,
            deadline: self.timeout.map(|timeout| Instant::now() + timeout),
        };
        let waited = plan.run(ctx, &ids)?;
        if ctx.json {
            match waited.as_slice() {
                [only] => ctx.out.json(only)?,
                several => ctx.out.json(&serde_json::json!({ "results": several }))?,
            }
        }
        Ok(found.exit.or(plan.result(&waited)))
    }
}

/// Waits for the end of one job; its code is the result.
pub(super) fn for_end(ctx: &mut Context, id: &SessionId) -> Result<Exit, Failure> {
    let plan = Plan {
        until: Condition::Exit(true),
        any: false,
        deadline: None,
    };
    let waited = plan.run(ctx, std::slice::from_ref(id))?;
    Ok(plan.result(&waited))
}

/// What is waited for.
struct Plan {
    until: Condition,
    any: bool,
    deadline: Option<Instant>,
}

/// A job that is still waited for, and where in its output.
struct Open<'a> {
    id: &'a SessionId,
    since: Option<String>,
}

impl Plan {
    /// Waits however long it takes, in turns that the protocol allows; the jobs
    /// that are decided, in the order of `ids`. With `any` the first is enough.
    ///
    /// Each job has its own request, because each has its own place to begin at.
    fn run(&self, ctx: &mut Context, ids: &[SessionId]) -> Result<Vec<Waited>, Failure> {
        let mut decided = BTreeMap::new();
        let mut open = BTreeMap::new();
        for (place, id) in ids.iter().enumerate() {
            let since = self.beginning(ctx, id)?;
            open.insert(place, Open { id, since });
        }
        while !(open.is_empty() || self.any && self.is_met(&decided)) {
            let left = self.left();
            let turn = left.unwrap_or(LONGEST).min(LONGEST);
            let last_turn = left.is_some_and(|left| left <= turn);
            let waits = open.values().map(|open| self.request(open, turn)).collect();
            let enough = |value: &serde_json::Value| self.any && value["outcome"] == "matched";
            let answers = ctx.daemon()?.call_until(waits, enough);
            let places: Vec<usize> = open.keys().copied().collect();
            for (place, answer) in places.into_iter().zip(answers) {
                let waited: Waited = match answer {
                    None => continue,
                    // Jobs outlive their daemon, and so does the wait for them.
                    Some(Err(error)) if error.code == ErrorCode::DaemonUnavailable => {
                        ctx.hang_up();
                        continue;
                    }
                    Some(answer) => {
                        serde_json::from_value(answer?).map_err(std::io::Error::from)?
                    }
                };
                if waited.outcome != Outcome::Timeout || last_turn {
                    open.remove(&place);
                    decided.insert(place, waited);
                } else if let Some(open) = open.get_mut(&place) {
                    open.since = Some(waited.polled.cursor);
                }
            }
        }
        Ok(decided.into_values().collect())
    }

    fn request(&self, open: &Open, turn: Duration) -> Action {
        Action::Wait(Params {
            session_id: Some(open.id.to_string()),
            until: Some(vec![self.until.clone()]),
            since: open.since.clone(),
            timeout_ms: Some(duration::millis(turn)),
            max_chars: Some(1),
            ..Params::default()
        })
    }

    /// A line may have been written before this command was typed, also while
    /// `run` was still printing its answer: so the output that is there counts.
    fn beginning(&self, ctx: &mut Context, id: &SessionId) -> Result<Option<String>, Failure> {
        if !matches!(self.until, Condition::Pattern(_)) {
            return Ok(None);
        }
        let polled: Polled = ctx.daemon()?.call_as(Action::Poll(Poll {
            session_id: id.to_string(),
            max_chars: Some(LOOK_BACK),
            ..Poll::default()
        }))?;
        Ok(Some(polled.prev_cursor))
    }

    fn left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    fn is_met(&self, decided: &BTreeMap<usize, Waited>) -> bool {
        let mut outcomes = decided.values().map(|waited| waited.outcome);
        outcomes.any(|outcome| outcome == Outcome::Matched)
    }

    /// With `any` the one that holds decides, else the first that is no success.
    fn result(&self, waited: &[Waited]) -> Exit {
        let met = waited.iter().find(|one| one.outcome == Outcome::Matched);
        match met {
            Some(met) if self.any => self.result_of(met),
            _ => waited
                .iter()
                .fold(Exit::OK, |exit, one| exit.or(self.result_of(one))),
        }
    }

    fn result_of(&self, waited: &Waited) -> Exit {
        let polled = &waited.polled;
        let id = &polled.session_id;
        match waited.outcome {
            Outcome::Timeout => {
                note(&format!("{id}: time ran out"));
                Exit::TIMED_OUT
            }
            Outcome::Matched | Outcome::Exited if matches!(self.until, Condition::Exit(_)) => {
                Exit::of_job(polled.status, polled.exit_code, polled.signal.as_deref())
            }
            Outcome::Matched => Exit::OK,
            Outcome::Exited => {
                note(&format!("{id} ended before that"));
                Exit::STATE
            }
            Outcome::Lost => {
                note(&format!(
                    "{id} is lost: it ended while nothing was there to see how"
                ));
                Exit::FAILED
            }
            Outcome::Failed => Exit::FAILED,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(until: &str, any: bool) -> Plan {
        Plan {
            until: condition::parse(until).unwrap(),
            any,
            deadline: None,
        }
    }

    fn waited(outcome: Outcome, code: Option<i32>, signal: Option<&str>) -> Waited {
        let text = r#"{"matched": null, "matchedAtEntry": false, "elapsedMs": 1,
            "sessionId": "abcdefghijkl", "status": "error", "output": "", "prevCursor": "a",
            "cursor": "a", "omitted": {"bytes": 0, "lines": 0}, "inputState": "none",
            "offloaded": false, "outputFile": null, "outputBytes": 0}"#;
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        value["outcome"] = json!(outcome);
        value["exitCode"] = json!(code);
        value["signal"] = json!(signal);
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn all_takes_the_first_bad_code_and_any_the_one_that_ended() {
        let good = waited(Outcome::Matched, Some(0), None);
        let killed = waited(Outcome::Matched, None, Some("SIGTERM"));
        let bad = waited(Outcome::Matched, Some(3), None);
        let late = waited(Outcome::Timeout, None, None);
        let all = plan("exit", false);
        assert_eq!(all.result(&[good.clone(), killed, bad.clone()]), Exit(143));
        assert_eq!(all.result(&[good, late.clone()]), Exit::TIMED_OUT);
        assert_eq!(plan("exit", true).result(&[late, bad]), Exit(3));
    }

    #[test]
    fn an_end_before_what_was_waited_for_is_no_success() {
        let ended = waited(Outcome::Exited, Some(0), None);
        let matched = waited(Outcome::Matched, None, None);
        let (all, any) = (plan("match:x", false), plan("match:x", true));
        assert_eq!(all.result(&[matched.clone(), ended.clone()]), Exit::STATE);
        assert_eq!(any.result(&[ended.clone(), matched]), Exit::OK);
        assert_eq!(any.result(&[ended]), Exit::STATE);
    }
}
