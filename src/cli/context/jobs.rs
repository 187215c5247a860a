//! Finds the jobs that targets mean, and tells later commands which one `-` is.

use std::borrow::Cow;
use std::collections::HashSet;

use super::target::{self, Miss};
use super::{Context, hosts, own_file, recent};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::client;
use crate::config::LOCAL;
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::shell::quote;
use crate::protocol::{Action, Record, SessionId, Status, split_host};

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

/// What the targets of one command are looked up in.
struct Known {
    /// All jobs of this machine, or of the host that `-H` names.
    all: Vec<Record>,
    /// Those of the project of the current directory.
    own: Vec<Record>,
    /// Those of all hosts, if groups, tags and patterns mean these.
    everywhere: Option<Vec<Record>>,
    /// The job that was used last on this terminal.
    recent: Option<SessionId>,
}

impl Context {
    /// The one job that `target` means. Later commands can refer to it as `-`.
    pub fn one(&mut self, target: &str) -> Result<Record, Failure> {
        let known = self.known()?;
        let among = self.jobs_of(target, &known)?;
        let recent = known.recent.as_ref();
        match target::one(&among.target, &among.jobs, recent, words::now()) {
            Ok(job) => {
                recent::remember(&job.summary.session_id);
                self.note_name(job);
                Ok(job.clone())
            }
            Err(miss) => {
                let mut miss = among.miss(miss);
                // As it was typed: `worker`, not the pattern for its instances.
                if let Miss::Ambiguous { target: named, .. } = &mut miss {
                    target.clone_into(named);
                }
                Err(self.explain(miss))
            }
        }
    }

    /// The jobs that `targets` mean. Prints an error for each target that fails and continues with the
    /// others.
    pub fn many(&mut self, targets: &[String], among: Among) -> Result<Found, Failure> {
        let known = self.known()?;
        self.found(targets, among, known)
    }

    /// The target of a command without one: the job that was used last on this terminal; if there is none and `several`
    /// may be meant, all jobs of this directory's project.
    pub fn usual(&mut self, several: bool) -> Result<String, Failure> {
        let is_known = recent::recall().is_some();
        let project = several && !is_known && !self.known()?.own.is_empty();
        Ok(if project { "*" } else { "-" }.to_owned())
    }

    /// [`many`](Self::many) for a verb that only shows jobs: a group, a tag or a pattern means those of all hosts.
    pub fn many_everywhere(&mut self, targets: &[String]) -> Result<Found, Failure> {
        let is_alone = self.only_here || hosts::only_here()?.is_none();
        if is_alone || !targets.iter().any(|target| target::is_several(target)) {
            return self.many(targets, Among::Any);
        }
        let listed: Listed<Record> = self.read(&Action::List(List {
            limit: Some(ALL_SESSIONS),
            ..List::default()
        }))?;
        let is_here = |job: &&Record| job.summary.session_id.host().is_none();
        let here = listed.sessions.iter().filter(is_here).cloned().collect();
        let known = Known {
            everywhere: Some(listed.sessions),
            ..Known::of(here)
        };
        self.found(targets, Among::Any, known)
    }

    fn found(&mut self, targets: &[String], among: Among, known: Known) -> Result<Found, Failure> {
        let mut found = Found {
            jobs: Vec::new(),
            exit: Exit::OK,
        };
        for target in targets {
            let meant = self.all_of(target, &known);
            let jobs = match meant.and_then(|jobs| jobs.map_err(|miss| self.explain(miss))) {
                Ok(jobs) => jobs,
                Err(failure) => {
                    found.exit = found.exit.or(self.complain(failure));
                    continue;
                }
            };
            let is_named = jobs.len() == 1;
            let wanted = |job: &Record| is_named || among.selects(job.summary.status);
            add_new(&mut found.jobs, jobs.into_iter().filter(wanted));
        }
        for job in &found.jobs {
            self.note_name(job);
        }
        if let [only] = found.jobs.as_slice() {
            recent::remember(&only.summary.session_id);
        }
        Ok(found)
    }

    /// What means this job here in later commands: its name; with its project, if the name alone means another job; or
    /// its id.
    pub fn target_of(&mut self, job: &Record) -> String {
        self.targets_of(std::slice::from_ref(job)).concat()
    }

    /// [`target_of`](Self::target_of) each of these jobs.
    pub fn targets_of(&mut self, jobs: &[Record]) -> Vec<String> {
        if jobs.is_empty() {
            return Vec::new();
        }
        let known = self.known().ok();
        let targets = jobs
            .iter()
            .map(|job| self.target_among(known.as_ref(), job));
        targets.collect()
    }

    /// These targets as they are typed behind a verb: ` shop/db 'my web'`.
    pub fn typed_targets(&mut self, jobs: &[Record]) -> String {
        let targets = self.targets_of(jobs).into_iter();
        targets
            .map(|target| format!(" {}", quote(&target)))
            .collect()
    }

    fn target_among(&mut self, known: Option<&Known>, job: &Record) -> String {
        let (id, name) = (&job.summary.session_id, words::name(&job.summary));
        if id.host().is_some() {
            return name;
        }
        let names = [Some(name), target::in_project(job)];
        let is_it = |name: &String| {
            let meant = known.map(|known| self.all_of(name, known));
            matches!(meant, Some(Ok(Ok(jobs))) if jobs.iter().all(|job| job.summary.session_id == *id))
        };
        let found = names.into_iter().flatten().find(is_it);
        found.unwrap_or_else(|| id.to_string())
    }

    /// Targets that mean the same jobs in later commands: `-` and `:3000` may then mean others than these `jobs`.
    pub fn lasting(&mut self, targets: &[String], jobs: &[Record]) -> Vec<String> {
        match (targets, jobs) {
            ([target], [job]) if target == "-" || target.starts_with(':') => {
                vec![self.target_of(job)]
            }
            _ => targets.to_vec(),
        }
    }

    /// The jobs that these patterns mean now. That one means none is no error.
    pub fn matching(&mut self, patterns: &[String]) -> Result<Vec<Record>, Failure> {
        let known = self.known()?;
        let mut found = Vec::new();
        for pattern in patterns {
            let jobs = self.all_of(pattern, &known)?.unwrap_or_default();
            add_new(&mut found, jobs);
        }
        Ok(found)
    }

    /// What targets are looked up in.
    fn known(&mut self) -> Result<Known, Failure> {
        Ok(Known::of(self.jobs()?))
    }

    /// The jobs that a target means, or why it means none.
    fn all_of(
        &mut self,
        target: &str,
        known: &Known,
    ) -> Result<Result<Vec<Record>, Miss>, Failure> {
        let among = self.jobs_of(target, known)?;
        let recent = known.recent.as_ref();
        let meant = target::all(&among.target, &among.jobs, recent, words::now());
        let meant = meant.map(|jobs| jobs.into_iter().cloned().collect());
        Ok(meant.map_err(|miss| among.miss(miss)))
    }

    /// The jobs among which a target is looked for: those of the project of this directory, if it names one of them;
    /// else all. The port `:3000` stands for the id of the job that listens on it.
    fn jobs_of<'a>(&mut self, target: &'a str, known: &'a Known) -> Result<Looked<'a>, Failure> {
        if let Some((port, host)) = port_of(target) {
            let job = match host {
                Some(host) => self.listening_there(port, host)?,
                None => self.listening_on(port)?,
            };
            let id = job.summary.session_id.to_string();
            return Ok(Looked::new(id, vec![job]));
        }
        if let Some(there) = self.on_host(target, &known.all)? {
            return Ok(Looked {
                host: Some(there.host),
                ..Looked::new(there.name, there.jobs)
            });
        }
        if target::is_named(target, &known.own) {
            return Ok(Looked::new(target, known.own.as_slice()));
        }
        if let Some(everywhere) = &known.everywhere
            && target::is_several(target)
        {
            return Ok(Looked::new(target, everywhere.as_slice()));
        }
        if let Some(own) = known.own_name(target) {
            return Ok(Looked::new(own, known.own.as_slice()));
        }
        // What this project calls so is not another project's job, although it has no session now.
        if known.may_be_elsewhere(target) && self.in_own_file(target).is_some() {
            let is_named = |job: &Record| job.summary.label.as_deref() == Some(target);
            let outside = |job: &&Record| job.summary.project.is_none() && is_named(job);
            let outside: Vec<Record> = known.all.iter().filter(outside).cloned().collect();
            return Ok(Looked::new(target, outside));
        }
        Ok(Looked::new(target, known.all.as_slice()))
    }

    /// The job of a host that listens on a port.
    fn listening_there(&mut self, port: u16, host: &str) -> Result<Record, Failure> {
        let ports = List {
            include_ports: Some(true),
            ..List::default()
        };
        let (jobs, fault) = self.jobs_on(host, ports)?;
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        jobs.into_iter()
            .find(|job| listens(job, port))
            .ok_or_else(|| {
                let message = format!("no job of host {host} listens on port {port}");
                Failure::with_message(Exit::NO_JOB, message).hint(format!(
                    "bgproc -H {host} ports lists the ports of its jobs"
                ))
            })
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
        let mut jobs = listed.sessions.into_iter();
        if let Some(job) = jobs.find(|job| listens(job, port)) {
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
}

/// A target as it is looked up, and the jobs among which it is.
struct Looked<'a> {
    target: Cow<'a, str>,
    jobs: Cow<'a, [Record]>,
    /// The host that was typed behind the target.
    host: Option<String>,
}

impl<'a> Looked<'a> {
    fn new(target: impl Into<Cow<'a, str>>, jobs: impl Into<Cow<'a, [Record]>>) -> Self {
        Self {
            target: target.into(),
            jobs: jobs.into(),
            host: None,
        }
    }

    /// Why it means no job, as it was typed.
    fn miss(&self, miss: Miss) -> Miss {
        match &self.host {
            Some(host) => miss.at(host),
            None => miss,
        }
    }
}

/// The port of a target, and its host: `:3000`, `:3000@gpu1`.
fn port_of(target: &str) -> Option<(u16, Option<&str>)> {
    let port = target.strip_prefix(':')?;
    let (port, host) = match split_host(port) {
        Some((port, host)) if host != LOCAL => (port, Some(host)),
        Some((port, _)) => (port, None),
        None => (port, None),
    };
    Some((port.parse().ok()?, host))
}

fn listens(job: &Record, port: u16) -> bool {
    job.summary.ports.iter().flatten().any(|own| *own == port)
}

impl Known {
    /// Targets are looked up in these jobs of this machine, or of the host that `-H` names.
    fn of(all: Vec<Record>) -> Self {
        Self {
            own: own_jobs(&all),
            all,
            everywhere: None,
            recent: recent::recall(),
        }
    }

    /// What a word that is no name of a job of this directory's project means among its jobs: the instances of an entry
    /// of its Procfile, or the job of the included file of this directory.
    fn own_name(&self, target: &str) -> Option<String> {
        if let Some(pattern) = target::instances(target, &self.own) {
            return Some(pattern);
        }
        let ending = format!("/{target}");
        let labels = self.own.iter();
        let mut labels = labels.filter_map(|job| job.summary.label.as_deref());
        // The file is read only if that may help.
        if !labels.clone().any(|label| label.ends_with(&ending)) {
            return None;
        }
        let (dir, project) = (std::env::current_dir().ok()?, own_file::here()?);
        let full = own_file::named(&project, &dir, target)?;
        labels.any(|label| label == full).then(|| full.to_owned())
    }

    /// Whether a target may name a job of a project, and means some job or several.
    fn may_be_elsewhere(&self, target: &str) -> bool {
        let is_name = !target::is_several(target) && SessionId::parse(target).is_none();
        let is_of_project = |job: &Record| job.summary.project.is_some();
        is_name
            && self.all.iter().any(is_of_project)
            && !matches!(
                target::one(target, &self.all, self.recent.as_ref(), words::now()),
                Err(Miss::Unknown { .. } | Miss::NoRecent)
            )
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

/// Adds the jobs that are not there yet. The record of a job may have changed from one look to the next.
fn add_new(found: &mut Vec<Record>, jobs: impl IntoIterator<Item = Record>) {
    let id = |job: &Record| job.summary.session_id.clone();
    let mut known: HashSet<SessionId> = found.iter().map(id).collect();
    found.extend(jobs.into_iter().filter(|job| known.insert(id(job))));
}
