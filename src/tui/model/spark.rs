//! How much a job has written lately: five cells of two seconds each, the newest at the right.
//!
//! Only live `output` events feed it. Ten seconds after the last event all cells are empty, and
//! nothing changes from then on.

/// Duration of a cell, in milliseconds. Cells start at multiples of it for all jobs, so that all
/// rows of the list advance together.
const CELL_MS: i64 = 2000;

/// Number of cells.
pub const CELLS: usize = 5;

/// The levels of a cell, from no output to a flood.
const LEVELS: [&str; 7] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"];
const PLAIN_LEVELS: [&str; 7] = [".", ":", "-", "=", "+", "*", "#"];

/// Minimum number of bytes per level. The steps are exponential, because both a prompt and a flood
/// must be visible.
const STEPS: [u64; 6] = [1, 64, 512, 4 << 10, 32 << 10, 256 << 10];

/// What one job has written lately.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spark {
    /// Bytes of each cell, the newest last.
    bytes: [u64; CELLS],
    /// Number of the newest cell, counted from 1970.
    newest: i64,
    /// Total number of bytes written, the most that was reported.
    total: Option<u64>,
}

impl Spark {
    /// Records that the job has written `total` bytes; `before` is the number known before. Returns
    /// whether the display has changed.
    pub fn feed(&mut self, before: u64, total: u64, now: i64) -> bool {
        let shown = self.levels(now);
        self.move_to(now);
        let written = total.saturating_sub(self.total.unwrap_or(before));
        self.bytes[CELLS - 1] = self.bytes[CELLS - 1].saturating_add(written);
        self.know(total);
        shown != self.levels(now)
    }

    /// Notes that the job had written `total` bytes before: they are not counted when they are reported again.
    pub fn know(&mut self, total: u64) {
        self.total = self.total.max(Some(total));
    }

    /// Whether it has never counted anything.
    pub fn is_new(&self) -> bool {
        self.newest == 0
    }

    /// The text to display: one character per cell.
    pub fn text(&self, now: i64, ascii: bool) -> String {
        let set = if ascii { PLAIN_LEVELS } else { LEVELS };
        self.levels(now).iter().map(|&level| set[level]).collect()
    }

    /// When the display changes next as time passes; `None` if only new output changes it.
    pub fn next_change(&self, now: i64) -> Option<i64> {
        let busy = self.levels(now).iter().any(|&level| level > 0);
        busy.then(|| (now.div_euclid(CELL_MS) + 1) * CELL_MS)
    }

    fn levels(&self, now: i64) -> [usize; CELLS] {
        let mut moved = *self;
        moved.move_to(now);
        moved
            .bytes
            .map(|bytes| STEPS.iter().filter(|&&step| bytes >= step).count())
    }

    /// Advances to `now`. If the clock was set back, nothing moves.
    fn move_to(&mut self, now: i64) {
        let cell = now.div_euclid(CELL_MS);
        let passed = cell.saturating_sub(self.newest).max(0);
        let passed = usize::try_from(passed).unwrap_or(CELLS).min(CELLS);
        self.bytes.rotate_left(passed);
        self.bytes[CELLS - passed..].fill(0);
        self.newest = self.newest.max(cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start of a cell.
    const START: i64 = 1_795_265_100_000;

    #[test]
    fn output_moves_left_and_out_of_the_sparkline() {
        let mut spark = Spark::default();
        assert_eq!(spark.text(START, false), "▁▁▁▁▁");
        assert!(spark.feed(100, 101, START));
        assert!(!spark.feed(0, 102, START + 10), "still of the same level");
        assert_eq!(spark.text(START, false), "▁▁▁▁▂");
        spark.feed(0, 102 + 70_000, START + 2000);
        assert_eq!(spark.text(START + 3999, false), "▁▁▁▂▆");
        assert_eq!(spark.text(START + 8000, false), "▂▆▁▁▁");
        assert_eq!(spark.text(START + 12_000, false), "▁▁▁▁▁");
        assert_eq!(spark.text(START + 8000, true), ":*...");
    }

    #[test]
    fn output_that_is_reported_again_is_not_new() {
        let mut spark = Spark::default();
        spark.know(5000);
        assert!(spark.is_new());
        for (before, total) in [(0, 100), (100, 3000), (3000, 5000)] {
            assert!(!spark.feed(before, total, START), "{total}");
        }
        assert_eq!(spark.text(START, false), "▁▁▁▁▁");
        assert!(spark.feed(5000, 5001, START));
        assert!(!spark.is_new());
    }

    #[test]
    fn is_empty_ten_seconds_after_the_last_byte() {
        let mut spark = Spark::default();
        assert_eq!(spark.next_change(START), None);
        spark.feed(0, 5, START + 500);
        let mut now = START + 500;
        let mut wakes = 0;
        while let Some(next) = spark.next_change(now) {
            assert!(next > now);
            now = next;
            wakes += 1;
        }
        assert_eq!((now, wakes), (START + 10_000, 5));
    }

    #[test]
    fn shows_a_flood_as_highest_and_tolerates_a_clock_set_back() {
        let mut spark = Spark::default();
        spark.feed(0, u64::MAX, START);
        spark.feed(0, 1, START - 60_000);
        assert_eq!(spark.text(START, false), "▁▁▁▁▇");
    }
}
