//! The output of a session: its offsets, its lines and its screen.
//!
//! Bytes arrive from the log in the order of their offsets, as fast as the daemon reads them. The
//! screen is created with the first output. Lines of clean text are counted but not stored; with
//! the checkpoints, any part of the log can be rendered again.

mod shown;

use std::ops::Range;

use super::Now;
use super::checkpoints::Checkpoints;
use super::display::{self, Display, Quiet, Rest};
use super::layouts::Layouts;
use super::line_counter::LineCounter;
use super::sizes::Sizes;
use super::sync_update::SyncUpdate;
use crate::protocol::status::Mode;
use crate::protocol::terminal_progress::TerminalProgress;
use crate::protocol::{Scope, Timestamp};
use crate::term::colors::Colors;
use crate::term::modes::Modes;
use crate::term::plain::{Checkpoint, Layout, LayoutKind, Plain};
use crate::term::screen::{Fed, Screen};
use crate::term::shell_report::ShellReport;
use crate::term::size::Size;
use crate::term::snapshot::TooLarge;
use shown::Shown;

/// Changes caused by a piece of output.
#[derive(Debug, Default)]
pub struct OutputChanges {
    /// Whether the screen changed.
    pub screen: bool,
    /// Number of bells.
    pub bells: u32,
    /// Whether the title changed.
    pub title: bool,
    /// Whether the screen was restarted after a failure of the emulator.
    pub restarted: bool,
    /// The terminal's answers to queries of the program.
    pub replies: Vec<u8>,
}

impl OutputChanges {
    /// Adds the changes of later output.
    pub fn add(&mut self, later: Self) {
        self.screen |= later.screen;
        self.bells += later.bells;
        self.title |= later.title;
        self.restarted |= later.restarted;
        self.replies.extend(later.replies);
    }
}

/// The output of one session.
pub struct Output {
    pub(super) mode: Mode,
    pub(super) size: Size,
    sizes: Sizes,
    pub(super) first: u64,
    pub(super) end: u64,
    display: Display,
    pub(super) lines: LineCounter,
    pub(super) checkpoints: Checkpoints,
    update: SyncUpdate,
    /// Number of newlines before `end`.
    pub(super) newlines: u64,
    /// Number of newlines before the first line that is kept, if it is known.
    pub(super) newlines_before: Option<u64>,
    last_output: Option<Now>,
    /// Output up to this offset was written at this time or earlier, under an earlier daemon.
    past: Option<(u64, Now)>,
    /// Value of `end` when the emulator last failed.
    failed_at: Option<u64>,
    /// Number of emulator failures.
    failures: u32,
    /// Where the alternate screen was switched on under which the size has changed. That has cut the main screen.
    main_outdated_at: Option<u64>,
    shown: Shown,
}

impl Output {
    /// Creates an empty output.
    pub fn new(mode: Mode, size: Size) -> Self {
        Self {
            update: SyncUpdate::default(),
            mode,
            size,
            sizes: Sizes::new(size),
            first: 0,
            end: 0,
            display: Display::default(),
            lines: LineCounter::from(Checkpoint {
                exact: true,
                ..Checkpoint::at(0)
            }),
            checkpoints: Checkpoints::default(),
            newlines: 0,
            newlines_before: None,
            last_output: None,
            past: None,
            failed_at: None,
            failures: 0,
            main_outdated_at: None,
            shown: Shown::default(),
        }
    }

    /// Processes the bytes that follow [`Output::end`]. They were written for one size.
    pub fn feed(&mut self, bytes: &[u8], now: Now) -> OutputChanges {
        self.renderer().feed(bytes);
        self.end += bytes.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.wrote(now);
        self.keep_checkpoints();
        self.paint(bytes, now)
    }

    /// How long the screen is still incomplete, in milliseconds. See [`SyncUpdate::left`].
    pub fn update_left(&self, now: Now) -> u64 {
        self.update.left(now)
    }

    /// When the screen counts as complete. See [`SyncUpdate::ends_at`].
    pub fn update_ends_at(&self, now: u64) -> Option<u64> {
        self.update.ends_at(now)
    }

    /// What a terminal has to be sent so that the next run finds it as a new one would be: the program may have left its
    /// full-screen mode, its colours and the line in which it was ended. Empty if nothing is to be done.
    pub fn reset_for_next_run(&mut self) -> String {
        if self.mode == Mode::Pipe || self.end == 0 {
            return String::new();
        }
        self.screen().reset_for_next_run()
    }

    /// The renderer that turns the output into lines, at the size for which the next byte was written. While a new daemon
    /// reads earlier output, that is not the size of the screen.
    pub(super) fn renderer(&mut self) -> &mut Plain {
        let layout = self.layout_at(self.end);
        let lines = self.lines.renderer(layout);
        lines.resize(layout.size);
        lines
    }

    /// Paints bytes on the screen.
    pub(super) fn paint(&mut self, bytes: &[u8], now: Now) -> OutputChanges {
        let end = self.end;
        let screen = self.screen();
        let Fed {
            changed,
            bells,
            title_changed,
            restarted,
        } = screen.feed(bytes);
        if changed {
            screen.changed_at(end);
        }
        let update = screen.update();
        self.update.note(update, now);
        let replies = self.take_replies();
        if restarted {
            self.failed_at = Some(self.end);
            self.failures += 1;
        }
        OutputChanges {
            screen: changed,
            bells,
            title: title_changed,
            restarted,
            replies,
        }
    }

    pub(super) fn keep_checkpoints(&mut self) {
        for checkpoint in self.renderer().take_checkpoints() {
            self.checkpoints.insert(checkpoint);
        }
    }

    /// Records that the output up to `end` was written at `at` or earlier.
    pub fn was_written(&mut self, end: u64, at: Now) {
        self.past = Some((end, at));
    }

    /// Updates the time of the last output, after [`Output::end`] has advanced.
    pub(super) fn wrote(&mut self, now: Now) {
        let past = self.past.filter(|(end, _)| self.end <= *end);
        self.last_output = Some(past.map_or(now, |(_, at)| at));
    }

    /// A checkpoint at the end of the output, before any incomplete sequence.
    pub fn here(&self) -> Checkpoint {
        Checkpoint {
            offset: self.lines.clean_offset(),
            line: self.next_line(),
            row: 0,
            alt: self.lines.alt_screen(),
            exact: false,
        }
    }

    /// An offset after which no byte has switched the alternate screen on or off. The last switch
    /// may be at an earlier offset.
    pub fn alt_since(&self) -> u64 {
        self.lines.alt_since()
    }

    /// Continues at `offset`, because the bytes between [`Output::end`] and `offset` were lost.
    pub fn skip_to(&mut self, offset: u64) {
        if offset <= self.end {
            return;
        }
        let line = self.next_line();
        let alt = self.lines.alt_screen();
        let at = Checkpoint {
            offset,
            line,
            row: 0,
            alt,
            exact: false,
        };
        self.lines = LineCounter::from(at);
        self.checkpoints.push(at);
        self.end = offset;
    }

    /// Sets the colours that the program is told when it asks. Returns what it is to be told now.
    pub fn set_colors(&mut self, colors: &Colors) -> Vec<u8> {
        if self.display.set_colors(colors) {
            self.take_replies()
        } else {
            Vec::new()
        }
    }

    fn take_replies(&mut self) -> Vec<u8> {
        match self.mode {
            Mode::Pty => self.screen().take_replies(),
            // A program cannot read answers when it runs with pipes.
            Mode::Pipe => Vec::new(),
        }
    }

    /// Changes the size, and returns what the program is to be told. A narrower screen loses the text beyond its
    /// last column, and a lower one its first rows, so the daemon then repaints it from the log if it can
    /// ([`Output::replace_screen`]).
    pub fn resize(&mut self, size: Size) -> Vec<u8> {
        self.size = size;
        if self.alt_screen() {
            let since = self.alt_since();
            self.main_outdated_at.get_or_insert(since);
        }
        self.sizes.push(self.end, size);
        if !self.display.is_there() {
            return Vec::new();
        }
        self.screen().resize(size);
        self.take_replies()
    }

    /// The output that was on the alternate screen, if the main screen is on again and has to be repainted because the size
    /// has changed meanwhile. Returned only once.
    pub fn take_outdated_main(&mut self) -> Option<Range<u64>> {
        let begin = self.main_outdated_at.filter(|_| !self.alt_screen())?;
        self.main_outdated_at = None;
        Some(begin..self.alt_since())
    }

    /// Replaces the screen with one that was painted from the log.
    pub fn replace_screen(&mut self, screen: Screen) {
        self.display.replace(screen);
    }

    /// Value of [`Output::end`] when the emulator last failed. The screen was repainted after that.
    pub fn failed_at(&self) -> Option<u64> {
        self.failed_at
    }

    /// Number of emulator failures.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// The screen. Creates it if there was no output yet, and wakes it if it is at rest.
    pub fn screen(&mut self) -> &mut Screen {
        self.display.screen(self.mode, self.size)
    }

    /// The text of the screen, as returned by
    /// [`Snapshot::text`](crate::term::snapshot::Snapshot::text).
    pub fn text(&mut self, trim: bool) -> Result<&str, TooLarge> {
        self.display.text(self.mode, self.size, trim)
    }

    /// How long the screen must be unused before it rests, in milliseconds.
    pub fn rests_after(&self, quiet: Quiet) -> u64 {
        self.display.rests_after(quiet)
    }

    /// Puts the screen to rest if nobody has used it for long enough and it can be restored exactly.
    pub fn rest(&mut self, now: u64, quiet: Quiet) -> Rest {
        self.display.rest(now, quiet)
    }

    /// Puts the screen to rest now if that is cheap. Returns false if it is still awake.
    pub fn rest_easily(&mut self) -> bool {
        self.display.rest_easily()
    }

    /// A new screen with `scrollback` lines of history, on which `bytes` of this session's output
    /// are painted. Parts on which the emulator fails are left out.
    pub fn painted(&self, size: Size, scrollback: usize, bytes: &[u8]) -> Screen {
        display::painted(self.mode, size, scrollback, bytes)
    }

    /// The sizes that the terminal has had.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Restores the sizes recorded by an earlier daemon.
    pub fn restore_sizes(&mut self, sizes: Sizes) {
        if !sizes.is_constant() {
            self.sizes = sizes;
        }
    }

    /// The screen, woken if it was at rest; `None` if there was no output.
    pub fn screen_if_any(&mut self) -> Option<&Screen> {
        let any = self.display.is_there();
        any.then(|| &*self.screen())
    }

    /// The screen; `None` if there was no output or it is at rest.
    pub fn awake_screen(&self) -> Option<&Screen> {
        self.display.awake()
    }

    /// The window title; empty if there is none.
    pub fn title(&self) -> &str {
        self.display.title()
    }

    /// The progress that the program reports.
    pub fn progress(&self) -> Option<TerminalProgress> {
        self.display.progress()
    }

    /// What a shell has reported.
    pub fn shell(&self) -> Option<&ShellReport> {
        self.display.shell()
    }

    /// The input modes.
    pub fn modes(&self) -> Modes {
        self.display.modes()
    }

    /// Offset after the last byte processed.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Offset of the first byte that is kept.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Size of the terminal.
    pub fn size(&self) -> Size {
        self.size
    }

    /// How the next byte is laid out as lines.
    pub fn layout(&self) -> Layout {
        self.layout_at(self.end)
    }

    /// How the byte at `offset` is laid out as lines.
    pub fn layout_at(&self, offset: u64) -> Layout {
        Layout {
            size: self.sizes.at(offset).unwrap_or(self.size),
            kind: kind(self.mode),
        }
    }

    /// How all bytes are laid out as lines.
    pub fn layouts(&self) -> Layouts {
        Layouts::new(kind(self.mode), self.sizes.clone())
    }

    /// Number of lines of clean text so far.
    pub fn total_lines(&self) -> u64 {
        self.lines.total_lines()
    }

    /// Number of the line to which the next byte belongs.
    pub fn next_line(&self) -> u64 {
        self.lines.next_line()
    }

    /// Whether a full-screen program uses the alternate screen.
    pub fn alt_screen(&self) -> bool {
        self.display.alt_screen()
    }

    /// Whether a program draws the whole screen without the alternate one, as `top` and `dialog` do.
    ///
    /// Libraries for the screen, such as curses, set the mode of the cursor keys. Line editors that set it, as
    /// zsh's may, set bracketed paste, too.
    pub fn draws_main_screen(&self) -> bool {
        let modes = self.modes();
        modes.app_cursor && !modes.bracketed_paste && !self.alt_screen()
    }

    /// Time of the last output.
    pub fn last_output_at(&self) -> Option<Timestamp> {
        self.last_output.map(|now| now.wall)
    }

    /// Time of the last output, in boot-time milliseconds.
    pub fn last_output_boot(&self) -> Option<u64> {
        self.last_output.map(|now| now.boot)
    }

    /// The checkpoints to render from.
    pub fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }

    /// Keeps a checkpoint at the current end, because a client will read on from here.
    pub fn remember_here(&mut self) {
        let here = self.here();
        // An incomplete sequence would have to be rendered again.
        if here.offset == self.end {
            self.checkpoints.remember(here);
        }
    }

    /// Offset up to which `scope` has been shown the output.
    pub fn shown(&self, scope: &Scope) -> u64 {
        self.shown.of(scope)
    }

    /// Records that `scope` has been shown everything up to `offset`.
    pub fn show(&mut self, scope: &Scope, offset: u64) {
        if offset == self.end {
            self.remember_here();
        }
        self.shown.add(scope, offset);
    }
}

fn kind(mode: Mode) -> LayoutKind {
    match mode {
        Mode::Pty => LayoutKind::Terminal,
        Mode::Pipe => LayoutKind::Pipe,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
