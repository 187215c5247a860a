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
mod due;
pub mod ending;
pub mod grid;
pub mod hosts;
pub mod job;
pub mod keyboard;
pub mod layout;
pub mod merged;
pub mod mode;
mod notes;
pub mod pointer;
pub mod projects;
pub mod query;
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

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use jiff::tz::TimeZone;

use self::alerts::Alerts;
use self::answers::Answers;
use self::away::Away;
use self::card::Card;
use self::grid::Grid;
use self::job::Job;
use self::keyboard::Keyboards;
use self::merged::Merged;
use self::mode::{Frame, Left, Mode};
pub use self::notes::READ_ONLY;
use self::pointer::Pointer;
use self::projects::Projects;
use self::quitting::Quitting;
use self::removed::Removed;
use self::rewind::Rewind;
use self::rows::Row;
use self::runs::RunTracker;
use self::seen::SeenTracker;
use self::settling::Settling;
use self::sort::Sort;
use self::spark::Spark;
use self::toast::Toasts;
use self::typing::Typing;
use self::usage::Usage;
use self::watch::Watch;
use super::crop::Pan;
use super::keymap::Keymap;
use super::message::Moment;
use super::options::{Options, Replay};
use super::scrollback::Scroll;
use super::theme::Theme;
use crate::config::Notify;
use crate::protocol::reply::HostStatus;
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

/// What is selected in the list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Selected {
    /// Nothing: there are no rows.
    #[default]
    Nothing,
    /// A job.
    Job(SessionId),
    /// The header of a group, by its key.
    Group(String),
}

/// State of the connection to the daemon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Link {
    /// The first connection is being made.
    #[default]
    Starting,
    /// Connected.
    Up,
    /// The connection was lost and is being restored.
    Down,
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
    /// Whether the view may only look at jobs, not change them.
    pub read_only: bool,
    /// Whether it asks for confirmation before it ends or removes something.
    pub asks: bool,
    /// Time between TERM and KILL for jobs stopped by this view, in milliseconds.
    pub stop_grace_ms: u64,
    /// Key bindings.
    pub keymap: Keymap,
    /// Whether the status line stays visible while typing into a zoomed job.
    pub status_line: bool,
    /// Whether and for which job the view was opened.
    pub attached: Attached,
    /// State of the connection to the daemon.
    pub link: Link,
    /// Whether the daemon is too old to send all events.
    pub is_daemon_older: bool,
    /// The jobs, in the order in which they became known.
    pub jobs: Vec<Job>,
    /// The other hosts, as the last list told.
    pub hosts: Vec<HostStatus>,
    /// Whether the daemon is too old to know other hosts.
    pub is_list_plain: bool,
    /// Whether the first list has arrived.
    pub listed: bool,
    /// Jobs with a pending record request.
    pub refreshing: HashMap<SessionId, Refresh>,
    /// The text of the filter.
    pub filter: String,
    /// What was selected before the list was filtered.
    pub unfiltered: Selected,
    /// Keys of folded groups.
    pub folded: HashSet<String>,
    /// Sort order of the list.
    pub sort: Sort,
    /// Marked jobs; verbs act on all of them.
    pub marked: BTreeSet<SessionId>,
    /// Recent output of jobs.
    pub sparks: HashMap<SessionId, Spark>,
    /// When resource usage was last requested.
    pub usage: Usage,
    /// The rows of the list, kept up to date by `update`.
    pub rows: Vec<Row>,
    /// What is selected in the list.
    pub selected: Selected,
    /// What the last view had selected, until the first list has arrived.
    pub remembered: Selected,
    /// Index of the selected row, for when that row disappears.
    pub cursor: usize,
    /// Index of the first visible row of the list.
    pub list_top: usize,
    /// The width of the list in columns that a person has set; `None` if it follows from the window.
    pub list_width: Option<u16>,
    /// The job that was selected before the current one.
    pub previous: Option<SessionId>,
    /// Since when the current row is selected.
    pub selected_at: i64,
    /// How much output of each job was seen.
    pub seen: SeenTracker,
    /// When a view was last open, and the last event that it received.
    pub last_open: Option<(i64, u64)>,
    /// What happened since then, as far as events have arrived.
    pub away: Option<Away>,
    /// Number of the last event received.
    pub seq: u64,
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
    /// The screen at a time in the past, which the pane shows instead.
    pub rewind: Option<Rewind>,
    /// Set if the view was opened to replay a job's past.
    pub replay: Option<Replay>,
    /// By how much a cropped pane is shifted.
    pub pan: Pan,
    /// The log in the pane: scrolled back, with timestamps, or a frozen screen. `None` while the pane
    /// shows the live screen.
    pub scroll: Option<Box<Scroll>>,
    /// The newest lines of the jobs of the selected group.
    pub merged: Merged,
    /// Whether long log lines wrap.
    pub wrap: bool,
    /// Whether log lines have timestamps.
    pub times: bool,
    /// State of the mouse.
    pub pointer: Pointer,
    /// How list and panes share the window.
    pub frame: Frame,
    /// State of the grid.
    pub grid: Grid,
    /// The current mode; `None` in NORMAL.
    mode: Option<Box<dyn Mode>>,
    /// The mode that was left with something unfinished in it.
    aside: Option<Box<dyn Mode>>,
    /// NORMAL.
    normal: &'static dyn Mode,
    /// The mode that the last key left.
    pub left: Option<Left>,
    /// When Ctrl-C was last pressed in NORMAL.
    pub interrupted_at: Option<i64>,
    /// A key sequence that leaves INSERT instead of its keys; empty if there is none.
    pub leave_sequence: Vec<String>,
    /// Whether the window has the focus, according to the terminal.
    pub focused: bool,
    /// How to notify a person while the window has no focus.
    pub notify: Notify,
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
    /// Whether `rows` must be rebuilt.
    pub stale: bool,
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
            read_only: options.read_only,
            keymap,
            asks: options.asks,
            stop_grace_ms: options.stop_grace_ms,
            status_line: options.status_line,
            attached: match options.job.as_deref().and_then(SessionId::parse_any) {
                Some(id) => Attached::Awaited(id),
                None => Attached::No,
            },
            link: Link::Starting,
            is_daemon_older: false,
            jobs: Vec::new(),
            hosts: Vec::new(),
            is_list_plain: false,
            listed: false,
            refreshing: HashMap::new(),
            filter: options.filter.clone().unwrap_or_default(),
            unfiltered: Selected::Nothing,
            folded: HashSet::new(),
            sort: Sort::default(),
            marked: BTreeSet::new(),
            sparks: HashMap::new(),
            usage: Usage::default(),
            rows: Vec::new(),
            selected: Selected::Nothing,
            remembered: Selected::Nothing,
            cursor: 0,
            list_top: 0,
            list_width: None,
            previous: None,
            selected_at: 0,
            seen: SeenTracker::default(),
            last_open: None,
            away: None,
            seq: 0,
            cards: HashMap::new(),
            survivors: HashMap::new(),
            submitted: 0,
            wanted: None,
            watches: Vec::new(),
            rewind: None,
            commands: None,
            replay: options.replay,
            pan: Pan::default(),
            scroll: None,
            merged: Merged::default(),
            wrap: true,
            times: false,
            pointer: Pointer::new(options.mouse),
            frame: Frame::default(),
            grid: Grid::default(),
            mode: None,
            aside: None,
            normal,
            left: None,
            interrupted_at: None,
            leave_sequence: options.leave_sequence.clone(),
            focused: true,
            notify: options.notify,
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
            stale: true,
            runs: RunTracker::default(),
            dirty: true,
            touched: None,
        }
    }
}
