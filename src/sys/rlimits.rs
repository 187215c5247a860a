//! Per-process limits of a job (getrlimit(2)), which are set before `exec`.

use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process, setrlimit};
use rustix::thread::{CapabilitySet, capabilities};

use super::cgroup::Group;
use crate::protocol::JobLimits;

/// Seconds between the soft and the hard limit of CPU time, in which a process can end itself.
const LAST_SECONDS: u64 = 1;

/// The limits that a new process sets for itself. The limit of open files is not one of them, because it is set last,
/// in `spawn`.
#[derive(Clone, Debug, Default)]
pub struct Rlimits {
    limits: Vec<(Resource, Rlimit)>,
    nice: Option<i32>,
}

impl Rlimits {
    /// The limits of a job, except those that its control group enforces.
    pub fn new(limits: &JobLimits, group: Option<&Group>) -> Self {
        let memory = limits
            .memory_bytes
            .filter(|_| group.is_none_or(|group| !group.memory));
        let processes = limits
            .processes
            .filter(|_| group.is_none_or(|group| !group.processes));
        let wanted = [
            (Resource::As, memory, 0),
            (Resource::Cpu, limits.cpu_sec, LAST_SECONDS),
            (Resource::Nproc, processes, 0),
        ];
        let set = wanted.into_iter().filter_map(|(resource, value, more)| {
            let value = value?;
            let hard = value.saturating_add(more);
            let maximum = getrlimit(resource).maximum;
            let limit = Rlimit {
                current: Some(value),
                // A value above our own limit is one that we are able to set.
                maximum: Some(maximum.map_or(hard, |maximum| hard.min(maximum).max(value))),
            };
            Some((resource, limit))
        });
        Self {
            limits: set.collect(),
            nice: limits.nice,
        }
    }

    /// Applies the limits to this process, with system calls only and without allocating.
    pub fn apply(&self) -> rustix::io::Result<()> {
        for (resource, limit) in &self.limits {
            setrlimit(*resource, *limit)?;
        }
        if let Some(nice) = self.nice {
            setpriority_process(None, nice)?;
        }
        Ok(())
    }
}

/// The first of these limits that the system would refuse, with the highest value that it accepts; `None`
/// if it would accept them all.
pub fn beyond(limits: &JobLimits) -> Option<(&'static str, u64)> {
    if is_able(CapabilitySet::SYS_RESOURCE) {
        return None;
    }
    let wanted = [
        ("memoryBytes", limits.memory_bytes, Resource::As),
        ("cpuSec", limits.cpu_sec, Resource::Cpu),
        ("processes", limits.processes, Resource::Nproc),
        ("openFiles", limits.open_files, Resource::Nofile),
    ];
    wanted.into_iter().find_map(|(name, value, resource)| {
        let maximum = getrlimit(resource).maximum?;
        (value? > maximum).then_some((name, maximum))
    })
}

/// Whether this process may raise limits by this capability. Root lacks most of them within containers, and those of a
/// user namespace do not count: the kernel asks for the capability in the first one (`capable()`, setrlimit(2)).
fn is_able(capability: CapabilitySet) -> bool {
    let is_held = capabilities(None).is_ok_and(|own| own.effective.contains(capability));
    is_held && std::fs::read_to_string("/proc/self/uid_map").map_or(true, |map| maps_all(&map))
}

/// Whether this is the `uid_map` of the first user namespace (user_namespaces(7)).
fn maps_all(map: &str) -> bool {
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// The lowest niceness that we may set for a job.
pub fn least_nice() -> i32 {
    if is_able(CapabilitySet::SYS_NICE) {
        return -20;
    }
    // RLIMIT_NICE counts down from 20; a process may always keep its niceness.
    let limit = getrlimit(Resource::Nice).current.unwrap_or(40).min(40);
    let own = rustix::process::getpriority_process(None).unwrap_or(0);
    own.min(20 - i32::try_from(limit).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_user_namespace_maps_all_users() {
        assert!(maps_all("         0          0 4294967295\n"));
        assert!(!maps_all("         0       1000          1\n"));
        assert!(!maps_all("0 100000 65536\n65536 0 1\n"));
    }

    #[test]
    fn limits_map_to_resources() {
        let limits = JobLimits {
            memory_bytes: Some(1 << 30),
            cpu_sec: Some(5),
            open_files: Some(64),
            nice: Some(3),
            ..JobLimits::default()
        };
        let set = Rlimits::new(&limits, None);
        let resources: Vec<_> = set.limits.iter().map(|(resource, _)| *resource).collect();
        assert_eq!(resources, [Resource::As, Resource::Cpu]);
        assert_eq!(set.limits[1].1.maximum, Some(6));
        assert_eq!(set.nice, Some(3));
        assert_eq!(beyond(&limits), None);
        assert!((-20..=19).contains(&least_nice()));
    }
}
