//! What has a colour: the roles that a theme fills.

use ratatui::style::Modifier;
use serde::Deserialize;

use super::Depth;
use crate::tui::state::State;

/// What something is drawn as. A theme writes the names in small letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Waits for what it needs.
    Queued,
    /// Not ready yet.
    Starting,
    /// Runs.
    Running,
    /// Waits for a person.
    Input,
    /// Was asked to end.
    Stopping,
    /// Stopped by a signal.
    Paused,
    /// Ended well.
    Done,
    /// Went wrong.
    Failed,
    /// Ended by somebody.
    Killed,
    /// Starts again.
    Retrying,
    /// Ended while nobody was there.
    Lost,
    /// Less important text.
    Dim,
    /// Lines between parts.
    Rule,
    /// The row under the cursor.
    Selected,
    /// A key in a hint.
    Key,
    /// The badge of NORMAL and HELP.
    Calm,
    /// The badge of INSERT.
    Live,
    /// The badge of SCROLL, FILTER, PROMPT; the match that a search stands on.
    Busy,
    /// The badge of CONFIRM; an error.
    Alarm,
    /// A message.
    Toast,
    /// What a search found.
    Found,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Queued,
        Self::Starting,
        Self::Running,
        Self::Input,
        Self::Stopping,
        Self::Paused,
        Self::Done,
        Self::Failed,
        Self::Killed,
        Self::Retrying,
        Self::Lost,
        Self::Dim,
        Self::Rule,
        Self::Selected,
        Self::Key,
        Self::Calm,
        Self::Live,
        Self::Busy,
        Self::Alarm,
        Self::Toast,
        Self::Found,
    ];

    /// The role of a state's glyph and word.
    pub fn of(state: &State) -> Self {
        match state {
            State::Queued => Self::Queued,
            State::Starting => Self::Starting,
            State::Running => Self::Running,
            State::NeedsInput | State::NeedsPassword | State::Asked => Self::Input,
            State::Stopping => Self::Stopping,
            State::Paused => Self::Paused,
            State::Done => Self::Done,
            State::Failed(_) | State::Died(_) => Self::Failed,
            State::Killed(_) => Self::Killed,
            State::Retrying(_) => Self::Retrying,
            State::Lost => Self::Lost,
        }
    }

    /// Bold, dim and reverse are no theme's to choose: without colour they say it all.
    pub(super) fn modifier(self, depth: Depth) -> Modifier {
        let bare = depth == Depth::None;
        match self {
            Self::Input if bare => Modifier::BOLD | Modifier::REVERSED,
            Self::Input | Self::Failed | Self::Selected => Modifier::BOLD,
            Self::Lost => Modifier::REVERSED,
            Self::Done if matches!(depth, Depth::None | Depth::Ansi) => Modifier::DIM,
            Self::Queued | Self::Stopping | Self::Paused | Self::Killed if bare => Modifier::DIM,
            Self::Dim | Self::Rule if bare => Modifier::DIM,
            Self::Key if bare => Modifier::BOLD,
            Self::Calm | Self::Live | Self::Busy | Self::Alarm if bare => {
                Modifier::BOLD | Modifier::REVERSED
            }
            Self::Calm | Self::Live | Self::Busy | Self::Alarm => Modifier::BOLD,
            Self::Toast | Self::Found if bare => Modifier::REVERSED,
            _ => Modifier::empty(),
        }
    }
}
