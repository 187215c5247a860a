//! Limits of a job: `memory=2G`, `processes=100`. Their names are those of project files.

use crate::protocol::{JobLimits, duration, size};

/// The names that `--limit` takes.
const NAMES: &str = "memory, processes, open_files, cpu_time, nice or log";

/// Parses one limit. The daemon checks whether it may be so high or low.
pub(crate) fn parse(text: &str) -> Result<JobLimits, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` has no value; write memory=2G"))?;
    let mut limits = JobLimits::default();
    match name.trim().replace('-', "_").as_str() {
        "memory" => limits.memory_bytes = Some(bytes(value)?),
        "log" => limits.log_bytes = Some(bytes(value)?),
        "cpu_time" => {
            // Whole seconds, at least one: less than a second would otherwise be no limit.
            let ms = duration::millis(duration::parse(value)?);
            limits.cpu_sec = Some(ms.div_ceil(1000));
        }
        "processes" => limits.processes = Some(number(value)?),
        "open_files" => limits.open_files = Some(number(value)?),
        "nice" => limits.nice = Some(number(value)?),
        _ => return Err(format!("there is no limit `{name}`; they are {NAMES}")),
    }
    Ok(limits)
}

/// Several limits as one; of two with the same name, the last one counts.
pub(crate) fn all(given: &[JobLimits]) -> Option<JobLimits> {
    given.iter().copied().reduce(|one, other| JobLimits {
        log_bytes: other.log_bytes.or(one.log_bytes),
        memory_bytes: other.memory_bytes.or(one.memory_bytes),
        cpu_sec: other.cpu_sec.or(one.cpu_sec),
        processes: other.processes.or(one.processes),
        open_files: other.open_files.or(one.open_files),
        nice: other.nice.or(one.nice),
    })
}

fn bytes(text: &str) -> Result<u64, String> {
    size::bytes(text).ok_or_else(|| format!("`{text}` is not a size, such as 64M or 2G"))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("`{text}` is not a whole number"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn several_limits_are_one() {
        let given = [
            "memory=2G",
            "nice=-5",
            "open-files=9",
            "memory=1G",
            "cpu_time=500ms",
        ];
        let given: Vec<JobLimits> = given.iter().map(|text| parse(text).unwrap()).collect();
        let limits = all(&given).unwrap();
        assert_eq!(limits.memory_bytes, Some(1 << 30));
        assert_eq!((limits.nice, limits.open_files), (Some(-5), Some(9)));
        assert_eq!((limits.cpu_sec, limits.processes), (Some(1), None));
        assert_eq!(all(&[]), None);
    }

    #[test]
    fn a_wrong_limit_says_what_is_right() {
        for (text, part) in [
            ("memory", "memory=2G"),
            ("memory=lots", "64M"),
            ("disk=2G", "open_files"),
            ("processes=many", "whole number"),
        ] {
            assert!(parse(text).unwrap_err().contains(part), "{text}");
        }
    }
}
