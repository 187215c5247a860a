//! Everything the dashboard knows, as data. Only [`update`](super::update) changes it, only [`view`](super::view)
//! draws it, and neither does anything else: the time comes in with each message.

pub mod away;
pub mod card;
pub mod counts;
pub mod details;
pub mod ending;
pub mod form;
pub mod found;
pub mod grid;
pub mod hit;
pub mod job;
pub mod keyboard;
pub mod layout;
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
pub mod scroll;
pub mod sort;
pub mod spark;
pub mod toast;
pub mod url;
pub mod usage;
pub mod watch;

use std::collections::{BTreeSet, HashMap, HashSet};

use ratatui::layout::Rect;

use self::away::Away;
use self::card::Card;
use self::counts::Counts;
use self::grid::{Grid, Tile};
use self::job::Job;
use self::keyboard::Keyboards;
use self::layout::{Layout, Wish};
use self::look::{Looks, MOST_UNSEEN};
use self::mode::{Frame, Insert, Mode};
use self::pointer::Pointer;
use self::query::Query;
use self::quitting::Quitting;
use self::removed::Removed;
use self::rewind::Rewind;
use self::rows::{Group, Row};
use self::scroll::{Display, Scroll};
use self::sort::Sort;
use self::spark::Spark;
use self::toast::{Kind, TOAST_MS, Toast, Toasts};
use self::usage::Usage;
use self::watch::Watch;
use super::chord;
use super::keymap::{Keymap, LEAVE_KEY, Place};
use super::options::Options;
use super::theme::Theme;
use crate::config::Notify;
use crate::protocol::SessionId;
use crate::term::keyparse::KeyReader;
use crate::term::sanitize::clean;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// A moment, and how far local time is from UTC then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub ms: i64,
    /// Seconds to add for local time.
    pub utc_offset_s: i32,
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
    /// Keys that leave INSERT, as [`chord::name`] spells them; never empty.
    pub leave_keys: Vec<String>,
    /// What keys do.
    pub keymap: Keymap,
    /// Whether the last line is ours while typing into a zoomed job.
    pub status_line: bool,
    /// Whether the view was opened for one session.
    pub attached: Attached,
    /// The way to the daemon.
    pub link: Link,
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
        if leave_keys.is_empty() {
            leave_keys.push(LEAVE_KEY.to_owned());
        }
        Self {
            now: Moment::default(),
            window,
            theme,
            origin,
            read_only: options.read_only,
            keymap: Keymap::new(&leave_keys, &options.keys),
            leave_keys,
            asks: options.asks,
            status_line: options.status_line,
            attached: match options.job.as_deref().and_then(SessionId::parse) {
                Some(id) => Attached::Awaited(id),
                None => Attached::No,
            },
            link: Link::Starting,
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

    /// Where things are now.
    pub fn layout(&self) -> Layout {
        let (width, height) = self.window;
        // What is typed into several jobs is said whatever was chosen.
        let insert = matches!(&self.mode, Mode::Insert(insert) if insert.also.is_empty());
        let wish = Wish {
            zoom: self.frame.zoom,
            open: self.frame.open,
            grid: self.frame.grid,
            hints: matches!(
                self.mode,
                Mode::Scroll(..) | Mode::Prompt(_) | Mode::Reply(_) | Mode::Palette(_)
            ),
            bare: insert && !self.status_line,
        };
        let mut layout = Layout::of(width, height, wish);
        if let Some(area) = layout.grid {
            layout.pane = self
                .tiles_in(area)
                .into_iter()
                .find(|(_, id, _)| Some(*id) == self.current_id())
                .map(|(.., tile)| tile.body);
        }
        layout
    }

    /// Whether many panes show, and not one of them zoomed.
    pub fn in_grid(&self) -> bool {
        self.frame.grid && !self.frame.zoom
    }

    /// Whether a grid could be read in this window.
    pub fn has_room_for_grid(&self) -> bool {
        let (width, height) = self.window;
        let wish = Wish {
            grid: true,
            ..Wish::default()
        };
        let area = Layout::of(width, height, wish).grid;
        area.is_some_and(|area| Grid::capacity(area) > 0)
    }

    /// The tiles that show: the job's number in the grid from 0, its session, and where it is.
    pub fn tiles(&self) -> Vec<(usize, &SessionId, Tile)> {
        self.layout()
            .grid
            .map_or_else(Vec::new, |area| self.tiles_in(area))
    }

    fn tiles_in(&self, area: Rect) -> Vec<(usize, &SessionId, Tile)> {
        let Some(shape) = self.grid.shape(area) else {
            return Vec::new();
        };
        let at = self.current_id().and_then(|id| self.grid.index(id));
        let page = self.grid.page(at.unwrap_or(self.grid.at), shape);
        let jobs = page
            .clone()
            .zip(self.grid.jobs.get(page).into_iter().flatten());
        jobs.zip(shape.place(area))
            .map(|((number, id), tile)| (number, id, tile))
            .collect()
    }

    /// The live screen of a job, if it is watched and has come.
    pub fn screen(&self, id: &SessionId) -> Option<&Screen> {
        self.watch(id)?.screen.as_ref()
    }

    /// What is watched of a job.
    pub fn watch(&self, id: &SessionId) -> Option<&Watch> {
        self.watches.iter().find(|watch| watch.id == *id)
    }

    /// The size that the pane would give a job.
    pub fn pane_size(&self) -> Option<Size> {
        let pane = self.layout().pane?;
        Some(Size::new(pane.height, pane.width))
    }

    /// The past of a screen, while it shows.
    pub fn past(&self) -> Option<&Rewind> {
        let is_on = matches!(self.mode, Mode::Scroll(..));
        self.rewind.as_ref().filter(|_| is_on)
    }

    /// How the pane shows a log.
    pub fn display(&self) -> Option<Display> {
        Some(Display {
            pane: self.pane_size()?,
            wrap: self.wrap,
            times: self.times,
        })
    }

    /// The pane looking back: in SCROLL, or beside another mode.
    pub fn scroll(&self) -> Option<&Scroll> {
        match &self.mode {
            Mode::Scroll(scroll, _) => Some(scroll),
            _ => self.peek.as_deref(),
        }
    }

    /// The same, to be changed.
    pub fn scroll_mut(&mut self) -> Option<&mut Scroll> {
        match &mut self.mode {
            Mode::Scroll(scroll, _) => Some(scroll),
            _ => self.peek.as_deref_mut(),
        }
    }

    /// A job by its session.
    pub fn job(&self, id: &SessionId) -> Option<&Job> {
        self.jobs.iter().find(|job| job.id() == id)
    }

    /// The job in the pane: the one typed into or scrolled through, else the selected one.
    pub fn current(&self) -> Option<&Job> {
        self.job(self.current_id()?)
    }

    /// The session in the pane.
    pub fn current_id(&self) -> Option<&SessionId> {
        match (&self.mode, &self.selected) {
            (Mode::Insert(insert), _) => Some(&insert.id),
            (Mode::Scroll(scroll, _), _) => Some(&scroll.id),
            (Mode::Reply(reply), _) => Some(&reply.id),
            (_, Selected::Job(id)) => Some(id),
            _ => None,
        }
    }

    /// The selected group.
    pub fn group(&self) -> Option<&Group> {
        let Selected::Group(key) = &self.selected else {
            return None;
        };
        self.rows.iter().find_map(|row| match row {
            Row::Group(group) if group.key == *key => Some(group),
            _ => None,
        })
    }

    /// What the group of the selected job is called.
    pub fn group_title(&self) -> Option<String> {
        match self.group() {
            Some(group) => Some(group.title.clone()),
            None => Some(rows::group_of(self.current()?).1),
        }
    }

    /// The jobs that a verb acts on: the marked ones, or else the selected one, or all of the selected group.
    pub fn targets(&self) -> Vec<SessionId> {
        if !self.marked.is_empty() {
            return self.marked();
        }
        match &self.selected {
            Selected::Nothing => Vec::new(),
            Selected::Job(id) => vec![id.clone()],
            Selected::Group(_) => self.of_group(),
        }
    }

    /// The jobs of the selected group.
    pub fn of_group(&self) -> Vec<SessionId> {
        let places = self.group().into_iter().flat_map(|group| &group.jobs);
        let jobs = places.filter_map(|&index| self.jobs.get(index));
        jobs.map(|job| job.id().clone()).collect()
    }

    /// The marked jobs, in the order they were heard of.
    pub fn marked(&self) -> Vec<SessionId> {
        let ids = self.jobs.iter().map(Job::id);
        ids.filter(|id| self.marked.contains(id)).cloned().collect()
    }

    /// The name of a session for messages.
    pub fn name_of(&self, id: &SessionId) -> String {
        match self.job(id) {
            Some(job) => job.name.clone(),
            None => id.to_string(),
        }
    }

    /// The filter, read.
    pub fn query(&self) -> Query {
        Query::parse(&self.filter)
    }

    /// Jobs by what people ask first: running, needing input, gone wrong, and the rest.
    pub fn counts(&self) -> Counts {
        Counts::of(self.jobs.iter().map(Job::state))
    }

    /// The key that does now what `key` does in NORMAL unless bound anew, for messages.
    pub fn key<'a>(&'a self, key: &'a str) -> &'a str {
        self.keymap.instead_of(Place::Normal, key)
    }

    /// Says something at the top right.
    pub fn note(&mut self, text: impl AsRef<str>) {
        self.toasts
            .say(self.now.ms, Kind::Note, clean(text.as_ref()));
        self.dirty = true;
    }

    /// Lines of a job that nobody has looked at, `+9`; empty if there are none.
    pub fn unseen(&self, job: &Job) -> String {
        let lines = job.record.summary.output_lines;
        match self.looks.unseen(job.id(), lines) {
            0 => String::new(),
            n => format!("+{}", n.min(MOST_UNSEEN)),
        }
    }

    /// Says what was done, and how the shell says it.
    pub fn note_done(&mut self, text: impl AsRef<str>, shell: Option<String>) {
        self.note_for(text, shell, TOAST_MS);
    }

    /// Says something for `ms` milliseconds.
    pub fn note_for(&mut self, text: impl AsRef<str>, shell: Option<String>, ms: i64) {
        let toast = Toast {
            kind: Kind::Note,
            text: clean(text.as_ref()),
            shell,
            until: Some(self.now.ms + ms),
            count: 1,
        };
        self.toasts.show(self.now.ms, toast);
        self.dirty = true;
    }

    /// Says what failed, until Esc.
    pub fn fail(&mut self, text: impl AsRef<str>) {
        self.toasts
            .say(self.now.ms, Kind::Error, clean(text.as_ref()));
        self.dirty = true;
    }

    /// Whether the pane waits for its first picture, so that drawing a moment later saves a flicker.
    pub fn awaits_screen(&self) -> bool {
        self.link == Link::Up
            && self
                .watches
                .iter()
                .any(|watch| watch.screen.is_none() && watch.problem.is_none())
    }

    /// When something shown changes by itself, in milliseconds since the epoch.
    pub fn next_due(&self) -> Option<i64> {
        let now = self.now.ms;
        let clock = now + 60_000 - now.rem_euclid(60_000);
        let layout = self.layout();
        let shown = layout.list.map_or(0, |list| usize::from(list.height));
        let rows = self
            .rows
            .iter()
            .skip(self.list_top)
            .take(shown)
            .filter_map(|row| match row {
                Row::Job(index) => {
                    let job = self.jobs.get(*index)?;
                    let spark = self.sparks.get(job.id());
                    let moves = spark.and_then(|spark| spark.next_change(now));
                    job.next_change(now).into_iter().chain(moves).min()
                }
                Row::Group(_) => None,
            });
        let current = self.current().and_then(|job| job.next_change(now));
        // Rows count from different starts; one waking a second serves them all.
        let second = rows.chain(current).min().map(|at| {
            if at - now < 1000 {
                now + 1000 - now.rem_euclid(1000)
            } else {
                at
            }
        });
        // Asked with the minute of the clock, it needs no waking of its own.
        let usage = self.usage_due().filter(|&at| at < clock);
        let found = match &self.mode {
            Mode::Found(found) => found.due,
            _ => None,
        };
        let play = self.past().filter(|past| !past.loading);
        let play = play.and_then(|past| past.play).map(|play| play.due);
        // Without a daemon there is nobody to tell, and what is due already must not wake us again and again.
        let told = self.removed.as_ref().filter(|_| self.link == Link::Up);
        let removed = told.map(|removed| removed.until);
        let due = [
            second,
            usage,
            found,
            play,
            removed,
            self.keyboards.next_due(),
            self.toasts.next_due(),
            self.flush_at,
            Some(clock),
        ];
        due.into_iter().flatten().min()
    }
}
