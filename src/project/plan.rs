//! What `up` or `reload` would change: the applied jobs compared with the new ones.

use std::collections::BTreeMap;

use serde::Serialize;

use super::job::{Job, Program};
use super::ports::{self, Ports};
use super::template::{self, Piece};

/// What happens to a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// `+`: it is new.
    Add(String),
    /// `~`: it differs in something that needs a restart.
    Change {
        /// The job.
        job: String,
        /// The keys that differ.
        keys: Vec<&'static str>,
    },
    /// `*`: it differs in something that is applied in place.
    Apply {
        /// The job.
        job: String,
        /// The keys that differ.
        keys: Vec<&'static str>,
    },
    /// `>`: the same job has another name.
    Rename {
        /// The applied name.
        from: String,
        /// The new name.
        to: String,
    },
    /// `=`: it is the same.
    Same(String),
    /// `?`: it is not in the file any more.
    Gone(String),
}

impl Change {
    /// The job, by its new name.
    pub fn job(&self) -> &str {
        match self {
            Self::Add(job) | Self::Same(job) | Self::Gone(job) => job,
            Self::Change { job, .. } | Self::Apply { job, .. } => job,
            Self::Rename { to, .. } => to,
        }
    }
}

/// The key by which a change of the content of `.env` files is told.
const ENV_FILE: &str = "env_file";

/// That by which a change of another job's port is told, which a job has in its environment or its command.
const OTHER_PORTS: &str = "${port}";

impl Change {
    /// The same change of a job whose `.env` files give it other variables, too: it needs a restart.
    pub fn with_env_files(self) -> Self {
        self.with(ENV_FILE)
    }

    /// The same change of a job that needs a restart because of this, too.
    fn with(self, key: &'static str) -> Self {
        match self {
            Self::Same(job) => Self::Change {
                job,
                keys: vec![key],
            },
            Self::Apply { job, mut keys } | Self::Change { job, mut keys } => {
                if !keys.contains(&key) {
                    keys.push(key);
                }
                Self::Change { job, keys }
            }
            Self::Add(_) | Self::Rename { .. } | Self::Gone(_) => self,
        }
    }
}

/// The changes from the applied jobs to the new ones, by name; those that are gone come last.
pub fn changes(applied: &BTreeMap<String, Job>, new: &BTreeMap<String, Job>) -> Vec<Change> {
    let mut gone: Vec<(&String, &Job)> = applied
        .iter()
        .filter(|(name, _)| !new.contains_key(*name))
        .collect();
    let mut changes = Vec::new();
    for (name, job) in new {
        changes.push(match applied.get(name) {
            Some(old) => compared(name, old, job),
            None => match gone.iter().position(|(_, old)| *old == job) {
                Some(at) => Change::Rename {
                    from: gone.remove(at).0.clone(),
                    to: name.clone(),
                },
                None => Change::Add(name.clone()),
            },
        });
    }
    changes.extend(gone.into_iter().map(|(name, _)| Change::Gone(name.clone())));
    let moved = MovedPorts::new(applied, new);
    let with_ports = |change: Change| match new.get(change.job()) {
        Some(job) if moved.are_used_by(change.job(), job) => change.with(OTHER_PORTS),
        _ => change,
    };
    changes.into_iter().map(with_ports).collect()
}

/// The ports of all jobs before and after, if any differs.
struct MovedPorts {
    before: Ports,
    after: Ports,
    /// The variables whose values differ, or that are gone.
    variables: Vec<String>,
}

impl MovedPorts {
    fn new(applied: &BTreeMap<String, Job>, new: &BTreeMap<String, Job>) -> Self {
        let all = |jobs: &BTreeMap<String, Job>| -> Ports {
            let jobs = jobs.iter();
            jobs.map(|(name, job)| (name.clone(), job.ports.clone()))
                .collect()
        };
        let (before, after) = (all(applied), all(new));
        let now = ports::variables(&after);
        let variables = ports::variables(&before).into_iter();
        let variables = variables.filter(|(variable, port)| now.get(variable) != Some(port));
        Self {
            variables: variables.map(|(variable, _)| variable).collect(),
            before,
            after,
        }
    }

    /// Whether a job has one of them in its templates, or names its variable anywhere in its definition.
    fn are_used_by(&self, name: &str, job: &Job) -> bool {
        // At the first `up`, and most of the time.
        if self.before.is_empty() || self.before == self.after {
            return false;
        }
        let templates = job.templates().into_iter();
        let mut pieces = templates.filter_map(|(_, text)| template::parse(text).ok());
        if pieces.any(|pieces| self.are_in(&pieces, name)) {
            return true;
        }
        if self.variables.is_empty() {
            return false;
        }
        let definition = serde_json::to_string(job).unwrap_or_default();
        let is_named = |variable: &String| has_word(&definition, variable);
        self.variables.iter().any(is_named)
    }

    fn are_in(&self, pieces: &[Piece<'_>], from: &str) -> bool {
        pieces.iter().any(|piece| match piece {
            // It may also mean the port of another job now.
            Piece::Port(reference) => match ports::port_of(&self.before, from, reference) {
                Ok(port) => ports::port_of(&self.after, from, reference) != Ok(port),
                Err(_) => false,
            },
            Piece::Variable(_, Some(default)) => self.are_in(default, from),
            _ => false,
        })
    }
}

/// Whether the text has this name of a variable, and not only as the beginning of a longer one.
fn has_word(text: &str, variable: &str) -> bool {
    let mut ends = text
        .match_indices(variable)
        .map(|(at, _)| at + variable.len());
    ends.any(|end| {
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn compared(name: &str, old: &Job, new: &Job) -> Change {
    let (restarting, applied) = differences(old, new);
    let job = name.to_owned();
    if !restarting.is_empty() {
        let keys = restarting.into_iter().chain(applied).collect();
        Change::Change { job, keys }
    } else if !applied.is_empty() {
        Change::Apply { job, keys: applied }
    } else {
        Change::Same(job)
    }
}

/// The keys that differ: those that need a restart, and those that are applied in place.
fn differences(old: &Job, new: &Job) -> (Vec<&'static str>, Vec<&'static str>) {
    // Every field is named, so that the compiler asks about a new one.
    let Job {
        program,
        shell,
        is_task,
        dir,
        cwd,
        env,
        env_files,
        own_env_files,
        own_env,
        ports,
        port_busy,
        per,
        needs,
        ready,
        restart,
        stop,
        watch,
        schedule,
        group,
        tags,
        autostart,
        confirm,
        cols,
        rows,
        pty,
        ok_codes,
        timeout_ms,
        open,
        notify,
        description,
        limits,
        on,
        places: _,
    } = old;
    let command = match new.program {
        Program::Argv(_) => "cmd",
        Program::Line(_) => "run",
    };
    // The shell of a program without one runs only the lines of `ready`, `stop` and `on`; a restart is still the
    // way in which all of them get it.
    let restarting = [
        (command, *program != new.program),
        ("shell", *shell != new.shell),
        ("kind", *is_task != new.is_task),
        ("dir", *dir != new.dir),
        ("cwd", *cwd != new.cwd),
        ("env", *env != new.env || *own_env != new.own_env),
        (
            ENV_FILE,
            *env_files != new.env_files || *own_env_files != new.own_env_files,
        ),
        ("port", *ports != new.ports),
        ("port_busy", *port_busy != new.port_busy),
        ("per", *per != new.per),
        ("ready", *ready != new.ready),
        ("size", (*cols, *rows) != (new.cols, new.rows)),
        ("pty", *pty != new.pty),
        ("ok_codes", *ok_codes != new.ok_codes),
        ("timeout", *timeout_ms != new.timeout_ms),
        ("limits", *limits != new.limits),
    ];
    let applied = [
        ("needs", *needs != new.needs),
        ("restart", *restart != new.restart),
        ("stop", *stop != new.stop),
        ("watch", *watch != new.watch),
        ("schedule", *schedule != new.schedule),
        ("group", *group != new.group),
        ("tags", *tags != new.tags),
        ("autostart", *autostart != new.autostart),
        ("confirm", *confirm != new.confirm),
        ("open", *open != new.open),
        ("notify", *notify != new.notify),
        ("description", *description != new.description),
        ("on", *on != new.on),
    ];
    let keys = |list: &[(&'static str, bool)]| {
        let differing = list.iter().filter(|(_, differs)| *differs);
        differing.map(|(key, _)| *key).collect()
    };
    (keys(&restarting), keys(&applied))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::protocol::Notice;

    fn jobs(list: &[(&str, &str)]) -> BTreeMap<String, Job> {
        let job = |line: &str| Job::new(Path::new("/p"), Program::Line(line.to_owned()));
        let jobs = list
            .iter()
            .map(|(name, line)| ((*name).to_owned(), job(line)));
        jobs.collect()
    }

    /// The names of the jobs that do not stay as they are.
    fn changed(old: &BTreeMap<String, Job>, new: &BTreeMap<String, Job>) -> Vec<String> {
        let changes = changes(old, new).into_iter();
        let changes = changes.filter(|change| !matches!(change, Change::Same(_)));
        changes.map(|change| change.job().to_owned()).collect()
    }

    #[test]
    fn who_uses_the_port_of_another_job_is_restarted_when_it_moves() {
        let mut old = jobs(&[
            ("db", "d"),
            ("api", "a"),
            ("sh", "echo $BGPROC_PORT_DB"),
            ("x", "x"),
        ]);
        let url = Some("http://localhost:${port.db}/".to_owned());
        if let Some(api) = old.get_mut("api") {
            api.env.push(("DB".to_owned(), url.clone()));
        }
        if let Some(db) = old.get_mut("db") {
            db.ports.insert(String::new(), 7801);
        }
        let mut new = old.clone();
        if let Some(db) = new.get_mut("db") {
            db.ports.insert(String::new(), 7802);
        }
        assert_eq!(changed(&old, &new), ["api", "db", "sh"]);
        let same = changes(&new, &new.clone());
        assert!(same.iter().all(|change| matches!(change, Change::Same(_))));
    }

    #[test]
    fn the_port_of_another_job_is_told_from_those_with_similar_names() {
        let mut old = jobs(&[
            ("db", "d"),
            ("web/db", "d"),
            ("web/dev", "w"),
            ("api", "a"),
            ("long", "echo $BGPROC_PORT_WEB_DB_2"),
            ("sh", "echo $BGPROC_PORT_WEB_DB"),
        ]);
        for name in ["web/dev", "api"] {
            if let Some(job) = old.get_mut(name) {
                job.own_env
                    .push(("DB".to_owned(), Some("${X:-${port.db}}".to_owned())));
            }
        }
        for (name, port) in [("db", 7000), ("web/db", 7801)] {
            if let Some(db) = old.get_mut(name) {
                db.ports.insert(String::new(), port);
            }
        }
        let mut new = old.clone();
        if let Some(db) = new.get_mut("web/db") {
            db.ports.insert(String::new(), 7802);
        }
        assert_eq!(changed(&old, &new), ["sh", "web/db", "web/dev"]);
    }

    #[test]
    fn what_differs_decides_between_restart_and_in_place() {
        let old = jobs(&[("api", "a"), ("db", "d"), ("docs", "s")]);
        let mut new = jobs(&[("api", "b"), ("db", "d"), ("docs", "s")]);
        if let Some(db) = new.get_mut("db") {
            db.notify = vec![Notice::Failed];
        }
        assert_eq!(
            changes(&old, &new),
            [
                Change::Change {
                    job: "api".to_owned(),
                    keys: vec!["run"]
                },
                Change::Apply {
                    job: "db".to_owned(),
                    keys: vec!["notify"]
                },
                Change::Same("docs".to_owned()),
            ]
        );
    }

    #[test]
    fn other_variables_in_env_files_need_a_restart() {
        let job = "api".to_owned();
        let restarted = |keys: &[&'static str]| Change::Change {
            job: job.clone(),
            keys: keys.to_vec(),
        };
        let same = Change::Same(job.clone()).with_env_files();
        assert_eq!(same, restarted(&["env_file"]));
        let applied = Change::Apply {
            job: job.clone(),
            keys: vec!["tags"],
        };
        assert_eq!(applied.with_env_files(), restarted(&["tags", "env_file"]));
        let both = restarted(&["env_file"]).with_env_files();
        assert_eq!(both, restarted(&["env_file"]));
        let gone = Change::Gone(job.clone());
        assert_eq!(gone.clone().with_env_files(), gone);
    }

    #[test]
    fn one_removed_and_one_added_that_are_equal_are_a_rename() {
        let old = jobs(&[("web", "w"), ("worker", "x"), ("two", "w")]);
        let new = jobs(&[("front", "w"), ("other", "y")]);
        assert_eq!(
            changes(&old, &new),
            [
                Change::Rename {
                    from: "two".to_owned(),
                    to: "front".to_owned()
                },
                Change::Add("other".to_owned()),
                Change::Gone("web".to_owned()),
                Change::Gone("worker".to_owned()),
            ]
        );
    }
}
