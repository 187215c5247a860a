//! The times at which a job runs.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::job::is_default;
use super::keys;
use super::section::Section;
pub use crate::protocol::project::Overlap;

/// The times at which a job runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// When it runs.
    pub when: When,
    /// The name of a time zone; `None`: local time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tz: Option<String>,
    /// What happens with times that were missed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub missed: Missed,
    /// What happens when the last run has not ended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub overlap: Overlap,
    /// Longest random delay, in milliseconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub jitter_ms: u64,
    /// Whether it also runs when the project comes up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub at_start: bool,
}

/// When a scheduled job runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum When {
    /// A cron line of five fields, or `@daily` and its like.
    Cron(String),
    /// Every so many milliseconds of time since boot.
    Every(u64),
}

/// What happens with times of a schedule that were missed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Missed {
    /// Nothing.
    #[default]
    Skip,
    /// One run, however many were missed.
    Once,
}

impl Schedule {
    /// The first time after `after`. `local` is the zone of a schedule that names none.
    pub fn first_after(&self, local: &TimeZone, after: Timestamp) -> Option<Timestamp> {
        let named = self.tz.as_deref().map(zone);
        match named {
            // A zone that has gone from the system since the file was read: local time is the nearest that there
            // is, and better than no run.
            Some(None) | None => first_after(&self.when, local, after),
            Some(Some(zone)) => first_after(&self.when, &zone, after),
        }
    }

    /// Reads the table `schedule`.
    pub(super) fn read(section: &Section<'_>) -> Option<Self> {
        let is_meant = section.only(keys::SCHEDULE, keys::TIMES);
        let tz = section
            .text("tz")
            .filter(|tz| tz.text != "local" && !tz.text.is_empty());
        if let Some(tz) = tz.as_ref().filter(|tz| zone(&tz.text).is_none()) {
            let must = format!(
                "\"local\" or a time zone of this system such as \"Europe/Berlin\", not {:?}",
                tz.text
            );
            section.wrong(&tz.place, "tz", &must);
        }
        let missed = [("skip", Missed::Skip), ("once", Missed::Once)];
        let overlap = [
            ("skip", Overlap::Skip),
            ("queue", Overlap::Queue),
            ("restart", Overlap::Restart),
        ];
        let missed = section.word("missed", &missed).unwrap_or_default();
        let overlap = section.word("overlap", &overlap).unwrap_or_default();
        let jitter_ms = section.duration("jitter").unwrap_or_default();
        let at_start = section.boolean("at_start").unwrap_or_default();
        let when = match section.one_of(keys::TIMES, !is_meant)? {
            "cron" => {
                let text = section.text("cron")?;
                if let Err(why) = check(&text.text) {
                    section.wrong(&text.place, "cron", &why);
                    return None;
                }
                When::Cron(text.text)
            }
            _ => {
                let ms = section.duration("every")?;
                if ms < 1000 {
                    let place = section.get("every").map(|node| &node.place);
                    let must = "at least 1s; a program that always runs is a service";
                    section.wrong(place.unwrap_or(&section.place), "every", must);
                    return None;
                }
                When::Every(ms)
            }
        };
        Some(Self {
            when,
            tz: tz.map(|tz| tz.text),
            missed,
            overlap,
            jitter_ms,
            at_start,
        })
    }
}

/// The first time after `after`; `None` if there is none.
///
/// A fixed time that a change of the clock skips comes just after the gap; one that comes twice counts the first
/// time. Wildcards in hours and minutes follow real time.
pub fn first_after(when: &When, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    match when {
        When::Every(ms) => {
            let pause = SignedDuration::from_millis(i64::try_from(*ms).ok()?);
            after.checked_add(pause).ok()
        }
        When::Cron(line) => {
            let after = after.to_zoned(zone.clone());
            let next = parse(line).ok()?.find_next_occurrence(&after, false).ok()?;
            Some(next.timestamp())
        }
    }
}

/// The time zone with this name, if the system has it.
pub fn zone(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok()
}

/// Reads a cron line. The error says what it must be.
fn parse(line: &str) -> Result<Cron, String> {
    let wrong = |why: &str| {
        format!("five fields such as \"0 2 * * *\", or @daily and its like, not {line:?}{why}")
    };
    let fields = line.split_whitespace().count();
    if fields
        != if line.trim_start().starts_with('@') {
            1
        } else {
            5
        }
    {
        return Err(wrong(""));
    }
    let parser = CronParser::builder()
        .seconds(Seconds::Disallowed)
        .year(Year::Disallowed)
        .build();
    parser.parse(line).map_err(|_| {
        let bad = bad_field(&parser, line);
        wrong(&bad.map(|bad| format!(": {bad}")).unwrap_or_default())
    })
}

/// What the fields of a cron line are.
const FIELDS: [&str; 5] = [
    "a minute (0-59)",
    "an hour (0-23)",
    "a day of the month (1-31)",
    "a month (1-12 or JAN-DEC)",
    "a day of the week (0-7 or SUN-SAT)",
];

/// The first field that is wrong by itself: `"61" is not a minute (0-59)`.
fn bad_field(parser: &CronParser, line: &str) -> Option<String> {
    let fields = line.split_whitespace().zip(FIELDS).enumerate();
    let is_bad = |(at, (field, _)): &(usize, (&str, &str))| {
        let alone = (0..FIELDS.len()).map(|other| if other == *at { field } else { "*" });
        parser.parse(&alone.collect::<Vec<_>>().join(" ")).is_err()
    };
    let (_, (field, is)) = fields.filter(|_| !line.contains('@')).find(is_bad)?;
    Some(format!("{field:?} is not {is}"))
}

/// Checks a cron line: whether it is well formed, and whether it ever comes, which `0 0 30 2 *` does not.
fn check(line: &str) -> Result<(), String> {
    let cron = parse(line)?;
    // UTC has no gaps that could hide a time. The start is arbitrary.
    let start = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
    match cron.find_next_occurrence(&start, false) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("a time that comes; {line:?} never does")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The times of a line in Berlin between two times, with their offsets.
    fn berlin(line: &str, from: &str, to: &str) -> Vec<String> {
        let zone = zone("Europe/Berlin").unwrap();
        let (mut at, to): (Timestamp, Timestamp) = (from.parse().unwrap(), to.parse().unwrap());
        let mut times = Vec::new();
        let when = When::Cron(line.to_owned());
        while let Some(next) = first_after(&when, &zone, at).filter(|next| *next < to) {
            assert!(next > at, "{line}: {next} after {at}");
            let local = next.to_zoned(zone.clone());
            times.push(local.strftime("%m-%d %H:%M %:z").to_string());
            at = next;
        }
        times
    }

    #[test]
    fn a_skipped_time_comes_once_just_after_the_gap() {
        let times = berlin("30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z");
        assert_eq!(times, ["03-29 03:00 +02:00", "03-30 02:30 +02:00"]);
    }

    #[test]
    fn a_doubled_time_counts_the_first_time() {
        let times = berlin("30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z");
        assert_eq!(times, ["10-25 02:30 +02:00", "10-26 02:30 +01:00"]);
    }

    #[test]
    fn wildcards_follow_real_time_in_the_doubled_hour() {
        let times = berlin(
            "*/30 * * * *",
            "2026-10-24T23:59:00Z",
            "2026-10-25T02:00:00Z",
        );
        assert_eq!(
            times,
            [
                "10-25 02:00 +02:00",
                "10-25 02:30 +02:00",
                "10-25 02:00 +01:00",
                "10-25 02:30 +01:00"
            ]
        );
    }

    #[test]
    fn lines_that_are_wrong_or_never_come_say_so() {
        for line in [
            "0 2 * * *",
            "@daily",
            "@hourly",
            "*/5 9-17 * * MON-FRI",
            "0 0 29 2 *",
        ] {
            assert!(check(line).is_ok(), "{line}: {:?}", check(line).err());
        }
        for line in [
            "",
            "x",
            "* * * *",
            "0 0 2 * * *",
            "61 * * * *",
            "@reboot",
            "@never",
            "0 0 0 * *",
        ] {
            let why = check(line).err().unwrap_or_default();
            assert!(why.starts_with("five fields"), "{line}: {why}");
        }
        for line in ["0 0 30 2 *", "0 0 31 4,6,9,11 *"] {
            let why = check(line).err().unwrap_or_default();
            assert!(why.ends_with("never does"), "{line}: {why}");
        }
    }

    #[test]
    fn every_is_a_pause() {
        let next = first_after(&When::Every(1500), &TimeZone::UTC, Timestamp::UNIX_EPOCH);
        assert_eq!(next.unwrap().as_millisecond(), 1500);
        assert_eq!(
            first_after(
                &When::Every(u64::MAX),
                &TimeZone::UTC,
                Timestamp::UNIX_EPOCH
            ),
            None
        );
    }

    #[test]
    fn unknown_zones_are_noticed() {
        assert!(zone("Europe/Berlin").is_some());
        assert!(zone("UTC").is_some());
        assert!(zone("Europe/Atlantis").is_none());
        assert!(zone("../../etc/passwd").is_none());
    }
}
