//! `limits` of a job: sizes, counts and times.

use std::ops::RangeInclusive;

use super::keys;
use super::node::Value;
use super::section::Section;
use crate::protocol::{JobLimits, bounds, size};

/// Reads the table `limits`. 0 is the same as no limit.
pub(super) fn read(section: &Section<'_>) -> JobLimits {
    section.only(keys::LIMITS, &[]);
    let cpu_ms = section.duration("cpu_time").unwrap_or_default();
    let nice = section.number("nice", -20..=19);
    JobLimits {
        log_bytes: bytes(section, "log", bounds::LEAST_LOG_BYTES, "64K"),
        memory_bytes: bytes(section, "memory", bounds::LEAST_MEMORY, "1M"),
        // Whole seconds, at least one: less than a second would otherwise be no limit.
        cpu_sec: (cpu_ms > 0).then(|| cpu_ms.div_ceil(1000)),
        processes: count(section, "processes", 0..=i64::MAX),
        open_files: open_files(section),
        nice: nice
            .and_then(|nice| i32::try_from(nice).ok())
            .filter(|nice| *nice != 0),
    }
}

fn count(section: &Section<'_>, key: &str, range: RangeInclusive<i64>) -> Option<u64> {
    let number = section.number(key, range)?;
    u64::try_from(number).ok().filter(|number| *number > 0)
}

fn open_files(section: &Section<'_>) -> Option<u64> {
    let most = i64::try_from(bounds::MAX_OPEN_FILES).unwrap_or(i64::MAX);
    let number = count(section, "open_files", 0..=most)?;
    if number < 3 {
        let place = section.get("open_files").map(|node| &node.place);
        let must = "0 or at least 3: a program starts with three open files";
        section.wrong(place.unwrap_or(&section.place), "open_files", must);
        return None;
    }
    Some(number)
}

/// A size: a number of bytes, or a text such as `64M`.
fn bytes(section: &Section<'_>, key: &str, least: u64, word: &str) -> Option<u64> {
    let node = section.get(key)?;
    let bytes = match &node.value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::String(text) => size::bytes(text),
        _ => None,
    };
    match bytes {
        Some(0) => None,
        Some(bytes) if (least..=bounds::MAX_SYSTEM).contains(&bytes) => Some(bytes),
        Some(_) => {
            section.wrong(&node.place, key, &format!("at least {word}"));
            None
        }
        None => {
            section.wrong(&node.place, key, "a size such as \"64M\" or \"2G\"");
            None
        }
    }
}
