//! When the output of a session that writes much is looked at.
//!
//! To look at all of it as it comes takes a processor that the program and the keeper could use. So a look takes all that
//! is there, and the next one follows a frame later, or some frames later while nobody watches and the flood lasts.

/// Bytes within a frame from which on the next look is delayed.
const FLOOD: u64 = 64 * 1024;

/// Time between two looks at a flood that somebody watches, in milliseconds: a frame.
const FRAME_MS: u64 = 16;

/// Longest time between two looks at a flood that nobody watches, in milliseconds.
const UNWATCHED_MS: u64 = 100;

/// The looks of a frame, as offsets of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Look {
    /// When the first one began, in boot-time milliseconds, and where.
    began: u64,
    from: u64,
    /// Where the present one ends.
    to: u64,
    /// Where the output ended when it was last asked whether the flood lasts.
    end: u64,
}

impl Look {
    /// Begins a look at `now`, in boot-time milliseconds, if the one before has reached its end. What was looked at so
    /// far ends at `from`, and the output at `to`.
    pub(crate) fn begin(&mut self, now: u64, from: u64, to: u64) {
        if from < self.to {
            return;
        }
        (self.to, self.end) = (to, to);
        if now >= self.began + FRAME_MS {
            (self.began, self.from) = (now, from);
        }
    }

    /// When the next look is due, if all up to `seen` has been looked at; `None`: at once.
    pub(crate) fn next(&self, now: u64, seen: u64) -> Option<u64> {
        let is_flood = seen >= self.to && seen.saturating_sub(self.from) >= FLOOD;
        let next = self.began + FRAME_MS;
        (is_flood && next > now).then_some(next)
    }

    /// When to ask again, if nobody watches and the flood lasts, so that the look that is due now need not be. A program
    /// that has stopped writing may have asked its terminal something: then `None`.
    pub(crate) fn stand_back(&mut self, now: u64, end: u64) -> Option<u64> {
        let lasts = std::mem::replace(&mut self.end, end) < end;
        (lasts && now < self.began + UNWATCHED_MS).then_some(now + FRAME_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_look_at_much_output_is_a_frame_later() {
        let mut look = Look::default();
        look.begin(100, 0, 500);
        assert_eq!(look.next(100, 500), None, "little output");
        look.begin(117, 500, 500 + FLOOD);
        assert_eq!(look.next(118, 1000), None, "there is more of this look");
        look.begin(119, 1000, 1 << 30);
        assert_eq!(look.next(120, 500 + FLOOD), Some(117 + FRAME_MS));
        assert_eq!(look.next(117 + FRAME_MS, 500 + FLOOD), None);
    }

    #[test]
    fn many_small_looks_within_a_frame_are_a_flood() {
        let mut look = Look::default();
        let (mut seen, piece) = (0, FLOOD / 8);
        for at in 100..107 {
            look.begin(at, seen, seen + piece);
            seen += piece;
            assert_eq!(look.next(at, seen), None);
        }
        look.begin(107, seen, seen + piece);
        assert_eq!(look.next(107, seen + piece), Some(100 + FRAME_MS));
        // In the next frame the same bytes do not count again.
        look.begin(116, seen + piece, seen + piece + 1);
        assert_eq!(look.next(116, seen + piece + 1), None);
    }

    #[test]
    fn a_flood_is_left_alone_while_it_lasts() {
        let mut look = Look::default();
        look.begin(1000, 0, FLOOD);
        assert_eq!(look.stand_back(1016, 2 * FLOOD), Some(1032));
        assert_eq!(look.stand_back(1032, 3 * FLOOD), Some(1048));
        assert_eq!(look.stand_back(1048, 3 * FLOOD), None, "it has stopped");
        assert_eq!(look.stand_back(1100, 4 * FLOOD), None, "long enough");
    }
}
