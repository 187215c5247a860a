//! The jobs of a project, as its file, the daemon's files and replies name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a job can need of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It runs.
    Started,
    /// It runs and is ready.
    Ready,
    /// Its last run has ended well.
    Ok,
    /// Its last run has ended.
    Done,
}

impl Level {
    /// The word for it in project files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Ready => "ready",
            Self::Ok => "ok",
            Self::Done => "done",
        }
    }
}

/// What a job needs of another one before it starts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// Name of the other job.
    pub job: String,
    /// The level that it must have.
    pub is: Level,
    /// Whether the job is restarted when the other one is restarted on request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
}
