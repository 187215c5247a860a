//! Niceness, resource limits and CPU affinity: reading those of this process, and setting those of a new one.

use rustix::io::Errno;
use rustix::process::{
    Resource, Rlimit, getpriority_process, getrlimit, setpriority_process, setrlimit,
};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::protocol::inherit::{Inherit, SoftHard};

/// The resource limits of Linux, by their names on the wire.
const LIMITS: [(&str, Resource); 16] = [
    ("as", Resource::As),
    ("core", Resource::Core),
    ("cpu", Resource::Cpu),
    ("data", Resource::Data),
    ("fsize", Resource::Fsize),
    ("locks", Resource::Locks),
    ("memlock", Resource::Memlock),
    ("msgqueue", Resource::Msgqueue),
    ("nice", Resource::Nice),
    ("nofile", Resource::Nofile),
    ("nproc", Resource::Nproc),
    ("rss", Resource::Rss),
    ("rtprio", Resource::Rtprio),
    ("rttime", Resource::Rttime),
    ("sigpending", Resource::Sigpending),
    ("stack", Resource::Stack),
];

/// What a child of this process would inherit.
pub fn own() -> Inherit {
    let limits = LIMITS.map(|(name, resource)| {
        let Rlimit { current, maximum } = getrlimit(resource);
        let limit = SoftHard {
            soft: current,
            hard: maximum,
        };
        (name.to_owned(), limit)
    });
    Inherit {
        nice: getpriority_process(None).ok(),
        limits: limits.into(),
        cpus: own_cpus(),
    }
}

fn own_cpus() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mut lines = status.lines();
    let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list.trim().to_owned())
}

/// The settings that a new process applies to itself. Its parent prepares them, because nothing may be
/// allocated between process creation and `exec`.
#[derive(Clone, Default)]
pub struct Inherited {
    nice: Option<i32>,
    /// All but `open_files`.
    limits: Vec<(Resource, Rlimit)>,
    open_files: Option<Rlimit>,
    cpus: Option<CpuSet>,
}

impl Inherited {
    /// Converts what a client sent.
    pub fn new(inherit: &Inherit) -> Self {
        let known = LIMITS.iter().filter_map(|(name, resource)| {
            let wanted = inherit.limits.get(*name)?;
            Some((*resource, *wanted))
        });
        let limits = known.map(|(resource, wanted)| {
            let limit = Rlimit {
                current: least(wanted.soft, wanted.hard),
                maximum: wanted.hard,
            };
            (resource, limit)
        });
        let (open_files, limits): (Vec<_>, _) =
            limits.partition(|(resource, _)| *resource == Resource::Nofile);
        Self {
            nice: inherit.nice,
            limits,
            open_files: open_files.first().map(|(_, limit)| *limit),
            cpus: inherit.cpus.as_deref().and_then(cpu_set),
        }
    }

    /// Applies the settings, except [`open_files`](Self::open_files), to this process, with system calls only. A setting that the system refuses (a
    /// lower niceness than the keeper's, CPUs that no longer exist) stays as in the keeper.
    pub fn apply(&self) {
        for (resource, limit) in &self.limits {
            let _ = set(*resource, *limit);
        }
        if let Some(nice) = self.nice {
            let _ = setpriority_process(None, nice);
        }
        if let Some(cpus) = &self.cpus {
            let _ = sched_setaffinity(None, cpus);
        }
    }

    /// The limit of open files (`RLIMIT_NOFILE`), if the client sent one, for [`set`]. A new process sets it last: until
    /// it runs the program, it has all descriptors of its parent open.
    pub fn open_files(&self) -> Option<Rlimit> {
        self.open_files
    }
}

/// Sets a limit of this process, with system calls only. A hard limit above our own, for which we lack the right, is
/// lowered to ours. Root may lack it, too: within containers.
pub fn set(resource: Resource, limit: Rlimit) -> rustix::io::Result<()> {
    match setrlimit(resource, limit) {
        Err(Errno::PERM) => {
            let own = getrlimit(resource).maximum;
            let lower = Rlimit {
                current: least(limit.current, own),
                maximum: least(limit.maximum, own),
            };
            setrlimit(resource, lower)
        }
        outcome => outcome,
    }
}

/// The smaller of two limits; `None` means unlimited.
fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}

/// Parses a list such as `0-3,8`; `None` if it is malformed or empty.
fn cpu_set(list: &str) -> Option<CpuSet> {
    let mut set = CpuSet::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last >= CpuSet::MAX_CPU {
            return None;
        }
        (first..=last).for_each(|cpu| set.set(cpu));
    }
    (set.count() > 0).then_some(set)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parses_cpu_lists() {
        let set = cpu_set("0-2,5").unwrap();
        let chosen: Vec<usize> = (0..10).filter(|cpu| set.is_set(*cpu)).collect();
        assert_eq!(chosen, [0, 1, 2, 5]);
        for wrong in ["", "x", "1-", "0-99999999", "3-1"] {
            assert!(cpu_set(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn no_limit_exceeds_our_own() {
        assert_eq!(least(None, Some(5)), Some(5));
        assert_eq!(least(Some(7), Some(5)), Some(5));
        assert_eq!(least(None, None), None);
        let own = own();
        assert_eq!(own.limits.len(), LIMITS.len());
        let inherited = Inherited::new(&own);
        assert_eq!(inherited.open_files(), Some(getrlimit(Resource::Nofile)));
    }
}
