//! What a job inherits from the requesting process besides directory, umask and environment, as if
//! that process and not the keeper had started it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Niceness, resource limits and processors of the requesting process.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Inherit {
    /// Niceness (getpriority(2)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nice: Option<i32>,
    /// Resource limits (getrlimit(2)) by their names without `RLIMIT_`, in lower case.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, SoftHard>,
    /// Processors that it may run on, in the format of `/proc/PID/status`: `0-3,8`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
}

/// One resource limit; `null` means unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SoftHard {
    /// The limit in force.
    pub soft: Option<u64>,
    /// The value up to which `soft` may be raised.
    pub hard: Option<u64>,
}

impl Inherit {
    /// The values that differ from a process's own values; `None` if all are equal.
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
    fn only_differences_are_passed_on() {
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
