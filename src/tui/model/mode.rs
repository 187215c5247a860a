//! The modes. The mode is the only kind of focus, and it is always shown at the bottom left.

use super::form::Form;
use super::found::Found;
use super::line::Line;
use super::menu::Menu;
use super::page::Page;
use super::palette::Palette;
use super::reply::Reply;
use super::scroll::Scroll;
use crate::protocol::SessionId;
use crate::tui::keymap::Place;
use crate::tui::theme::Tone;

/// The current mode and the state that belongs to it.
pub enum Mode {
    /// Keys are commands; none reaches a job.
    Normal,
    /// Keys are sent to the job.
    Insert(Insert),
    /// Scrolling back through the log.
    Scroll(Box<Scroll>, Frame),
    /// Editing the filter of the list.
    Filter(Line),
    /// Filling in the form for a new job.
    Prompt(Box<Form>),
    /// Typing a one-line reply to a job.
    Reply(Box<Reply>),
    /// Choosing a command by name.
    Palette(Box<Palette>),
    /// Answering a confirmation.
    Confirm(Confirm),
    /// Choosing from a menu by a letter.
    Menu(Menu),
    /// Reading a page.
    Page(Box<Page>),
    /// Search results of all jobs.
    Found(Box<Found>),
    /// The help screen.
    Help(Help),
}

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

/// State of INSERT.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insert {
    /// The job typed into.
    pub id: SessionId,
    /// Other jobs that get the same keys.
    pub also: Vec<SessionId>,
    /// The frame to restore on leaving.
    pub back: Frame,
    /// The size (rows, columns) requested for the job since INSERT began.
    pub asked: Option<(u16, u16)>,
}

impl Insert {
    /// All jobs that get the keys, the shown one first.
    pub fn jobs(&self) -> Vec<SessionId> {
        let mut jobs = vec![self.id.clone()];
        jobs.extend(self.also.iter().cloned());
        jobs
    }
}

/// What a confirmation is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Stop these jobs.
    Stop(Vec<SessionId>),
    /// Kill these jobs.
    Kill(Vec<SessionId>),
    /// Pause these jobs (`true`) or continue them.
    Pause(Vec<SessionId>, bool),
    /// Restart these jobs.
    Restart(Vec<SessionId>),
    /// Run the job of INSERT again after it has ended.
    Again(Insert),
    /// Remove these jobs and their logs.
    Remove(Vec<SessionId>),
    /// Close the view and stop the jobs.
    Quit,
    /// Send a paste that is long or contains control characters.
    Paste(Vec<u8>, Insert),
}

/// A question that is answered with a letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirm {
    /// What the question is about.
    pub ask: Ask,
}

/// The help screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Help {
    /// Index of the first visible line.
    pub top: usize,
    /// Only key bindings that contain this text are shown.
    pub filter: String,
}

impl Mode {
    /// The name of the mode, shown at the bottom left.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Normal => "NORMAL",
            Self::Insert(_) => "INSERT",
            Self::Scroll(..) => "SCROLL",
            Self::Filter(_) => "FILTER",
            Self::Prompt(_) | Self::Reply(_) | Self::Palette(_) => "PROMPT",
            Self::Confirm(_) => "CONFIRM",
            Self::Menu(menu) => menu.name(),
            Self::Page(page) => page.name(),
            Self::Found(_) => "FOUND",
            Self::Help(_) => "HELP",
        }
    }

    /// The colour role of the mode's badge.
    pub fn tone(&self) -> Tone {
        match self {
            Self::Normal | Self::Help(_) | Self::Page(_) => Tone::Calm,
            // Typing into several jobs at once deserves an alarm colour.
            Self::Insert(insert) if !insert.also.is_empty() => Tone::Alarm,
            Self::Insert(_) => Tone::Live,
            Self::Scroll(..)
            | Self::Filter(_)
            | Self::Prompt(_)
            | Self::Reply(_)
            | Self::Palette(_)
            | Self::Menu(_)
            | Self::Found(_) => Tone::Busy,
            Self::Confirm(_) => Tone::Alarm,
        }
    }

    /// The place of its key bindings in the table.
    pub fn place(&self) -> Place {
        match self {
            Self::Normal => Place::Normal,
            Self::Insert(_) => Place::Insert,
            Self::Scroll(..) => Place::Scroll,
            Self::Filter(_) => Place::Filter,
            Self::Prompt(_) => Place::Prompt,
            Self::Reply(_) => Place::Reply,
            Self::Palette(_) => Place::Palette,
            Self::Menu(menu) => menu.place,
            Self::Page(_) => Place::Page,
            Self::Found(_) => Place::Found,
            Self::Confirm(_) => Place::Confirm,
            Self::Help(_) => Place::Help,
        }
    }
}
