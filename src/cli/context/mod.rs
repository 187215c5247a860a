//! What every verb works with: standard output, the connection to the daemon, and the jobs that targets
//! mean.

mod hosts;
mod people;
pub mod recent;
pub mod target;

use std::borrow::Cow;
use std::collections::HashMap;

use clap::Command;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::hosts::{is_arriving, only_here};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::style::ColorChoice;
use crate::cli::output::{Output, note, words};
use crate::cli::settings;
use crate::client::{self, AutoStart, Connection, Running, greeting, host};
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::{List, Listeners, Project, ProjectOp, Queue, StatusParams};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{
    Listed, Listener, PortListeners, ProjectJob, ProjectState, QueueState, Queues,
};
use crate::protocol::{Action, Error, ErrorCode, Record, SessionId, Status};
use crate::recall::last_job;
use target::Miss;

/// What to do if there is no such job.
const LIST: &str = "bgproc ls lists the jobs";

/// The state of one command: output, connection and known job names.
#[derive(Debug)]
pub struct Context {
    /// Standard output.
    pub out: Output,
    /// Whether `--json` was given.
    pub json: bool,
    /// Whether `-H local` was given: lists have no jobs of other hosts.
    pub only_here: bool,
    /// Builds the grammar of all verbs, for `help`.
    pub grammar: fn() -> Command,
    /// What a verb says about a target that is no job, for those who know it from another program.
    pub advice: fn(&str) -> Option<String>,
    /// Opened by the first verb that needs it.
    connection: Option<Connection>,
    /// The names of the jobs that this verb acts on.
    names: HashMap<SessionId, String>,
}

/// The jobs that a list of targets means, and the exit code for targets without a job.
#[derive(Debug)]
pub struct Found {
    /// In the order of the targets, without duplicates.
    pub jobs: Vec<Record>,
    /// 0, or 4 or 5 if a target failed. The failure has already been printed.
    pub exit: Exit,
}

/// Which jobs a group or a glob selects. A job that is named directly is selected in any state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// All jobs.
    Any,
    /// Jobs that have not ended.
    Going,
    /// Jobs that have not ended, and those that were lost.
    Resumable,
}

impl Among {
    /// Whether a group or a glob selects a job with this status.
    fn selects(self, status: Status) -> bool {
        match self {
            Self::Any => true,
            Self::Going => !status.is_finished(),
            Self::Resumable => !status.is_finished() || status == Status::Lost,
        }
    }
}

impl Context {
    /// A context without a connection.
    pub fn new(out: Output, json: bool, grammar: fn() -> Command) -> Self {
        Self {
            out,
            json,
            only_here: false,
            grammar,
            advice: |_| None,
            connection: None,
            names: HashMap::new(),
        }
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

    /// The one job that `target` means. Later commands can refer to it as `-`.
    pub fn one(&mut self, target: &str) -> Result<Record, Failure> {
        let all = self.jobs()?;
        let own = own_jobs(&all);
        let (target, jobs) = self.meant(target, &all, &own)?;
        match target::one(&target, &jobs, recent::recall().as_ref(), words::now()) {
            Ok(job) => {
                recent::remember(&job.summary.session_id);
                let job = job.clone();
                self.names
                    .insert(job.summary.session_id.clone(), words::name(&job.summary));
                Ok(job)
            }
            Err(miss) => Err(self.explain(miss)),
        }
    }

    /// The jobs that `targets` mean. Prints an error for each target that fails and continues with the
    /// others.
    pub fn many(&mut self, targets: &[String], among: Among) -> Result<Found, Failure> {
        let all = self.jobs()?;
        let own = own_jobs(&all);
        let (recent, now) = (recent::recall(), words::now());
        let mut found = Found {
            jobs: Vec::new(),
            exit: Exit::OK,
        };
        for target in targets {
            let (target, jobs) = match self.meant(target, &all, &own) {
                Ok(meant) => meant,
                Err(failure) => {
                    crate::cli::output::complain(&failure);
                    found.exit = found.exit.or(failure.exit());
                    continue;
                }
            };
            match target::all(&target, &jobs, recent.as_ref(), now) {
                Ok(meant) => {
                    let named = meant.len() == 1;
                    for job in meant {
                        let wanted = named || among.selects(job.summary.status);
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
            recent::remember(&only.summary.session_id);
        }
        Ok(found)
    }

    /// The jobs that these patterns mean now. That one means none is no error.
    pub fn matching(&mut self, patterns: &[String]) -> Result<Vec<Record>, Failure> {
        let all = self.jobs()?;
        let own = own_jobs(&all);
        let (recent, now) = (recent::recall(), words::now());
        let mut found = Vec::new();
        for pattern in patterns {
            let (target, jobs) = self.meant(pattern, &all, &own)?;
            for job in target::all(&target, &jobs, recent.as_ref(), now).unwrap_or_default() {
                if !found.contains(job) {
                    found.push(job.clone());
                }
            }
        }
        Ok(found)
    }

    /// The jobs among which a target is looked for: `own`, those of the project of this directory, if it names one of
    /// them; else `all`. The port `:3000` stands for the id of the job that listens on it.
    fn meant<'a>(
        &mut self,
        target: &'a str,
        all: &'a [Record],
        own: &'a [Record],
    ) -> Result<(Cow<'a, str>, Cow<'a, [Record]>), Failure> {
        let port = target.strip_prefix(':').and_then(|port| port.parse().ok());
        if let Some(port) = port {
            let job = self.listening_on(port)?;
            let id = job.summary.session_id.to_string();
            return Ok((id.into(), vec![job].into()));
        }
        if let Some(there) = self.on_host(target, all)? {
            return Ok((there.name.into(), there.jobs.into()));
        }
        if target::is_named(target, own) {
            return Ok((target.into(), own.into()));
        }
        let is_elsewhere = !target::is_several(target)
            && SessionId::parse(target).is_none()
            && all.iter().any(|job| job.summary.project.is_some())
            && !matches!(
                target::one(target, all, recent::recall().as_ref(), words::now()),
                Err(Miss::Unknown { .. } | Miss::NoRecent)
            );
        // What this project calls so is not another project's job, although it has no session now.
        if is_elsewhere && self.in_own_file(target).is_some() {
            let outside = |job: &&Record| job.summary.project.is_none();
            let outside: Vec<Record> = all.iter().filter(outside).cloned().collect();
            return Ok((target.into(), outside.into()));
        }
        Ok((target.into(), all.into()))
    }

    /// The job that listens on a port. A process that is not a job is never meant.
    fn listening_on(&mut self, port: u16) -> Result<Record, Failure> {
        let list = List {
            limit: Some(ALL_SESSIONS),
            include_ports: Some(true),
            hosts: hosts::only_here()?,
            ..List::default()
        };
        let listed: Listed<Record> = self.read(&Action::List(list))?;
        let listens = |job: &Record| job.summary.ports.iter().flatten().any(|own| *own == port);
        if let Some(job) = listed.sessions.into_iter().find(listens) {
            return Ok(job);
        }
        Err(match self.strangers(Some(vec![port]))?.first() {
            Some(stranger) => {
                let message = format!("port {port} is not used by a job, but by {stranger}");
                let failure = Failure::with_message(Exit::NO_JOB, message);
                match stranger.pid {
                    Some(pid) => failure.hint(format!("`kill {pid}` ends that process")),
                    None => failure,
                }
            }
            None => {
                let message = format!("no job listens on port {port}");
                Failure::with_message(Exit::NO_JOB, message)
                    .hint("bgproc ports lists the ports of jobs")
            }
        })
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

    /// Rewords an error of the daemon for people: jobs by their names.
    pub fn in_words(&self, failure: Failure) -> Failure {
        people::in_words(failure, |id| self.names.get(id).cloned())
    }

    /// The name of a job that this verb acts on, else its id.
    pub fn name_of(&self, id: &SessionId) -> String {
        self.names
            .get(id)
            .cloned()
            .unwrap_or_else(|| id.to_string())
    }

    /// Prints the failure of one of several jobs and returns its exit code.
    pub fn complain(&self, failure: Failure) -> Exit {
        let failure = self.in_words(failure);
        crate::cli::output::complain(&failure);
        failure.exit()
    }

    /// The job with this name in the file of this directory's project, if it has no session: it was never brought up,
    /// or it was removed. A name may be written with that of the project, as `shop/web`.
    fn in_own_file(&mut self, name: &str) -> Option<ProjectJob> {
        let dir = std::env::current_dir().ok()?;
        let status = Action::Project(Project {
            op: Some(ProjectOp::Status),
            dir: Some(dir.display().to_string()),
            ..Project::default()
        });
        let daemon = self.daemon().ok().filter(|_| host::chosen().is_none())?;
        let state: ProjectState = daemon.call_as(status).ok()?;
        let of_project = name.strip_prefix(state.project.name.as_str());
        let bare = of_project.and_then(|rest| rest.strip_prefix('/'));
        let is_it = |job: &&ProjectJob| job.job == name || Some(job.job.as_str()) == bare;
        let job = state.jobs.iter().find(is_it)?;
        job.session_id.is_none().then(|| job.clone())
    }

    /// What to do about a job of this directory's project that has no session.
    fn of_file(&mut self, name: &str) -> Option<String> {
        let job = self.in_own_file(name)?;
        Some(match job.phase {
            PhaseName::Done => format!(
                "{name} has ended well, and its record was removed; bgproc down and bgproc up run it again"
            ),
            _ => format!("the project file has it: bgproc up {}", job.job),
        })
    }

    /// The error message for a target that means no job. A word in the form of an id may be a removed job,
    /// which only the daemon knows.
    fn explain(&mut self, miss: Miss) -> Failure {
        match miss {
            Miss::Unknown { target, near } => {
                if SessionId::parse(&target).is_some()
                    && let Err(error) = self.status_of(&target)
                {
                    return Failure::with_message(
                        crate::cli::exit::of_error(&error),
                        error.message,
                    )
                    .hint(LIST);
                }
                if let Some(why) = target::oddity(&target) {
                    let hint = self.advise(&target);
                    let message = format!("`{target}` is not a job: {why}");
                    return Failure::with_message(Exit::NO_JOB, message).hint(hint);
                }
                let hint = match (self.of_file(&target), near) {
                    (Some(hint), _) => hint,
                    (None, _) if target == "all" => self.advise(&target),
                    (None, Some(near)) => format!("did you mean `{near}`?"),
                    (None, None) => self.advise(&target),
                };
                let on =
                    client::host::name().map_or_else(String::new, |host| format!(" on {host}"));
                Failure::with_message(Exit::NO_JOB, format!("there is no job `{target}`{on}"))
                    .hint(hint)
            }
            Miss::NotInProject {
                target,
                project,
                job,
                near,
            } => {
                if let Some(hint) = self.of_file(&target) {
                    let message = format!("there is no job `{target}`");
                    return Failure::with_message(Exit::NO_JOB, message).hint(hint);
                }
                let message = match job {
                    Some(job) => format!("project {project} has no job {job}"),
                    None => format!("there is no project {project}"),
                };
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => LIST.to_owned(),
                };
                Failure::with_message(Exit::NO_JOB, message).hint(hint)
            }
            Miss::Ambiguous {
                target,
                candidates,
                is_one_name,
            } => {
                let count = candidates.len();
                let list = candidates.join("\n  ");
                let message = format!("`{target}` matches {count} jobs:\n  {list}");
                let hint = if is_one_name {
                    "choose one by its id, a job of a project also as PROJECT/JOB"
                } else {
                    "write more of the name, or the id"
                };
                Failure::with_message(Exit::AMBIGUOUS, message).hint(hint)
            }
            Miss::Fewer { name, count } => {
                let are = match count {
                    1 => format!("there is only one job named {name}"),
                    count => format!("there are {count} jobs named {name}"),
                };
                Failure::with_message(Exit::NO_JOB, are).hint(format!("{name}#1 is the newest"))
            }
            Miss::NoRecent => {
                let why = match (last_job::has_terminal(), client::host::name()) {
                    (false, _) => "which needs a terminal".to_owned(),
                    (true, Some(host)) => format!("and that is not one of host {host}"),
                    (true, None) => "and no command has used one yet".to_owned(),
                };
                let message = format!(
                    "no job given: `-`, the default, is the job last used on this terminal, {why}"
                );
                Failure::with_message(Exit::NO_JOB, message)
                    .hint("name a job; bgproc ls lists them")
            }
        }
    }

    /// What to do about a target that is no job.
    fn advise(&self, target: &str) -> String {
        let all = match target {
            "all" => "write '*' for all jobs, g:GROUP for a group",
            _ => LIST,
        };
        (self.advice)(target).unwrap_or_else(|| all.to_owned())
    }

    fn status_of(&mut self, id: &str) -> Result<(), Error> {
        let status = Action::Status(StatusParams {
            session_id: id.to_owned(),
            detail: None,
            full_env: None,
        });
        match self.daemon() {
            Ok(daemon) => daemon.call(status).map(drop),
            // If the daemon cannot be asked, the caller's own message is used.
            Err(_) => Ok(()),
        }
    }
}

/// The jobs of the project of the current directory. On another host there is no such directory.
fn own_jobs(all: &[Record]) -> Vec<Record> {
    if client::host::chosen().is_some() {
        return Vec::new();
    }
    let here = std::env::current_dir().ok();
    here.map_or_else(Vec::new, |here| target::of_project_at(&here, all))
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
