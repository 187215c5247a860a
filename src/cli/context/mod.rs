//! What every verb works with: standard output, the connection to the daemon, and the jobs that targets
//! mean.

mod given;
mod hosts;
mod jobs;
mod miss;
pub(in crate::cli) mod own_file;
mod people;
pub mod recent;
pub mod target;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::Command;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::given::Given;
pub use self::hosts::{is_arriving, only_here};
pub use self::jobs::{Among, Found};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::style::ColorChoice;
use crate::cli::output::{self, Output, names, note, words};
use crate::cli::settings;
use crate::client::{self, AutoStart, Connection, Running, greeting};
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::{List, Listeners, Queue, StatusParams};
use crate::protocol::reply::{Listed, Listener, PortListeners, QueueState, Queues};
use crate::protocol::{Action, Error, ErrorCode, Record, SessionId};

/// The state of one command: output, connection and known job names.
#[derive(Debug)]
pub struct Context {
    /// Standard output.
    pub out: Output,
    /// Whether `--json` was given.
    pub json: bool,
    /// Whether `-H local` was given: lists have no jobs of other hosts.
    pub only_here: bool,
    /// The command line, from the name of the program on.
    pub words: Vec<OsString>,
    /// Builds the grammar of all verbs.
    pub grammar: fn() -> Command,
    /// The hint of this verb for a target that names no job, if the word is known from another program: `stop all`,
    /// `start COMMAND`.
    pub advice: fn(&str) -> Option<String>,
    /// Opened by the first verb that needs it.
    connection: Option<Connection>,
    /// The names of the jobs that this verb acts on.
    names: HashMap<SessionId, String>,
    /// The directory of the project around this one, once it was looked for.
    around: OnceCell<Option<PathBuf>>,
}

impl Context {
    /// A context without a connection.
    pub fn new(out: Output, json: bool, grammar: fn() -> Command) -> Self {
        Self {
            out,
            json,
            only_here: false,
            words: Vec::new(),
            grammar,
            advice: |_| None,
            connection: None,
            names: HashMap::new(),
            around: OnceCell::new(),
        }
    }

    /// Whether `--` was given: the words behind it are no options.
    pub fn has_separator(&self) -> bool {
        self.words.iter().any(|word| word == "--")
    }

    /// A context for a thread of its own, which prints nothing.
    pub fn beside(&self) -> Self {
        Self::new(Output::new(ColorChoice::Never), self.json, self.grammar)
    }

    /// The connection to the daemon, which is started if none is running.
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

    /// The connection to a running daemon, or `None` after printing that there is none. Never starts a
    /// daemon.
    pub fn running_daemon(&mut self) -> Result<Option<&mut Connection>, Failure> {
        match client::connect_running(&greeting::human())? {
            Running::Yes(connection) => Ok(Some(self.connection.insert(*connection))),
            Running::No(why) => {
                note(&why);
                Ok(None)
            }
        }
    }

    /// Connects and sends the caller's directory and whole environment, with which jobs are started.
    pub fn daemon_with_surroundings(&mut self) -> Result<&mut Connection, Failure> {
        let greeting = greeting::with_surroundings(greeting::human());
        check_configuration()?;
        for variable in greeting::unsent_variables() {
            note(&format!(
                "{variable} is not UTF-8: jobs do not get this variable"
            ));
        }
        let connection = client::connect(&greeting, AutoStart::Yes)?;
        Ok(self.connection.insert(connection))
    }

    /// Drops the connection. The next call opens a new one.
    pub fn hang_up(&mut self) {
        self.connection = None;
    }

    /// All jobs of this machine, or of the host that `-H` names.
    pub fn jobs(&mut self) -> Result<Vec<Record>, Failure> {
        let list = List {
            limit: Some(ALL_SESSIONS),
            hosts: hosts::only_here()?,
            ..List::default()
        };
        let listed: Listed<Record> = self.read(&Action::List(list))?;
        Ok(listed.sessions)
    }

    /// Sends an action that changes nothing. If the daemon goes away, the request is sent again to the next
    /// daemon.
    pub fn read<T: DeserializeOwned>(&mut self, action: &Action) -> Result<T, Failure> {
        if let Some(connection) = &mut self.connection {
            return Ok(connection.call_as(action.clone())?);
        }
        check_configuration()?;
        let (connection, answer) = client::connect_asking(&greeting::human(), action)?;
        self.connection = Some(connection);
        Ok(answer?)
    }

    /// The present record of a job, with its runs and processes if `detail` says so.
    pub fn record(&mut self, id: &SessionId, detail: bool) -> Result<Record, Failure> {
        self.read(&Action::Status(StatusParams {
            session_id: id.to_string(),
            detail: detail.then_some(true),
            full_env: None,
        }))
    }

    /// The queues, in which some jobs run at once and the others wait.
    pub fn queues(&mut self) -> Result<Vec<QueueState>, Failure> {
        let mut found: Queues = self.read(&Action::Queue(Queue::default()))?;
        found.queues.retain(|queue| queue.parallel > 0);
        Ok(found.queues)
    }

    /// The processes that are no jobs and listen on these ports, or on those that jobs of projects have reserved. The
    /// daemon of a host may be an older one, which knows none.
    pub fn strangers(&mut self, ports: Option<Vec<u16>>) -> Result<Vec<Listener>, Failure> {
        let action = Action::Listeners(Listeners { ports });
        match self.read::<PortListeners>(&action) {
            Ok(found) => Ok(found.listeners),
            Err(Failure::Refused(error)) if error.code == ErrorCode::UnknownAction => {
                Ok(Vec::new())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Prints a result: as an object with `--json`, else as a line.
    pub fn result(&mut self, value: &impl Serialize, line: &str) -> Result<(), Failure> {
        if self.json {
            self.out.json(value)
        } else {
            self.out.line(line)
        }
    }

    /// Notes the name of a job that this verb acts on.
    fn note_name(&mut self, job: &Record) {
        let id = job.summary.session_id.clone();
        self.names.insert(id, words::name(&job.summary));
    }

    /// Rewords an error of the daemon for people: jobs by their names.
    pub fn in_words(&mut self, failure: Failure) -> Failure {
        let again = people::to_restart(&failure).map(|id| {
            let job = self.record(&id, false).ok();
            let target = job.map(|job| self.target_of(&job));
            target.unwrap_or_else(|| id.to_string())
        });
        let failure = people::in_words(failure, |id| self.names.get(id).cloned(), again);
        match (failure, client::host::name()) {
            // Which launchers there are is in the configuration of that host.
            (Failure::Refused(mut error), Some(host)) if names_launchers(&error) => {
                error.message.push_str(&format!(" on {host}"));
                Failure::Refused(error)
            }
            (failure, _) => failure,
        }
    }

    /// The names of jobs for a person in this directory: a job of another project is shown with its project.
    pub fn names_from_here(&self, jobs: &[Record]) -> Vec<String> {
        let is_any = jobs.iter().any(|job| job.summary.project.is_some());
        let around = is_any.then(|| self.around.get_or_init(own_file::around).as_deref());
        names::seen_from(around.flatten(), jobs)
    }

    /// The name of a job that this verb acts on, else its id.
    pub fn name_of(&self, id: &SessionId) -> String {
        self.names
            .get(id)
            .cloned()
            .unwrap_or_else(|| id.to_string())
    }

    /// Prints the failure of one of several jobs and returns its exit code.
    pub fn complain(&mut self, failure: Failure) -> Exit {
        let failure = self.in_words(failure);
        output::complain(&failure);
        failure.exit()
    }
}

/// Whether an error says that there is no launcher of a name, and which ones there are.
fn names_launchers(error: &Error) -> bool {
    let data = error.data.as_ref();
    error.code == ErrorCode::LauncherRefused
        && data.is_some_and(|data| data["launchers"].is_array())
}

/// Checks the configuration before the daemon starts, so that a mistake is reported instead of its limits
/// silently not applying.
fn check_configuration() -> Result<(), Failure> {
    settings::configuration().map(drop)
}

/// Prints a note about a job that cannot be acted on.
pub fn tell(job: &Record, what: &str) {
    note(&format!("{} {what}", words::name(&job.summary)));
}
