//! What runs a session again after its end: a request, or its restart policy.

use serde::{Deserialize, Serialize};

use super::{Actor, Life};
use crate::engine::Now;
use crate::engine::retry::{self, Retry, Verdict};
use crate::protocol::{Ending, RestartPolicy, Status, Timestamp};

/// A run that was asked for while the run before is being ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestartRequest {
    /// Who has asked for it.
    pub by: Actor,
    /// Whether no other session of its scope may run with its label then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// Whether it has other variables, which are in no file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_env: bool,
}

/// What runs the session again.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Again {
    /// Who has asked for the next run, if it is ended only to run again. A new daemon goes on from there.
    #[serde(rename = "again", skip_serializing_if = "Option::is_none")]
    request: Option<RestartRequest>,
    /// State of its restart policy; absent until the policy has taken effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<Retry>,
    /// Why the last run ended, without the note that it is run again; empty if there is no reason. Set while it is
    /// `retrying`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason_before_retry: Option<String>,
}

impl Again {
    /// What is left of it once the next run has begun: how often in a row that has happened.
    pub(super) fn begun(self) -> Self {
        Self {
            retry: self.retry.map(|retry| Retry { at: None, ..retry }),
            ..Self::default()
        }
    }
}

/// Its next run.
impl Life {
    /// It runs again after the end that is about to be asked for; with `None` it does not any more. Returns whether
    /// that is news.
    pub fn run_again(&mut self, again: Option<RestartRequest>) -> bool {
        let is_news = self.again.request != again;
        self.again.request = again;
        is_news
    }

    /// The run that was asked for, while the run before is being ended and until the next one has begun.
    pub fn again(&self) -> Option<&RestartRequest> {
        self.again.request.as_ref()
    }

    /// Whether it has not ended, or was ended only to run again.
    pub fn is_going(&self) -> bool {
        !self.status.is_finished() || self.again.request.is_some()
    }

    /// Applies the restart policy after the end of a run. Returns true if the session will be
    /// restarted; it is `retrying` until then.
    pub fn retry(&mut self, policy: RestartPolicy, now: Now) -> bool {
        let count = self.again.retry.map_or(0, |retry| retry.count);
        let runtime_ms = self.end.runtime_ms.unwrap_or_default();
        self.again.reason_before_retry = None;
        let note = match retry::judge(policy, self.status, runtime_ms, count) {
            Verdict::Final => {
                self.again.retry = None;
                return false;
            }
            Verdict::Exhausted => {
                self.again.retry = None;
                match count {
                    0 => return false,
                    1 => "it was restarted once, and no retries are left".to_owned(),
                    _ => {
                        format!("it was restarted {count} times in a row, and no retries are left")
                    }
                }
            }
            Verdict::Again { count, backoff_ms } => {
                self.again.retry = Some(Retry {
                    count,
                    backoff_ms,
                    at: Some(now.boot.saturating_add(backoff_ms)),
                    outcome: self.status,
                });
                self.status = Status::Retrying;
                self.again.reason_before_retry = Some(self.end.reason.clone().unwrap_or_default());
                let which = of_how_many(count, policy);
                let which = which.unwrap_or_else(|| format!("time {count} in a row"));
                format!("it is run again ({which})")
            }
        };
        self.end.add_reason(&note);
        self.status == Status::Retrying
    }

    /// How many times in a row its policy has run it again, or is about to; 0 if the last run was not such a one.
    pub fn retries(&self) -> u32 {
        self.again.retry.map_or(0, |retry| retry.count)
    }

    /// That it was started again after run `known`, which a reader has seen, and how its last run ended; `None` if it
    /// was not. Who knows no run is told of all.
    pub fn restarted_since(&self, known: Option<u32>) -> Option<String> {
        let last = self.runs.last()?.run;
        let times = match last.checked_sub(known.unwrap_or(1))? {
            0 => return None,
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        let before = self.runs.iter().rev().find(|run| run.run < last);
        let end = before.and_then(|run| Ending::from(run).known());
        // Its policy keeps how the run ended that it has followed.
        let is_limit = self
            .again
            .retry
            .is_some_and(|retry| retry.count > 0 && retry.outcome == Status::TimedOut);
        let after = end.map_or_else(String::new, |end| {
            if is_limit {
                format!(", the last time after its time limit ({end})")
            } else {
                format!(", the last time after {end}")
            }
        });
        let since = match known {
            Some(_) => "since you last looked",
            None => "so far",
        };
        Some(format!("restarted {times} {since}{after}"))
    }

    /// Cancels a pending restart of this policy, because `by` ended the session or because it cannot be run: then it is
    /// lost, with the exit code of its last run.
    /// Returns true if a restart was pending.
    pub fn stop_retrying(&mut self, by: Option<&Actor>, policy: Option<RestartPolicy>) -> bool {
        let Some(retry) = self
            .again
            .retry
            .take()
            .filter(|_| self.status == Status::Retrying)
        else {
            return false;
        };
        // Absent in records of older versions.
        if let Some(before) = self.again.reason_before_retry.take() {
            self.end.reason = Some(before).filter(|reason| !reason.is_empty());
        }
        let which = policy.and_then(|policy| of_how_many(retry.count, policy));
        let which = which.unwrap_or_else(|| retry.count.to_string());
        match by {
            Some(actor) => {
                self.status = Status::Killed;
                self.end.by = Some(actor.ended_by());
                self.end
                    .add_reason(&format!("{} stopped it before retry {which}", actor.name()));
            }
            None => {
                // Its policy has not given up: it can be continued as a run that was lost.
                self.status = Status::Lost;
                self.end.add_reason(&format!(
                    "bgproc ended before retry {which}, and its environment is not known"
                ));
            }
        }
        true
    }

    /// Resets the count of restarts, because a client asked for this one.
    pub fn forget_retries(&mut self) {
        if let Some(retry) = &mut self.again.retry {
            retry.count = 0;
        }
    }

    /// When its policy restarts it, in boot-time milliseconds.
    pub fn retry_at(&self) -> Option<u64> {
        let waits = self.status == Status::Retrying;
        self.again
            .retry
            .filter(|_| waits)
            .and_then(|retry| retry.at)
    }

    /// When its policy restarts it, by the wall clock.
    pub fn retry_wall(&self, now: Now) -> Option<Timestamp> {
        let left = self.retry_at()?.saturating_sub(now.boot);
        Some(now.wall.after(left))
    }

    /// The pause before the pending restart, in milliseconds.
    pub fn backoff_ms(&self) -> Option<u64> {
        let waits = self.status == Status::Retrying;
        self.again
            .retry
            .filter(|_| waits)
            .map(|retry| retry.backoff_ms)
    }
}

/// Which retry of how many it is: `2 of 9`; `None` if there is no limit.
fn of_how_many(count: u32, policy: RestartPolicy) -> Option<String> {
    let most = policy.max_retries();
    (most != RestartPolicy::FOREVER).then(|| format!("{count} of {most}"))
}
