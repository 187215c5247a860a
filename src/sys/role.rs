//! Finding the keeper and daemon of a home among all processes, without connecting to them.

use std::path::Path;

use super::file::{self, Identity};
use super::paths::Home;
use super::process::{self, Process};

/// The oldest process of this home with the role `keeper` or `daemon`. It is recognized by its command line
/// and by its stderr, which is a log file of this home.
pub fn find(home: &Home, role: &str) -> Option<Process> {
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
