//! A job as it is written: what cannot be decided before all files are read.

use std::collections::BTreeMap;

use super::job::Job;
use super::place::Place;
use super::section::Text;
use crate::protocol::project::Level;

/// A job whose needs and group are not resolved yet.
pub(super) struct Draft {
    /// Its full name, such as `web/dev`.
    pub(super) name: String,
    /// The place of its name.
    pub(super) place: Place,
    pub(super) job: Job,
    pub(super) needs: Vec<DraftNeed>,
    pub(super) group: Option<Text>,
    /// Where its ports are written.
    pub(super) ports: BTreeMap<String, Place>,
}

/// A need as it is written.
pub(super) struct DraftNeed {
    /// The other job.
    pub(super) job: Text,
    /// The level; `None`: the natural one.
    pub(super) is: Option<Level>,
    pub(super) restart: bool,
}

/// A group as it is written.
pub(super) struct DraftGroup {
    /// Its full name.
    pub(super) name: String,
    pub(super) jobs: Vec<Text>,
    pub(super) group: super::load::Group,
}
