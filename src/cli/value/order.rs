//! `ls --sort`: the order of a list of jobs.

use std::cmp::{Ordering, Reverse};

use clap::ValueEnum;

use crate::cli::output::words;
use crate::protocol::{Record, Status, Summary, Timestamp};

/// The column that decides, and whether the order is turned around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    by: By,
    is_reversed: bool,
}

/// Columns by which jobs are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum By {
    /// Alphabetically.
    Name,
    /// Failed jobs first, then those that run, then those that are over.
    State,
    /// Alphabetically.
    Group,
    /// The smallest port first.
    Port,
    /// The job that has started last first.
    Time,
    /// The busiest job first.
    Cpu,
    /// The largest job first.
    Mem,
}

impl Order {
    /// Sorts a list. Jobs that are equal, or have no value, keep their order; the latter come last.
    pub(crate) fn sort_by<T>(self, list: &mut [T], record: impl Fn(&T) -> Option<Record>) {
        let now = words::now();
        list.sort_by_cached_key(|item| Key {
            record: record(item),
            order: self,
            now,
        });
    }

    fn compare(self, one: &Record, other: &Record, now: Timestamp) -> Ordering {
        let (one, other) = (&one.summary, &other.summary);
        let lowest = |ports: &Option<Vec<u16>>| ports.iter().flatten().min().copied();
        let group = |group: &Option<String>| group.clone().filter(|group| !group.is_empty());
        let (values, has_both) = match self.by {
            By::Name => (words::name(one).cmp(&words::name(other)), true),
            By::State => (rank(one).cmp(&rank(other)), true),
            By::Time => (
                Reverse(began(one, now)).cmp(&Reverse(began(other, now))),
                true,
            ),
            By::Cpu => {
                let (one, other) = (one.cpu_percent, other.cpu_percent);
                let number = |percent: Option<f64>| percent.unwrap_or(-1.0);
                let values = number(other).total_cmp(&number(one));
                (values, one.is_some() && other.is_some())
            }
            By::Mem => {
                let (one, other) = (one.memory_bytes, other.memory_bytes);
                (other.cmp(&one), one.is_some() && other.is_some())
            }
            By::Port => last_if_none(lowest(&one.ports), lowest(&other.ports)),
            By::Group => last_if_none(group(&one.group), group(&other.group)),
        };
        if self.is_reversed && has_both {
            values.reverse()
        } else {
            values
        }
    }
}

/// Compares values, of which a missing one is the last in either order, and says whether both are there.
fn last_if_none<T: Ord>(one: Option<T>, other: Option<T>) -> (Ordering, bool) {
    match (one, other) {
        (Some(one), Some(other)) => (one.cmp(&other), true),
        (one, other) => (other.is_some().cmp(&one.is_some()), false),
    }
}

/// When the present run of a job began, in milliseconds; for a job that has not run, when it was created.
fn began(job: &Summary, now: Timestamp) -> i64 {
    match i64::try_from(job.runtime_ms) {
        Ok(ran) if ran > 0 => job.ended_at.unwrap_or(now).millis() - ran,
        _ => job.created_at.millis(),
    }
}

fn rank(job: &Summary) -> u8 {
    match job.status {
        Status::Retrying | Status::Stopping => 1,
        Status::Running | Status::Starting => 2,
        Status::Paused => 3,
        Status::Queued => 4,
        Status::Killed => 5,
        Status::Done if !job.has_failed() => 6,
        Status::Error | Status::TimedOut | Status::Lost | Status::Done => 0,
    }
}

/// What a list is sorted by.
struct Key {
    record: Option<Record>,
    order: Order,
    now: Timestamp,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.record, &other.record) {
            (Some(one), Some(another)) => self.order.compare(one, another, self.now),
            _ => Ordering::Equal,
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

/// Parses the name of a column, with a `-` before it to turn the order around.
pub(crate) fn parse(text: &str) -> Result<Order, String> {
    let (name, is_reversed) = match text.strip_prefix('-') {
        Some(name) => (name, true),
        None => (text, false),
    };
    let by = By::from_str(name, true).map_err(|_| {
        let names = By::value_variants().iter();
        let names = names.filter_map(|by| Some(by.to_possible_value()?.get_name().to_owned()));
        let names = names.collect::<Vec<_>>().join(", ");
        format!("`{text}` is not a column to sort by; write one of {names}")
    })?;
    Ok(Order { by, is_reversed })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;

    #[test]
    fn missing_values_come_last_in_both_orders() {
        let with = |id: &str, port: Option<u16>, memory: Option<u64>| {
            let mut job = record(id, Some(id), Status::Running);
            job.summary.ports = port.map(|port| vec![port]);
            job.summary.memory_bytes = memory;
            job
        };
        let jobs = [
            with("a", None, Some(1)),
            with("b", Some(80), None),
            with("c", Some(22), Some(3)),
        ];
        let sorted = |by: &str| -> String {
            let mut jobs = jobs.to_vec();
            parse(by)
                .unwrap()
                .sort_by(&mut jobs, |job| Some(job.clone()));
            jobs.iter()
                .map(|job| job.summary.label.clone().unwrap())
                .collect()
        };
        assert_eq!(sorted("port"), "cba");
        assert_eq!(sorted("-port"), "bca");
        assert_eq!(sorted("mem"), "cab");
        assert_eq!(sorted("-mem"), "acb");
        assert_eq!(sorted("-name"), "cba");
        // The last one was restarted a moment ago.
        let mut late = with("d", None, None);
        late.summary.runtime_ms = 5;
        let mut all = jobs.to_vec();
        for (age, job) in (1..).zip(&mut all) {
            job.summary.runtime_ms = 1000 * age;
        }
        all.push(late);
        let order = parse("time").unwrap();
        order.sort_by(&mut all, |job| Some(job.clone()));
        let names = all.iter().map(|job| words::name(&job.summary));
        let names = names.collect::<String>();
        assert_eq!(names, "dabc");
        let why = parse("x").unwrap_err();
        assert!(
            why.contains("name, state, group, port, time, cpu, mem"),
            "{why}"
        );
    }
}
