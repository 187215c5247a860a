//! Checks the readiness probe, the restart policy and the limits of `start`.

use std::collections::BTreeMap;

use crate::engine::readiness::Readiness;
use crate::protocol::bounds::{
    LEAST_EVERY_MS, LEAST_LOG_BYTES, LEAST_MEMORY, MAX_DELAY_MS, MAX_OPEN_FILES, MAX_PROBE_MS,
    MAX_SYSTEM,
};
use crate::protocol::params::Start;
use crate::protocol::{Error, JobLimits};
use crate::sys::{cgroup, rlimits};

/// Checks whether the probe, the restart policy and the limits are valid on this system.
pub(crate) fn check(params: &Start, total_log_bytes: u64) -> Result<(), Error> {
    check_waits(params)?;
    if let Some(probe) = &params.ready {
        Readiness::check(probe)?;
        between("ready.timeoutMs", probe.timeout_ms, 1, MAX_PROBE_MS)?;
        between(
            "ready.everyMs",
            probe.every_ms,
            LEAST_EVERY_MS,
            MAX_PROBE_MS,
        )?;
    }
    if let Some(policy) = &params.restart {
        policy.check(params.ready.as_ref())?;
    }
    between("delayMs", params.delay_ms, 0, MAX_DELAY_MS)?;
    if let Some(limits) = &params.limits {
        check_limits(limits, total_log_bytes)?;
    }
    Ok(())
}

/// Refuses what is of no effect beside `background`, which waits for nothing, and `wait`, which waits for the end
/// without a limit. `yieldMs` says when a reply comes that neither of them asks for, so both overrule it.
fn check_waits(params: &Start) -> Result<(), Error> {
    let (without, why) = match (params.wait, params.background) {
        (Some(true), _) => ("wait", "which waits for the end without a limit"),
        (_, Some(true)) => ("background", "which waits for nothing"),
        _ => return Ok(()),
    };
    let given = [
        (
            "background",
            params.wait == Some(true) && params.background == Some(true),
        ),
        ("until", params.until.is_some()),
        ("fail", params.fail.is_some()),
        ("waitMs", params.wait_ms.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => {
            let message = format!("`{name}` has no effect beside `{without}`, {why}");
            Err(Error::invalid(message).hint(format!("leave out `{without}` or `{name}`")))
        }
        None => Ok(()),
    }
}

/// How each limit of a job is enforced on this system, by its name.
pub(crate) fn enforcement() -> BTreeMap<String, String> {
    let place = cgroup::Place::find();
    let grouped = |has: fn(&cgroup::Place) -> bool| place.as_ref().is_some_and(has);
    let memory = if grouped(|place| place.memory) {
        "cgroup v2 memory.max, all processes of the job together"
    } else {
        "RLIMIT_AS, address space of each process"
    };
    let processes = if grouped(|place| place.processes) {
        "cgroup v2 pids.max, all processes and threads of the job"
    } else {
        "RLIMIT_NPROC, all processes and threads of the user; not of root"
    };
    [
        ("logBytes", "oldest output is dropped, in whole segments"),
        ("memoryBytes", memory),
        (
            "cpuSec",
            "RLIMIT_CPU, each process: SIGXCPU, a second later SIGKILL",
        ),
        ("processes", processes),
        ("openFiles", "RLIMIT_NOFILE, each process"),
        ("nice", "setpriority(2), inherited"),
    ]
    .map(|(name, how)| (name.to_owned(), how.to_owned()))
    .into()
}

fn check_limits(limits: &JobLimits, total_log_bytes: u64) -> Result<(), Error> {
    let most = total_log_bytes.max(LEAST_LOG_BYTES);
    between("limits.logBytes", limits.log_bytes, LEAST_LOG_BYTES, most)?;
    between(
        "limits.memoryBytes",
        limits.memory_bytes,
        LEAST_MEMORY,
        MAX_SYSTEM,
    )?;
    between("limits.cpuSec", limits.cpu_sec, 1, MAX_SYSTEM)?;
    between("limits.processes", limits.processes, 1, MAX_SYSTEM)?;
    between("limits.openFiles", limits.open_files, 3, MAX_OPEN_FILES)?;
    if let Some((name, most)) = rlimits::beyond(limits) {
        return Err(
            Error::invalid(format!("`limits.{name}` is at most {most} here"))
                .hint("that is the hard limit of the user that bgproc runs as (`ulimit -H`)"),
        );
    }
    match limits.nice {
        Some(nice) if !(-20..=19).contains(&nice) => Err(Error::invalid(format!(
            "`limits.nice` must be between -20 and 19, not {nice}"
        ))),
        Some(nice) if nice < rlimits::least_nice() => Err(Error::invalid(format!(
            "`limits.nice` is at least {} here",
            rlimits::least_nice()
        ))
        .hint("only root may use a lower value")),
        _ => Ok(()),
    }
}

fn between(name: &str, value: Option<u64>, least: u64, most: u64) -> Result<(), Error> {
    match value {
        Some(value) if value < least => Err(Error::invalid(format!(
            "`{name}` is at least {least}, not {value}"
        ))),
        Some(value) if value > most => Err(Error::invalid(format!(
            "`{name}` is at most {most}, not {value}"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_effect_is_refused() {
        let waiting = |start: Start| Start {
            wait: Some(true),
            ..start
        };
        let at_once = |start: Start| Start {
            background: Some(true),
            ..start
        };
        let until = Start {
            until: Some(Vec::new()),
            ..Start::default()
        };
        let wait_ms = Start {
            wait_ms: Some(0),
            ..Start::default()
        };
        for (start, name, without) in [
            (waiting(until.clone()), "until", "wait"),
            (waiting(wait_ms.clone()), "waitMs", "wait"),
            (waiting(at_once(Start::default())), "background", "wait"),
            (at_once(until.clone()), "until", "background"),
            (at_once(wait_ms.clone()), "waitMs", "background"),
        ] {
            let said = check_waits(&start).unwrap_err().message;
            let expected = format!("`{name}` has no effect beside `{without}`");
            assert!(said.starts_with(&expected), "{said}");
        }
        for start in [
            until,
            wait_ms,
            waiting(Start::default()),
            at_once(Start::default()),
        ] {
            check_waits(&start).unwrap();
        }
    }
}
