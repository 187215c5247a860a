//! The environment of a job, each value with where it comes from.
//!
//! Later wins: the caller's environment, `[env]`, `env_file`, the job's `env_file`, the job's `env`, `PORT` and
//! `BGPROC_*`. What marks the caller as a job is left out, and the `PORT` of a caller that is one, because an `up` that
//! is typed inside a job must not pass on that job's port.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dotenv::{Pair, Piece};
use super::env_file::Reader;
use super::expand::{self, Scope};
use super::fault::{Fault, Faults};
use super::files::Files;
use super::job::{Job, Variables};
use super::ports::{self, Ports};
use crate::protocol::environment::MARK;

/// The other variables that only bgproc sets. People set others, such as `BGPROC_HOME`.
const OWN: [&str; 4] = [
    "BGPROC_PROJECT",
    "BGPROC_WORKTREE",
    "BGPROC_ROLE",
    "BGPROC_HANDOVER",
];

/// What the environment of a job depends on besides the job.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The environment of who asked for the job.
    pub caller: &'a BTreeMap<String, String>,
    /// The ports that the jobs of the project really have: job, name, port.
    pub ports: &'a Ports,
    /// The name of the project.
    pub project: &'a str,
    /// The branch or directory of a linked worktree; empty in the main checkout.
    pub worktree: &'a str,
}

/// The environment of a job.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Environment {
    /// The values by name, removed ones included.
    pub values: BTreeMap<String, Value>,
    /// What should be looked at.
    pub warnings: Vec<Fault>,
}

/// A value of an environment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Value {
    /// The text; `None`: the variable is removed.
    pub text: Option<String>,
    /// Where it comes from.
    pub from: Origin,
}

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// The environment of who asked for the job.
    Caller,
    /// `[env]` of the project file.
    Project,
    /// A `.env` file.
    File {
        /// Its path.
        path: PathBuf,
        /// The line.
        line: u32,
    },
    /// `env` of the job.
    Job,
    /// The port of the job.
    Port,
    /// bgproc itself.
    Bgproc,
}

impl Environment {
    /// The text of a variable that is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.text.as_deref()
    }

    /// The variables that are set.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let values = self.values.iter();
        values.filter_map(|(name, value)| Some((name.as_str(), value.text.as_deref()?)))
    }

    fn set(&mut self, name: &str, text: Option<String>, from: Origin) {
        self.values.insert(name.to_owned(), Value { text, from });
    }
}

/// The environment of the job `name`. Reads its `.env` files.
pub fn environment(
    files: &dyn Files,
    job: &Job,
    name: &str,
    surroundings: &Surroundings<'_>,
) -> Result<Environment, Vec<Fault>> {
    let faults = Faults::default();
    let mut made = Environment::default();
    for (variable, text) in surroundings.caller {
        if is_passed_on(variable, name, surroundings) {
            made.set(variable, Some(text.clone()), Origin::Caller);
        }
    }
    let mut making = Making {
        fixed: fixed(name, surroundings),
        made,
        over: BTreeMap::new(),
        job,
        name,
        ports: surroundings.ports,
        faults: &faults,
    };
    // `.env` files may refer to `[env]`, and `[env]` to them: it is filled in again when they are read.
    let caller = making.made.clone();
    making.draft(&job.env);
    let reader = Reader::new(files);
    for file in job.env_files.iter().chain(&job.own_env_files) {
        let pairs = reader.read(file, &job.dir, &faults);
        pairs.iter().for_each(|pair| making.pair(&file.path, pair));
    }
    making.made = caller;
    making.variables(&job.env, "[env]", &Origin::Project);
    making.lay_over();
    making.variables(&job.own_env, "env", &Origin::Job);
    let Making {
        fixed,
        made: mut environment,
        ..
    } = making;
    for (variable, (text, from)) in fixed {
        environment.set(&variable, Some(text), from);
    }
    environment.warnings = faults.finish()?;
    Ok(environment)
}

/// Whether a variable of the caller is one of the job `name`, too.
fn is_passed_on(variable: &str, name: &str, surroundings: &Surroundings<'_>) -> bool {
    if variable == "PORT" {
        let own = surroundings.ports.get(name);
        let has_own = own.is_some_and(|ports| !ports.is_empty());
        return !has_own && !surroundings.caller.contains_key(MARK);
    }
    variable != MARK && !OWN.contains(&variable) && !variable.starts_with(ports::VARIABLE)
}

/// The variables that bgproc sets, which nothing overrides.
fn fixed(name: &str, surroundings: &Surroundings<'_>) -> BTreeMap<String, (String, Origin)> {
    let mut fixed = BTreeMap::new();
    let own = surroundings.ports.get(name).and_then(ports::single);
    if let Some(port) = own {
        fixed.insert("PORT".to_owned(), (port.to_string(), Origin::Port));
    }
    for (variable, port) in ports::variables(surroundings.ports) {
        fixed.insert(variable, (port.to_string(), Origin::Bgproc));
    }
    for (variable, text) in [
        ("BGPROC_PROJECT", surroundings.project),
        ("BGPROC_WORKTREE", surroundings.worktree),
    ] {
        fixed.insert(variable.to_owned(), (text.to_owned(), Origin::Bgproc));
    }
    fixed
}

struct Making<'a> {
    made: Environment,
    /// What `.env` files set, which goes over `[env]`.
    over: BTreeMap<String, Value>,
    fixed: BTreeMap<String, (String, Origin)>,
    job: &'a Job,
    name: &'a str,
    ports: &'a Ports,
    faults: &'a Faults,
}

impl Making<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        let fixed = self.fixed.get(name).map(|(text, _)| text.as_str());
        let over = || self.over.get(name)?.text.as_deref();
        fixed.or_else(over).or_else(|| self.made.get(name))
    }

    /// Sets what of `[env]` can be filled in before the `.env` files are read.
    fn draft(&mut self, variables: &Variables) {
        for (name, template) in variables {
            let text = template
                .as_deref()
                .map(|template| self.text(name, template));
            if let Ok(text) = text.transpose() {
                self.made.set(name, text, Origin::Project);
            }
        }
    }

    /// Sets the variables of `.env` files.
    fn lay_over(&mut self) {
        self.made.values.append(&mut self.over);
    }

    /// The text of a variable of the project file.
    fn text(&self, name: &str, template: &str) -> Result<String, Vec<String>> {
        let scope = Scope {
            get: &|name| self.get(name),
            ports: self.ports,
            job: self.name,
        };
        let text = scope.text(template)?;
        match expand::too_long(&format!("{name}={text}")) {
            Some(why) => Err(vec![format!("the value must be {why}")]),
            None => Ok(text),
        }
    }

    /// Sets variables of the project file, in their order, so that one may refer to an earlier one.
    fn variables(&mut self, variables: &Variables, list: &str, from: &Origin) {
        for (name, template) in variables {
            let text = template.as_deref().map(|template| {
                self.text(name, template).unwrap_or_else(|mistakes| {
                    let key = format!("{list}.{name}");
                    expand::report(self.faults, self.job, self.name, &key, mistakes);
                    String::new()
                })
            });
            self.made.set(name, text, from.clone());
        }
    }

    /// Sets a variable of a `.env` file. A reference to what is not set stays as it is, because passwords have
    /// dollar signs too.
    fn pair(&mut self, path: &Path, pair: &Pair) {
        let mut text = String::new();
        for piece in &pair.value {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Variable {
                    name,
                    default,
                    written,
                } => {
                    let value = self.get(name);
                    match (value.filter(|value| !value.is_empty()), default) {
                        (Some(value), _) => text.push_str(value),
                        (None, Some(default)) => text.push_str(default),
                        (None, None) if value.is_some() => {}
                        (None, None) => {
                            let message = format!(
                                "{written} in {} is not set and stays as it is; quote the value with ' if that is meant",
                                pair.name
                            );
                            self.faults.warn(Fault::at(&pair.place, message));
                            text.push_str(written);
                        }
                    }
                }
            }
        }
        if let Some(why) = expand::too_long(&format!("{}={text}", pair.name)) {
            self.faults
                .add(&pair.place, format!("the value must be {why}"));
        }
        let from = Origin::File {
            path: path.to_owned(),
            line: pair.place.line,
        };
        let text = Some(text);
        self.over.insert(pair.name.clone(), Value { text, from });
    }
}
