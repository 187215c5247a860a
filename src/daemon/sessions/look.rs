//! When the output of a session that writes much is looked at.
//!
//! To look at all of it as it comes takes a processor that the program and the keeper could use. So a look takes all that
//! is there, and the next one follows a frame later.

/// Bytes of one look from which on the next one is delayed.
const FLOOD: u64 = 64 * 1024;

/// Time between the beginnings of two looks, in milliseconds: a frame.
const FRAME_MS: u64 = 16;

/// One look: the output from one offset to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Look {
    began: u64,
    from: u64,
    to: u64,
}

impl Look {
    /// Begins a look at `now`, in boot-time milliseconds, if the one before has reached its end. What was looked at so
    /// far ends at `from`, and the output at `to`.
    pub(crate) fn begin(&mut self, now: u64, from: u64, to: u64) {
        if from >= self.to {
            *self = Self {
                began: now,
                from,
                to,
            };
        }
    }

    /// When the next look is due, if all up to `seen` has been looked at; `None`: at once.
    pub(crate) fn next(&self, now: u64, seen: u64) -> Option<u64> {
        let is_flood = seen >= self.to && self.to - self.from >= FLOOD;
        let next = self.began + FRAME_MS;
        (is_flood && next > now).then_some(next)
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
        look.begin(101, 500, 500 + FLOOD);
        assert_eq!(look.next(102, 1000), None, "there is more of this look");
        look.begin(103, 1000, 1 << 30);
        assert_eq!(look.next(104, 500 + FLOOD), Some(101 + FRAME_MS));
        assert_eq!(look.next(101 + FRAME_MS, 500 + FLOOD), None);
    }
}
