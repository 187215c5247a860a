//! Chooses the output to delete when all logs together exceed their limit.

use std::collections::VecDeque;
use std::ops::Range;

use crate::protocol::SessionId;

/// Disk usage of one log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogUse {
    /// The session.
    pub id: SessionId,
    /// Whether more may be written to it.
    pub is_running: bool,
    /// Whether a person has marked it to be kept.
    pub keep: bool,
    /// Whether the session failed, so that somebody may want to inspect it.
    pub failed: bool,
    /// When a client last accessed it, in boot-time milliseconds.
    pub accessed: u64,
    /// Offsets of its first byte and of its end.
    pub range: Range<u64>,
}

impl LogUse {
    fn bytes(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }
}

/// The output to delete.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// The new first offset of each log that is cut.
    pub firsts: Vec<(SessionId, u64)>,
    /// Whether the logs still exceed the limit. The newest segments of running sessions are never
    /// cut.
    pub is_over: bool,
}

/// Cuts whole segments if all logs together have more than `limit` bytes, until they have at most `target`: less than the
/// limit, so that the next bytes are not the next cut. Finished sessions are
/// cut first, in the order: successful, failed, marked to be kept; within each group the least
/// recently accessed first. Then the largest logs of running sessions are cut.
///
/// `starts` returns the offsets of the segments of a log, oldest first. It reads a directory, so it is called only for
/// logs of which a part is cut.
pub fn cut(
    mut logs: Vec<LogUse>,
    limit: u64,
    target: u64,
    starts: impl Fn(&SessionId) -> Vec<u64>,
) -> Cut {
    let mut total: u64 = logs.iter().map(LogUse::bytes).sum();
    let mut cut = Cut::default();
    if total <= limit {
        return cut;
    }
    logs.sort_by_key(|log| (log.is_running, log.keep, log.failed, log.accessed));
    let running = logs.partition_point(|log| !log.is_running);
    let running = logs.split_off(running);
    for log in logs {
        let surplus = total.saturating_sub(target);
        if surplus == 0 {
            break;
        }
        if log.bytes() == 0 {
            continue;
        }
        let first = if log.bytes() <= surplus {
            log.range.end
        } else {
            let wanted = log.range.start + surplus;
            let mut later = starts(&log.id).into_iter();
            later
                .find(|start| *start >= wanted)
                .unwrap_or(log.range.end)
        };
        total -= first - log.range.start;
        cut.firsts.push((log.id, first));
    }
    let mut running: Vec<Running> = running.into_iter().map(Running::from).collect();
    while total > target {
        let several = running.iter_mut().filter(|log| log.may_be_cut());
        let Some(largest) = several.max_by_key(|log| log.left.bytes()) else {
            cut.is_over = total > limit;
            break;
        };
        total -= largest.shorten(&starts);
    }
    let shorter = running.into_iter().filter(|log| log.is_shorter);
    let firsts = shorter.map(|log| (log.left.id, log.left.range.start));
    cut.firsts.extend(firsts);
    cut
}

/// A log that is written, and what is left of it.
struct Running {
    left: LogUse,
    /// The offsets of its later segments, oldest first; `None` until they are needed.
    later: Option<VecDeque<u64>>,
    is_shorter: bool,
}

impl From<LogUse> for Running {
    fn from(left: LogUse) -> Self {
        Self {
            left,
            later: None,
            is_shorter: false,
        }
    }
}

impl Running {
    /// Whether it may have more than its newest segment, which is never cut.
    fn may_be_cut(&self) -> bool {
        self.later.as_ref().is_none_or(|later| !later.is_empty())
    }

    /// Removes the oldest segment, if it is not the newest. Returns its size in bytes.
    fn shorten(&mut self, starts: impl Fn(&SessionId) -> Vec<u64>) -> u64 {
        let before = self.left.range.start;
        let later = self.later.get_or_insert_with(|| {
            let starts = starts(&self.left.id).into_iter();
            starts.filter(|start| *start > before).collect()
        });
        let Some(first) = later.pop_front() else {
            return 0;
        };
        self.left.range.start = first;
        self.is_shorter = true;
        first - before
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashMap;

    use super::*;

    /// A log with segments of these sizes.
    #[derive(Clone)]
    struct Log {
        log: LogUse,
        starts: Vec<u64>,
    }

    fn log(is_running: bool, accessed: u64, sizes: &[u64]) -> Log {
        let mut end = 100;
        let starts = sizes.iter().map(|&bytes| {
            end += bytes;
            end - bytes
        });
        let starts = starts.collect();
        let log = LogUse {
            id: SessionId::fresh(),
            is_running,
            keep: false,
            failed: false,
            accessed,
            range: 100..end,
        };
        Log { log, starts }
    }

    /// What is cut, and of how many logs the segments were looked at.
    fn cut_of(logs: &[&Log], limit: u64, target: u64) -> (Cut, usize) {
        let starts: HashMap<&SessionId, &Vec<u64>> =
            logs.iter().map(|log| (&log.log.id, &log.starts)).collect();
        let looked = Cell::new(0);
        let uses = logs.iter().map(|log| log.log.clone()).collect();
        let cut = cut(uses, limit, target, |id| {
            looked.set(looked.get() + 1);
            starts[id].clone()
        });
        (cut, looked.get())
    }

    #[test]
    fn logs_within_the_limit_are_not_cut() {
        let logs = [&log(false, 1, &[10, 10]), &log(true, 1, &[10])];
        assert_eq!(cut_of(&logs, 30, 30), (Cut::default(), 0));
    }

    #[test]
    fn the_least_recently_accessed_finished_log_is_cut_first_and_completely() {
        let (old, new) = (log(false, 1, &[10, 10]), log(false, 2, &[10, 10]));
        let running = log(true, 0, &[50, 10]);
        let firsts = vec![(old.log.id.clone(), 120), (new.log.id.clone(), 110)];
        let is_over = false;
        // Only the segments of the one of which a part stays are looked at.
        assert_eq!(
            cut_of(&[&running, &new, &old], 75, 75),
            (Cut { firsts, is_over }, 1)
        );
    }

    #[test]
    fn failed_sessions_are_cut_after_successful_ones() {
        let mut failed = log(false, 1, &[10]);
        failed.log.failed = true;
        let other = log(false, 2, &[10]);
        let firsts = vec![(other.log.id.clone(), 110)];
        let is_over = false;
        assert_eq!(
            cut_of(&[&failed, &other], 10, 10).0,
            Cut { firsts, is_over }
        );
    }

    #[test]
    fn kept_sessions_are_cut_last_of_the_finished_ones() {
        let mut kept = log(false, 1, &[10]);
        kept.log.keep = true;
        let other = log(false, 2, &[10]);
        let firsts = vec![(other.log.id.clone(), 110)];
        let is_over = false;
        assert_eq!(cut_of(&[&kept, &other], 10, 10).0, Cut { firsts, is_over });
    }

    #[test]
    fn the_largest_running_log_is_cut_except_its_newest_segment() {
        let (large, small) = (log(true, 1, &[30, 30, 30]), log(true, 1, &[20, 20]));
        let firsts = vec![(large.log.id.clone(), 130)];
        let is_over = false;
        assert_eq!(
            cut_of(&[&small, &large], 100, 100).0,
            Cut { firsts, is_over }
        );
        let firsts = vec![(small.log.id.clone(), 120), (large.log.id.clone(), 160)];
        let is_over = true;
        assert_eq!(cut_of(&[&small, &large], 1, 1).0, Cut { firsts, is_over });
    }

    #[test]
    fn a_cut_leaves_room_for_the_next_bytes() {
        let sizes = [10; 10];
        let (cut, _) = cut_of(&[&log(true, 1, &sizes)], 95, 75);
        assert_eq!(cut.firsts.len(), 1);
        assert_eq!((cut.firsts[0].1, cut.is_over), (130, false));
    }
}
