//! Restart policies: whether and when a session is run again.

use serde::{Deserialize, Serialize};

use crate::protocol::policy::RestartWhen;
use crate::protocol::{RestartPolicy, Status};

/// Restart state of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// Restarts in a row, including the next one.
    pub count: u32,
    /// The pause before the latest restart, in milliseconds.
    pub backoff_ms: u64,
    /// When the restart is due, in boot-time milliseconds; `None` once it runs.
    pub at: Option<u64>,
    /// How the latest run ended.
    pub outcome: Status,
}

/// Decision of a policy about the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The policy does not apply to this end.
    Final,
    /// The maximum number of restarts is reached.
    Exhausted,
    /// Restart after a pause.
    Again {
        /// Restarts in a row, including this one.
        count: u32,
        /// The pause, in milliseconds.
        backoff_ms: u64,
    },
}

/// Decides about a run that ended with status `ended` after `runtime_ms` and `count` restarts in a
/// row.
pub fn judge(policy: RestartPolicy, ended: Status, runtime_ms: u64, count: u32) -> Verdict {
    let failed = ended.is_failure();
    let meant = match policy.policy {
        RestartWhen::Never => false,
        RestartWhen::OnFailure => failed,
        RestartWhen::Always => failed || ended == Status::Done,
    };
    let count = if runtime_ms >= policy.reset_ms() {
        0
    } else {
        count
    };
    match meant {
        false => Verdict::Final,
        true if count >= policy.max_retries() && policy.max_retries() != RestartPolicy::FOREVER => {
            Verdict::Exhausted
        }
        true => Verdict::Again {
            count: count.saturating_add(1),
            backoff_ms: backoff(policy, count),
        },
    }
}

fn backoff(policy: RestartPolicy, count: u32) -> u64 {
    let first_ms = policy.backoff_ms();
    let factor = 1u64.checked_shl(count).unwrap_or(u64::MAX);
    first_ms
        .saturating_mul(factor)
        .min(policy.longest_backoff_ms().max(first_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(policy: RestartWhen) -> RestartPolicy {
        RestartPolicy {
            policy,
            ..RestartPolicy::default()
        }
    }

    #[test]
    fn each_policy_applies_to_its_kinds_of_end() {
        use RestartWhen::{Always, Never, OnFailure};
        let again = |when, ended| judge(policy(when), ended, 5, 0) != Verdict::Final;
        for (ended, on_failure, always) in [
            (Status::Done, false, true),
            (Status::Error, true, true),
            (Status::TimedOut, true, true),
            (Status::Lost, true, true),
            (Status::Killed, false, false),
        ] {
            assert!(!again(Never, ended));
            assert_eq!(again(OnFailure, ended), on_failure, "{ended:?}");
            assert_eq!(again(Always, ended), always, "{ended:?}");
        }
    }

    #[test]
    fn pauses_double_up_to_a_minute_and_restarts_are_limited() {
        let mut policy = policy(RestartWhen::OnFailure);
        let pause = |policy, count| match judge(policy, Status::Error, 5, count) {
            Verdict::Again { backoff_ms, .. } => Some(backoff_ms),
            _ => None,
        };
        let pauses: Vec<_> = (0..6).map(|count| pause(policy, count)).collect();
        let seconds = [1000, 2000, 4000, 8000, 16_000].map(Some);
        assert_eq!(pauses, [&seconds[..], &[None]].concat());
        policy.max_retries = Some(RestartPolicy::FOREVER);
        assert_eq!(pause(policy, 7), Some(60_000));
        assert_eq!(pause(policy, 4_000_000), Some(60_000));
        assert_eq!(pause(policy, u32::MAX), Some(60_000));
        policy.backoff_ms = Some(90_000);
        assert_eq!(pause(policy, 3), Some(90_000));
        policy.backoff_ms = Some(1000);
        policy.longest_backoff_ms = Some(5000);
        assert_eq!(pause(policy, 3), Some(5000));
        policy.backoff_ms = Some(0);
        assert_eq!(pause(policy, 99), Some(0));
    }

    #[test]
    fn a_long_run_resets_the_count() {
        let mut policy = policy(RestartWhen::Always);
        let judged = |runtime_ms| judge(policy, Status::Done, runtime_ms, 5);
        assert_eq!(judged(59_999), Verdict::Exhausted);
        let first = Verdict::Again {
            count: 1,
            backoff_ms: 1000,
        };
        assert_eq!(judged(60_000), first);
        policy.reset_ms = Some(10);
        assert_eq!(judge(policy, Status::Done, 10, 5), first);
    }
}
