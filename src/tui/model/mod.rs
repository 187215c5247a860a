//! Everything the dashboard knows, as data. Only [`update`](super::update) changes it, only [`view`](super::view)
//! draws it, and neither does anything else: the time comes in with each message.

pub mod counts;
pub mod form;
pub mod found;
pub mod job;
pub mod keyboard;
pub mod layout;
pub mod line;
pub mod menu;
pub mod mode;
pub mod page;
pub mod palette;
pub mod query;
pub mod quitting;
pub mod removed;
pub mod reply;
pub mod rows;
pub mod scroll;
pub mod toast;
pub mod watch;

use std::collections::{HashMap, HashSet};

use self::counts::Counts;
use self::job::Job;
use self::keyboard::Keyboards;
use self::layout::{Layout, Wish};
use self::mode::{Frame, Insert, Mode};
use self::query::Query;
use self::quitting::Quitting;
use self::removed::Removed;
use self::rows::{Group, Row};
use self::toast::{Kind, TOAST_MS, Toast, Toasts};
use self::watch::Watch;
use super::chord;
use super::keymap::Keymap;
use super::options::{Notify, Options};
use super::theme::Theme;
use crate::protocol::SessionId;
use crate::term::keyparse::KeyReader;
use crate::term::sanitize::clean;
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
    /// A job that was asked for and should be selected once it is known.
    pub wanted: Option<SessionId>,
    /// The live screen.
    pub watch: Option<Watch>,
    /// Columns that a cropped pane was moved by.
    pub pan: u16,
    /// How the window is shared.
    pub frame: Frame,
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
            .map(|key| chord::normalise(key))
            .filter(|key| !key.is_empty())
            .collect();
        if leave_keys.is_empty() {
            leave_keys.push("ctrl-]".to_owned());
        }
        Self {
            now: Moment::default(),
            window,
            theme,
            origin,
            read_only: options.read_only,
            keymap: Keymap::standard(&leave_keys),
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
            rows: Vec::new(),
            selected: Selected::Nothing,
            cursor: 0,
            list_top: 0,
            previous: None,
            selected_at: 0,
            wanted: None,
            watch: None,
            pan: 0,
            frame: Frame::default(),
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
        let insert = matches!(self.mode, Mode::Insert(_));
        let wish = Wish {
            zoom: self.frame.zoom,
            open: self.frame.open,
            hints: matches!(
                self.mode,
                Mode::Scroll(..) | Mode::Prompt(_) | Mode::Reply(_) | Mode::Palette(_)
            ),
            bare: insert && !self.status_line,
        };
        Layout::of(width, height, wish)
    }

    /// The size that the pane would give a job.
    pub fn pane_size(&self) -> Option<Size> {
        let pane = self.layout().pane?;
        Some(Size::new(pane.height, pane.width))
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

    /// The jobs that a verb acts on: the selected one, or all of the selected group.
    pub fn targets(&self) -> Vec<SessionId> {
        match &self.selected {
            Selected::Nothing => Vec::new(),
            Selected::Job(id) => vec![id.clone()],
            Selected::Group(_) => self
                .group()
                .into_iter()
                .flat_map(|group| &group.jobs)
                .filter_map(|&index| self.jobs.get(index))
                .map(|job| job.id().clone())
                .collect(),
        }
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

    /// Says something at the top right.
    pub fn note(&mut self, text: impl AsRef<str>) {
        self.toasts
            .say(self.now.ms, Kind::Note, clean(text.as_ref()));
        self.dirty = true;
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
                .watch
                .as_ref()
                .is_some_and(|watch| watch.screen.is_none() && watch.problem.is_none())
    }

    /// When something shown changes by itself, in milliseconds since the epoch.
    pub fn next_due(&self) -> Option<i64> {
        let now = self.now.ms;
        let clock = now + 60_000 - now.rem_euclid(60_000);
        let layout = self.layout();
        let rows = self
            .rows
            .iter()
            .filter(|_| layout.list.is_some())
            .filter_map(|row| match row {
                Row::Job(index) => self.jobs.get(*index)?.next_change(now),
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
        // Without a daemon there is nobody to tell, and what is due already must not wake us again and again.
        let told = self.removed.as_ref().filter(|_| self.link == Link::Up);
        let removed = told.map(|removed| removed.until);
        [
            second,
            Some(clock),
            self.toasts.next_due(),
            self.flush_at,
            removed,
            self.keyboards.next_due(),
        ]
        .into_iter()
        .flatten()
        .min()
    }
}
