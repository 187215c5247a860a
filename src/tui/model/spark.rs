//! How much a job has written lately: five cells of two seconds each, the newest at the right.
//!
//! Fed by the live `output` events alone. Ten seconds after the last of them every cell is empty again, and from
//! then on nothing changes.

/// What a cell stands for, in milliseconds. Cells begin at whole multiples of it, for all jobs at once, so that a
/// list of many jobs moves on together.
const CELL_MS: i64 = 2000;

/// Cells.
pub const CELLS: usize = 5;

/// The levels of a cell, from nothing to a flood.
const LEVELS: [&str; 7] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"];
const PLAIN_LEVELS: [&str; 7] = [".", ":", "-", "=", "+", "*", "#"];

/// Bytes in a cell from which on it has a level: eight times as much for each, because a prompt and a flood both
/// have to show.
const STEPS: [u64; 6] = [1, 64, 512, 4 << 10, 32 << 10, 256 << 10];

/// What one job has written lately.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spark {
    /// Bytes of each cell, the newest last.
    bytes: [u64; CELLS],
    /// Which cell the newest is, counted from 1970.
    newest: i64,
    /// Bytes that had been written in all when that was last told.
    total: Option<u64>,
}

impl Spark {
    /// Takes in that a job has written `total` bytes by now; `before` is what was known until then. Whether what
    /// shows has changed.
    pub fn feed(&mut self, before: u64, total: u64, now: i64) -> bool {
        let shown = self.levels(now);
        self.move_to(now);
        let written = total.saturating_sub(self.total.unwrap_or(before));
        self.bytes[CELLS - 1] = self.bytes[CELLS - 1].saturating_add(written);
        self.total = Some(total);
        shown != self.levels(now)
    }

    /// What shows: a character for each cell.
    pub fn text(&self, now: i64, ascii: bool) -> String {
        let set = if ascii { PLAIN_LEVELS } else { LEVELS };
        self.levels(now).iter().map(|&level| set[level]).collect()
    }

    /// When what shows changes by time alone; `None`: not before more is written.
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

    /// Lets time pass. A clock that was set back moves nothing.
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

    /// The beginning of a cell.
    const START: i64 = 1_795_265_100_000;

    #[test]
    fn what_is_written_moves_to_the_left_and_out() {
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
    fn it_comes_to_rest_ten_seconds_after_the_last_byte() {
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
    fn a_flood_is_the_highest_and_a_clock_set_back_is_harmless() {
        let mut spark = Spark::default();
        spark.feed(0, u64::MAX, START);
        spark.feed(0, 1, START - 60_000);
        assert_eq!(spark.text(START, false), "▁▁▁▁▇");
    }
}
