//! What all of the dashboard shares: the jobs, what is selected, what is shown and how. Each mode
//! keeps its own state, see [`mode`]. Nothing here has other effects: the time is passed in with
//! each message.

pub mod alerts;
pub mod answers;
pub mod away;
pub mod card;
mod chosen;
pub mod copied;
pub mod counts;
pub mod daemon;
mod due;
pub mod ending;
pub mod grid;
pub mod group_key;
pub mod hosts;
pub mod job;
pub mod keyboard;
pub mod layout;
pub mod list;
pub mod merged;
pub mod mode;
mod notes;
pub mod pane;
pub mod pointer;
pub mod projects;
pub mod query;
pub mod queues;
pub mod quitting;
pub mod removed;
pub mod rewind;
pub mod rows;
pub mod runs;
pub mod seen;
pub mod settling;
mod shown;
pub mod sort;
pub mod spark;
pub mod toast;
pub mod typing;
pub mod url;
pub mod usage;
pub mod watch;

use std::collections::HashMap;
use std::ops::Range;

use jiff::tz::TimeZone;

use self::alerts::Alerts;
use self::answers::Answers;
use self::away::Away;
use self::card::Card;
pub use self::daemon::{Daemon, Link};
use self::grid::Grid;
use self::job::Job;
use self::keyboard::Keyboards;
pub use self::list::{List, Selected};
use self::mode::{Frame, Left, Mode};
pub use self::notes::READ_ONLY;
use self::pane::Pane;
use self::pointer::Pointer;
use self::projects::Projects;
use self::quitting::Quitting;
use self::removed::Removed;
use self::runs::RunTracker;
use self::seen::SeenTracker;
use self::settling::Settling;
use self::spark::Spark;
use self::toast::Toasts;
use self::typing::Typing;
use self::usage::Usage;
use self::watch::Watch;
use super::keymap::Keymap;
use super::message::Moment;
use super::options::Options;
use super::theme::Theme;
use crate::protocol::reply::{HostStatus, QueueState};
use crate::protocol::{Event, SessionId};
use crate::term::keyparse::KeyReader;
use copied::Commands;

/// Where the view was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The working directory.
    pub cwd: String,
    /// The home directory, shown as `~`.
    pub home: Option<String>,
}

/// State of the job that the view was opened for (attach).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attached {
    /// The view was not opened for a job; it is a dashboard.
    No,
    /// The job list has not arrived yet.
    Awaited(SessionId),
    /// The job is open; closing the view returns to the shell.
    Yes(SessionId),
}

/// A pending request for the record of a job.
#[derive(Debug, Default)]
pub struct Refresh {
    /// Whether the record must be requested again after it.
    pub again: bool,
    /// What has happened meanwhile, if the job is not known yet.
    pub early: Vec<Event>,
}

/// The state of the view.
pub struct Model {
    /// The time of the last message.
    pub now: Moment,
    /// Time zone of displayed times.
    pub zone: TimeZone,
    /// Columns and rows of the window.
    pub window: (u16, u16),
    /// Colours and symbols.
    pub theme: Theme,
    /// Where the view was opened.
    pub origin: Origin,
    /// What was chosen on the command line and in the configuration.
    pub options: Options,
    /// Key bindings.
    pub keymap: Keymap,
    /// Whether and for which job the view was opened.
    pub attached: Attached,
    /// The daemon, as far as the view knows it.
    pub daemon: Daemon,
    /// The jobs, in the order in which they became known.
    pub jobs: Vec<Job>,
    /// The other hosts, as the last list told.
    pub hosts: Vec<HostStatus>,
    /// The queues of this machine.
    pub queues: Vec<QueueState>,
    /// Jobs with a pending record request.
    pub refreshing: HashMap<SessionId, Refresh>,
    /// The list of jobs: what it shows, and what is selected in it.
    pub list: List,
    /// Recent output of jobs.
    pub sparks: HashMap<SessionId, Spark>,
    /// When resource usage was last requested.
    pub usage: Usage,
    /// How much output of each job was seen.
    pub seen: SeenTracker,
    /// When a view was last open, and the last event that it received.
    pub last_open: Option<(i64, u64)>,
    /// What happened since then, as far as events have arrived.
    pub away: Option<Away>,
    /// Failure cards of the jobs that were looked at.
    pub cards: HashMap<SessionId, Card>,
    /// Pids that survived a stop, by job.
    pub survivors: HashMap<SessionId, Vec<u32>>,
    /// Number of requests that forms have made.
    pub submitted: u64,
    /// A job to select as soon as it becomes known.
    pub wanted: Option<SessionId>,
    /// The live screens in view.
    pub watches: Vec<Watch>,
    /// What the pane shows instead of the live screen, and how.
    pub pane: Pane,
    /// State of the mouse.
    pub pointer: Pointer,
    /// How list and panes share the window.
    pub frame: Frame,
    /// State of the grid.
    pub grid: Grid,
    /// The current mode; `None` in NORMAL.
    mode: Option<Box<dyn Mode>>,
    /// The mode that the current one covers, and returns to.
    covered: Option<Box<dyn Mode>>,
    /// The modes that were left with something unfinished in them, in the order in which they were left.
    aside: Vec<Box<dyn Mode>>,
    /// NORMAL.
    normal: &'static dyn Mode,
    /// The mode that the last key left.
    pub left: Option<Left>,
    /// When Ctrl-C was last pressed in NORMAL.
    pub interrupted_at: Option<i64>,
    /// Whether the window has the focus, according to the terminal.
    pub focused: bool,
    /// The jobs that were last told that they have the focus.
    pub told_focus: Vec<SessionId>,
    /// The last window title that was set; `None` before the first.
    pub title: Option<String>,
    /// Toasts and the message history.
    pub toasts: Toasts,
    /// The toasts about jobs that are not in view.
    pub alerts: Alerts,
    /// Who else types into jobs.
    pub keyboards: Keyboards,
    /// Removed jobs that can still be restored.
    pub removed: Option<Removed>,
    /// The projects that were brought up from here.
    pub projects: Projects,
    /// Jobs that must end before the view closes.
    pub quitting: Option<Quitting>,
    /// What was typed into a job that has just got another size.
    pub settling: Settling,
    /// The letters pressed in a row.
    pub typing: Typing,
    /// What the terminal has answered.
    pub answers: Answers,
    /// The key parser.
    pub keys: KeyReader,
    /// When an incomplete key sequence is passed on as it is.
    pub flush_at: Option<i64>,
    /// The runs of restarted jobs.
    pub runs: RunTracker,
    /// The commands that are copied once the details of their jobs are there.
    pub commands: Option<Commands>,
    /// Whether a redraw is needed.
    pub dirty: bool,
    /// The rows of the live screen of the selected job that have changed since they were drawn.
    pub touched: Option<Range<u16>>,
}

impl Model {
    /// An initial model without any jobs. `normal` is the mode without state, which all others
    /// return to.
    pub fn new(
        options: &Options,
        keymap: Keymap,
        normal: &'static dyn Mode,
        theme: Theme,
        origin: Origin,
        window: (u16, u16),
    ) -> Self {
        Self {
            now: Moment::default(),
            zone: TimeZone::UTC,
            window,
            theme,
            origin,
            options: options.clone(),
            keymap,
            attached: match options.job.as_deref().and_then(SessionId::parse_any) {
                Some(id) => Attached::Awaited(id),
                None => Attached::No,
            },
            daemon: Daemon::default(),
            jobs: Vec::new(),
            hosts: Vec::new(),
            queues: Vec::new(),
            refreshing: HashMap::new(),
            list: List::new(options.filter.clone().unwrap_or_default()),
            sparks: HashMap::new(),
            usage: Usage::default(),
            seen: SeenTracker::default(),
            last_open: None,
            away: None,
            cards: HashMap::new(),
            survivors: HashMap::new(),
            submitted: 0,
            wanted: None,
            watches: Vec::new(),
            commands: None,
            pane: Pane::default(),
            pointer: Pointer::new(options.mouse),
            frame: Frame::default(),
            grid: Grid::default(),
            mode: None,
            covered: None,
            aside: Vec::new(),
            normal,
            left: None,
            interrupted_at: None,
            focused: true,
            told_focus: Vec::new(),
            title: None,
            toasts: Toasts::default(),
            alerts: Alerts::default(),
            keyboards: Keyboards::default(),
            removed: None,
            projects: Projects::default(),
            quitting: None,
            settling: Settling::default(),
            typing: Typing::default(),
            answers: Answers::default(),
            keys: KeyReader::new(),
            flush_at: None,
            runs: RunTracker::default(),
            dirty: true,
            touched: None,
        }
    }

    /// Drops everything that is kept about a job beside its record: it no longer exists.
    pub fn forget_job(&mut self, id: &SessionId) {
        self.refreshing.remove(id);
        self.seen.forget(id);
        self.cards.remove(id);
        self.survivors.remove(id);
        self.sparks.remove(id);
        self.runs.forget(id);
        self.pane.merged.forget(id);
        self.list.marked.remove(id);
        self.keyboards.forget(id);
        if self.list.previous.as_ref() == Some(id) {
            self.list.previous = None;
        }
    }
}
