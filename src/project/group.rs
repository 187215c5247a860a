//! Groups of jobs.

use serde::{Deserialize, Serialize};

use super::job::is_default;
pub use crate::protocol::project::OnFailure;

/// A group of jobs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Its jobs, in order.
    pub jobs: Vec<String>,
    /// How many of them run at once, which makes it a queue; 0: all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parallel: u32,
    /// What a failed job does to the queue.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_failure: OnFailure,
}
