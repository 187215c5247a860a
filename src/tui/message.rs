//! Messages to the view, and the effects that it requests.

use serde_json::Value;

use super::scrollback::Part;
use crate::protocol::{self, Action, Error, SessionId};

/// A point in time of the wall clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub ms: i64,
}

/// A message with its time.
#[derive(Clone, Debug)]
pub struct Msg {
    /// When it happened.
    pub now: Moment,
    /// What happened.
    pub event: Event,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Bytes from the terminal.
    Input(Vec<u8>),
    /// The window has this many columns and rows.
    Window(u16, u16),
    /// Something arrived from the connection to the daemon.
    Link(LinkEvent),
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
    /// An effect has finished.
    Done(Done),
}

/// Messages of the connection to the daemon.
#[derive(Clone, Debug)]
pub enum LinkEvent {
    /// The connection is open.
    Up,
    /// The connection broke; a new one is being made.
    Down,
    /// The daemon does not respond, for this reason.
    Silent(Error),
    /// The reply to a request.
    Reply(RequestKind, Result<Value, Error>),
    /// An event.
    Event(protocol::Event),
    /// The request was not sent, or its reply will not arrive.
    Dropped(RequestKind),
}

/// What typed bytes may do to a prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keys {
    /// A part of a line, which answers no prompt.
    Part,
    /// With the end of a line, or a key that ends input or a program.
    Answer,
}

impl Keys {
    /// What these bytes may do.
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.iter().any(|&b| b < b' ' && b != 0x1b) {
            Self::Answer
        } else {
            Self::Part
        }
    }
}

/// What a request is for; returned with its reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestKind {
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
    /// The newest lines of a job, to be compared.
    Compare(SessionId),
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
    Type(SessionId, Keys),
    /// Resizing a terminal.
    Resize(SessionId),
    /// Ending a job: with a grace period, or at once (`true`).
    Kill(SessionId, bool),
    /// Restarting a job.
    Restart(SessionId),
    /// Pausing (`true`) or continuing a job.
    Pause(SessionId, bool),
    /// Sending a signal that was chosen from the menu.
    Sent(SessionId, &'static str),
    /// Declining an agent's question about a job.
    Decline(SessionId),
    /// Removing a job.
    Remove(SessionId),
    /// Starting a job, with the number that its form has given to the request.
    Start(u64),
    /// A screen in the past.
    Past(SessionId),
    /// Taking a keyboard from agents, or giving it back.
    Hold(SessionId, bool),
    /// Changing a job, with the number that its form has given to the request, if a form has made it.
    Set(SessionId, Option<u64>),
    /// A part of a log.
    Log(SessionId, Part),
    /// The newest lines of a job of the selected group.
    Merged(SessionId),
    /// A part of the failure card of a job.
    Card(SessionId, CardPart),
    /// Where the runs of a log start.
    Runs(SessionId),
    /// Something to copy.
    Copy(SessionId, CopyFrom),
    /// Something about a project.
    Project(ProjectRequest),
    /// Ending the connection to a host.
    Disconnect(String),
    /// The queues.
    Queues,
    /// Pausing (`true`) or resuming the queue of this name.
    PauseQueue(String, bool),
    /// Moving a job to the front (`true`) or to the end of its queue.
    Move(SessionId, bool),
    /// Clearing the log of a job.
    Clear(SessionId),
}

impl RequestKind {
    /// Whether a person waits for the reply and nothing asks again, so that its loss is told even if it only reads.
    pub fn is_awaited(&self) -> bool {
        matches!(
            self,
            Self::Copy(..) | Self::Url(_) | Self::Project(ProjectRequest::Plan { .. })
        )
    }

    /// The job that it is about.
    pub fn job(&self) -> Option<&SessionId> {
        match self {
            Self::Details(id)
            | Self::Found(id, _)
            | Self::Compare(id)
            | Self::Typed(id)
            | Self::Record(id)
            | Self::Url(id)
            | Self::Watch(id)
            | Self::Type(id, _)
            | Self::Resize(id)
            | Self::Kill(id, _)
            | Self::Restart(id)
            | Self::Pause(id, _)
            | Self::Sent(id, _)
            | Self::Decline(id)
            | Self::Remove(id)
            | Self::Past(id)
            | Self::Hold(id, _)
            | Self::Set(id, _)
            | Self::Log(id, _)
            | Self::Merged(id)
            | Self::Card(id, _)
            | Self::Runs(id)
            | Self::Move(id, _)
            | Self::Clear(id)
            | Self::Copy(id, _) => Some(id),
            Self::Subscribe
            | Self::List
            | Self::Away
            | Self::Usage
            | Self::Cancel
            | Self::Unwatch
            | Self::Start(_)
            | Self::Project(_)
            | Self::Queues
            | Self::PauseQueue(..)
            | Self::Disconnect(_) => None,
        }
    }
}

/// A request about the project of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProjectRequest {
    /// Bringing jobs up; all that start by themselves if there are none.
    Up {
        /// The directory.
        dir: String,
        /// The jobs.
        jobs: Vec<String>,
    },
    /// Bringing it down.
    Down {
        /// The directory.
        dir: String,
        /// Number of jobs that ran.
        stops: usize,
    },
    /// What a reload changes.
    Plan {
        /// The directory.
        dir: String,
    },
    /// Applying its changed file.
    Reload {
        /// The directory.
        dir: String,
    },
    /// Waiting until jobs have settled.
    Settle {
        /// The directory.
        dir: String,
        /// The jobs; `None` for all that are wanted.
        jobs: Option<Vec<String>>,
    },
    /// Whether the directory of the view has a project.
    Here,
    /// The jobs to offer for a start.
    Offer {
        /// The directory.
        dir: String,
    },
}

/// The requests that fill the card of a failed job, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CardPart {
    /// The list of runs.
    Runs,
    /// The output of this run.
    Output(u32),
    /// The output of the previous run.
    Before(u32),
    /// The job that listens on this port.
    Port(u16),
}

/// What to copy from a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyFrom {
    /// Lines of a log.
    Lines,
    /// The command in the details of a job, with the variables that were set for it.
    Command,
    /// The command in the details of one of several jobs, with the variables that were set for it.
    Commands,
    /// The URL in the details of a job.
    Url,
    /// The path of the log in the details of a job.
    Path,
}

/// What the view requests of the loop.
#[derive(Clone, PartialEq, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "few at a time, and moved once, from update to the loop"
)]
pub enum Cmd {
    /// Send a request to the daemon.
    Request(RequestKind, Action),
    /// Cancel a request to the daemon.
    Cancel(RequestKind),
    /// Type bytes into a job, in order.
    Type(SessionId, Vec<u8>),
    /// Do something outside the view and the daemon.
    Effect(Effect),
    /// Redraw the whole screen.
    Redraw,
    /// Stop this process until the shell continues it.
    Suspend,
    /// Close the view.
    Quit(Exit),
}

/// An effect outside the view and the daemon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Put text on the clipboard; the second part describes it in the toast.
    Copy(String, String),
    /// Read command suggestions for a new job in this directory.
    Suggest(String),
    /// Show a log in the pager.
    Pager(SessionId),
    /// Open a URL.
    Open(String),
    /// Open a shell in the environment of a project's job: the project's directory, and the job.
    Exec(String, String),
    /// Log in to a host, in the terminal of the view.
    Login(String),
    /// Notify a person who is not looking at the window: title and text; `true` to use the desktop,
    /// `false` the terminal.
    Notify(String, String, bool),
    /// Set the title of the terminal's window.
    Title(String),
    /// Enable or disable mouse reports of the terminal.
    Mouse(bool),
}

/// The result of an effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// Success, with a message.
    Note(String),
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
