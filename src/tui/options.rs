//! How the dashboard is opened.

/// What the command line decided before the dashboard opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Session id: open zoomed and typing into it. Leaving goes to NORMAL over the zoomed screen, where `q` or
    /// `d` goes back to the shell.
    pub job: Option<String>,
    /// Look only: no key reaches a job and nothing is changed.
    pub read_only: bool,
    /// Glyphs and lines of ASCII only.
    pub ascii: bool,
    /// No colour, not even the jobs' own.
    pub mono: bool,
    /// The list's filter at the start.
    pub filter: Option<String>,
    /// Keys that leave INSERT, by name (`ctrl-]`, `f12`); empty: `ctrl-]`.
    pub leave_keys: Vec<String>,
    /// Whether it asks before it ends or removes something.
    pub asks: bool,
    /// How it tells a person who looks at something else.
    pub notify: Notify,
    /// Whether the last line is ours while typing into a zoomed job.
    pub status_line: bool,
}

/// How the dashboard tells a person who looks at something else that a job wants attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notify {
    /// Not at all.
    Off,
    /// By the terminal: OSC 9 or 777, and the bell.
    #[default]
    Terminal,
    /// By the desktop: `notify-send`.
    Desktop,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            job: None,
            read_only: false,
            ascii: false,
            mono: false,
            filter: None,
            leave_keys: Vec::new(),
            asks: true,
            notify: Notify::default(),
            status_line: true,
        }
    }
}
