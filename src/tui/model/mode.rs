//! The modes. There is no focus but the mode, and it is always written at the bottom left.

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

/// Which mode it is, with what belongs to it alone.
pub enum Mode {
    /// Commands; no key reaches a job.
    Normal,
    /// Keys go to the job.
    Insert(Insert),
    /// Looking back through the log.
    Scroll(Box<Scroll>, Frame),
    /// Editing the list's filter.
    Filter(Line),
    /// Filling in the form for a new job.
    Prompt(Box<Form>),
    /// Answering a job in one line.
    Reply(Box<Reply>),
    /// Choosing a command by its name.
    Palette(Box<Palette>),
    /// A question.
    Confirm(Confirm),
    /// Choosing by a letter.
    Menu(Menu),
    /// Reading a page.
    Page(Box<Page>),
    /// What was found in all jobs.
    Found(Box<Found>),
    /// The keys; the line narrows them.
    Help(Help),
}

/// How the window is shared: what `i`, `Enter` and `s` change and leaving restores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// The pane alone.
    pub zoom: bool,
    /// In the stack: the pane, not the list.
    pub open: bool,
    /// Many panes instead of list and pane.
    pub grid: bool,
}

/// Typing into a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insert {
    /// Which job.
    pub id: SessionId,
    /// Jobs that get the same keys.
    pub also: Vec<SessionId>,
    /// Where leaving goes back to.
    pub back: Frame,
    /// The size that was asked for since typing began, rows and columns.
    pub asked: Option<(u16, u16)>,
}

impl Insert {
    /// All jobs that get the keys, the one that shows first.
    pub fn jobs(&self) -> Vec<SessionId> {
        let mut jobs = vec![self.id.clone()];
        jobs.extend(self.also.iter().cloned());
        jobs
    }
}

/// What a question is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Stop these jobs.
    Stop(Vec<SessionId>),
    /// Kill these jobs.
    Kill(Vec<SessionId>),
    /// Pause these jobs (`true`), or continue them.
    Pause(Vec<SessionId>, bool),
    /// Restart these jobs.
    Restart(Vec<SessionId>),
    /// Run the job again that was typed into and has ended.
    Again(Insert),
    /// Remove these jobs and their logs.
    Remove(Vec<SessionId>),
    /// Close the view and stop jobs.
    Quit,
    /// Send a paste that looks like more than was meant.
    Paste(Vec<u8>, Insert),
}

/// A question that waits for a letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirm {
    /// What it is about.
    pub ask: Ask,
}

/// The help screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Help {
    /// First line shown.
    pub top: usize,
    /// Only keys with this in them.
    pub filter: String,
}

impl Mode {
    /// Its name at the bottom left.
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

    /// What its badge says by its colour.
    pub fn tone(&self) -> Tone {
        match self {
            Self::Normal | Self::Help(_) | Self::Page(_) => Tone::Calm,
            // Keys that reach several jobs are worth an alarm for as long as they do.
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

    /// Where its keys are in the table.
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
