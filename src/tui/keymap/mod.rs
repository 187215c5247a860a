//! The table of key bindings: the action of each key in each mode.
//!
//! Key lookup, the hints in the last line and the help screen all read this table, so they cannot
//! disagree. To add a key binding, add a line to [`TABLE`] and an arm where its [`Action`] is
//! performed.

mod action;
pub mod rebind;
mod table;

use std::borrow::Cow;

pub use self::action::Action;
pub use self::rebind::Rebound;
pub use self::table::{LEAVE, LEAVE_KEY, TABLE};
use crate::config::Config;

/// Where a key binding is valid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// NORMAL.
    Normal,
    /// NORMAL while the grid is shown; keys without a binding here act as in NORMAL.
    Grid,
    /// INSERT: typing into a job.
    Insert,
    /// SCROLL: scrolling back through a log.
    Scroll,
    /// SCROLL while a past screen is shown.
    Rewind,
    /// FILTER: editing the filter of the list.
    Filter,
    /// The form for a job.
    Prompt,
    /// The one-line reply to a job.
    Reply,
    /// The palette.
    Palette,
    /// CONFIRM: answering a question.
    Confirm,
    /// The menu of what to copy.
    Copy,
    /// The menu of signals.
    Signal,
    /// The details and messages pages.
    Page,
    /// The search results of all jobs.
    Found,
    /// The help screen.
    Help,
    /// Line editing, in all modes that have it.
    Line,
}

impl Place {
    /// Every place, in the order of the help screen.
    pub const ALL: [Self; 16] = [
        Self::Normal,
        Self::Grid,
        Self::Insert,
        Self::Scroll,
        Self::Rewind,
        Self::Filter,
        Self::Prompt,
        Self::Reply,
        Self::Palette,
        Self::Confirm,
        Self::Copy,
        Self::Signal,
        Self::Page,
        Self::Found,
        Self::Help,
        Self::Line,
    ];

    /// Its name in the configuration: `[keys.scroll]`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Grid => "grid",
            Self::Insert => "insert",
            Self::Scroll => "scroll",
            Self::Rewind => "rewind",
            Self::Filter => "filter",
            Self::Prompt => "prompt",
            Self::Reply => "reply",
            Self::Palette => "palette",
            Self::Confirm => "confirm",
            Self::Copy => "copy",
            Self::Signal => "signal",
            Self::Page => "page",
            Self::Found => "found",
            Self::Help => "help",
            Self::Line => "line",
        }
    }

    /// Its heading on the help screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Normal => "NORMAL: commands; no key reaches a job",
            Self::Grid => "NORMAL with the grid: these keys differ",
            Self::Insert => "INSERT: every key but one reaches the job",
            Self::Scroll => "SCROLL: back through the log",
            Self::Rewind => "SCROLL after < : the screen as it was",
            Self::Filter => "FILTER: narrow the list",
            Self::Prompt => "PROMPT: a form",
            Self::Reply => "PROMPT: an answer to a job",
            Self::Palette => "PROMPT: a command by its name",
            Self::Confirm => "CONFIRM: a question",
            Self::Copy => "COPY: what to copy",
            Self::Signal => "SIGNAL: which one to send",
            Self::Page => "DETAILS and MESSAGES",
            Self::Found => "FOUND: matches in all jobs",
            Self::Help => "HELP: this page",
            Self::Line => "Wherever you edit a line",
        }
    }
}

/// A key binding of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// Where it is valid.
    pub place: Place,
    /// Names of its keys; the first one is displayed.
    pub keys: &'static [&'static str],
    /// The action that it performs.
    pub action: Action,
    /// Its name in the configuration, unique within its place.
    pub name: &'static str,
    /// Its description on the help screen.
    pub help: &'static str,
}

impl Binding {
    /// The description with the configured grace period; the text in the table mentions the
    /// default.
    pub fn help_with_grace(&self, grace_ms: u64) -> Cow<'static, str> {
        let usual = Config::default().stop_grace_ms();
        if self.action != Action::Stop || grace_ms == usual {
            return Cow::Borrowed(self.help);
        }
        let grace = |ms: u64| match ms % 1000 {
            0 => format!("{} s", ms / 1000),
            _ => format!("{ms} ms"),
        };
        Cow::Owned(self.help.replace(&grace(usual), &grace(grace_ms)))
    }

    /// The heading for this and the following bindings in the long list of NORMAL.
    pub fn heading(&self) -> Option<&'static str> {
        match (self.place, self.action) {
            (Place::Normal, Action::Down) => Some("choose"),
            (Place::Normal, Action::Attach) => Some("type"),
            (Place::Normal, Action::Stop) => Some("act"),
            (Place::Normal, Action::Zoom) => Some("look"),
            (Place::Normal, Action::Copy) => Some("take out"),
            (Place::Normal, Action::Mouse) => Some("the view itself"),
            _ => None,
        }
    }

    /// Its name in a hint.
    pub fn label(&self) -> String {
        match self.action {
            Action::YesKill => "kill -9".to_owned(),
            _ => self.name.replace('-', " "),
        }
    }
}

/// A binding of the table with its current keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The binding.
    pub binding: &'static Binding,
    /// Names of its keys, as spelled by [`chord::name`](super::chord::name); the first one is
    /// displayed.
    pub keys: Vec<String>,
}

impl Bound {
    /// Its keys as displayed.
    pub fn shown(&self) -> String {
        let digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        if self.keys == digits {
            return "1..9".to_owned();
        }
        self.keys.join(" ")
    }
}

/// The current key bindings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keymap {
    bound: Vec<Bound>,
}

impl Keymap {
    /// The default keys; `leave` are the keys that leave INSERT.
    pub fn standard(leave: &[String]) -> Self {
        Self::new(leave, &[])
    }

    /// The default keys, except for the bindings in `rebound`.
    pub fn new(leave: &[String], rebound: &[Rebound]) -> Self {
        let keys = |binding: &'static Binding| {
            let other = rebound.iter().find(|line| line.binding == binding);
            match (binding.keys, other) {
                ([LEAVE], _) => leave.to_vec(),
                (_, Some(other)) => other.keys.clone(),
                (keys, None) => keys.iter().map(|&key| key.to_owned()).collect(),
            }
        };
        let bound = TABLE.iter().map(|binding| Bound {
            binding,
            keys: keys(binding),
        });
        Self {
            bound: bound.collect(),
        }
    }

    /// All bindings, in the order of the table.
    pub fn lines(&self) -> impl Iterator<Item = &Bound> {
        self.bound.iter()
    }

    /// The action of `key` in `place`.
    pub fn action(&self, place: Place, key: &str) -> Option<Action> {
        let is_it = |bound: &&Bound| {
            bound.binding.place == place && bound.keys.iter().any(|name| name == key)
        };
        self.bound.iter().find(is_it).map(|b| b.binding.action)
    }

    /// The binding of an action in a place, if it has a key.
    pub fn bound(&self, place: Place, action: Action) -> Option<&Bound> {
        self.bound.iter().find(|bound| {
            bound.binding.place == place && bound.binding.action == action && !bound.keys.is_empty()
        })
    }

    /// The key that now performs the default action of `key`; `key` itself if there is none.
    pub fn instead_of<'a>(&'a self, place: Place, key: &'a str) -> &'a str {
        let line = self
            .bound
            .iter()
            .find(|bound| bound.binding.place == place && bound.binding.keys.contains(&key));
        line.and_then(|bound| bound.keys.first())
            .map_or(key, String::as_str)
    }

    /// The displayed key for an action in a place.
    pub fn key(&self, place: Place, action: Action) -> Option<&str> {
        self.bound(place, action)?.keys.first().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keymap() -> Keymap {
        Keymap::standard(&["ctrl-]".to_owned()])
    }

    #[test]
    fn each_key_has_one_action_per_place() {
        let keymap = keymap();
        for bound in keymap.lines() {
            let Binding { place, action, .. } = *bound.binding;
            for key in &bound.keys {
                assert_eq!(
                    keymap.action(place, key),
                    Some(action),
                    "{key} in {place:?} is bound twice"
                );
            }
        }
    }

    #[test]
    fn names_are_unique_within_a_place() {
        for (at, line) in TABLE.iter().enumerate() {
            let twin = TABLE[..at]
                .iter()
                .find(|other| other.place == line.place && other.name == line.name);
            assert_eq!(twin, None, "{}", line.name);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(line.name.chars().all(plain), "{}", line.name);
        }
    }

    #[test]
    fn line_editing_never_hides_keys_of_its_mode() {
        let keymap = keymap();
        for place in [Place::Filter, Place::Prompt, Place::Reply] {
            for bound in keymap.lines().filter(|bound| bound.binding.place == place) {
                for key in &bound.keys {
                    assert_eq!(keymap.action(Place::Line, key), None, "{key} in {place:?}");
                }
            }
        }
    }

    #[test]
    fn no_control_key_ends_a_job() {
        for binding in TABLE {
            let ends = matches!(
                binding.action,
                Action::Stop
                    | Action::Kill
                    | Action::Remove
                    | Action::RemoveEnded
                    | Action::QuitAndStop
                    | Action::StopAll
                    | Action::StopGroup
                    | Action::SendKill
                    | Action::Yes
                    | Action::YesKill
            );
            let chord = binding
                .keys
                .iter()
                .any(|key| key.starts_with("ctrl-") || *key == "enter");
            assert!(!(ends && chord), "{binding:?}");
        }
    }
}
