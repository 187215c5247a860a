//! What a daemon and `bgproc node` tell each other through the directory of a session that a cluster runs. Its layout is
//! that of `sys::node_home`.

use serde::{Deserialize, Serialize};

use super::keeper::InputReport;
use super::status::Mode;
use super::{JobLimits, Role, Scope, Timestamp};

/// The file that says what the node runs.
pub const JOB: &str = "job.json";

/// The file in which the node says why it could not run it.
pub const REFUSAL: &str = "refusal.json";

/// The file in the home of a run in which the node says what the program does. It is replaced when that changes.
pub const STATE: &str = "state.json";

/// The file to which the cluster writes what the batch script prints: nothing, unless the node cannot run the job.
pub const BATCH_LOG: &str = "engine.log";

/// The directory that belongs to one session, within the `state` of its launcher.
pub fn directory_of(state: &str, session: &str) -> String {
    format!("{}/{session}", state.trim_end_matches('/'))
}

/// What a node runs. Its environment is not here: the cluster's own submission carries it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeJob {
    /// Who owns the session: what a person may do to it on the node is what they may do to it here.
    pub role: Role,
    /// The scope that owns the session.
    pub scope: Scope,
    /// The program's file.
    pub program: String,
    /// Its arguments, without its name.
    pub args: Vec<String>,
    /// Working directory, which must be on the node, too.
    pub cwd: String,
    /// PTY or pipes.
    pub mode: Mode,
    /// Rows of its terminal.
    pub rows: u16,
    /// Columns of its terminal.
    pub cols: u16,
    /// Umask of its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
    /// Resource limits, which bgproc sets on the node. The batch system's own are in its submission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<JobLimits>,
}

/// What the program of a session does on its node, as far as no log says it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeState {
    /// What the kernel there reports about its input; absent if unknown.
    #[serde(default)]
    pub input: Option<InputReport>,
    /// Whether its first process is stopped by a signal.
    #[serde(default)]
    pub stopped: bool,
    /// Tells apart the prompts before and after something was typed: when that was last, by the node's own clock.
    #[serde(default)]
    pub typed: Option<u64>,
    /// Offset of the log at which the output of the current run begins.
    #[serde(default)]
    pub output_at: Option<u64>,
    /// The begin of the current run; absent if the node does not know its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Began>,
}

/// Where and when a run began: the batch system's list may say it seconds later.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Began {
    /// Name of the node, as the batch system has it.
    pub node: String,
    /// When its program was started, by the node's own clock.
    pub at: Timestamp,
}

/// Why a node did not run its job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// What failed, and why.
    pub message: String,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The files of the first version, as they are: nodes and daemons of other versions read them.
    const JOB: &str = r#"{"role":"agent","scope":"ci","program":"/bin/sh","args":["-c","make"],"cwd":"/work","mode":"pty","rows":24,"cols":80,"umask":18,"limits":{"memoryBytes":1048576}}"#;
    const STATE: &str = r#"{"input":null,"stopped":true,"typed":7,"outputAt":42}"#;

    #[test]
    fn the_files_of_the_first_version_stay_as_they_are() {
        let job: NodeJob = serde_json::from_str(JOB).unwrap();
        assert_eq!(serde_json::to_string(&job).unwrap(), JOB);
        let state: NodeState = serde_json::from_str(STATE).unwrap();
        assert_eq!(serde_json::to_string(&state).unwrap(), STATE);
        let began = r#"{"input":null,"stopped":false,"typed":null,"outputAt":0,"began":{"node":"n1","at":"2026-01-02T03:04:05.678Z"}}"#;
        let state: NodeState = serde_json::from_str(began).unwrap();
        assert_eq!(serde_json::to_string(&state).unwrap(), began);
        let refusal = r#"{"message":"there is no /work"}"#;
        let read: Refusal = serde_json::from_str(refusal).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), refusal);
    }

    #[test]
    fn what_a_file_lacks_or_has_besides_is_no_fault() {
        let job = r#"{"role":"human","scope":"human","program":"make","args":[],"cwd":"/","mode":"pipe","rows":1,"cols":1,"later":{}}"#;
        let job: NodeJob = serde_json::from_str(job).unwrap();
        assert_eq!((job.umask, job.limits), (None, None));
        let state: NodeState = serde_json::from_str("{}").unwrap();
        assert_eq!(state, NodeState::default());
    }
}
