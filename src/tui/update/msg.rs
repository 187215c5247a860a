//! What happens to the view, and what it wants done.

use serde_json::Value;

use crate::protocol::{Action, Error, Event, SessionId};
use crate::tui::model::Moment;
use crate::tui::model::card;
use crate::tui::model::scroll::Part;

/// Something that happened, and when.
#[derive(Clone, Debug)]
pub struct Msg {
    /// When.
    pub now: Moment,
    /// What.
    pub what: What,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum What {
    /// Bytes came from the terminal.
    Input(Vec<u8>),
    /// The window has so many columns and rows.
    Window(u16, u16),
    /// The daemon said something.
    Link(News),
    /// Something was due.
    Tick,
    /// Somebody asked the view to stop for now.
    Suspend,
    /// The view was continued after having been suspended.
    Continued,
    /// The terminal is gone.
    HangUp,
    /// Somebody asked the view to end.
    Terminate,
    /// An errand is done.
    Done(Done),
}

/// What came over the way to the daemon.
#[derive(Clone, Debug)]
pub enum News {
    /// The way is open.
    Up,
    /// The way broke; another is being looked for.
    Down,
    /// The daemon answers nothing; why.
    Silent(Error),
    /// An answer.
    Reply(Tag, Result<Value, Error>),
    /// An event.
    Event(Event),
    /// This request was not sent, or its answer will not come.
    Dropped(Tag),
}

/// What a request was for; comes back with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tag {
    /// To hear of events.
    Subscribe,
    /// The list.
    List,
    /// What happened while no view was open.
    Away,
    /// What jobs use.
    Usage,
    /// All about a job.
    Details(SessionId),
    /// What was found in a job by the search of this number.
    Found(SessionId, u64),
    /// What was typed into a job.
    Typed(SessionId),
    /// A question that is not to be answered any more.
    Cancel,
    /// One record.
    Record(SessionId),
    /// One record with its URLs, to open one.
    Url(SessionId),
    /// A screen to watch.
    Watch(SessionId),
    /// A screen not to watch any more.
    Unwatch,
    /// Bytes typed.
    Type(SessionId),
    /// A terminal's size.
    Resize(SessionId),
    /// The end of a job.
    Kill(SessionId),
    /// A new run.
    Restart(SessionId),
    /// Pause or continue.
    Signal(SessionId),
    /// A signal by its name, chosen from the menu.
    Sent(SessionId, &'static str),
    /// A no to what is asked about a job.
    Decline(SessionId),
    /// A job to forget.
    Remove(SessionId),
    /// A new job.
    Start,
    /// A screen of the past.
    Past(SessionId),
    /// A keyboard to take from agents, or to give back.
    Hold(SessionId, bool),
    /// What was changed of a job.
    Set(SessionId),
    /// A part of a log.
    Log(SessionId, Part),
    /// A part of what is known of how a job failed.
    Card(SessionId, card::Part),
    /// Where the runs of a log begin.
    Runs(SessionId),
    /// Something to copy.
    Copy(SessionId, CopyFrom),
}

impl Tag {
    /// Whether the request does something, rather than ask for something that can be asked for again.
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

/// What an answer is copied from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyFrom {
    /// Lines of a log.
    Lines,
    /// The details of a job, for its URL.
    Url,
    /// The details of a job, for the path of its log.
    Path,
}

/// What the view wants done.
#[derive(Clone, PartialEq, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "few at a time, and moved once, from update to the loop"
)]
pub enum Cmd {
    /// Ask the daemon.
    Ask(Tag, Action),
    /// Tell the daemon that this need not be answered any more.
    Cancel(Tag),
    /// Type bytes into a job, in order.
    Type(SessionId, Vec<u8>),
    /// Do something outside of the view and the daemon.
    Errand(Errand),
    /// Paint everything anew.
    Redraw,
    /// Stop this process until the shell continues it.
    Suspend,
    /// Close the view.
    Quit(Exit),
}

/// Something to do outside of the view and the daemon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Errand {
    /// Put text on the clipboard; the second part says what it is, for the toast.
    Copy(String, String),
    /// Read what to suggest for a new job in this directory.
    Suggest(String),
    /// Show a log in the pager.
    Pager(SessionId),
    /// Open a URL.
    Open(String),
    /// Tell a person who is looking at something else: a title and a text; `true` by the desktop, else by the
    /// terminal.
    Notify(String, String, bool),
    /// Call the terminal's window so.
    Title(String),
    /// Ask the terminal for what the mouse does, or leave the mouse to it.
    Mouse(bool),
}

/// What came of an errand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// Something to tell.
    Said(String),
    /// It could not be done.
    Failed(String),
    /// There is no browser here for this URL.
    NoBrowser(String),
    /// What to suggest for a new job.
    Suggested {
        /// The directory that was read.
        dir: String,
        /// Commands of its project.
        targets: Vec<String>,
        /// Commands of the shell's history, newest first.
        history: Vec<String>,
    },
}

/// How the view is closed.
#[derive(Clone, PartialEq, Debug)]
pub enum Exit {
    /// As it should be: say what goes on.
    Closed,
    /// The terminal is gone: there is nobody to tell.
    Silent,
    /// It could not do what it was opened for.
    Failed(Error),
}
