//! Checks the limits of this user and this machine: open files, terminals, processes.

use rustix::process::{Resource, geteuid, getrlimit};

use super::{Finding, number};

const SUBJECT: &str = "limits";

/// Descriptors that the keeper has open per job (the terminal twice, pidfd, log and index, the third end of a
/// pipe), and those it has for itself.
const FILES_PER_JOB: u64 = 6;
const FILES_BESIDES: u64 = 64;

/// Checks whether this many jobs may run at once.
pub(super) fn check(jobs: u64) -> Vec<Finding> {
    let mut found = vec![files(getrlimit(Resource::Nofile).maximum, jobs)];
    found.extend(processes(getrlimit(Resource::Nproc).current, jobs));
    let (used, max) = (
        number("/proc/sys/kernel/pty/nr"),
        number("/proc/sys/kernel/pty/max"),
    );
    if let (Some(used), Some(max)) = (used, max) {
        found.push(terminals(used, max, jobs));
    }
    found
}

/// Keeper and daemon raise the soft limit to the hard limit, so only the hard limit matters.
fn files(hard: Option<u64>, wanted: u64) -> Finding {
    let Some(hard) = hard else {
        return Finding::ok(SUBJECT, "open files: no limit");
    };
    let jobs = hard.saturating_sub(FILES_BESIDES) / FILES_PER_JOB;
    let text = format!("open files: {hard} (ulimit -Hn), enough for {jobs} jobs");
    match jobs {
        jobs if jobs >= wanted => Finding::ok(SUBJECT, text),
        0 => Finding::problem(SUBJECT, text).advise("raise the hard limit (limits.conf(5))"),
        _ => Finding::warning(SUBJECT, text).advise(format!(
            "raise the hard limit (limits.conf(5)) for {wanted} jobs, as many as may run (max_sessions)"
        )),
    }
}

fn processes(soft: Option<u64>, jobs: u64) -> Option<Finding> {
    let soft = soft?;
    let text = format!("processes of this user: {soft} (ulimit -u)");
    // The limit does not apply to root.
    if soft >= 2 * jobs || geteuid().is_root() {
        return Some(Finding::ok(SUBJECT, text));
    }
    Some(
        Finding::warning(SUBJECT, format!("{text}, all programs together"))
            .advise("raise it (limits.conf(5)), or jobs fail to start"),
    )
}

fn terminals(used: u64, max: u64, jobs: u64) -> Finding {
    let text = format!("terminals: {used} of {max} in use (kernel.pty.max)");
    let enough = used.saturating_add(jobs).next_power_of_two().max(8192);
    let advice = format!("sysctl kernel.pty.max={enough}, as root; jobs with --no-pty need none");
    match max.saturating_sub(used) {
        0 => Finding::problem(SUBJECT, text).advise(advice),
        left if left < jobs => Finding::warning(SUBJECT, text).advise(advice),
        _ => Finding::ok(SUBJECT, text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict::{Ok, Problem, Warning};
    use super::*;

    #[test]
    fn judges_limits_by_what_is_left() {
        assert_eq!(files(None, 200).verdict, Ok);
        assert_eq!(files(Some(4096), 200).verdict, Ok);
        assert_eq!(files(Some(1024), 200).verdict, Warning);
        assert_eq!(files(Some(64), 200).verdict, Problem);
        assert_eq!(terminals(3, 4096, 200).verdict, Ok);
        assert_eq!(terminals(4000, 4096, 200).verdict, Warning);
        assert_eq!(terminals(4096, 4096, 200).verdict, Problem);
        // More jobs may run than usual.
        let few = files(Some(20_000), 5000);
        assert_eq!(few.verdict, Warning);
        assert!(
            few.advice
                .is_some_and(|advice| advice.contains("5000 jobs"))
        );
        assert_eq!(terminals(3, 4096, 5000).verdict, Warning);
    }
}
