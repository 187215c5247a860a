//! One job of a project, after defaults and merging. Its templates (`${…}`) are not expanded yet.
//!
//! Two jobs are equal if they mean the same: the places where they are written do not count. The daemon stores
//! jobs as JSON; what has its default is left out, so that the files stay small.

mod defaults;
mod parts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::place::Place;
use super::ready::Ready;
use super::restart::Restart;
use super::schedule::Schedule;
use super::stop::Stop;
use super::watch::Watch;
use crate::protocol::project::Need;
use crate::protocol::{JobLimits, Notice};
use defaults::{
    default_codes, default_cols, default_cwd, default_rows, default_shell, is_default_codes,
    is_default_cols, is_default_cwd, is_default_rows, is_default_shell,
};
pub(in crate::project) use defaults::{is_default, is_yes, yes};
pub use parts::{EnvFile, Hooks, Per, Places, PortBusy, Program};

/// Variables in the order of the file. `None` removes one.
pub type Variables = Vec<(String, Option<String>)>;

/// A job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// What it runs.
    pub program: Program,
    /// The shell of a [`Program::Line`], and of the lines in `ready`, `stop` and `on`.
    #[serde(default = "default_shell", skip_serializing_if = "is_default_shell")]
    pub shell: Vec<String>,
    /// Whether it is expected to end.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_task: bool,
    /// The directory of the file that defines it; relative paths are relative to it.
    pub dir: PathBuf,
    /// Working directory. A template.
    #[serde(default = "default_cwd", skip_serializing_if = "is_default_cwd")]
    pub cwd: String,
    /// `[env]` of its file, and of the files that include it. Templates.
    #[serde(default, skip_serializing_if = "is_default")]
    pub env: Variables,
    /// `env_file` of its file, and of the files that include it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub env_files: Vec<EnvFile>,
    /// Its own `env_file`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub own_env_files: Vec<EnvFile>,
    /// Its own `env`. Templates.
    #[serde(default, skip_serializing_if = "is_default")]
    pub own_env: Variables,
    /// Ports as written, by name. A single port has the name `""`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ports: BTreeMap<String, u16>,
    /// What happens if one of the ports is taken.
    #[serde(default, skip_serializing_if = "is_default")]
    pub port_busy: PortBusy,
    /// Whether each checkout has its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub per: Per,
    /// What it needs of other jobs, with resolved levels.
    #[serde(default, skip_serializing_if = "is_default")]
    pub needs: Vec<Need>,
    /// When it is ready.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ready: Option<Ready>,
    /// When it is run again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restart: Restart,
    /// How it is stopped.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stop: Stop,
    /// The files whose changes it reacts to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub watch: Option<Watch>,
    /// The times at which it runs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub schedule: Option<Schedule>,
    /// Its group.
    #[serde(default, skip_serializing_if = "is_default")]
    pub group: Option<String>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tags: Vec<String>,
    /// Whether `up` without names starts it.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub autostart: bool,
    /// Whether stopping it always asks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confirm: bool,
    /// Columns of its terminal.
    #[serde(default = "default_cols", skip_serializing_if = "is_default_cols")]
    pub cols: u16,
    /// Rows of its terminal.
    #[serde(default = "default_rows", skip_serializing_if = "is_default_rows")]
    pub rows: u16,
    /// Whether it has a terminal; else pipes.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub pty: bool,
    /// Exit codes that count as success.
    #[serde(default = "default_codes", skip_serializing_if = "is_default_codes")]
    pub ok_codes: Vec<i32>,
    /// Time limit of a run in milliseconds; 0: none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub timeout_ms: u64,
    /// Its address for people. A template.
    #[serde(default, skip_serializing_if = "is_default")]
    pub open: Option<String>,
    /// What people are notified of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub notify: Vec<Notice>,
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub description: Option<String>,
    /// Limits of the operating system and of its log.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: JobLimits,
    /// Shell lines that run when something happens to it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on: Hooks,
    /// Where its templates are written.
    #[serde(default, skip_serializing_if = "Places::is_empty")]
    pub places: Places,
}

impl Job {
    /// A job of the file in `dir` with all defaults.
    pub fn new(dir: &Path, program: Program) -> Self {
        Self {
            program,
            shell: default_shell(),
            is_task: false,
            dir: dir.to_owned(),
            cwd: default_cwd(),
            env: Vec::new(),
            env_files: Vec::new(),
            own_env_files: Vec::new(),
            own_env: Vec::new(),
            ports: BTreeMap::new(),
            port_busy: PortBusy::default(),
            per: Per::default(),
            needs: Vec::new(),
            ready: None,
            restart: Restart::default(),
            stop: Stop::default(),
            watch: None,
            schedule: None,
            group: None,
            tags: Vec::new(),
            autostart: true,
            confirm: false,
            cols: default_cols(),
            rows: default_rows(),
            pty: true,
            ok_codes: default_codes(),
            timeout_ms: 0,
            open: None,
            notify: Vec::new(),
            description: None,
            limits: JobLimits::default(),
            on: Hooks::default(),
            places: Places::default(),
        }
    }

    /// All its templates, each with its key: `cmd[1]`, `cwd`, `env.NAME`, `[env].NAME`, `ready.http`, `open`.
    pub fn templates(&self) -> Vec<(String, &str)> {
        let mut found = Vec::new();
        if let Program::Argv(argv) = &self.program {
            let args = argv.iter().enumerate();
            found.extend(args.map(|(n, arg)| (format!("cmd[{n}]"), arg.as_str())));
        }
        found.push(("cwd".to_owned(), self.cwd.as_str()));
        for (list, variables) in [("[env]", &self.env), ("env", &self.own_env)] {
            let values = variables.iter();
            let values = values
                .filter_map(|(name, text)| Some((format!("{list}.{name}"), text.as_deref()?)));
            found.extend(values);
        }
        let check = self.ready.as_ref().and_then(|ready| ready.check.template());
        found.extend(check.map(|(key, text)| (format!("ready.{key}"), text)));
        let open = self.open.as_deref();
        found.extend(open.map(|text| ("open".to_owned(), text)));
        found
    }

    /// Where the value of a key is written. Places are kept of templates only; the place of any other key is its
    /// directory.
    pub fn place(&self, key: &str) -> Place {
        let known = self.places.0.get(key).cloned();
        known.unwrap_or_else(|| Place::of_file(&self.dir))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_job_is_small_and_comes_back() {
        let job = Job::new(Path::new("/p"), Program::Line("npm start".to_owned()));
        let json = serde_json::to_string(&job).unwrap();
        assert_eq!(json, r#"{"program":{"line":"npm start"},"dir":"/p"}"#);
        assert_eq!(serde_json::from_str::<Job>(&json).unwrap(), job);
    }

    #[test]
    fn places_do_not_count() {
        let job = Job::new(Path::new("/p"), Program::Line("x".to_owned()));
        let mut moved = job.clone();
        let place = Place::of_file(Path::new("/p/bgproc.toml"));
        moved.places.0.insert("cwd".to_owned(), place.clone());
        assert_eq!(job, moved);
        assert_eq!(moved.place("cwd"), place);
        assert_eq!(moved.place("open").path.as_ref(), Path::new("/p"));
    }
}
