//! A session's screen. It is created with the first output and put to rest while nobody uses it.

use crate::protocol::status::Mode;
use crate::protocol::terminal_progress::TerminalProgress;
use crate::term::colors::Colors;
use crate::term::modes::Modes;
use crate::term::screen::{Resting, Screen};
use crate::term::shell_report::ShellReport;
use crate::term::size::Size;
use crate::term::snapshot::{Snapshot, TooLarge};

/// After the emulator has failed on a log, the log is repainted in parts of this many bytes; at
/// most `MAX_LEFT_OUT` parts that fail are left out.
const PART: usize = 1024;
const MAX_LEFT_OUT: usize = 4;

/// How long a screen must be unused before it rests, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quiet {
    /// The first time.
    pub first_ms: u64,
    /// If it was woken soon again and again.
    pub longest_ms: u64,
}

/// Result of an attempt to put a screen to rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// There is no screen, it is already at rest, or it cannot rest.
    Never,
    /// It has just been put to rest.
    Begun,
    /// It was used too recently. It may rest after this many milliseconds.
    Later(u64),
}

#[derive(Default)]
pub(super) struct Display {
    awake: Option<Box<Screen>>,
    /// The resting form, which replaces the screen while nobody uses it.
    resting: Option<Box<Resting>>,
    /// The colours that the program is told, if they are not the usual ones.
    colors: Option<Box<Colors>>,
    /// The text that was last requested.
    text: Option<Box<ShownText>>,
    /// Whether the screen was used since the last call of [`Display::rest`], and when that call
    /// first found it unused, in boot-time milliseconds.
    used: bool,
    unused_since: Option<u64>,
    patience: Patience,
}

/// How long a screen must be unused before it rests. To rest and to wake cost about three milliseconds. A screen
/// that is woken soon after it began to rest therefore stays awake longer the next time.
#[derive(Default)]
struct Patience {
    /// How many times the time is doubled.
    doubled: u32,
    /// When the screen began to rest, in boot-time milliseconds.
    rested_at: Option<u64>,
}

/// A screen that rests longer than this, in milliseconds, has rested long enough to be worth it.
const WORTH_MS: u64 = 10_000;

impl Patience {
    fn ms(&self, quiet: Quiet) -> u64 {
        let factor = 1u64.checked_shl(self.doubled).unwrap_or(u64::MAX);
        quiet.first_ms.saturating_mul(factor).min(quiet.longest_ms)
    }

    /// Records that the screen has been used until `now`.
    fn used(&mut self, now: u64) {
        if let Some(at) = self.rested_at.take() {
            self.doubled = if now.saturating_sub(at) < WORTH_MS {
                (self.doubled + 1).min(u64::BITS)
            } else {
                0
            };
        }
    }
}

/// The screen as text. It is cached because clients that poll mostly find it unchanged.
struct ShownText {
    seq: u64,
    trim: bool,
    text: String,
}

impl Display {
    /// The screen. Wakes it if it is at rest, and creates it if there is none.
    pub(super) fn screen(&mut self, mode: Mode, size: Size) -> &mut Screen {
        self.used = true;
        let resting = &mut self.resting;
        self.awake.get_or_insert_with(|| {
            Box::new(match resting.take() {
                Some(resting) => resting.wake(),
                None => {
                    let mut screen = blank(mode, size, 0);
                    if let Some(colors) = &self.colors {
                        screen.set_colors(Colors::clone(colors));
                    }
                    screen
                }
            })
        })
    }

    /// Whether there is a screen, awake or at rest.
    pub(super) fn is_there(&self) -> bool {
        self.awake.is_some() || self.resting.is_some()
    }

    pub(super) fn awake(&self) -> Option<&Screen> {
        self.awake.as_deref()
    }

    /// Sets the colours that the program is told. Returns whether a screen has been told.
    pub(super) fn set_colors(&mut self, colors: &Colors) -> bool {
        if self.colors.as_deref() == Some(colors) {
            return false;
        }
        self.colors = Some(Box::new(colors.clone()));
        if let Some(resting) = self.resting.take() {
            self.awake = Some(Box::new(resting.wake()));
            self.used = true;
        }
        if let Some(screen) = &mut self.awake {
            screen.set_colors(colors.clone());
        }
        self.awake.is_some()
    }

    /// Replaces the screen.
    pub(super) fn replace(&mut self, mut screen: Screen) {
        if let Some(colors) = &self.colors {
            screen.set_colors(Colors::clone(colors));
        }
        if let Some(before) = self.of(Screen::seq, Resting::seq) {
            screen.follow(before);
        }
        self.used = true;
        self.resting = None;
        self.awake = Some(Box::new(screen));
    }

    /// The text of the screen, as returned by [`Snapshot::text`].
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

    pub(super) fn rests_after(&self, quiet: Quiet) -> u64 {
        self.patience.ms(quiet)
    }

    /// Puts the screen to rest if nobody has used it for long enough and it can be restored
    /// exactly.
    pub(super) fn rest(&mut self, now: u64, quiet: Quiet) -> Rest {
        if std::mem::take(&mut self.used) {
            self.unused_since = Some(now);
            self.patience.used(now);
        }
        let Some(since) = self.unused_since.filter(|_| self.awake.is_some()) else {
            return Rest::Never;
        };
        let quiet = self.patience.ms(quiet);
        if now < since.saturating_add(quiet) {
            return Rest::Later(quiet);
        }
        // A screen that cannot rest is tried again after its next use.
        self.unused_since = None;
        if self.put_to_rest() {
            self.patience.rested_at = Some(now);
            Rest::Begun
        } else {
            Rest::Never
        }
    }

    /// Puts the screen to rest now if that is cheap. Returns false if it is still awake.
    pub(super) fn rest_easily(&mut self) -> bool {
        if self.awake().is_some_and(Screen::rests_easily) {
            self.put_to_rest();
        }
        self.awake.is_none()
    }

    /// Returns false if no screen is awake or it cannot rest.
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

    /// The progress that the program reports.
    pub(super) fn progress(&self) -> Option<TerminalProgress> {
        self.of(Screen::progress, Resting::progress).flatten()
    }

    /// What a shell has reported.
    pub(super) fn shell(&self) -> Option<&ShellReport> {
        self.of(Screen::shell, Resting::shell)
    }

    pub(super) fn modes(&self) -> Modes {
        self.of(Screen::modes, Resting::modes).unwrap_or_default()
    }

    /// Whether a full-screen program uses the alternate screen.
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

/// An empty screen, set up for programs of this mode.
fn blank(mode: Mode, size: Size, scrollback: usize) -> Screen {
    let mut screen = Screen::with_scrollback(size, scrollback);
    if mode == Mode::Pipe {
        // With pipes no terminal turns LF into CR LF, so the screen does it (LNM).
        screen.feed(b"\x1b[20h");
    }
    screen
}

/// A new screen with `bytes` painted on it and `scrollback` lines above it. Parts on which the
/// emulator fails are left out.
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

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Quiet = Quiet {
        first_ms: 300,
        longest_ms: 1000,
    };

    #[test]
    fn a_screen_that_is_woken_soon_rests_later_the_next_time() {
        let size = Size::new(4, 20);
        let mut display = Display::default();
        let wake = |display: &mut Display| {
            display.screen(Mode::Pty, size).feed(&[b'x'; 5000]);
        };
        let mut now = 0;
        let mut rested_after = |display: &mut Display, sleeps: u64| {
            wake(display);
            let mut waited = 0;
            loop {
                match display.rest(now, QUIET) {
                    Rest::Later(ms) => {
                        now += ms;
                        waited += ms;
                    }
                    Rest::Begun => break,
                    Rest::Never => unreachable!("there is a screen"),
                }
            }
            assert!(display.awake().is_none() && display.is_there());
            now += sleeps;
            waited
        };
        assert_eq!(rested_after(&mut display, 100), 300);
        assert_eq!(rested_after(&mut display, 100), 600);
        assert_eq!(rested_after(&mut display, 100), 1000, "the longest");
        assert_eq!(rested_after(&mut display, WORTH_MS), 1000);
        assert_eq!(rested_after(&mut display, 0), 300, "it rested for long");
    }
}
