//! Checkpoints of a session's log: places from which rendering can start.
//!
//! A checkpoint is added about every 16 KiB ([`marks`](crate::term::plain::marks)). For up to 256
//! MiB of log, which is more than most logs have, all of them are kept. Beyond that, the newest
//! ones are kept, and as many older ones at equal distances. The few places that were last
//! requested are remembered too, because a client that read up to one of them continues from there.

use std::collections::VecDeque;

use crate::term::plain::Checkpoint;

/// Maximum number of checkpoints kept: 384 KiB of memory.
pub const MOST: usize = 16 * 1024;

/// The newest checkpoints, which are never thinned out. They cover about 64 MiB of log.
const NEWEST: usize = MOST / 4;

/// Number of requested places that are remembered: more than the number of clients that usually
/// share a session.
const ASKED: usize = 8;

/// The checkpoints of one log.
#[derive(Debug, Default)]
pub struct Checkpoints {
    /// Sorted by offset.
    kept: Vec<Checkpoint>,
    /// Oldest first.
    asked: VecDeque<Checkpoint>,
}

impl Checkpoints {
    /// Adds a checkpoint that lies after all others.
    pub fn push(&mut self, at: Checkpoint) {
        self.kept.push(at);
        thin(&mut self.kept);
    }

    /// Adds a checkpoint at any place. An exact one is found late, when its line is final, so later
    /// checkpoints may already exist.
    pub fn insert(&mut self, at: Checkpoint) {
        let place = self.kept.partition_point(|kept| kept.offset <= at.offset);
        self.kept.insert(place, at);
        thin(&mut self.kept);
    }

    /// Remembers the rendering state at the end, because a client has read up to there.
    pub fn remember(&mut self, here: Checkpoint) {
        if self.at(here.offset).is_some() {
            return;
        }
        if self.asked.len() == ASKED {
            self.asked.pop_front();
        }
        self.asked.push_back(here);
    }

    /// The remembered checkpoint at exactly this offset.
    pub fn at(&self, offset: u64) -> Option<Checkpoint> {
        self.asked.iter().find(|at| at.offset == offset).copied()
    }

    /// The last checkpoint at or before `offset`.
    pub fn before(&self, offset: u64) -> Option<Checkpoint> {
        self.up_to(offset).last().copied()
    }

    /// The first checkpoint at or after `offset`.
    pub fn after(&self, offset: u64) -> Option<Checkpoint> {
        let before = self.kept.partition_point(|at| at.offset < offset);
        self.kept.get(before).copied()
    }

    /// The last exact checkpoint at or before `offset`.
    pub fn exact_before(&self, offset: u64) -> Option<Checkpoint> {
        let mut before = self.up_to(offset).iter().rev();
        before.find(|at| at.exact).copied()
    }

    /// The last exact checkpoint at or before line `line`.
    pub fn before_line(&self, line: u64) -> Option<Checkpoint> {
        let after = self.kept.partition_point(|at| at.line <= line);
        let mut before = self.kept[..after].iter().rev();
        before.find(|at| at.exact).copied()
    }

    fn up_to(&self, offset: u64) -> &[Checkpoint] {
        let after = self.kept.partition_point(|at| at.offset <= offset);
        &self.kept[..after]
    }

    /// The first checkpoint.
    pub fn first(&self) -> Option<Checkpoint> {
        self.kept.first().copied()
    }

    /// The last checkpoint.
    pub fn last(&self) -> Option<Checkpoint> {
        self.kept.last().copied()
    }

    /// Removes checkpoints before `offset`.
    pub fn drop_before(&mut self, offset: u64) {
        let gone = self.kept.partition_point(|at| at.offset < offset);
        self.kept.drain(..gone);
        self.asked.retain(|at| at.offset >= offset);
    }

    /// All checkpoints, sorted by offset.
    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = &Checkpoint> {
        self.kept.iter()
    }
}

/// Thins out older checkpoints if there are too many. `checkpoints` is sorted by offset.
fn thin(checkpoints: &mut Vec<Checkpoint>) {
    if checkpoints.len() < MOST {
        return;
    }
    let (first, newest) = (checkpoints[0].offset, checkpoints.len() - NEWEST);
    let newest = checkpoints[newest].offset;
    // At most a quarter of them are exact old ones, and a quarter are other old ones.
    let every = (newest - first) / (MOST / 4) as u64;
    let (mut last, mut last_exact) = (None, None);
    checkpoints.retain(|at| {
        let before = if at.exact { last_exact } else { last };
        let is_far = before.is_none_or(|before| at.offset - before >= every);
        let is_kept = is_far || at.offset >= newest;
        if is_kept {
            last = Some(at.offset);
            last_exact = if at.exact { last } else { last_exact };
        }
        is_kept
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn remembers_the_last_requested_places() {
        let mut checkpoints = Checkpoints::default();
        for offset in [1, 2, 3, 3, 3, 2].into_iter().chain(10..16) {
            let line = offset * 2;
            checkpoints.remember(Checkpoint {
                line,
                ..Checkpoint::at(offset)
            });
        }
        let known = |checkpoints: &Checkpoints, at| checkpoints.at(at).map(|at| at.line);
        let lines = [1, 2, 3, 4, 15].map(|at| known(&checkpoints, at));
        assert_eq!(lines, [None, Some(4), Some(6), None, Some(30)]);
        assert_eq!(
            checkpoints.before(15),
            None,
            "nothing is rendered from there"
        );
        checkpoints.drop_before(3);
        assert_eq!(known(&checkpoints, 2), None);
        assert_eq!(known(&checkpoints, 3), Some(6));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn of_any_log_there_are_few_and_none_is_far(
            steps in proptest::collection::vec((1..100_000_u64, any::<bool>()), 50..100),
        ) {
            let mut kept = Vec::new();
            let mut at = 0;
            for (step, exact) in steps.iter().cycle().take(5 * MOST) {
                at += step;
                kept.push(Checkpoint { exact: *exact, ..Checkpoint::at(at) });
                thin(&mut kept);
                prop_assert!(kept.len() < MOST);
            }
            prop_assert!(kept.capacity() <= MOST);
            let all: u64 = steps.iter().cycle().take(5 * MOST).map(|step| step.0).sum();
            let widest = all / (MOST / 4) as u64 + 100 * 100_000;
            prop_assert_eq!(kept[0].offset, steps[0].0);
            let mut last = 0;
            for exact in kept.iter().filter(|at| at.exact) {
                prop_assert!(exact.offset - last <= widest);
                last = exact.offset;
            }
            let gap = |pair: &[Checkpoint]| pair[1].offset - pair[0].offset;
            prop_assert!(kept.windows(2).all(|pair| gap(pair) > 0));
            let newest = &kept[kept.len() - NEWEST..];
            prop_assert!(newest.windows(2).all(|pair| gap(pair) <= 100_000));
        }
    }
}
