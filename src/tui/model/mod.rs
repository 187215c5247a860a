//! The state of the dashboard, as plain data. Only [`update`](super::update) changes it and only
//! [`view`](super::view) draws it. Neither has other effects: the time is passed in with each
//! message.

pub mod away;
pub mod card;
mod chosen;
pub mod counts;
pub mod details;
mod due;
pub mod ending;
pub mod form;
pub mod found;
pub mod grid;
pub mod hit;
pub mod job;
pub mod keyboard;
pub mod layout;
pub mod leave;
pub mod line;
pub mod look;
pub mod menu;
pub mod mode;
pub mod page;
pub mod palette;
pub mod pointer;
pub mod query;
pub mod quitting;
pub mod removed;
pub mod reply;
pub mod rewind;
pub mod rows;
mod said;
pub mod scroll;
mod shown;
pub mod sort;
pub mod spark;
pub mod toast;
pub mod url;
pub mod usage;
pub mod watch;

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::tz::TimeZone;

use self::away::Away;
use self::card::Card;
use self::grid::Grid;
use self::job::Job;
use self::keyboard::Keyboards;
use self::leave::LeaveSequence;
use self::look::Looks;
use self::mode::{Frame, Insert, Mode};
use self::pointer::Pointer;
use self::quitting::Quitting;
use self::removed::Removed;
use self::rewind::Rewind;
use self::rows::Row;
use self::scroll::Scroll;
use self::sort::Sort;
use self::spark::Spark;
use self::toast::Toasts;
use self::usage::Usage;
use self::watch::Watch;
use super::chord;
use super::keymap::{Keymap, LEAVE_KEY};
use super::options::Options;
use super::theme::Theme;
use crate::config::Notify;
use crate::protocol::SessionId;
use crate::term::keyparse::KeyReader;

/// A point in time of the wall clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub ms: i64,
}

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

/// How to replay a job's past when the view is opened for that.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Replay {
    /// Time to start at, in milliseconds since the epoch; `None` for the beginning.
    pub from_ms: Option<i64>,
    /// Playback speed; 1 is the original speed.
    pub speed: f64,
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
    /// Keys that leave INSERT, as spelled by [`chord::name`]; never empty.
    pub leave_keys: Vec<String>,
    /// A key sequence that leaves INSERT and replaces `leave_keys`.
    pub leave_sequence: LeaveSequence,
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
    /// Whether the first list has arrived.
    pub listed: bool,
    /// Jobs with a pending record request; `true` if the record must be requested again after it.
    pub refreshing: HashMap<SessionId, bool>,
    /// The text of the filter.
    pub filter: String,
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
    /// Index of the selected row, for when that row disappears.
    pub cursor: usize,
    /// Index of the first visible row of the list.
    pub list_top: usize,
    /// The job that was selected before the current one.
    pub previous: Option<SessionId>,
    /// Since when the current row is selected.
    pub selected_at: i64,
    /// How much output of each job was seen.
    pub looks: Looks,
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
    /// A job to select as soon as it becomes known.
    pub wanted: Option<SessionId>,
    /// The live screens in view.
    pub watches: Vec<Watch>,
    /// In SCROLL: the screen at a time in the past.
    pub rewind: Option<Rewind>,
    /// Set if the view was opened to replay a job's past.
    pub replay: Option<Replay>,
    /// Columns by which a cropped pane is shifted.
    pub pan: u16,
    /// The scrolled-back pane, or the pane with timestamps, outside of SCROLL.
    pub peek: Option<Box<Scroll>>,
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
    /// The current mode.
    pub mode: Mode,
    /// State of INSERT and of the frame at the moment when INSERT was left.
    pub just_left: Option<(Insert, Frame)>,
    /// When Ctrl-C was last pressed in NORMAL.
    pub interrupted_at: Option<i64>,
    /// Whether the window has the focus, according to the terminal.
    pub focused: bool,
    /// How to notify a person while the window has no focus.
    pub notify: Notify,
    /// The last window title that was set; `None` before the first.
    pub title: Option<String>,
    /// Toasts and the message history.
    pub toasts: Toasts,
    /// Who else types into jobs.
    pub keyboards: Keyboards,
    /// Removed jobs that can still be restored.
    pub removed: Option<Removed>,
    /// Jobs that must end before the view closes.
    pub quitting: Option<Quitting>,
    /// The key parser.
    pub keys: KeyReader,
    /// When an incomplete key sequence is passed on as it is.
    pub flush_at: Option<i64>,
    /// When the end of the job in INSERT was noticed.
    pub ended_at: Option<i64>,
    /// Whether `rows` must be rebuilt.
    pub stale: bool,
    /// Whether a redraw is needed.
    pub dirty: bool,
}

impl Model {
    /// An initial model without any jobs.
    pub fn new(options: &Options, theme: Theme, origin: Origin, window: (u16, u16)) -> Self {
        let mut leave_keys: Vec<String> = options
            .leave_keys
            .iter()
            .filter_map(|key| chord::parse(key))
            .collect();
        if !options.leave_sequence.is_empty() {
            // The name shown in hints; no single key has this name, so it never matches a key.
            leave_keys = vec![options.leave_sequence.join(" ")];
        }
        if leave_keys.is_empty() {
            leave_keys.push(LEAVE_KEY.to_owned());
        }
        Self {
            now: Moment::default(),
            zone: TimeZone::UTC,
            window,
            theme,
            origin,
            read_only: options.read_only,
            keymap: Keymap::new(&leave_keys, &options.keys),
            leave_keys,
            leave_sequence: LeaveSequence::new(options.leave_sequence.clone()),
            asks: options.asks,
            stop_grace_ms: options.stop_grace_ms,
            status_line: options.status_line,
            attached: match options.job.as_deref().and_then(SessionId::parse) {
                Some(id) => Attached::Awaited(id),
                None => Attached::No,
            },
            link: Link::Starting,
            is_daemon_older: false,
            jobs: Vec::new(),
            listed: false,
            refreshing: HashMap::new(),
            filter: options.filter.clone().unwrap_or_default(),
            folded: HashSet::new(),
            sort: Sort::default(),
            marked: BTreeSet::new(),
            sparks: HashMap::new(),
            usage: Usage::default(),
            rows: Vec::new(),
            selected: Selected::Nothing,
            cursor: 0,
            list_top: 0,
            previous: None,
            selected_at: 0,
            looks: Looks::default(),
            last_open: None,
            away: None,
            seq: 0,
            cards: HashMap::new(),
            survivors: HashMap::new(),
            wanted: None,
            watches: Vec::new(),
            rewind: None,
            replay: options.replay,
            pan: 0,
            peek: None,
            wrap: true,
            times: false,
            pointer: Pointer::new(options.mouse),
            frame: Frame::default(),
            grid: Grid::default(),
            mode: Mode::Normal,
            just_left: None,
            interrupted_at: None,
            focused: true,
            notify: options.notify,
            title: None,
            toasts: Toasts::default(),
            keyboards: Keyboards::default(),
            removed: None,
            quitting: None,
            keys: KeyReader::new(),
            flush_at: None,
            ended_at: None,
            stale: true,
            dirty: true,
        }
    }
}
