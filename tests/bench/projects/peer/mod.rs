//! A program that runs the jobs of a file, and what is asked of each that is compared.

mod bgproc;
mod pitchfork;
mod pm2;
mod supervisord;

use std::path::Path;
use std::process::Command;

/// A job of a file.
pub(crate) struct Job {
    pub(crate) name: String,
    /// What the shell runs.
    pub(crate) line: String,
    /// The directory whose changes restart it.
    pub(crate) watch: Option<String>,
    /// Whether it runs in the night of New Year only.
    pub(crate) is_scheduled: bool,
}

/// A program that runs the jobs of a file and keeps their output, as it does by default. Its commands are run in a
/// directory of its own, in which it also keeps its state.
pub(crate) trait Peer {
    /// Its name.
    fn name(&self) -> &'static str;
    /// The program that has to be on `PATH`; none for bgproc itself.
    fn program(&self) -> Option<&'static str>;
    /// Whether it restarts jobs when files change, and has schedules.
    fn reacts(&self) -> bool {
        true
    }
    /// Writes the file.
    fn write(&self, dir: &Path, jobs: &[Job]);
    /// Starts the program itself, if it does not run yet, and all jobs.
    fn up(&self, dir: &Path) -> Command;
    /// Ends all jobs; the program goes on.
    fn down(&self, dir: &Path) -> Command;
}

/// bgproc, and those others that are installed.
pub(crate) fn installed() -> Vec<Box<dyn Peer>> {
    let all: [Box<dyn Peer>; 4] = [
        Box::new(bgproc::Bgproc),
        Box::new(pitchfork::Pitchfork),
        Box::new(supervisord::Supervisord),
        Box::new(pm2::Pm2),
    ];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs: Vec<_> = std::env::split_paths(&path).collect();
    let is_there = |peer: &dyn Peer| {
        let program = peer.program();
        program.is_none_or(|program| dirs.iter().any(|dir| dir.join(program).is_file()))
    };
    let (there, missing): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|peer| is_there(peer.as_ref()));
    if !missing.is_empty() {
        let names: Vec<_> = missing.iter().map(|peer| peer.name()).collect();
        eprintln!("not installed, and left out: {}", names.join(", "));
    }
    there
}
