//! What a mode is. The mode is the only kind of focus, and it is always shown at the bottom left.
//!
//! A mode is a type with its state; it lives in a folder of its own in [`modes`](crate::tui::modes)
//! together with its keys, its updates and its drawing. The rest of the dashboard knows it only
//! through this trait.

use std::any::Any;

use ratatui::layout::Rect;

use super::Model;
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::message::Cmd;
use crate::tui::model::typing::Letter;
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;

/// Maximum number of modes that are set aside: more than a person remembers.
const MOST_ASIDE: usize = 8;

/// A mode of the dashboard.
pub trait Mode: Any {
    /// Its name, shown at the bottom left.
    fn name(&self) -> &'static str;

    /// The colour role of its badge.
    fn tone(&self) -> Tone {
        Tone::Busy
    }

    /// What it does with input.
    fn handlers(&self) -> Handlers;

    /// The job in the pane, if the mode chooses it instead of the list.
    fn job(&self) -> Option<&SessionId> {
        None
    }

    /// Whether keys are sent to the job in the pane.
    fn types(&self) -> bool {
        false
    }

    /// Whether keys move through the log in the pane.
    fn scrolls(&self) -> bool {
        false
    }

    /// What it needs of the window.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The frame that leaving restores, if the mode has changed the frame.
    fn back(&self) -> Option<Frame> {
        None
    }

    /// When it changes by itself while the daemon is connected, in milliseconds since the epoch.
    fn due(&self) -> Option<i64> {
        None
    }

    /// A job was removed. Returns whether the mode ends with it.
    fn forget(&mut self, _id: &SessionId) -> bool {
        false
    }

    /// The connection to the daemon broke, so pending requests will not be answered.
    fn disconnected(&mut self, _now_ms: i64) {}

    /// How it gives way when a person clicks on another job; `None` if it ignores such a click.
    fn yields(&self) -> Option<fn(&mut Model)> {
        None
    }

    /// How it ends without doing anything, if its letters turn out to be typed text; `None` if letters
    /// are text in it, or do no harm.
    fn declines(&self) -> Option<fn(&mut Model, &mut Vec<Cmd>)> {
        None
    }

    /// The name of the context of its keys, if they are letters that only move through what it shows. Text that is
    /// typed into it by mistake is held over it.
    fn reads(&self, _model: &Model) -> Option<&'static str> {
        None
    }

    /// What a letter does in a mode that reads.
    fn letter(&self, _model: &Model, _name: &str) -> Letter {
        Letter::Nothing
    }

    /// The part of the body that its box covers. No message is drawn over it.
    fn box_in(&self, _model: &Model, _body: Rect) -> Option<Rect> {
        None
    }

    /// Whether the mode that it covers stays visible below it.
    fn is_overlay(&self) -> bool {
        false
    }

    /// How it opens the list of all commands. NORMAL has it.
    fn commands(&self) -> Option<fn(&mut Model)> {
        None
    }

    /// Its status line as a bar of items, some of which are keys to click on; `None` if it draws
    /// the line itself.
    fn bar(&self, model: &Model, area: Rect) -> Option<Bar>;

    /// Draws its status line if that is not a bar.
    fn status(&self, _model: &Model, _area: Rect, _canvas: &mut Canvas) {}

    /// The keys that can be pressed now.
    fn hints(&self, _model: &Model) -> Hints {
        Hints::default()
    }

    /// Draws what it shows above the status line, over `body` or instead of it.
    fn draw(&self, _model: &Model, _body: Rect, _canvas: &mut Canvas) {}
}

/// What a mode does with input. These are functions of the whole model, because a mode changes more
/// than its own state.
#[derive(Clone, Copy)]
pub struct Handlers {
    /// Handles a key.
    pub key: fn(&mut Model, &KeyPress, &mut Vec<Cmd>),
    /// Handles pasted bytes.
    pub paste: fn(&mut Model, &[u8], &mut Vec<Cmd>),
    /// Scrolls what a mode shows that has the whole window by so many rows, positive downwards, as the wheel does.
    pub scroll: fn(&mut Model, isize),
    /// Adapts the mode after each message.
    pub reconcile: fn(&mut Model, &mut Vec<Cmd>),
}

impl Handlers {
    /// Handles keys only.
    pub const fn of_keys(key: fn(&mut Model, &KeyPress, &mut Vec<Cmd>)) -> Self {
        Self {
            key,
            paste: |_, _, _| {},
            scroll: |_, _| {},
            reconcile: |_, _| {},
        }
    }

    /// Handles keys and pasted text.
    pub const fn of_text(
        key: fn(&mut Model, &KeyPress, &mut Vec<Cmd>),
        paste: fn(&mut Model, &[u8], &mut Vec<Cmd>),
    ) -> Self {
        Self {
            paste,
            ..Self::of_keys(key)
        }
    }
}

/// What a mode needs of the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// All of it but the status line; list and panes are hidden.
    pub window: bool,
    /// The last lines of the job in the pane, even if no pane is visible.
    pub screen: bool,
    /// The resource usage of jobs.
    pub usage: bool,
    /// The list, also while a job is zoomed or has the window.
    pub list: bool,
    /// The line with hints, also below a zoomed job.
    pub hints: bool,
    /// Nothing: the whole window may belong to the job.
    pub nothing: bool,
}

/// The keys that can be pressed now, each with its meaning in a word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hints {
    /// The most useful first; what does not fit is dropped from the end.
    pub keys: Vec<Hint>,
    /// Those that leave the mode; dropped last.
    pub exits: Vec<Hint>,
}

/// A key and its description, as short as possible.
pub type Hint = (String, String);

/// How the window is shared. `i`, `Enter` and `s` change it; leaving restores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Show the pane alone.
    pub zoom: bool,
    /// In the stack layout, show the pane instead of the list.
    pub open: bool,
    /// Show the grid instead of list and pane.
    pub grid: bool,
}

/// A mode that the last key has left.
pub struct Left {
    /// The mode.
    pub mode: Box<dyn Mode>,
    /// The frame at that moment.
    pub frame: Frame,
    /// When that was, in milliseconds since the epoch.
    pub at: i64,
}

impl Model {
    /// The current mode.
    pub fn mode(&self) -> &dyn Mode {
        self.mode.as_deref().unwrap_or(self.normal)
    }

    /// The current mode, mutable; `None` in NORMAL, which has no state.
    pub fn mode_mut(&mut self) -> Option<&mut dyn Mode> {
        self.mode.as_deref_mut()
    }

    /// Whether this is NORMAL.
    pub fn is_normal(&self) -> bool {
        self.mode.is_none()
    }

    /// The mode below the current one, if that one covers another.
    pub fn covered(&self) -> Option<&dyn Mode> {
        self.covered.as_deref()
    }

    /// The same as [`covered`](Self::covered), mutable.
    pub fn covered_mut(&mut self) -> Option<&mut dyn Mode> {
        self.covered.as_deref_mut()
    }

    /// The covered mode, if it is visible.
    pub fn underlay(&self) -> Option<&dyn Mode> {
        self.covered().filter(|_| self.mode().is_overlay())
    }

    /// The state of mode `M`, if that is the current one or the one it covers.
    pub fn state<M: Mode>(&self) -> Option<&M> {
        let modes = [self.mode.as_deref(), self.covered.as_deref()];
        modes.into_iter().flatten().find_map(|mode| {
            let mode: &dyn Any = mode;
            mode.downcast_ref()
        })
    }

    /// The same as [`state`](Self::state), mutable.
    pub fn state_mut<M: Mode>(&mut self) -> Option<&mut M> {
        let modes = [self.mode.as_deref_mut(), self.covered.as_deref_mut()];
        modes.into_iter().flatten().find_map(|mode| {
            let mode: &mut dyn Any = mode;
            mode.downcast_mut()
        })
    }

    /// Ends mode `M` and returns its state, if that is the current one.
    pub fn take<M: Mode>(&mut self) -> Option<Box<M>> {
        let mode: &dyn Any = self.mode.as_deref()?;
        mode.downcast_ref::<M>()?;
        let mode: Box<dyn Any> = self.mode.take()?;
        mode.downcast().ok()
    }

    /// Changes to another mode.
    pub fn enter(&mut self, mode: impl Mode) {
        self.mode = Some(Box::new(mode));
    }

    /// Changes to another mode that covers the current one: leaving it leads back to that.
    pub fn cover(&mut self, mode: impl Mode) {
        self.covered = self.mode.replace(Box::new(mode));
    }

    /// Returns to the mode that this one covers, or to NORMAL.
    pub fn leave(&mut self) {
        self.mode = self.covered.take();
    }

    /// Ends the mode, and the one that it covers. Returns to NORMAL.
    pub fn leave_all(&mut self) {
        self.leave();
        if !self.is_normal() {
            let end = self.mode().yields().unwrap_or(Self::leave);
            end(self);
        }
    }

    /// Opens the list of all commands over the mode.
    pub fn open_commands(&mut self) {
        if let Some(open) = self.normal.commands() {
            open(self);
        }
    }

    /// What the modes that are visible need of the window.
    pub fn needs(&self) -> Needs {
        let own = self.mode().needs();
        let Some(below) = self.underlay().map(Mode::needs) else {
            return own;
        };
        Needs {
            window: own.window || below.window,
            screen: own.screen || below.screen,
            usage: own.usage || below.usage,
            list: own.list || below.list,
            hints: own.hints || below.hints,
            nothing: own.nothing,
        }
    }

    /// Whether a visible mode moves through the log in the pane.
    pub fn scrolls(&self) -> bool {
        self.mode().scrolls() || self.underlay().is_some_and(Mode::scrolls)
    }

    /// Returns to NORMAL, and keeps the mode for when it is opened again. Of many that are kept, the oldest is dropped.
    pub fn set_aside(&mut self) {
        self.aside.extend(self.mode.take());
        if self.aside.len() > MOST_ASIDE {
            self.aside.remove(0);
        }
    }

    /// Takes the mode that was set aside last, of those of type `M` that `is_meant` accepts.
    pub fn take_aside<M: Mode>(&mut self, is_meant: impl Fn(&M) -> bool) -> Option<M> {
        let at = self.aside.iter().rposition(|mode| {
            let mode: &dyn Any = mode.as_ref();
            mode.downcast_ref().is_some_and(&is_meant)
        })?;
        let mode: Box<dyn Any> = self.aside.remove(at);
        mode.downcast().ok().map(|mode| *mode)
    }

    /// The modes of type `M` that were set aside.
    pub fn aside_mut<M: Mode>(&mut self) -> impl Iterator<Item = &mut M> {
        self.aside.iter_mut().filter_map(|mode| {
            let mode: &mut dyn Any = mode.as_mut();
            mode.downcast_mut()
        })
    }
}
