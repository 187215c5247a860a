//! A home whose jobs can go to a real Slurm cluster.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use super::Home;
use super::cluster::{self, Cluster};
use super::needs::missing;

/// A cluster, and a home whose commands use it. It ends when this is dropped.
pub(crate) struct Slurm {
    // Before the home: what is left has the home in its environment, and ends with it.
    cluster: Cluster,
    _runtimes: Runtimes,
    pub(crate) home: Home,
}

impl Slurm {
    /// A cluster of so many nodes with 8 processors each; `None` if there is no Slurm and the test is to be skipped.
    pub(crate) fn new(nodes: usize) -> Option<Self> {
        Self::with(nodes, "")
    }

    /// The same, with further lines of slurm.conf, which win.
    pub(crate) fn with(nodes: usize, lines: &str) -> Option<Self> {
        if let Some(program) = cluster::missing() {
            missing(&format!("`{program}`"));
            return None;
        }
        let mut home = Home::new();
        let dir = home.scratch("slurm");
        // More questions than a site would like, so that tests need not wait.
        let config = "[launchers.slurm]\npoll = \"1s\"\n";
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        let surround = home.surroundings();
        let cluster = Cluster::new(dir, nodes, lines, Box::new(surround));
        home.set("SLURM_CONF", cluster.conf());
        Some(Self {
            cluster,
            _runtimes: Runtimes(home.path().join("batch")),
            home,
        })
    }

    /// Runs a command line in a batch job with this name.
    pub(crate) fn run(&self, name: &str, line: &str) {
        self.home.ok(&["run", "--on", "slurm", "-n", name, line]);
    }
}

impl Deref for Slurm {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}

impl DerefMut for Slurm {
    fn deref_mut(&mut self) -> &mut Cluster {
        &mut self.cluster
    }
}

/// The directories that runs of these sessions have on nodes. A node that was killed has left its sockets.
struct Runtimes(PathBuf);

impl Drop for Runtimes {
    fn drop(&mut self) {
        let entries = |dir: &Path| std::fs::read_dir(dir).into_iter().flatten().flatten();
        for session in entries(&self.0) {
            let user = rustix::process::geteuid().as_raw();
            for run in entries(&session.path()) {
                let name = run.file_name().into_string().unwrap();
                let _ = std::fs::remove_dir_all(format!("/tmp/bgproc-{user}-node-{name}"));
            }
        }
    }
}
