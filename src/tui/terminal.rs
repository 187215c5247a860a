//! The window: set up when the view opens, and restored on every exit, including panics.

use std::io::{self, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, SetCursorStyle, Show};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::Rect;

use super::window::{Abilities, Canvas, Window};
use crate::term::keyboard::KeyProtocol;
use crate::term::sanitize::clean;
use crate::term::screen::CursorShape;
use crate::term::screen::contains_panic;

/// Enables bracketed paste, which distinguishes a paste from typing.
const PASTE_ON: &str = "\x1b[?2004h";
/// Enables focus reports and saves the window title.
const ASIDE_ON: &str = "\x1b[?1004h\x1b[22;2t";
/// Restores the window title and disables focus reports.
const ASIDE_OFF: &str = "\x1b[23;2t\x1b[?1004l";

/// Disables bracketed paste.
const PASTE_OFF: &str = "\x1b[?2004l";

/// Enables mouse reports: buttons, movement while a button is held, SGR coordinates. Does not
/// enable reports of all movement (1003), which would wake the view for nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Disables mouse reports.
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// Whether the window is taken, so that restoring it is idempotent.
static OURS: AtomicBool = AtomicBool::new(false);

/// Whether the terminal has been told to report keys in another way.
static HAS_KEYS: AtomicBool = AtomicBool::new(false);

/// Resets that: the kitty protocol and modifyOtherKeys.
const KEYS_OFF: &str = "\x1b[=0;1u\x1b[>4m";

/// The window while the dashboard uses it; dropping this restores it.
pub struct Terminal {
    window: Window<Stdout>,
    shape: CursorShape,
    mouse: bool,
    loan: Loan,
    keys: KeyProtocol,
    /// The current title of the window; empty if none was set.
    title: String,
}

/// Whether another program has the terminal.
#[derive(Clone, Default)]
pub struct Loan {
    is_lent: Arc<AtomicBool>,
    was_lent: Arc<AtomicBool>,
}

impl Loan {
    /// Set while another program has it.
    pub fn is_lent(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_lent)
    }

    /// Whether another program had it since the last call.
    pub fn take_was_lent(&self) -> bool {
        self.was_lent.swap(false, Ordering::SeqCst)
    }

    fn during(&self, meanwhile: impl FnOnce()) {
        self.is_lent.store(true, Ordering::SeqCst);
        meanwhile();
        self.is_lent.store(false, Ordering::SeqCst);
        self.was_lent.store(true, Ordering::SeqCst);
    }
}

impl Terminal {
    /// Takes the window, and the mouse if requested. From now on a panic restores the window before
    /// it prints its message.
    pub fn open(mouse: bool) -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // A contained panic only blanks the pane; the window stays usable.
            if !contains_panic() {
                restore();
                before(info);
            }
        }));
        take(mouse)?;
        Ok(Self {
            window: Window::new(io::stdout()),
            shape: CursorShape::Block,
            mouse,
            loan: Loan::default(),
            keys: KeyProtocol::default(),
            title: String::new(),
        })
    }

    /// Tells whether the terminal is lent.
    pub fn loan(&self) -> Loan {
        self.loan.clone()
    }

    /// Draws a frame in a window of this size; only changes are written.
    pub fn draw(&mut self, size: (u16, u16), paint: impl FnOnce(&mut Canvas)) -> io::Result<()> {
        self.window.draw(size, paint)
    }

    /// Draws an area of the window again; see [`Window::redraw`].
    pub fn redraw(&mut self, area: Rect, paint: impl FnOnce(&mut Canvas)) -> io::Result<bool> {
        self.window.redraw(area, paint)
    }

    /// Tells what the terminal can show.
    pub fn set_abilities(&mut self, can: Abilities) {
        self.window.set_abilities(can);
    }

    /// Sets the shape of the cursor if it has changed.
    pub fn cursor_shape(&mut self, shape: CursorShape) -> io::Result<()> {
        if shape == self.shape {
            return Ok(());
        }
        self.shape = shape;
        // DECSCUSR.
        self.send(match shape {
            CursorShape::Block => "\x1b[0 q",
            CursorShape::Underline => "\x1b[4 q",
            CursorShape::Bar => "\x1b[6 q",
        })
    }

    /// Forgets what was drawn, so that the next frame is drawn completely.
    pub fn clear(&mut self) {
        self.window.forget();
    }

    /// Lends the window to the shell or to another program until `meanwhile` returns.
    pub fn lend(&mut self, meanwhile: impl FnOnce()) -> io::Result<()> {
        restore();
        self.loan.during(meanwhile);
        take(self.mouse)?;
        self.shape = CursorShape::Block;
        self.keys = KeyProtocol::default();
        let title = std::mem::take(&mut self.title);
        if !title.is_empty() {
            self.title(&title)?;
        }
        self.clear();
        Ok(())
    }

    /// Sets the window title. Skipped on the Linux console, which has no title and would print the
    /// text.
    pub fn title(&mut self, title: &str) -> io::Result<()> {
        title.clone_into(&mut self.title);
        if std::env::var("TERM").is_ok_and(|term| term == "linux") {
            return Ok(());
        }
        self.send(&format!("\x1b]2;{}\x07", clean(title)))
    }

    /// Switches how the terminal reports keys, if that has changed.
    pub fn keys(&mut self, protocol: KeyProtocol) -> io::Result<()> {
        if protocol == self.keys {
            return Ok(());
        }
        let mut change = String::new();
        protocol.push_change(self.keys, &mut change);
        self.keys = protocol;
        HAS_KEYS.fetch_or(!protocol.is_legacy(), Ordering::SeqCst);
        self.send(&change)
    }

    /// Enables or disables mouse reports.
    pub fn mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        self.send(if on { MOUSE_ON } else { MOUSE_OFF })
    }

    /// Sends a sequence that draws nothing. The answer to a query arrives as input.
    pub fn send(&mut self, sequence: &str) -> io::Result<()> {
        self.window.send(sequence.as_bytes())
    }

    /// Columns and rows of the window.
    pub fn size() -> io::Result<(u16, u16)> {
        crossterm::terminal::size()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn take(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    OURS.store(true, Ordering::SeqCst);
    // Nobody else restores a window that was taken in part.
    set_up(mouse).inspect_err(|_| restore())
}

fn set_up(mouse: bool) -> io::Result<()> {
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, Hide)?;
    out.write_all(PASTE_ON.as_bytes())?;
    if mouse {
        out.write_all(MOUSE_ON.as_bytes())?;
    }
    out.write_all(ASIDE_ON.as_bytes())?;
    out.flush()
}

/// Restores the window. Errors are ignored: there is nothing left to restore, or nobody to tell.
fn restore() {
    if !OURS.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    if HAS_KEYS.swap(false, Ordering::SeqCst) {
        let _ = out.write_all(KEYS_OFF.as_bytes());
    }
    let _ = out.write_all(ASIDE_OFF.as_bytes());
    let _ = out.write_all(PASTE_OFF.as_bytes());
    // Whether mouse reports are on is unknown here, and disabling them twice is harmless.
    let _ = out.write_all(MOUSE_OFF.as_bytes());
    let _ = execute!(
        out,
        SetCursorStyle::DefaultUserShape,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}
