//! What every verb works with: the output, the daemon, and the jobs a target means.

mod people;
pub mod target;

use std::collections::HashMap;

use clap::Command;
use serde::de::DeserializeOwned;

use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{Output, note, words};
use crate::cli::settings;
use crate::client::{self, AutoStart, Connection, Running, greeting};
use crate::protocol::params::{List, StatusParams};
use crate::protocol::reply::Listed;
use crate::protocol::{Action, Error, Record, SessionId};
use crate::recall::last_job;
use target::Miss;

/// More jobs than a daemon keeps; `list` stops at 200 unless told otherwise.
const ALL_JOBS: usize = 100_000;

/// What a verb works with.
#[derive(Debug)]
pub struct Context {
    /// Standard output.
    pub out: Output,
    /// Whether `--json` was given.
    pub json: bool,
    /// Builds the grammar of all verbs, for `help`.
    pub grammar: fn() -> Command,
    /// Made by the first verb that needs it.
    connection: Option<Connection>,
    /// What the jobs are called that this verb is about.
    names: HashMap<SessionId, String>,
}

/// The jobs that some targets mean, and the exit code of those that mean none.
#[derive(Debug)]
pub struct Found {
    /// In the order of the targets, each once.
    pub jobs: Vec<Record>,
    /// 0, or 4 or 5 after a miss, which has been said already.
    pub exit: Exit,
}

/// Which jobs a group or a glob means; one that is named is meant in any state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// All of them.
    Any,
    /// Those that are not over.
    Going,
}

impl Context {
    /// A context without a connection.
    pub fn new(out: Output, json: bool, grammar: fn() -> Command) -> Self {
        Self {
            out,
            json,
            grammar,
            connection: None,
            names: HashMap::new(),
        }
    }

    /// The daemon, started if need be.
    pub fn daemon(&mut self) -> Result<&mut Connection, Failure> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                check_configuration()?;
                client::connect(&greeting::human(), AutoStart::Yes)?
            }
        };
        Ok(self.connection.insert(connection))
    }

    /// A daemon that runs already; that there is none was said.
    pub fn running_daemon(&mut self) -> Result<Option<&mut Connection>, Failure> {
        match client::connect_running(&greeting::human())? {
            Running::Yes(connection) => Ok(Some(self.connection.insert(*connection))),
            Running::No(why) => {
                note(&why);
                Ok(None)
            }
        }
    }

    /// Connects with where the caller is and its whole environment, for jobs to start with.
    pub fn daemon_with_surroundings(&mut self) -> Result<&mut Connection, Failure> {
        let greeting = greeting::with_surroundings(greeting::human());
        check_configuration()?;
        let connection = client::connect(&greeting, AutoStart::Yes)?;
        Ok(self.connection.insert(connection))
    }

    /// Drops the connection; the next verb makes a new one.
    pub fn hang_up(&mut self) {
        self.connection = None;
    }

    /// Every job.
    pub fn jobs(&mut self) -> Result<Vec<Record>, Failure> {
        let list = List {
            limit: Some(ALL_JOBS),
            ..List::default()
        };
        let listed: Listed<Record> = self.read(&Action::List(list))?;
        Ok(listed.sessions)
    }

    /// Asks for something that changes nothing; the next daemon is asked where
    /// this one goes away.
    pub fn read<T: DeserializeOwned>(&mut self, action: &Action) -> Result<T, Failure> {
        if let Some(connection) = &mut self.connection {
            return Ok(connection.call_as(action.clone())?);
        }
        check_configuration()?;
        let (connection, answer) = client::connect_asking(&greeting::human(), action)?;
        self.connection = Some(connection);
        Ok(answer?)
    }

    /// The one job that `target` means; the target `-` means it from now on.
    pub fn one(&mut self, target: &str) -> Result<Record, Failure> {
        let jobs = self.jobs()?;
        match target::one(target, &jobs, last_job::recall().as_ref(), words::now()) {
            Ok(job) => {
                last_job::remember(&job.summary.session_id);
                let job = job.clone();
                self.names
                    .insert(job.summary.session_id.clone(), words::name(&job.summary));
                Ok(job)
            }
            Err(miss) => Err(self.explain(miss)),
        }
    }

    /// The jobs that `targets` mean. A miss is said at once and the rest is acted on.
    pub fn many(&mut self, targets: &[String], among: Among) -> Result<Found, Failure> {
        let jobs = self.jobs()?;
        let (recent, now) = (last_job::recall(), words::now());
        let mut found = Found {
            jobs: Vec::new(),
            exit: Exit::OK,
        };
        for target in targets {
            match target::all(target, &jobs, recent.as_ref(), now) {
                Ok(meant) => {
                    let named = meant.len() == 1;
                    for job in meant {
                        let wanted =
                            named || among == Among::Any || !job.summary.status.is_finished();
                        if wanted && !found.jobs.contains(job) {
                            found.jobs.push(job.clone());
                        }
                    }
                }
                Err(miss) => {
                    let failure = self.explain(miss);
                    crate::cli::output::complain(&failure);
                    found.exit = found.exit.or(failure.exit());
                }
            }
        }
        for job in &found.jobs {
            let id = job.summary.session_id.clone();
            self.names.insert(id, words::name(&job.summary));
        }
        if let [only] = found.jobs.as_slice() {
            last_job::remember(&only.summary.session_id);
        }
        Ok(found)
    }

    /// A failure as people read it: of jobs by the names that they go by here.
    pub fn in_words(&self, failure: Failure) -> Failure {
        people::in_words(failure, |id| self.names.get(id).cloned())
    }

    /// What a job is called that this verb is about.
    pub fn name_of(&self, id: &SessionId) -> String {
        self.names
            .get(id)
            .cloned()
            .unwrap_or_else(|| id.to_string())
    }

    /// Says at once that something of several failed.
    pub fn complain(&self, failure: Failure) -> Exit {
        let failure = self.in_words(failure);
        crate::cli::output::complain(&failure);
        failure.exit()
    }

    /// A miss in words. What has the shape of an id may have been removed,
    /// which the daemon knows better than the list.
    fn explain(&mut self, miss: Miss) -> Failure {
        match miss {
            Miss::Unknown { target, near } => {
                if SessionId::parse(&target).is_some()
                    && let Err(error) = self.status_of(&target)
                {
                    let hint = "bgproc ls shows the jobs there are";
                    return Failure::told(crate::cli::exit::of_error(&error), error.message)
                        .hint(hint);
                }
                if let Some(why) = target::oddity(&target) {
                    let hint = "bgproc ls shows the jobs there are";
                    let message = format!("`{target}` is no job: {why}");
                    return Failure::told(Exit::NO_JOB, message).hint(hint);
                }
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "bgproc ls shows the jobs there are".to_owned(),
                };
                Failure::told(Exit::NO_JOB, format!("no job is called `{target}`")).hint(hint)
            }
            Miss::Ambiguous { target, candidates } => {
                let count = candidates.len();
                let list = candidates.join("\n  ");
                let message = format!("`{target}` means {count} jobs:\n  {list}");
                Failure::told(Exit::AMBIGUOUS, message).hint("name one by its id")
            }
            Miss::Fewer { name, count } => {
                let are = match count {
                    1 => format!("there is only one job named {name}"),
                    count => format!("there are {count} jobs named {name}"),
                };
                Failure::told(Exit::NO_JOB, are).hint(format!("{name}#1 is the newest"))
            }
            Miss::NoRecent => {
                let why = match last_job::has_terminal() {
                    true => "and there was none yet",
                    false => "and there is no terminal here",
                };
                let message = format!(
                    "no job is named: `-`, or none, is that of the last verb on this terminal, {why}"
                );
                Failure::told(Exit::NO_JOB, message)
                    .hint("name one; bgproc ls shows the jobs there are")
            }
        }
    }

    fn status_of(&mut self, id: &str) -> Result<(), Error> {
        let status = Action::Status(StatusParams {
            session_id: id.to_owned(),
            detail: None,
        });
        match self.daemon() {
            Ok(daemon) => daemon.call(status).map(drop),
            // The caller's own words are as good, then.
            Err(_) => Ok(()),
        }
    }
}

/// A configuration that is wrong is told by the first verb, not by limits that
/// silently do not hold.
fn check_configuration() -> Result<(), Failure> {
    settings::configuration().map(drop)
}

/// Says what is wrong with a target that is over or otherwise cannot be acted on.
pub fn tell(job: &Record, what: &str) {
    note(&format!("{} {what}", words::name(&job.summary)));
}
