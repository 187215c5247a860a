//! The screen as it was: a moment of the past, and how it is played.

use crate::protocol::SessionId;
use crate::protocol::params::Capture;
use crate::protocol::reply::{Captured, ScreenMoment};
use crate::protocol::{Timestamp, params::CaptureFormat};
use crate::term::screen::Screen;
use crate::term::size::Size;

/// A pause of the recording is cut to this when it is played, in milliseconds: nobody watches a program wait.
const LONGEST_PAUSE_MS: i64 = 2000;

/// Time between two frames of a recording at least, in milliseconds: what came closer together shows at once.
const FRAME_MS: i64 = 33;

/// Where to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// To the beginning.
    First,
    /// To what was there before the last thing happened.
    Back,
    /// To what happened next.
    Forward,
    /// By so many milliseconds of the recording.
    By(i64),
}

/// A look at the past of a screen.
pub struct Rewind {
    /// Whose screen it is.
    pub id: SessionId,
    /// What it showed; `None` until the first picture has come.
    pub screen: Option<Screen>,
    /// Which moment that is.
    pub moment: Option<ScreenMoment>,
    /// Whether a picture is on its way.
    pub loading: bool,
    /// How it is played; `None`: it stands still.
    pub play: Option<Play>,
    /// How fast it is played: 1 as it was.
    pub speed: f64,
}

/// How a recording is being played.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Play {
    /// When the next picture is due, in milliseconds since the epoch.
    pub due: i64,
    /// The time of the recording that is shown then.
    pub shows: i64,
}

impl Rewind {
    /// A look at nothing yet.
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            screen: None,
            moment: None,
            loading: false,
            play: None,
            speed: 1.0,
        }
    }

    /// What to ask for to go there; `None`: there is nothing there.
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
                // At least what happened next: a long pause is no reason to stand still.
                let next = moment.next_at?.millis();
                Target::Time(at.unwrap_or(next).saturating_add(ms).max(next))
            }
        };
        Some(self.ask(target))
    }

    /// What to ask for at first: the screen of that time, or what was there before the last thing happened to a
    /// log of so many bytes.
    pub fn begin(&mut self, at: Option<i64>, bytes: u64) -> Capture {
        self.ask(match at {
            Some(ms) => Target::Time(ms),
            None => Target::Offset(bytes),
        })
    }

    /// What to ask for as the next picture that is played, if it is due.
    pub fn play(&mut self, now: i64) -> Option<Capture> {
        let play = self.play.filter(|play| play.due <= now && !self.loading)?;
        Some(self.ask(Target::Time(play.shows)))
    }

    /// Takes in a picture; with `now` in milliseconds since the epoch.
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

    /// Begins to play, or stops; `false` at the end, where there is nothing to play.
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

    /// When the next picture is due, and what it shows.
    fn next(&self, play: Play, moment: ScreenMoment, now: i64) -> Option<Play> {
        let next = moment.next_at?.millis();
        // What was shown stands for everything up to then.
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
    fn steps_go_to_the_neighbours_and_no_further() {
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
    fn a_jump_over_a_long_pause_arrives_at_its_end() {
        let mut there = rewind(moment(0, Some(20), Some((80, 60_000))));
        let asked = there.step(Step::By(10_000)).unwrap();
        assert_eq!(asked.at_time, Some(Timestamp(60_000).to_string()));
    }

    #[test]
    fn long_pauses_are_cut_when_it_is_played() {
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
