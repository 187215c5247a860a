//! The screen at a time in the past, and its playback.

use crate::protocol::SessionId;
use crate::protocol::params::Capture;
use crate::protocol::reply::{Captured, ScreenMoment};
use crate::protocol::{Timestamp, params::CaptureFormat};
use crate::term::screen::Screen;
use crate::term::size::Size;

/// Pauses of the recording are shortened to this during playback, in milliseconds.
const LONGEST_PAUSE_MS: i64 = 2000;

/// Minimum time between two frames of the playback, in milliseconds; changes closer together are
/// shown at once.
const FRAME_MS: i64 = 33;

/// The steps through time, in milliseconds.
const STEPS_MS: [i64; 6] = [1000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000];
/// The first of them.
const USUAL_STEP: usize = 1;
/// How many steps the time bar covers.
const STEPS_SHOWN: i64 = 60;
/// How many small steps a large one has.
pub const LARGE: i64 = 6;

/// A step within the recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// To the beginning.
    First,
    /// To the state before the last change.
    Back,
    /// To the next change.
    Forward,
    /// By this many milliseconds of recorded time.
    By(i64),
}

/// A view of the past of a job's screen.
pub struct Rewind {
    /// The job.
    pub id: SessionId,
    /// The screen; `None` until the first frame has arrived.
    pub screen: Option<Screen>,
    /// The time that it shows.
    pub moment: Option<ScreenMoment>,
    /// Whether a frame is pending.
    pub loading: bool,
    /// State of the playback; `None` while paused.
    pub play: Option<Play>,
    /// Playback speed; 1 is the original speed.
    pub speed: f64,
    /// The recorded time that it begins at and plays from; `None` if it begins at the present and
    /// steps back.
    pub plays_from: Option<i64>,
    /// Whether it was opened from the live screen, and leaving returns there.
    pub is_direct: bool,
    /// Which of the steps is chosen.
    step: usize,
}

/// State of the playback.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Play {
    /// When the next frame is due, in milliseconds since the epoch.
    pub due: i64,
    /// The recorded time that the next frame shows.
    pub shows: i64,
}

impl Rewind {
    /// A view without a frame.
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            screen: None,
            moment: None,
            loading: false,
            play: None,
            speed: 1.0,
            plays_from: None,
            is_direct: false,
            step: USUAL_STEP,
        }
    }

    /// The chosen step, in milliseconds.
    pub fn step_ms(&self) -> i64 {
        STEPS_MS[self.step]
    }

    /// The time that the bar covers, in milliseconds.
    pub fn span_ms(&self) -> i64 {
        self.step_ms() * STEPS_SHOWN
    }

    /// Chooses a smaller or a larger step; `false` if there is none.
    pub fn zoom(&mut self, is_in: bool) -> bool {
        let next = if is_in {
            self.step.checked_sub(1)
        } else {
            Some(self.step + 1).filter(|&next| next < STEPS_MS.len())
        };
        self.step = next.unwrap_or(self.step);
        next.is_some()
    }

    /// The request for a step; `None` if there is nothing in that direction.
    pub fn step(&mut self, step: Step) -> Option<Capture> {
        if self.loading {
            return None;
        }
        let moment = self.moment?;
        let at = moment.at.map(Timestamp::millis);
        let target = match step {
            Step::First => Target::Offset(0),
            Step::Back => Target::Offset(moment.previous?),
            Step::Forward => Target::Offset(moment.next?),
            Step::By(ms) if ms < 0 => {
                moment.previous?;
                Target::Time(at?.saturating_add(ms))
            }
            Step::By(ms) => {
                // Go at least to the next change, so that a long pause does not block the step.
                let next = moment.next_at?.millis();
                Target::Time(at.unwrap_or(next).saturating_add(ms).max(next))
            }
        };
        Some(self.ask(target))
    }

    /// The first request: the screen at time `at`, or, without a time, the screen before the last
    /// change to a log of `bytes` bytes.
    pub fn begin(&mut self, at: Option<i64>, bytes: u64) -> Capture {
        self.ask(match at {
            Some(ms) => Target::Time(ms),
            None => Target::Offset(bytes),
        })
    }

    /// The request for the next frame of the playback, if it is due.
    pub fn play(&mut self, now: i64) -> Option<Capture> {
        let play = self.play.filter(|play| play.due <= now && !self.loading)?;
        Some(self.ask(Target::Time(play.shows)))
    }

    /// Stores a frame; `now` is in milliseconds since the epoch.
    pub fn receive(&mut self, captured: &Captured, now: i64) {
        self.loading = false;
        let (Some(text), Some(moment)) = (&captured.text, captured.moment) else {
            return;
        };
        let mut screen = Screen::new(Size::new(captured.rows, captured.cols));
        screen.feed(text.replace('\n', "\r\n").as_bytes());
        let at = captured.cursor;
        let cursor = format!("\x1b[{};{}H", at.row + 1, at.col + 1);
        screen.feed(cursor.as_bytes());
        screen.feed(if at.visible {
            b"\x1b[?25h"
        } else {
            b"\x1b[?25l"
        });
        self.screen = Some(screen);
        self.moment = Some(moment);
        if let Some(play) = self.play {
            self.play = self.next(play, moment, now);
        }
    }

    /// Starts or pauses the playback; `false` at the end, where nothing is left to play.
    pub fn toggle(&mut self, now: i64) -> bool {
        if self.play.take().is_some() {
            return true;
        }
        let Some(moment) = self.moment else {
            return false;
        };
        let shows = moment.at.or(moment.next_at).map_or(0, Timestamp::millis);
        self.play = self.next(Play { due: now, shows }, moment, now);
        self.play.is_some()
    }

    /// The playback state for the next frame after `moment`.
    fn next(&self, play: Play, moment: ScreenMoment, now: i64) -> Option<Play> {
        let next = moment.next_at?.millis();
        // The current frame covers everything up to the recorded time `shows`.
        let pause = (next - play.shows).clamp(0, LONGEST_PAUSE_MS);
        let wait = (pause as f64 / self.speed) as i64;
        let frame = (FRAME_MS as f64 * self.speed) as i64;
        let due = play.due.max(now - 1000).saturating_add(wait.max(FRAME_MS));
        Some(Play {
            due,
            shows: next.max(play.shows).saturating_add(frame.max(1) - 1),
        })
    }

    fn ask(&mut self, target: Target) -> Capture {
        self.loading = true;
        let (at_offset, at_time) = match target {
            Target::Offset(offset) => (Some(offset), None),
            Target::Time(ms) => (None, Some(Timestamp(ms).to_string())),
        };
        Capture {
            session_id: self.id.to_string(),
            format: Some(CaptureFormat::Ansi),
            trim: Some(false),
            at_offset,
            at_time,
            ..Capture::default()
        }
    }
}

enum Target {
    Offset(u64),
    Time(i64),
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn moment(at: i64, previous: Option<u64>, next: Option<(u64, i64)>) -> ScreenMoment {
        ScreenMoment {
            offset: 50,
            at: Some(Timestamp(at)),
            previous,
            next: next.map(|(offset, _)| offset),
            next_at: next.map(|(_, at)| Timestamp(at)),
        }
    }

    fn rewind(moment: ScreenMoment) -> Rewind {
        let mut rewind = Rewind::new(SessionId::parse("abcdefghijkl").unwrap());
        rewind.moment = Some(moment);
        rewind
    }

    #[test]
    fn steps_go_to_the_adjacent_changes_only() {
        let mut there = rewind(moment(1000, Some(20), Some((80, 5000))));
        assert_eq!(there.step(Step::Back).unwrap().at_offset, Some(20));
        assert_eq!(there.step(Step::Forward), None, "one question at a time");
        there.loading = false;
        assert_eq!(there.step(Step::Forward).unwrap().at_offset, Some(80));
        let mut end = rewind(moment(1000, None, None));
        assert_eq!(end.step(Step::Back), None);
        assert_eq!(end.step(Step::Forward), None);
        assert_eq!(end.step(Step::By(10_000)), None);
    }

    #[test]
    fn a_jump_into_a_long_pause_lands_at_its_end() {
        let mut there = rewind(moment(0, Some(20), Some((80, 60_000))));
        let asked = there.step(Step::By(10_000)).unwrap();
        assert_eq!(asked.at_time, Some(Timestamp(60_000).to_string()));
    }

    #[test]
    fn playback_shortens_long_pauses() {
        let mut there = rewind(moment(0, None, Some((80, 60_000))));
        assert!(there.toggle(1_000_000));
        let play = there.play.unwrap();
        assert_eq!(play.due, 1_000_000 + LONGEST_PAUSE_MS);
        assert!((60_000..60_100).contains(&play.shows));
        assert_eq!(there.play(1_000_001), None);
        assert!(there.play(play.due).is_some());
        there.loading = false;
        assert!(there.toggle(1_000_000), "it stops");
        assert_eq!(there.play, None);
        there.speed = 10.0;
        there.toggle(1_000_000);
        assert_eq!(there.play.unwrap().due, 1_000_200);
        assert!(!rewind(moment(0, None, None)).toggle(0));
    }
}
