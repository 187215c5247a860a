//! What a job inherits from whoever asks for it, besides directory, umask and environment: as if that process had
//! started it, and not the keeper.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Niceness, limits and processors of the process that asks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Inherit {
    /// Niceness (getpriority(2)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nice: Option<i32>,
    /// Resource limits (getrlimit(2)) by their names without `RLIMIT_`, in lower case.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, SoftHard>,
    /// Processors it may run on, as `/proc/PID/status` lists them: `0-3,8`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
}

/// One resource limit; `null` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SoftHard {
    /// What holds now.
    pub soft: Option<u64>,
    /// What `soft` may be raised to.
    pub hard: Option<u64>,
}

impl Inherit {
    /// What is different from what a process has anyway; `None` if nothing is.
    pub fn beyond(&self, own: &Self) -> Option<Self> {
        let limits = self
            .limits
            .iter()
            .filter(|(name, limit)| own.limits.get(*name) != Some(*limit));
        let different = Self {
            nice: self.nice.filter(|_| self.nice != own.nice),
            limits: limits.map(|(name, limit)| (name.clone(), *limit)).collect(),
            cpus: self.cpus.clone().filter(|_| self.cpus != own.cpus),
        };
        (different != Self::default()).then_some(different)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_different_is_passed_on() {
        let limit = |soft| SoftHard {
            soft: Some(soft),
            hard: None,
        };
        let own = Inherit {
            nice: Some(0),
            limits: [
                ("core".to_owned(), limit(0)),
                ("stack".to_owned(), limit(8)),
            ]
            .into(),
            cpus: Some("0-1".to_owned()),
        };
        assert_eq!(own.beyond(&own), None);
        let asked = Inherit {
            nice: Some(5),
            limits: [
                ("core".to_owned(), limit(9)),
                ("stack".to_owned(), limit(8)),
            ]
            .into(),
            cpus: Some("0-1".to_owned()),
        };
        let different = Inherit {
            nice: Some(5),
            limits: [("core".to_owned(), limit(9))].into(),
            cpus: None,
        };
        assert_eq!(asked.beyond(&own), Some(different));
    }
}
