//! When a batch system is asked for the states of its jobs: soon after a submission, then less and less often, and not
//! at all while nothing is open. Administrators of clusters count such calls.

/// Time from a submission, or from a sign that a job has ended, to the first question, in milliseconds.
const SOON_MS: u64 = 2_000;

/// Time to the first question if it is known that a job has just ended or been cancelled, in milliseconds: the batch
/// system takes a moment to clear it away.
const ENDING_MS: u64 = 250;

/// What somebody sees who looks is not older than this, if looking again shows it, in milliseconds.
const LOOKED_MS: u64 = 5_000;

/// When one batch system is asked next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// Pause to the next question, in milliseconds.
    pause: u64,
    /// Longest pause, in milliseconds.
    longest: u64,
    /// When it is asked next, in boot-time milliseconds; `None` while it is being asked, or need not be.
    next: Option<u64>,
    /// When it has last answered, or has failed to.
    answered: u64,
}

impl Schedule {
    /// A batch system with nothing open. `longest` is its longest pause, in milliseconds.
    pub fn new(longest: u64) -> Self {
        Self {
            pause: SOON_MS.min(longest),
            longest,
            next: None,
            answered: 0,
        }
    }

    /// A job was submitted, or taken over from an earlier daemon.
    pub fn submitted(&mut self, now: u64) {
        self.hurry(now, SOON_MS);
    }

    /// A job has ended, as far as it can be seen here.
    pub fn ending(&mut self, now: u64) {
        self.hurry(now, ENDING_MS);
    }

    /// Somebody looks at its jobs: it is asked now, unless it has answered just before.
    pub fn looked(&mut self, now: u64) {
        let at = now.max(self.answered + LOOKED_MS.min(self.longest));
        self.next = self.next.map(|next| next.min(at));
    }

    fn hurry(&mut self, now: u64, pause: u64) {
        let pause = pause.min(self.longest);
        self.pause = self.pause.min(pause);
        let at = now + pause;
        self.next = Some(self.next.map_or(at, |next| next.min(at)));
    }

    /// It is being asked.
    pub fn asked(&mut self) {
        self.next = None;
    }

    /// It has answered, or has failed to. `open` is whether there are jobs that are not over.
    pub fn answered(&mut self, open: bool, now: u64) {
        self.answered = now;
        if !open {
            (self.pause, self.next) = (SOON_MS.min(self.longest), None);
        } else if self.next.is_none() {
            self.pause = (self.pause * 2).min(self.longest);
            self.next = Some(now + self.pause);
        }
    }

    /// When it is asked next, in boot-time milliseconds.
    pub fn next(&self) -> Option<u64> {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_end_with_the_last_job() {
        let mut schedule = Schedule::new(30_000);
        assert_eq!(schedule.next(), None);
        schedule.submitted(0);
        let mut pauses = Vec::new();
        let mut now = 0;
        for _ in 0..6 {
            let next = schedule.next().unwrap_or_default();
            pauses.push(next - now);
            now = next;
            schedule.asked();
            schedule.answered(true, now);
        }
        assert_eq!(pauses, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
        // One that ends is seen soon, and the pauses grow again.
        schedule.ending(now);
        assert_eq!(schedule.next(), Some(now + 250));
        schedule.asked();
        schedule.answered(true, now);
        assert_eq!(schedule.next(), Some(now + 500));
        schedule.asked();
        schedule.answered(false, now);
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn who_looks_has_it_asked_but_not_again_and_again() {
        let mut schedule = Schedule::new(30_000);
        schedule.looked(5);
        assert_eq!(schedule.next(), None, "nothing is open");
        schedule.submitted(0);
        schedule.asked();
        schedule.looked(2_000);
        assert_eq!(schedule.next(), None, "it is being asked");
        schedule.answered(true, 2_000);
        for now in [2_001, 2_500] {
            schedule.looked(now);
            assert_eq!(schedule.next(), Some(6_000), "the usual pause is shorter");
        }
        schedule.asked();
        schedule.answered(true, 6_000);
        schedule.looked(7_000);
        assert_eq!(schedule.next(), Some(11_000));
        schedule.asked();
        schedule.answered(true, 11_000);
        schedule.looked(20_000);
        assert_eq!(schedule.next(), Some(20_000));
    }

    #[test]
    fn a_submission_while_it_is_asked_is_asked_for_again() {
        let mut schedule = Schedule::new(1_000);
        schedule.submitted(0);
        assert_eq!(schedule.next(), Some(1_000));
        schedule.asked();
        schedule.submitted(1_500);
        schedule.answered(true, 1_600);
        assert_eq!(schedule.next(), Some(2_500));
    }
}
