//! How far a command is that was typed into a shell.

use super::marks::{begin, end};
use super::prompt::over_without_end;
use crate::daemon::hub::Hub;
use crate::engine::matcher::Decision;
use crate::engine::shell_command::{Ended, TypedCommand};
use crate::protocol::reply::Progress;
use crate::protocol::{Error, SessionId};

/// How far a command is, after a wait for its end.
pub(super) struct Course {
    pub(super) outcome: Progress,
    /// Where its output begins.
    pub(super) began: Option<u64>,
    pub(super) ended: Option<Ended>,
    /// Why it is over, if the log does not have its end.
    pub(super) over_because: Option<&'static str>,
}

impl Course {
    pub(super) async fn of(
        hub: &Hub,
        id: &SessionId,
        command: &TypedCommand,
        decision: Option<&Decision>,
    ) -> Result<Self, Error> {
        let began = begin(hub, id, command).await?;
        let outcome = outcome(decision, began.is_some());
        let ended = match outcome {
            Progress::Done => end(hub, id, command, began.unwrap_or(command.from)).await?,
            _ => None,
        };
        let over_because = match (outcome, began) {
            (Progress::Done | Progress::Exited, _) | (_, None) => None,
            _ => over_without_end(hub, id, command).await,
        };
        Ok(Self {
            outcome: if over_because.is_some() {
                Progress::Done
            } else {
                outcome
            },
            began,
            ended,
            over_because,
        })
    }

    /// Whether nothing more is to be expected of it.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.outcome, Progress::Done | Progress::Exited)
    }
}

/// How far the command is, as far as the wait has shown.
fn outcome(decision: Option<&Decision>, has_begun: bool) -> Progress {
    let kind = match decision {
        Some(Decision::Matched(matched)) => Some(matched.kind.as_str()),
        _ => None,
    };
    match (decision, kind) {
        (_, Some("command")) => Progress::Done,
        (Some(Decision::Exited | Decision::Lost), _) | (_, Some("exit")) => Progress::Exited,
        _ if !has_begun => Progress::NotBegun,
        (_, Some(_)) => Progress::Input,
        _ => Progress::Running,
    }
}
