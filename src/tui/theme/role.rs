//! The roles that a theme assigns colours to.

use ratatui::style::Modifier;
use serde::Deserialize;

use super::Depth;
use crate::tui::state::State;

/// The role of a drawn element. Themes write the names in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Waiting for a dependency.
    Queued,
    /// Starting, not ready yet.
    Starting,
    /// Running.
    Running,
    /// Waiting for input from a person.
    Input,
    /// Being stopped.
    Stopping,
    /// Stopped by a signal.
    Paused,
    /// Ended successfully.
    Done,
    /// Failed.
    Failed,
    /// Stopped or killed by somebody.
    Killed,
    /// Being restarted.
    Retrying,
    /// Ended unobserved.
    Lost,
    /// Less important text.
    Dim,
    /// Separators.
    Rule,
    /// The selected row.
    Selected,
    /// A key in a hint.
    Key,
    /// The badge of NORMAL and HELP.
    Calm,
    /// The badge of INSERT.
    Live,
    /// The badge of SCROLL and of lists to choose from; the match at the cursor.
    Busy,
    /// The badge of FILTER and PROMPT, where a line is edited.
    Entry,
    /// The badge of CONFIRM; an error.
    Alarm,
    /// A toast.
    Toast,
    /// A search match.
    Found,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 22] = [
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
        Self::Entry,
        Self::Alarm,
        Self::Toast,
        Self::Found,
    ];

    /// The role of a state's glyph and word.
    pub fn of(state: &State) -> Self {
        match state {
            State::Queued | State::Scheduled => Self::Queued,
            State::Starting => Self::Starting,
            State::Running | State::Ready => Self::Running,
            State::NeedsInput | State::NeedsPassword | State::Blocked | State::Asked => Self::Input,
            State::Idle => Self::Done,
            State::Stopping => Self::Stopping,
            State::Paused => Self::Paused,
            State::Done => Self::Done,
            State::Failed(_) | State::Died(_) | State::Skipped => Self::Failed,
            State::Killed(_) => Self::Killed,
            State::Retrying(_) => Self::Retrying,
            State::Lost => Self::Lost,
        }
    }

    /// The attributes of a role; `is_plain` if its text has the terminal's own colour. Bold, dim and reverse are not
    /// chosen by themes, because without colour they carry all the information.
    pub(super) fn modifier(self, depth: Depth, is_plain: bool) -> Modifier {
        let bare = depth == Depth::None;
        match self {
            Self::Input if bare => Modifier::BOLD | Modifier::REVERSED,
            Self::Input | Self::Failed | Self::Selected => Modifier::BOLD,
            Self::Lost => Modifier::REVERSED,
            Self::Queued | Self::Done | Self::Killed | Self::Dim | Self::Rule if is_plain => {
                Modifier::DIM
            }
            Self::Stopping | Self::Paused if bare => Modifier::DIM,
            Self::Key if bare => Modifier::BOLD,
            Self::Calm | Self::Live | Self::Busy | Self::Entry | Self::Alarm if bare => {
                Modifier::BOLD | Modifier::REVERSED
            }
            Self::Calm | Self::Live | Self::Busy | Self::Entry | Self::Alarm => Modifier::BOLD,
            Self::Toast | Self::Found if bare => Modifier::REVERSED,
            _ => Modifier::empty(),
        }
    }
}
