//! Everything the dashboard knows, as data. Only [`update`](super::update) changes it, only [`view`](super::view)
//! draws it, and neither does anything else: the time comes in with each message.

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

/// A moment by the wall clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub ms: i64,
}

/// Where the view was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Its working directory.
    pub cwd: String,
    /// The home directory, `~`.
    pub home: Option<String>,
}

/// What the cursor of the list is on.
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

/// The way to the daemon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Link {
    /// Not there yet, for the first time.
    #[default]
    Starting,
    /// It answers.
    Up,
    /// It broke; another is on its way.
    Down,
}

/// How the session that the view was opened for is doing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attached {
    /// The view is a dashboard.
    No,
    /// The list has not come yet.
    Awaited(SessionId),
    /// It is open; closing the view goes back to the shell.
    Yes(SessionId),
}

/// How a job's past is shown when the view is opened for that.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Replay {
    /// The moment to begin at, in milliseconds since the epoch; `None`: the beginning.
    pub from_ms: Option<i64>,
    /// How fast: 1 as it was.
    pub speed: f64,
}

/// The state of the view.
pub struct Model {
    /// The time of the last message.
    pub now: Moment,
    /// The zone that times are shown in.
    pub zone: TimeZone,
    /// Columns and rows of the window.
    pub window: (u16, u16),
    /// How things look.
    pub theme: Theme,
    /// Where the view was opened.
    pub origin: Origin,
    /// Look only.
    pub read_only: bool,
    /// Whether it asks before it ends or removes something.
    pub asks: bool,
    /// Time between TERM and KILL for jobs that it stops, in milliseconds.
    pub stop_grace_ms: u64,
    /// Keys that leave INSERT, as [`chord::name`] spells them; never empty.
    pub leave_keys: Vec<String>,
    /// Keys that leave it one after the other, in place of those.
    pub leave_sequence: LeaveSequence,
    /// What keys do.
    pub keymap: Keymap,
    /// Whether the last line is ours while typing into a zoomed job.
    pub status_line: bool,
    /// Whether the view was opened for one session.
    pub attached: Attached,
    /// The way to the daemon.
    pub link: Link,
    /// Whether the daemon does not know all events.
    pub is_daemon_older: bool,
    /// The jobs, in the order they were heard of.
    pub jobs: Vec<Job>,
    /// Whether the first list has come.
    pub listed: bool,
    /// Records on their way; `true`: asked for again meanwhile.
    pub refreshing: HashMap<SessionId, bool>,
    /// The filter as typed.
    pub filter: String,
    /// Keys of folded groups.
    pub folded: HashSet<String>,
    /// The order of the list.
    pub sort: Sort,
    /// Marked jobs: verbs act on all of them.
    pub marked: BTreeSet<SessionId>,
    /// What jobs have written lately.
    pub sparks: HashMap<SessionId, Spark>,
    /// When what jobs use was asked for.
    pub usage: Usage,
    /// The rows of the list, kept up to date by `update`.
    pub rows: Vec<Row>,
    /// What the cursor is on.
    pub selected: Selected,
    /// The row it was on, for when that goes away.
    pub cursor: usize,
    /// First row shown.
    pub list_top: usize,
    /// The job before this one, and since when this one is selected.
    pub previous: Option<SessionId>,
    /// Since when the cursor is where it is.
    pub selected_at: i64,
    /// What was looked at.
    pub looks: Looks,
    /// When a view was last open, and the last event it had heard of.
    pub last_open: Option<(i64, u64)>,
    /// What happened since then, as far as it has come.
    pub away: Option<Away>,
    /// The last event that was heard of.
    pub seq: u64,
    /// How jobs failed that were looked at since.
    pub cards: HashMap<SessionId, Card>,
    /// Processes that a stop could not end, by job.
    pub survivors: HashMap<SessionId, Vec<u32>>,
    /// A job that was asked for and should be selected once it is known.
    pub wanted: Option<SessionId>,
    /// The live screens that show.
    pub watches: Vec<Watch>,
    /// In SCROLL: the screen of a moment in the past.
    pub rewind: Option<Rewind>,
    /// What the view was opened for, if that is to show a job's past.
    pub replay: Option<Replay>,
    /// Columns that a cropped pane was moved by.
    pub pan: u16,
    /// The pane looking back, or with times, outside of SCROLL.
    pub peek: Option<Box<Scroll>>,
    /// Whether long lines of a log wrap.
    pub wrap: bool,
    /// Whether times stand in front of the lines of a log.
    pub times: bool,
    /// The mouse.
    pub pointer: Pointer,
    /// How the window is shared.
    pub frame: Frame,
    /// The tiles of the grid.
    pub grid: Grid,
    /// The mode.
    pub mode: Mode,
    /// INSERT and its frame as they were, straight after leaving.
    pub just_left: Option<(Insert, Frame)>,
    /// When Ctrl-C was pressed in NORMAL.
    pub interrupted_at: Option<i64>,
    /// Whether the person looks at this window, as far as the terminal tells.
    pub focused: bool,
    /// How a person who does not is told.
    pub notify: Notify,
    /// What the terminal's window is called, once that has been said.
    pub title: Option<String>,
    /// Messages.
    pub toasts: Toasts,
    /// Who types besides this view.
    pub keyboards: Keyboards,
    /// What was removed and can be put back.
    pub removed: Option<Removed>,
    /// Jobs that are waited for before the view closes.
    pub quitting: Option<Quitting>,
    /// Reads keys.
    pub keys: KeyReader,
    /// When half a key is taken as it stands.
    pub flush_at: Option<i64>,
    /// When the job that is typed into was seen to end.
    pub ended_at: Option<i64>,
    /// Whether `rows` has to be made anew.
    pub stale: bool,
    /// Whether something that shows has changed.
    pub dirty: bool,
}

impl Model {
    /// A view that has heard nothing yet.
    pub fn new(options: &Options, theme: Theme, origin: Origin, window: (u16, u16)) -> Self {
        let mut leave_keys: Vec<String> = options
            .leave_keys
            .iter()
            .filter_map(|key| chord::parse(key))
            .collect();
        if !options.leave_sequence.is_empty() {
            // What hints call it; no key that is pressed has this name.
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
