//! The simple parts of a job.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::defaults::is_default;
use crate::project::place::Place;

/// What a job runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Program {
    /// A program and its arguments, without a shell. Templates.
    Argv(Vec<String>),
    /// A line for the shell. Never expanded.
    Line(String),
}

/// A `.env` file of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvFile {
    /// Its absolute path.
    pub path: PathBuf,
    /// Whether it may be missing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub may_be_missing: bool,
    /// Where the project file names it.
    pub written: Place,
}

impl PartialEq for EnvFile {
    /// The place where it is written does not count.
    fn eq(&self, other: &Self) -> bool {
        (&self.path, self.may_be_missing) == (&other.path, other.may_be_missing)
    }
}

/// What happens if a port of a job is taken when it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PortBusy {
    /// It is not started.
    #[default]
    Fail,
    /// It gets the next free port.
    Next,
}

/// How many of a job there are in a repository with several worktrees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Per {
    /// One in each checkout.
    #[default]
    Checkout,
    /// One, which runs in the main checkout.
    Repo,
}

/// Shell lines that run when something happens to a job. They never hold anything up.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hooks {
    /// It became ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
    /// It failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// It ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// It asks for input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// Where the templates of a job are written, by the keys of [`super::Job::templates`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Places(pub BTreeMap<String, Place>);

impl Places {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartialEq for Places {
    /// Places do not change what a job means.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
