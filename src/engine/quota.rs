//! Chooses the output to delete when all logs together exceed their limit.

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
    /// Its segments as (offset, bytes), oldest first.
    pub segments: Vec<(u64, u64)>,
}

impl LogUse {
    fn bytes(&self) -> u64 {
        self.segments.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Removes the oldest segment and returns its size in bytes.
    fn shorten(&mut self) -> u64 {
        self.segments.remove(0).1
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
pub fn cut(mut logs: Vec<LogUse>, limit: u64, target: u64) -> Cut {
    let mut total: u64 = logs.iter().map(LogUse::bytes).sum();
    let mut cut = Cut::default();
    if total <= limit {
        return cut;
    }
    logs.sort_by_key(|log| (log.is_running, log.keep, log.failed, log.accessed));
    let running = logs.partition_point(|log| !log.is_running);
    let (finished, running) = logs.split_at_mut(running);
    for log in finished {
        let end = log.segments.last().map(|(start, bytes)| start + bytes);
        while total > target && log.bytes() > 0 {
            total -= log.shorten();
            let first = log.segments.first().map(|(start, _)| *start).or(end);
            note(&mut cut.firsts, &log.id, first);
        }
    }
    while total > target {
        let several = running.iter_mut().filter(|log| log.segments.len() > 1);
        let Some(largest) = several.max_by_key(|log| log.bytes()) else {
            cut.is_over = total > limit;
            break;
        };
        total -= largest.shorten();
        let first = largest.segments.first().map(|(start, _)| *start);
        note(&mut cut.firsts, &largest.id, first);
    }
    cut
}

fn note(firsts: &mut Vec<(SessionId, u64)>, id: &SessionId, first: Option<u64>) {
    let Some(first) = first else { return };
    match firsts.iter_mut().find(|(known, _)| known == id) {
        Some(known) => known.1 = first,
        None => firsts.push((id.clone(), first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(is_running: bool, accessed: u64, sizes: &[u64]) -> LogUse {
        let mut start = 100;
        let segments = sizes.iter().map(|&bytes| {
            start += bytes;
            (start - bytes, bytes)
        });
        LogUse {
            id: SessionId::fresh(),
            is_running,
            keep: false,
            failed: false,
            accessed,
            segments: segments.collect(),
        }
    }

    #[test]
    fn logs_within_the_limit_are_not_cut() {
        let logs = vec![log(false, 1, &[10, 10]), log(true, 1, &[10])];
        assert_eq!(cut(logs, 30, 30), Cut::default());
    }

    #[test]
    fn the_least_recently_accessed_finished_log_is_cut_first_and_completely() {
        let (old, new) = (log(false, 1, &[10, 10]), log(false, 2, &[10, 10]));
        let running = log(true, 0, &[50, 10]);
        let logs = vec![running, new.clone(), old.clone()];
        let firsts = vec![(old.id, 120), (new.id, 110)];
        let is_over = false;
        assert_eq!(cut(logs, 75, 75), Cut { firsts, is_over });
    }

    #[test]
    fn failed_sessions_are_cut_after_successful_ones() {
        let failed = LogUse {
            failed: true,
            ..log(false, 1, &[10])
        };
        let other = log(false, 2, &[10]);
        let firsts = vec![(other.id.clone(), 110)];
        let is_over = false;
        assert_eq!(cut(vec![failed, other], 10, 10), Cut { firsts, is_over });
    }

    #[test]
    fn kept_sessions_are_cut_last_of_the_finished_ones() {
        let kept = LogUse {
            keep: true,
            ..log(false, 1, &[10])
        };
        let other = log(false, 2, &[10]);
        let firsts = vec![(other.id.clone(), 110)];
        let is_over = false;
        assert_eq!(cut(vec![kept, other], 10, 10), Cut { firsts, is_over });
    }

    #[test]
    fn the_largest_running_log_is_cut_except_its_newest_segment() {
        let (large, small) = (log(true, 1, &[30, 30, 30]), log(true, 1, &[20, 20]));
        let logs = vec![small.clone(), large.clone()];
        let firsts = vec![(large.id.clone(), 130)];
        let is_over = false;
        assert_eq!(cut(logs.clone(), 100, 100), Cut { firsts, is_over });
        let firsts = vec![(large.id, 160), (small.id, 120)];
        let is_over = true;
        assert_eq!(cut(logs, 1, 1), Cut { firsts, is_over });
    }

    #[test]
    fn a_cut_leaves_room_for_the_next_bytes() {
        let sizes = [10; 10];
        let cut = cut(vec![log(true, 1, &sizes)], 95, 75);
        assert_eq!(cut.firsts.len(), 1);
        assert_eq!((cut.firsts[0].1, cut.is_over), (130, false));
    }
}
