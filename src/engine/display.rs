//! A session's screen, which is made with the first output and rests while nobody uses it.

use crate::protocol::record::Mode;
use crate::term::modes::Modes;
use crate::term::screen::{Resting, Screen};
use crate::term::size::Size;
use crate::term::snapshot::{Snapshot, TooLarge};

/// Parts in which a log is painted anew after the emulator has failed on it, and how many may be left out.
const PART: usize = 1024;
const MAX_LEFT_OUT: usize = 4;

/// What became of a screen that was to rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// There is none, or it rests already, or it cannot.
    Never,
    /// It has just begun.
    Begun,
    /// It was used a moment ago.
    Later,
}

/// The screen of a session.
#[derive(Default)]
pub(super) struct Display {
    awake: Option<Box<Screen>>,
    /// In its place, while nobody uses it.
    resting: Option<Box<Resting>>,
    /// What it showed when somebody last asked for its text.
    text: Option<Box<ShownText>>,
    /// Whether it was used since [`Display::rest`] last looked, and when that first found
    /// it unused, in boot-time milliseconds.
    used: bool,
    unused_since: Option<u64>,
}

/// A screen as text, kept since who looks again and again mostly finds nothing new.
struct ShownText {
    seq: u64,
    trim: bool,
    text: String,
}

impl Display {
    /// The screen, woken if it was at rest, and made now if there is none.
    pub(super) fn screen(&mut self, mode: Mode, size: Size) -> &mut Screen {
        self.used = true;
        let resting = &mut self.resting;
        self.awake.get_or_insert_with(|| {
            Box::new(match resting.take() {
                Some(resting) => resting.wake(),
                None => blank(mode, size, 0),
            })
        })
    }

    /// Whether there is one.
    pub(super) fn is_there(&self) -> bool {
        self.awake.is_some() || self.resting.is_some()
    }

    /// The screen, if it is not at rest.
    pub(super) fn awake(&self) -> Option<&Screen> {
        self.awake.as_deref()
    }

    /// Puts another one in its place.
    pub(super) fn replace(&mut self, mut screen: Screen) {
        if let Some(before) = self.of(Screen::seq, Resting::seq) {
            screen.follow(before);
        }
        self.used = true;
        self.resting = None;
        self.awake = Some(Box::new(screen));
    }

    /// What it shows, as [`Snapshot::text`] has it.
    pub(super) fn text(&mut self, mode: Mode, size: Size, trim: bool) -> Result<&str, TooLarge> {
        let known = self.text.take();
        let screen = self.screen(mode, size);
        let seq = screen.seq();
        let known = known.filter(|shown| (shown.seq, shown.trim) == (seq, trim));
        let shown = match known {
            Some(shown) => shown,
            None => {
                let text = Snapshot::new(screen, None, 0).text(trim)?;
                Box::new(ShownText { seq, trim, text })
            }
        };
        Ok(&self.text.insert(shown).text)
    }

    /// Puts it to rest if nobody has used it for `quiet` milliseconds and it can be
    /// painted again exactly.
    pub(super) fn rest(&mut self, now: u64, quiet: u64) -> Rest {
        if std::mem::take(&mut self.used) {
            self.unused_since = Some(now);
        }
        let Some(since) = self.unused_since.filter(|_| self.awake.is_some()) else {
            return Rest::Never;
        };
        if now < since.saturating_add(quiet) {
            return Rest::Later;
        }
        // One that cannot rest is tried again after it was used.
        self.unused_since = None;
        match self.put_to_rest() {
            true => Rest::Begun,
            false => Rest::Never,
        }
    }

    /// Puts it to rest now if that costs nothing; false if it is awake all the same.
    pub(super) fn rest_easily(&mut self) -> bool {
        if self.awake().is_some_and(Screen::rests_easily) {
            self.put_to_rest();
        }
        self.awake.is_none()
    }

    /// False if there is none that is awake, or it cannot rest.
    fn put_to_rest(&mut self) -> bool {
        match self.awake.take().map(|screen| screen.rest()) {
            Some(Ok(resting)) => {
                self.resting = Some(resting);
                self.text = None;
                true
            }
            Some(Err(screen)) => {
                self.awake = Some(screen);
                false
            }
            None => false,
        }
    }

    /// The window title; empty if there is none.
    pub(super) fn title(&self) -> &str {
        self.of(Screen::title, Resting::title).unwrap_or("")
    }

    /// The input modes.
    pub(super) fn modes(&self) -> Modes {
        self.of(Screen::modes, Resting::modes).unwrap_or_default()
    }

    /// Whether a full-screen program paints.
    pub(super) fn alt_screen(&self) -> bool {
        self.of(Screen::alt_screen, Resting::alt_screen)
            .unwrap_or_default()
    }

    fn of<'a, T>(
        &'a self,
        awake: impl FnOnce(&'a Screen) -> T,
        resting: impl FnOnce(&'a Resting) -> T,
    ) -> Option<T> {
        match &self.awake {
            Some(screen) => Some(awake(screen)),
            None => self.resting.as_deref().map(resting),
        }
    }
}

/// An empty screen, as programs of this mode expect it.
fn blank(mode: Mode, size: Size, scrollback: usize) -> Screen {
    let mut screen = Screen::with_scrollback(size, scrollback);
    if mode == Mode::Pipe {
        // No terminal has turned LF into CR LF, so the screen does (LNM).
        screen.feed(b"\x1b[20h");
    }
    screen
}

/// A screen on which `bytes` are painted anew, with so many lines above it. Parts on
/// which the emulator fails are left out.
pub(super) fn painted(mode: Mode, size: Size, scrollback: usize, bytes: &[u8]) -> Screen {
    let blank = || blank(mode, size, scrollback);
    let mut screen = blank();
    if !screen.feed(bytes).restarted {
        return screen;
    }
    let mut left_out = Vec::new();
    while left_out.len() <= MAX_LEFT_OUT {
        screen = blank();
        let failed = bytes
            .chunks(PART)
            .enumerate()
            .find(|(place, part)| !left_out.contains(place) && screen.feed(part).restarted);
        match failed {
            Some((place, _)) => left_out.push(place),
            None => return screen,
        }
    }
    blank()
}
