//! The window: set up when the view opens, and put back on every way out, panic included.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, SetCursorStyle, Show};
use crossterm::execute;
use crossterm::style::force_color_output;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};

use super::input::Hold;
use crate::term::sanitize::clean;
use crate::term::screen::CursorShape;
use crate::term::screen::contains_panic;

/// Bracketed paste on: a paste is told from typing.
const PASTE_ON: &str = "\x1b[?2004h";
/// Focus reports on, and the window's title kept for later.
const ASIDE_ON: &str = "\x1b[?1004h\x1b[22;2t";
/// The window's title as it was, and focus reports off.
const ASIDE_OFF: &str = "\x1b[23;2t\x1b[?1004l";

/// Bracketed paste off.
const PASTE_OFF: &str = "\x1b[?2004l";

/// Mouse reports on: buttons, movement with one held, coordinates as numbers. Not every movement (1003): it wakes
/// the view for nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Mouse reports off.
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// Whether the window is ours, so that putting it back twice does no harm.
static OURS: AtomicBool = AtomicBool::new(false);

/// The window while it is ours; dropping it puts it back.
pub struct Terminal {
    inner: ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    shape: CursorShape,
    mouse: bool,
    input: Option<Hold>,
    /// What the window is called, once it is called something.
    title: String,
}

impl Terminal {
    /// Takes the window, and the mouse if it is wanted. From here on a panic puts it back before it says anything.
    pub fn open(mouse: bool) -> io::Result<Self> {
        // Left alone, crossterm obeys NO_COLOR for the jobs' colours too; ours are the theme's business.
        force_color_output(true);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // The pane goes on with an empty screen; the window is as good as before.
            if !contains_panic() {
                restore();
                before(info);
            }
        }));
        take(mouse)?;
        let backend = CrosstermBackend::new(BufWriter::with_capacity(64 * 1024, io::stdout()));
        Ok(Self {
            inner: ratatui::Terminal::new(backend)?,
            shape: CursorShape::Block,
            mouse,
            input: None,
            title: String::new(),
        })
    }

    /// What reads the terminal from now on; it holds still while the window is lent.
    pub fn read_by(&mut self, input: Hold) {
        self.input = Some(input);
    }

    /// Paints a frame; only what changed is written.
    pub fn draw(&mut self, paint: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.inner.draw(paint)?;
        self.inner.backend_mut().flush()
    }

    /// The shape of the cursor, if it changed.
    pub fn cursor_shape(&mut self, shape: CursorShape) -> io::Result<()> {
        if shape == self.shape {
            return Ok(());
        }
        self.shape = shape;
        let style = match shape {
            CursorShape::Block => SetCursorStyle::DefaultUserShape,
            CursorShape::Underline => SetCursorStyle::SteadyUnderScore,
            CursorShape::Bar => SetCursorStyle::SteadyBar,
        };
        execute!(self.inner.backend_mut(), style)
    }

    /// Forgets what was painted: the next frame is painted whole.
    ///
    /// Not by ratatui's `clear`, which asks the terminal where the cursor is and waits for an answer that our own
    /// reader takes for typing; its `resize` clears without asking.
    pub fn clear(&mut self) -> io::Result<()> {
        let size = self.inner.size()?;
        self.inner.resize(Rect::from((Position::ORIGIN, size)))
    }

    /// Gives the window back, to the shell or to another program, until `meanwhile` returns.
    pub fn lend(&mut self, meanwhile: impl FnOnce()) -> io::Result<()> {
        restore();
        let still = self.input.as_ref().map(Hold::still);
        meanwhile();
        drop(still);
        take(self.mouse)?;
        self.shape = CursorShape::Block;
        let title = std::mem::take(&mut self.title);
        if !title.is_empty() {
            self.title(&title)?;
        }
        self.clear()
    }

    /// Calls the window so. The console of Linux has no title and would show the text.
    pub fn title(&mut self, title: &str) -> io::Result<()> {
        title.clone_into(&mut self.title);
        if std::env::var("TERM").is_ok_and(|term| term == "linux") {
            return Ok(());
        }
        self.send(&format!("\x1b]2;{}\x07", clean(title)))
    }

    /// Asks for what the mouse does, or leaves the mouse to the terminal.
    pub fn mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        self.send(if on { MOUSE_ON } else { MOUSE_OFF })
    }

    /// Sends a sequence that paints nothing.
    pub fn send(&mut self, sequence: &str) -> io::Result<()> {
        let out = self.inner.backend_mut();
        out.write_all(sequence.as_bytes())?;
        Write::flush(out)
    }

    /// Asks the terminal something; what it answers comes as input.
    pub fn ask(&mut self, query: &[u8]) -> io::Result<()> {
        self.inner.backend_mut().write_all(query)?;
        Write::flush(self.inner.backend_mut())
    }

    /// Columns and rows.
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
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, Hide)?;
    out.write_all(PASTE_ON.as_bytes())?;
    if mouse {
        out.write_all(MOUSE_ON.as_bytes())?;
    }
    out.write_all(ASIDE_ON.as_bytes())?;
    out.flush()
}

/// Puts the window back. Failures are passed over: there is nothing left to put back, or nobody to tell.
fn restore() {
    if !OURS.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = out.write_all(ASIDE_OFF.as_bytes());
    let _ = out.write_all(PASTE_OFF.as_bytes());
    // Whether it is on is not known here, and off twice does no harm.
    let _ = out.write_all(MOUSE_OFF.as_bytes());
    let _ = execute!(
        out,
        SetCursorStyle::DefaultUserShape,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}
