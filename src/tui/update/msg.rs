//! Messages to the view, and the effects that it requests.

use serde_json::Value;

use crate::protocol::{Action, Error, Event, SessionId};
use crate::tui::model::Moment;
use crate::tui::model::card;
use crate::tui::model::scroll::Part;

/// A message with its time.
#[derive(Clone, Debug)]
pub struct Msg {
    /// When it happened.
    pub now: Moment,
    /// What happened.
    pub what: What,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum What {
    /// Bytes from the terminal.
    Input(Vec<u8>),
    /// The window has this many columns and rows.
    Window(u16, u16),
    /// Something came from the daemon.
    Link(News),
    /// A deadline has passed.
    Tick,
    /// The view is asked to suspend itself.
    Suspend,
    /// The view was resumed after being suspended.
    Continued,
    /// The terminal has closed.
    HangUp,
    /// The view is asked to end.
    Terminate,
    /// An errand has finished.
    Done(Done),
}

/// Messages of the connection to the daemon.
#[derive(Clone, Debug)]
pub enum News {
    /// The connection is open.
    Up,
    /// The connection broke; a new one is being made.
    Down,
    /// The daemon does not respond, for this reason.
    Silent(Error),
    /// The reply to a request.
    Reply(Tag, Result<Value, Error>),
    /// An event.
    Event(Event),
    /// The request was not sent, or its reply will not arrive.
    Dropped(Tag),
}

/// What a request is for; returned with its reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tag {
    /// Subscribing to events.
    Subscribe,
    /// The job list.
    List,
    /// Events from the time when no view was open.
    Away,
    /// Resource usage of jobs.
    Usage,
    /// The details of a job.
    Details(SessionId),
    /// Matches in a job, for the search with this number.
    Found(SessionId, u64),
    /// Input typed into a job.
    Typed(SessionId),
    /// Cancelling a request.
    Cancel,
    /// One record.
    Record(SessionId),
    /// One record with its URLs, to open one of them.
    Url(SessionId),
    /// Watching a screen.
    Watch(SessionId),
    /// Ending a watch.
    Unwatch,
    /// Typing bytes.
    Type(SessionId),
    /// Resizing a terminal.
    Resize(SessionId),
    /// Ending a job.
    Kill(SessionId),
    /// Restarting a job.
    Restart(SessionId),
    /// Pausing or continuing a job.
    Signal(SessionId),
    /// Sending a signal that was chosen from the menu.
    Sent(SessionId, &'static str),
    /// Declining an agent's question about a job.
    Decline(SessionId),
    /// Removing a job.
    Remove(SessionId),
    /// Starting a job.
    Start,
    /// A screen in the past.
    Past(SessionId),
    /// Taking a keyboard from agents, or giving it back.
    Hold(SessionId, bool),
    /// Changing a job.
    Set(SessionId),
    /// A part of a log.
    Log(SessionId, Part),
    /// A part of the failure card of a job.
    Card(SessionId, card::Part),
    /// Where the runs of a log start.
    Runs(SessionId),
    /// Something to copy.
    Copy(SessionId, CopyFrom),
}

impl Tag {
    /// Whether the request changes something, as opposed to a query that can be repeated.
    pub fn acts(&self) -> bool {
        match self {
            Self::Type(_) | Self::Kill(_) | Self::Restart(_) | Self::Signal(_) => true,
            Self::Sent(..) | Self::Decline(_) | Self::Remove(_) | Self::Start => true,
            Self::Hold(..) | Self::Set(_) => true,
            Self::Subscribe | Self::List | Self::Away | Self::Usage | Self::Details(_) => false,
            Self::Found(..) | Self::Typed(_) | Self::Cancel | Self::Record(_) => false,
            Self::Url(_) | Self::Watch(_) | Self::Unwatch | Self::Resize(_) => false,
            Self::Past(_) | Self::Log(..) | Self::Card(..) | Self::Runs(_) => false,
            Self::Copy(..) => false,
        }
    }
}

/// What to copy from a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyFrom {
    /// Lines of a log.
    Lines,
    /// The URL in the details of a job.
    Url,
    /// The path of the log in the details of a job.
    Path,
}

/// An effect that the view requests.
#[derive(Clone, PartialEq, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "few at a time, and moved once, from update to the loop"
)]
pub enum Cmd {
    /// Send a request to the daemon.
    Ask(Tag, Action),
    /// Cancel a request to the daemon.
    Cancel(Tag),
    /// Type bytes into a job, in order.
    Type(SessionId, Vec<u8>),
    /// Do something outside the view and the daemon.
    Errand(Errand),
    /// Redraw the whole screen.
    Redraw,
    /// Stop this process until the shell continues it.
    Suspend,
    /// Close the view.
    Quit(Exit),
}

/// An effect outside the view and the daemon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Errand {
    /// Put text on the clipboard; the second part describes it in the toast.
    Copy(String, String),
    /// Read command suggestions for a new job in this directory.
    Suggest(String),
    /// Show a log in the pager.
    Pager(SessionId),
    /// Open a URL.
    Open(String),
    /// Notify a person who is not looking at the window: title and text; `true` to use the desktop,
    /// `false` the terminal.
    Notify(String, String, bool),
    /// Set the title of the terminal's window.
    Title(String),
    /// Enable or disable mouse reports of the terminal.
    Mouse(bool),
}

/// The result of an errand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// Success, with a message.
    Said(String),
    /// Failure, with a message.
    Failed(String),
    /// No browser was found for this URL.
    NoBrowser(String),
    /// Suggestions for a new job.
    Suggested {
        /// The directory that was read.
        dir: String,
        /// Commands of the project.
        targets: Vec<String>,
        /// Commands of the shell history, newest first.
        history: Vec<String>,
    },
}

/// How the view closes.
#[derive(Clone, PartialEq, Debug)]
pub enum Exit {
    /// Normally; prints which jobs keep running.
    Closed,
    /// Without output, because the terminal has closed.
    Silent,
    /// With an error: the view could not do what it was opened for.
    Failed(Error),
}
