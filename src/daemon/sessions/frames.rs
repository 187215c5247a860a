//! The frames sent to the watchers of a session's screen. Each frame is built once.
//!
//! All watchers with the same interval get their frames at the same times. So they all show the
//! same earlier screen, and one frame updates all of them. A slow client shows an older screen and
//! gets a frame of its own.

use std::rc::Rc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::time::Instant;

use crate::daemon::transport::outbox;
use crate::engine::output::Output;
use crate::protocol::event::ScreenUpdate;
use crate::protocol::{Event, EventKind, SessionId, Timestamp};
use crate::term::screen::{Changes, Picture};
use crate::term::size::Size;

/// The frames of one session, kept while it is watched.
pub(crate) struct Frames {
    /// Frames are due at multiples of a watcher's interval after this time.
    began: Instant,
    /// The screen that a watcher shows after any of `frames`.
    newest: Option<Rc<Shown>>,
    /// The frames that change an earlier screen to `newest`, one per earlier screen.
    frames: Vec<Frame>,
    /// Number of frames built.
    pub(crate) made: u64,
    /// Number of frames sent.
    pub(crate) sent: u64,
}

/// A frame that changes an earlier screen to the newest one.
struct Frame {
    /// The earlier screen; `None` for a full frame.
    before: Option<Rc<Shown>>,
    line: Rc<Vec<u8>>,
}

/// A screen as it was sent to watchers.
pub(crate) struct Shown {
    seq: u64,
    output_lines: u64,
    size: Size,
    picture: Picture,
}

impl Frames {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            newest: None,
            frames: Vec::new(),
            made: 0,
            sent: 0,
        }
    }

    /// Returns the event line that changes screen `last` to the current screen, and sets `last` to
    /// the current screen. `None` if nothing has changed.
    pub(crate) fn next(
        &mut self,
        id: &SessionId,
        output: &mut Output,
        last: &mut Option<Rc<Shown>>,
        at: Timestamp,
    ) -> Option<Rc<Vec<u8>>> {
        let shown = self.now(output);
        let before = last.replace(shown.clone());
        let before_is = |other: Option<&Rc<Shown>>| match (&before, other) {
            (Some(before), Some(other)) => Rc::ptr_eq(before, other),
            (before, other) => before.is_none() && other.is_none(),
        };
        if before_is(Some(&shown)) {
            return None;
        }
        self.sent += 1;
        let mut frames = self.frames.iter();
        if let Some(frame) = frames.find(|frame| before_is(frame.before.as_ref())) {
            return Some(frame.line.clone());
        }
        self.made += 1;
        let line = Rc::new(outbox::line(&event(id, output, before.as_deref(), at)?)?);
        let frame = Frame {
            before,
            line: line.clone(),
        };
        self.frames.push(frame);
        Some(line)
    }

    /// The current screen: `newest`, unless it has changed.
    fn now(&mut self, output: &mut Output) -> Rc<Shown> {
        let output_lines = output.total_lines();
        let screen = output.screen();
        let (seq, size) = (screen.seq(), screen.size());
        let is_current = |shown: &&Rc<Shown>| {
            (shown.seq, shown.output_lines, shown.size) == (seq, output_lines, size)
        };
        if let Some(shown) = self.newest.as_ref().filter(is_current) {
            return shown.clone();
        }
        self.frames.clear();
        let picture = screen.picture();
        let shown = Rc::new(Shown {
            seq,
            output_lines,
            size,
            picture,
        });
        self.newest = Some(shown.clone());
        shown
    }

    /// Time since the first watcher came.
    pub(crate) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// When the next frame is due for a watcher with interval `pace`: at the next multiple of the
    /// interval that is more than half an interval away.
    pub(crate) fn next_turn(&self, pace: Duration) -> Instant {
        self.began + turn_after(self.began.elapsed(), pace)
    }
}

/// The first multiple of `pace` that is more than half a `pace` after `passed`.
fn turn_after(passed: Duration, pace: Duration) -> Duration {
    let pace = pace.as_nanos().max(1);
    let turns = (passed.as_nanos() + pace / 2) / pace + 1;
    Duration::from_nanos(u64::try_from(turns * pace).unwrap_or(u64::MAX))
}

/// The event that describes the change since `before`.
fn event(
    id: &SessionId,
    output: &mut Output,
    before: Option<&Shown>,
    at: Timestamp,
) -> Option<Event> {
    let output_lines = Some(output.total_lines());
    let screen = output.screen();
    let (bytes, changed_rows) = match before {
        Some(before) if before.size == screen.size() => {
            let Changes { bytes, rows } = screen.changes(&before.picture);
            (bytes, Some((rows.start, rows.end)))
        }
        _ => (screen.ansi(), None),
    };
    let update = ScreenUpdate {
        bytes: STANDARD.encode(bytes),
        rows: screen.size().rows(),
        cols: screen.size().cols(),
        screen_seq: screen.seq(),
        full: changed_rows.is_none(),
        changed_rows,
        output_lines,
        alt_screen: screen.alt_screen(),
    };
    Some(Event {
        at: Some(at),
        session_id: Some(id.clone()),
        data: serde_json::to_value(update).ok()?,
        ..Event::of(EventKind::Screen)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::engine::Now;
    use crate::protocol::status::Mode;
    use crate::term::screen::Screen;

    const NOW: Now = Now {
        boot: 0,
        wall: Timestamp(0),
    };

    /// A session's output, and its frames.
    struct Watched {
        id: SessionId,
        output: Output,
        frames: Frames,
    }

    impl Watched {
        fn new() -> Self {
            Self {
                id: SessionId::fresh(),
                output: Output::new(Mode::Pty, Size::new(4, 20)),
                frames: Frames::new(),
            }
        }

        fn write(&mut self, bytes: &str) {
            self.output.feed(bytes.as_bytes(), NOW);
        }

        fn next(&mut self, last: &mut Option<Rc<Shown>>) -> Option<ScreenUpdate> {
            let line = self
                .frames
                .next(&self.id, &mut self.output, last, NOW.wall)?;
            let event: Event = serde_json::from_slice(&line).unwrap();
            Some(serde_json::from_value(event.data).unwrap())
        }
    }

    fn paint(screen: &mut Screen, update: &ScreenUpdate) {
        screen.feed(&STANDARD.decode(&update.bytes).unwrap());
    }

    #[test]
    fn a_frame_is_built_once_for_all_watchers_of_the_same_screen() {
        let mut watched = Watched::new();
        let mut watchers = vec![None; 50];
        for round in 1..=10 {
            watched.write(&format!("line {round}\r\n"));
            for last in &mut watchers {
                assert_eq!(watched.next(last).unwrap().full, round == 1);
                assert!(watched.next(last).is_none(), "nothing has changed");
            }
        }
        assert_eq!((watched.frames.made, watched.frames.sent), (10, 500));
    }

    #[test]
    fn a_watcher_that_missed_frames_reaches_the_same_screen() {
        let mut watched = Watched::new();
        // Each watcher takes a frame after this many lines.
        let mut watchers: Vec<_> = (1..5)
            .map(|every| (every, None, Screen::new(Size::new(4, 20))))
            .collect();
        for round in 1..=24 {
            watched.write(&format!("\x1b[3{}mline {round}\r\n", round % 8));
            for (every, last, screen) in &mut watchers {
                if round % *every == 0 {
                    paint(screen, &watched.next(last).unwrap());
                    let shown = watched.output.screen().ansi();
                    assert_eq!(screen.ansi(), shown, "every {every}, line {round}");
                }
            }
        }
    }

    #[test]
    fn a_resize_sends_a_full_frame() {
        let mut watched = Watched::new();
        let mut last = None;
        watched.write("text");
        assert!(watched.next(&mut last).unwrap().full);
        watched.output.resize(Size::new(5, 30));
        let update = watched.next(&mut last).unwrap();
        assert!(update.full);
        assert_eq!((update.rows, update.cols), (5, 30));
    }

    #[test]
    fn a_frame_tells_whether_it_is_the_alternate_screen() {
        let mut watched = Watched::new();
        let mut last = None;
        for (text, alt) in [
            ("$ ", false),
            ("\x1b[?1049hvim", true),
            ("\x1b[?1049l", false),
        ] {
            watched.write(text);
            assert_eq!(watched.next(&mut last).unwrap().alt_screen, alt, "{text:?}");
        }
    }

    #[test]
    fn watchers_with_the_same_interval_share_their_turns() {
        let ms = Duration::from_millis;
        let pace = ms(16);
        for (passed, next) in [(0, 16), (7, 16), (8, 32), (16, 32), (23, 32), (25, 48)] {
            assert_eq!(turn_after(ms(passed), pace), ms(next), "after {passed} ms");
        }
    }
}
