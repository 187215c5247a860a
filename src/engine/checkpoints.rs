//! How many places to resume from are kept of a log without end.
//!
//! One comes about every 16 KiB ([`marks`](crate::term::plain::marks)). Of 256 MiB all are kept, which is
//! more than most logs have; of more, the newest ones, and of what is older as many at equal distances.

use crate::term::plain::Checkpoint;

/// Most that are kept: 384 KiB of memory.
pub const MOST: usize = 16 * 1024;

/// The newest of them, which are never left out: of about 64 MiB.
const NEWEST: usize = MOST / 4;

/// Leaves out some if there are too many, in the order of their offsets.
pub fn thin(checkpoints: &mut Vec<Checkpoint>) {
    if checkpoints.len() < MOST {
        return;
    }
    let (first, newest) = (checkpoints[0].offset, checkpoints.len() - NEWEST);
    let newest = checkpoints[newest].offset;
    // A quarter of them at most are exact, and another one are not.
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
