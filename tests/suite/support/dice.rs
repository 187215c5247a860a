//! Chance that can be had again.

/// A generator of numbers (splitmix64), which says its seed when a test fails.
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    /// From `BGPROC_SOAK_SEED`, or from the clock.
    pub(crate) fn new() -> Self {
        let given = std::env::var("BGPROC_SOAK_SEED").ok();
        let given = given.map(|seed| seed.parse().unwrap());
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let state = given.unwrap_or(now);
        eprintln!("BGPROC_SOAK_SEED={state}");
        Self { state }
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len() as u64) as usize]
    }
}
