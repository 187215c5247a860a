//! The roles of keeper and daemon, and finding both among all processes of a home, without connecting to them.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use super::file::{self, Identity};
use super::paths::Home;
use super::process::{self, Process};

/// What a process of bgproc is for, apart from those of clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessRole {
    /// It is the parent of the jobs.
    Keeper,
    /// It serves the clients.
    Daemon,
}

impl ProcessRole {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Keeper, Self::Daemon];

    /// The role of this name.
    pub fn of(name: &OsStr) -> Option<Self> {
        Self::ALL.into_iter().find(|role| name == role.as_str())
    }

    /// Its name: in the command line of the process, in the environment, in names of files and for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keeper => "keeper",
            Self::Daemon => "daemon",
        }
    }
}

impl fmt::Display for ProcessRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The oldest process of this home with a role. It is recognized by its command line and by its stderr, which is a log
/// file of this home.
pub fn find(home: &Home, role: ProcessRole) -> Option<Process> {
    let logs = [home.diagnostics(role), home.older_diagnostics(role)];
    let logs: Vec<Identity> = logs.iter().filter_map(|log| file::identity(log)).collect();
    let line = format!("bgproc\0{role}\0");
    let is_one = |pid: &u32| {
        std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|read| read == line.as_bytes())
            && file::identity_behind(Path::new(&format!("/proc/{pid}/fd/2")))
                .is_some_and(|stderr| logs.contains(&stderr))
    };
    let found = process::all().filter(is_one).filter_map(process::read);
    let live = found.filter(|process| process.state != 'Z');
    live.min_by_key(|process| (process.start, process.pid))
}
