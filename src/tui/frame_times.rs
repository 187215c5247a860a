//! When the next frame is drawn.
//!
//! A change is drawn at once, so that a key is seen when its job echoes it. While changes continue, frames are held
//! back to thirty per second, except for the few after a key.

use std::time::{Duration, Instant};

use crate::term::pace::Pace;

/// Time between two frames while changes continue.
const FRAME: Duration = Duration::from_millis(33);

/// How long a frame is delayed for the first screen of a newly selected job, so that the pane does not flash
/// empty.
const PATIENCE: Duration = Duration::from_millis(20);

/// The times of the frames.
#[derive(Debug)]
pub struct FrameTimes {
    began: Instant,
    pace: Pace,
    /// When the change that is not drawn yet happened.
    dirty: Option<Instant>,
}

impl Default for FrameTimes {
    /// No frame was drawn.
    fn default() -> Self {
        Self {
            began: Instant::now(),
            pace: Pace::default(),
            dirty: None,
        }
    }
}

impl FrameTimes {
    /// Notes that a key was sent to a job: the next changes are drawn at once, also if other jobs flood.
    pub fn typed(&mut self) {
        self.pace.refill();
    }

    /// Notes whether something changed that is not drawn yet.
    pub fn changed(&mut self, is_dirty: bool) {
        if is_dirty {
            self.dirty.get_or_insert_with(Instant::now);
        }
    }

    /// How long to wait for the next frame. `awaits_screen`: the screen of the selected job has not arrived yet.
    pub fn wait(&self, awaits_screen: bool) -> Duration {
        if awaits_screen && let Some(dirty) = self.dirty {
            return PATIENCE.saturating_sub(dirty.elapsed());
        }
        self.pace.wait(self.began.elapsed(), FRAME)
    }

    /// Notes that a frame is drawn now.
    pub fn drew(&mut self) {
        self.dirty = None;
        self.pace.drew(self.began.elapsed(), FRAME);
    }
}
