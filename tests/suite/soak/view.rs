//! Somebody who looks at everything in the dashboard, for as long as it lasts.

use std::time::Duration;

use crate::support::Dice;
use crate::support::daemon::memory_kib;
use crate::support::{Home, Terminal};

/// What is pressed: to look around, and nothing that changes a job.
const KEYS: [&str; 12] = [
    "j",
    "k",
    "G",
    "g",
    "z",
    "!",
    "s\x02\x02",
    "\x1b",
    "?\x1b",
    "/a\x1b",
    "hl",
    "\x0c",
];

/// What it may need in the end, in KiB of a debug build.
const MOST_MEMORY: u64 = 64 * 1024;

/// A dashboard.
pub(super) struct View {
    view: Terminal,
}

impl View {
    pub(super) fn new(home: &Home) -> Self {
        let mut view = Terminal::new(home, &[], (120, 40));
        view.wait_for_text(" NORMAL ");
        Self { view }
    }

    /// Presses something, and takes in what it has painted.
    pub(super) fn act(&mut self, dice: &mut Dice) {
        let which = dice.below(KEYS.len() as u64) as usize;
        self.view.send(KEYS[which]);
        self.view.watch(Duration::ZERO);
    }

    /// Closes it, if it has not grown.
    #[track_caller]
    pub(super) fn end(mut self) {
        let memory = memory_kib(self.view.pid());
        assert!(memory <= MOST_MEMORY, "the dashboard has {memory} KiB");
        eprintln!("the dashboard has {memory} KiB");
        self.view.send("\x1b");
        self.view.wait_for_text(" NORMAL ");
        self.view.send("q");
        assert_eq!(self.view.exit_code(), 0);
    }
}
