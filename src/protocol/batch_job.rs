//! Sessions whose programs the batch system of a cluster runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// The kind of a batch system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LauncherKind {
    /// Slurm.
    #[default]
    Slurm,
}

impl LauncherKind {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slurm => "Slurm",
        }
    }
}

/// The launcher of a session: an entry `[launchers.NAME]` of the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LauncherName {
    /// The batch system.
    pub kind: LauncherKind,
    /// Name of the entry.
    pub name: String,
}

/// What a session asks of a batch system. What is absent is as the launcher has it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Resources {
    /// Partition (queue).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// Account that is charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Time limit in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub time_sec: Option<u64>,
    /// Processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub cpus: Option<u32>,
    /// Memory in bytes, on one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub memory_bytes: Option<u64>,
    /// Graphics processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
    /// Further options of the batch system's submission, as `--constraint=a100`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<String>,
}

/// What a batch system says of a session.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BatchJob {
    /// Number of the job; absent until the batch system has accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// The batch system's own word for the state, such as `PENDING`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Why it waits, or why it ended, in the batch system's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it runs or has run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Number of the run: more than 1 if the batch system has put it into the queue again.
    pub run: u32,
    /// When the batch system expects to start it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_start_at: Option<Timestamp>,
    /// Time limit in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit_sec: Option<u64>,
    /// Since when the batch system does not answer; absent while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent_since: Option<Timestamp>,
}

impl BatchJob {
    /// Its number and its launcher, as people read it: `Slurm job 7 of launcher gpu`.
    pub fn title(&self, launcher: &LauncherName) -> String {
        let number = self.job_id.as_deref().unwrap_or("not accepted yet");
        let kind = launcher.kind.name();
        format!("{kind} job {number} of launcher {}", launcher.name)
    }

    /// Where it runs, as people read it: `on n17`, `on n17, run 2`.
    pub fn place(&self) -> Option<String> {
        let node = self.node.as_ref()?;
        Some(match self.run {
            0 | 1 => format!("on {node}"),
            run => format!("on {node}, run {run}"),
        })
    }
}

/// How a job that runs is reached, to type into it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// By a step of the job (`srun --overlap`).
    #[default]
    Srun,
    /// By ssh to its node.
    Ssh,
    /// Not at all: its log is read, and it can be cancelled.
    None,
}

/// The command that reaches the node of a job, and what is found there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NodeReach {
    /// Runs a shell beside the job, which reads its script from standard input.
    pub command: Vec<String>,
    /// Where bgproc is on the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bgproc: Option<String>,
    /// `BGPROC_HOME` of the daemon that holds the job there.
    pub home: String,
}

/// A batch system and how it is used: an entry `[launchers.NAME]`, complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LauncherSpec {
    /// Name of the entry.
    pub name: String,
    /// The batch system.
    #[serde(default)]
    pub kind: LauncherKind,
    /// Partition (queue).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// Account that is charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Time limit in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_sec: Option<u64>,
    /// Further options of the batch system's submission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Directory that the nodes see, too; empty: the daemon's own state.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// Longest pause between questions for the states of jobs, in milliseconds.
    #[serde(default = "poll_ms")]
    pub poll_ms: u64,
    /// Whether the batch system may put a job into its queue again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requeue: bool,
    /// How a job that runs is reached.
    #[serde(default)]
    pub reach: Reach,
}

/// Default of `pollMs`: half a minute, which sites accept.
pub fn poll_ms() -> u64 {
    30_000
}

impl LauncherSpec {
    /// What records say of it.
    pub fn reference(&self) -> LauncherName {
        LauncherName {
            kind: self.kind,
            name: self.name.clone(),
        }
    }

    /// The launcher of a kind that no configuration names.
    pub fn of_kind(kind: LauncherKind) -> Self {
        Self {
            name: match kind {
                LauncherKind::Slurm => "slurm".to_owned(),
            },
            kind,
            partition: None,
            account: None,
            time_sec: None,
            options: Vec::new(),
            state: String::new(),
            poll_ms: poll_ms(),
            requeue: false,
            reach: Reach::default(),
        }
    }
}

/// The launcher that a request names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Launcher {
    /// An entry of the configuration, or `slurm`.
    Named(String),
    /// One that the configuration of another machine has.
    Defined(Box<LauncherSpec>),
}
