//! From the definition of a job to what its session runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::project::Project;
use crate::daemon::programs::env_shown::Secrets;
use crate::daemon::programs::program::{check_directory, environment, spawn_spec};
use crate::engine::meta::{ProjectJob, Spec, TimeLimits};
use crate::engine::retention::Retention;
use crate::project::environment::{Environment, Origin, Surroundings, Value};
use crate::project::expand::Expanded;
use crate::project::job::Program;
use crate::project::ready::Check;
use crate::project::{self as file, EnvPrints, Fault, Job};
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::policy::RestartWhen;
use crate::protocol::record::{MASKED, Share};
use crate::protocol::status::Mode;
use crate::protocol::{Error, Greeting, Probe, RestartPolicy, SessionId};
use crate::term::size::Size;

/// How the URL of a probe begins.
const HTTP: &str = "http://";

/// What is needed of a project to prepare the start of one of its jobs, without the project itself: files are read
/// in another thread.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) id: String,
    pub(crate) job: String,
    pub(crate) defined: Job,
    pub(crate) caller: Greeting,
    pub(crate) project: String,
    pub(crate) worktree: String,
    pub(crate) ports: BTreeMap<String, BTreeMap<String, u16>>,
}

impl Sources {
    /// Those of a job; `None` if there is no such job, or the client's environment is not known any more.
    pub(crate) fn of(project: &Project, job: &str) -> Option<Self> {
        Some(Self {
            id: project.id.clone(),
            job: job.to_owned(),
            defined: project.applied.jobs.get(job)?.clone(),
            caller: Greeting::clone(project.caller.as_ref()?),
            project: project.applied.name.clone(),
            worktree: project.worktree.clone(),
            ports: project.ports.clone(),
        })
    }

    /// The environment of the job and its definition with everything filled in. Reads the `.env` files.
    pub(crate) fn resolve(&self) -> Result<(Environment, Expanded), Vec<Fault>> {
        let own = || {
            let words = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
                Some((name.into_string().ok()?, value.into_string().ok()?))
            };
            std::env::vars_os().filter_map(words).collect()
        };
        let caller: BTreeMap<String, String> = self.caller.env.clone().unwrap_or_else(own);
        let surroundings = Surroundings {
            caller: &caller,
            ports: &self.ports,
            project: &self.project,
            worktree: &self.worktree,
        };
        let environment = file::environment(&Disk, &self.defined, &self.job, &surroundings)?;
        let expanded = file::expanded(&self.defined, &self.job, &environment, &surroundings)?;
        Ok((environment, expanded))
    }

    /// What the session runs. Reads the `.env` files and looks for the program.
    pub(crate) fn prepare(&self, session: &SessionId) -> Result<Prepared, Error> {
        let (values, expanded) = self.resolve().map_err(|faults| refused(&faults))?;
        check_directory(&expanded.cwd)?;
        let lost = |value: &Value| value.text.as_deref() == Some(MASKED);
        if let Some((name, _)) = values.values.iter().find(|(_, value)| lost(value)) {
            let message = format!("the value of {name} is not known any more; run bgproc up again");
            return Err(Error::internal(message));
        }
        let spec = self.spec(&values, &expanded);
        // Everything is in `values`: what the caller has and does not pass on is left out there.
        let caller = Greeting {
            env: Some(BTreeMap::new()),
            ..self.caller.clone()
        };
        let changes = values.values.iter();
        let changes = changes
            .map(|(name, value)| (name.clone(), value.text.clone()))
            .collect();
        let env = environment(&caller, session, Some(&changes), spec.mode)?;
        let mut spawn = spawn_spec(&caller, &spec, env)?;
        let probe = spec.ready.clone();
        let spec = without_secrets(spec, &values);
        if probe != spec.ready {
            spawn.ready = probe.map(Box::new);
        }
        let url = url(&values, &expanded);
        let env_print = EnvPrints::new(&Disk).of(&self.defined).ok();
        Ok(Prepared {
            spec,
            spawn,
            url,
            env_print,
        })
    }

    /// Where to open the job in a browser. Reads the `.env` files.
    pub(crate) fn url(&self) -> Option<String> {
        let (values, expanded) = self.resolve().ok()?;
        url(&values, &expanded)
    }

    fn spec(&self, values: &Environment, expanded: &Expanded) -> Spec {
        let job = &self.defined;
        let (command, args, shell) = command(&expanded.program, &job.shell);
        Spec {
            command,
            args,
            shell,
            cwd: expanded.cwd.display().to_string(),
            mode: mode(job),
            env_names: own_names(values),
            ready: expanded.check.as_ref().map(|check| probe(job, check)),
            ..described(&self.id, &self.job, job)
        }
    }
}

/// The specification as it is stored and shown: what a template has put into the command or the probe from a variable
/// that looks secret is masked.
fn without_secrets(mut spec: Spec, environment: &Environment) -> Spec {
    if spec.args.is_some() {
        let words = std::iter::once(&mut spec.command).chain(spec.args.iter_mut().flatten());
        mask(words, &Secrets::all_of(environment.texts()));
    }
    if let Some(probe) = &mut spec.ready {
        mask_probe(probe, environment);
    }
    spec
}

fn mask_probe(probe: &mut Probe, environment: &Environment) {
    let Probe {
        pattern,
        tcp,
        http,
        command,
        file,
        ..
    } = probe;
    let texts = [pattern, tcp, &mut *http, command, file];
    // `1` is in an address for another reason.
    let secrets = Secrets::of(environment.texts());
    mask(texts.into_iter().flatten(), &secrets);
    // Otherwise the record could not be read again.
    if let Some(url) = http.as_mut().filter(|url| !url.starts_with(HTTP)) {
        *url = format!("{HTTP}{MASKED}");
    }
}

/// Where to open a job in a browser, as it is stored and shown.
fn url(environment: &Environment, expanded: &Expanded) -> Option<String> {
    let mut url = expanded.open.clone()?;
    mask(
        std::iter::once(&mut url),
        &Secrets::all_of(environment.texts()),
    );
    Some(url)
}

fn mask<'a>(words: impl Iterator<Item = &'a mut String>, secrets: &Secrets<'_>) {
    for word in words {
        *word = secrets.masked_in(word);
    }
}

/// The variables that the project sets; the others are the caller's.
fn own_names(environment: &Environment) -> Vec<String> {
    let own = environment
        .values
        .iter()
        .filter(|(_, value)| value.from != Origin::Caller);
    own.map(|(name, _)| name.clone()).collect()
}

/// What a session is asked to run.
pub(crate) struct Prepared {
    pub(crate) spec: Spec,
    pub(crate) spawn: SpawnSpec,
    /// Where to open it in a browser.
    pub(crate) url: Option<String>,
    /// Stands for the variables that `.env` files give it.
    pub(crate) env_print: Option<String>,
}

/// The parts of a session's specification that need no files: those by which a job is known before it runs, and
/// those that are applied while it runs.
pub(crate) fn described(project: &str, name: &str, job: &Job) -> Spec {
    let (command, args, shell) = command(&job.program, &job.shell);
    // Without a `.` at its end.
    let cwd: PathBuf = job.dir.join(&job.cwd).components().collect();
    Spec {
        command,
        args,
        shell,
        cwd: cwd.display().to_string(),
        mode: mode(job),
        label: Some(name.to_owned()),
        group: job.group.clone(),
        tags: {
            let tags: BTreeSet<String> = job.tags.iter().cloned().collect();
            tags.into_iter().collect()
        },
        description: job.description.clone(),
        restart: policy(job),
        limits: Some(job.limits).filter(|limits| *limits != Default::default()),
        on_exit: job.on.exit.clone(),
        notify: job.notify.clone(),
        project: Some(ProjectJob {
            id: project.to_owned(),
            job: name.to_owned(),
        }),
        ok_codes: match job.ok_codes.as_slice() {
            [0] => Vec::new(),
            codes => codes.to_vec(),
        },
        ..Spec::default()
    }
}

/// The size of a job's terminal.
pub(crate) fn size(job: &Job) -> Size {
    Size::new(job.rows, job.cols)
}

/// Time limits of a job: only those of the file, and its session is kept while the project is up.
pub(crate) fn time_limits(job: &Job, retention: Retention) -> TimeLimits {
    TimeLimits {
        timeout_ms: job.timeout_ms,
        timeout_grace_ms: job.stop.grace_ms,
        ttl_ms: retention.agents_ms,
        failed_ttl_ms: None,
        until_room: Some(true),
        keep: true,
    }
}

/// What agents of other scopes may do with the jobs of a project.
pub(crate) fn share(project: &file::Project) -> Share {
    match project.agents {
        file::AgentAccess::None => Share::None,
        file::AgentAccess::Read => Share::Read,
        file::AgentAccess::Write => Share::Write,
    }
}

/// The error for files that cannot be used.
pub(crate) fn refused(faults: &[Fault]) -> Error {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let data = serde_json::json!({ "faults": faults });
    Error::new(crate::protocol::ErrorCode::InvalidProject, lines.join("\n")).data(data)
}

/// Command, arguments and shell of a session, for a program or a line with the shell of its file.
fn command(program: &Program, shell: &[String]) -> (String, Option<Vec<String>>, Option<String>) {
    match program {
        Program::Argv(words) => {
            let mut words = words.iter().cloned();
            let program = words.next().unwrap_or_default();
            (program, Some(words.collect()), None)
        }
        Program::Line(line) => match shell {
            [path, flag] if path == "/bin/sh" && flag == "-c" => (line.clone(), None, None),
            [path, flag] if Path::new(path).is_absolute() && flag == "-c" => {
                (line.clone(), None, Some(path.clone()))
            }
            [program, flags @ ..] => {
                let args = flags.iter().chain([line]).cloned().collect();
                (program.clone(), Some(args), None)
            }
            [] => (line.clone(), None, None),
        },
    }
}

fn mode(job: &Job) -> Mode {
    if job.pty { Mode::Pty } else { Mode::Pipe }
}

fn policy(job: &Job) -> Option<RestartPolicy> {
    let restart = &job.restart;
    let policy = RestartPolicy {
        policy: restart.when,
        max_retries: Some(restart.max),
        backoff_ms: Some(restart.first_ms),
        longest_backoff_ms: Some(restart.longest_ms),
        reset_ms: Some(restart.reset_ms),
        unready_ms: restart.unready_ms,
    };
    (restart.when != RestartWhen::Never).then_some(policy)
}

fn probe(job: &Job, check: &Check) -> Probe {
    let ready = job.ready.as_ref();
    let mut probe = Probe {
        timeout_ms: ready.map(|ready| ready.timeout_ms),
        every_ms: ready.map(|ready| ready.every_ms),
        ..Probe::default()
    };
    match check {
        Check::Log(pattern) => probe.pattern = Some(pattern.clone()),
        Check::Port(port) => probe.port = port.parse().ok(),
        Check::Tcp(place) => probe.tcp = Some(place.clone()),
        Check::Http { url, status } => {
            probe.http = Some(url.clone());
            probe.status = Some(status.clone());
        }
        Check::Exec(line) => probe.command = Some(line.clone()),
        Check::File(path) => probe.file = Some(path.clone()),
        Check::Quiet(ms) => probe.quiet_ms = Some(*ms),
    }
    probe
}
