//! Which output goes when all logs together are larger than they may be.

use crate::protocol::SessionId;

/// What one log takes on the disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogUse {
    /// Whose it is.
    pub id: SessionId,
    /// Whether more may be written to it.
    pub is_running: bool,
    /// Whether a person wants to keep it.
    pub keep: bool,
    /// Whether it failed, so that somebody will want to look into it.
    pub failed: bool,
    /// When it was last asked for, in boot-time milliseconds.
    pub accessed: u64,
    /// Its segments as (offset, bytes), oldest first.
    pub segments: Vec<(u64, u64)>,
}

impl LogUse {
    fn bytes(&self) -> u64 {
        self.segments.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Takes the oldest segment away; returns its size.
    fn shorten(&mut self) -> u64 {
        self.segments.remove(0).1
    }
}

/// What has to go.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// From where on each of these logs is kept.
    pub firsts: Vec<(SessionId, u64)>,
    /// Whether that is not enough: the newest segments of what runs are never cut.
    pub is_over: bool,
}

/// Cuts whole segments until all logs together have `limit` bytes at most: those
/// of finished sessions first, the one that nobody asked for the longest in front,
/// then those that failed, and those that are to be kept at the end; then of running ones the largest.
pub fn cut(mut logs: Vec<LogUse>, limit: u64) -> Cut {
    let mut total: u64 = logs.iter().map(LogUse::bytes).sum();
    let mut cut = Cut::default();
    logs.sort_by_key(|log| (log.is_running, log.keep, log.failed, log.accessed));
    let running = logs.partition_point(|log| !log.is_running);
    let (finished, running) = logs.split_at_mut(running);
    for log in finished {
        let end = log.segments.last().map(|(start, bytes)| start + bytes);
        while total > limit && log.bytes() > 0 {
            total -= log.shorten();
            let first = log.segments.first().map(|(start, _)| *start).or(end);
            note(&mut cut.firsts, &log.id, first);
        }
    }
    while total > limit {
        let several = running.iter_mut().filter(|log| log.segments.len() > 1);
        let Some(largest) = several.max_by_key(|log| log.bytes()) else {
            cut.is_over = true;
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
    fn what_fits_is_left_alone() {
        let logs = vec![log(false, 1, &[10, 10]), log(true, 1, &[10])];
        assert_eq!(cut(logs, 30), Cut::default());
    }

    #[test]
    fn the_longest_untouched_finished_one_goes_first_and_wholly() {
        let (old, new) = (log(false, 1, &[10, 10]), log(false, 2, &[10, 10]));
        let running = log(true, 0, &[50, 10]);
        let logs = vec![running, new.clone(), old.clone()];
        let firsts = vec![(old.id, 120), (new.id, 110)];
        let is_over = false;
        assert_eq!(cut(logs, 75), Cut { firsts, is_over });
    }

    #[test]
    fn what_failed_goes_after_what_ended_well() {
        let failed = LogUse {
            failed: true,
            ..log(false, 1, &[10])
        };
        let other = log(false, 2, &[10]);
        let firsts = vec![(other.id.clone(), 110)];
        let is_over = false;
        assert_eq!(cut(vec![failed, other], 10), Cut { firsts, is_over });
    }

    #[test]
    fn what_is_to_be_kept_goes_last_of_the_finished_ones() {
        let kept = LogUse {
            keep: true,
            ..log(false, 1, &[10])
        };
        let other = log(false, 2, &[10]);
        let firsts = vec![(other.id.clone(), 110)];
        let is_over = false;
        assert_eq!(cut(vec![kept, other], 10), Cut { firsts, is_over });
    }

    #[test]
    fn of_running_ones_the_largest_is_cut_but_never_its_newest_segment() {
        let (large, small) = (log(true, 1, &[30, 30, 30]), log(true, 1, &[20, 20]));
        let logs = vec![small.clone(), large.clone()];
        let firsts = vec![(large.id.clone(), 130)];
        let is_over = false;
        assert_eq!(cut(logs.clone(), 100), Cut { firsts, is_over });
        let firsts = vec![(large.id, 160), (small.id, 120)];
        let is_over = true;
        assert_eq!(cut(logs, 1), Cut { firsts, is_over });
    }
}
