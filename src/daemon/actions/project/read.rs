//! Finds and reads the project file of a request.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Wants, refused};
use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::disk::Disk;
use crate::daemon::projects::project::Project as Known;
use crate::daemon::projects::spec;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::directory::resolved;
use crate::daemon::threads;
use crate::engine::project::Standing;
use crate::project::worktree::{Checkout, checkout};
use crate::project::{self as file, EnvPrints, Fault, ProcfileOptions, Source};
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::{Error, ErrorCode, Role};
use crate::sys::tree::MARK;
use crate::sys::users;

/// A project file that was read.
pub(super) struct Loaded {
    pub(super) project: file::Project,
    /// The checkout that it is in, if it is in one.
    pub(super) checkout: Option<Checkout>,
    /// Device and inode of its directory.
    pub(super) identity: (u64, u64),
    /// Stands for the variables that `.env` files give each job now, by the jobs' names. Absent if they cannot be read,
    /// or were not looked at ([`read_with_env_files`]).
    pub(super) env_prints: BTreeMap<String, String>,
}

impl Loaded {
    /// The name of its worktree: empty in a main checkout.
    pub(super) fn worktree(&self) -> String {
        self.checkout
            .as_ref()
            .map(Checkout::label)
            .unwrap_or_default()
    }
}

/// Reads the file that a request means: without `files`, those with which the project is up, if they were named. A
/// Procfile is read with the port and the numbers of instances with which it is up, unless the request has others.
pub(super) async fn read(hub: &Hub, client: &Client, params: &Project) -> Result<Loaded, Error> {
    let options = procfile(client, params)?;
    let named = named(hub, client, params).await?;
    let loaded = read_with(client, params, named.clone(), options.clone()).await?;
    let before = {
        let state = hub.read();
        let known = state.projects.at(&loaded.project.dir);
        let is_up = |known: &&Known| known.wish.standing == Standing::Up;
        known
            .filter(is_up)
            .and_then(|known| known.applied.procfile.clone())
    };
    let Some(mut before) = before.filter(|_| loaded.project.procfile.is_some()) else {
        return Ok(loaded);
    };
    // An entry may have left the file since.
    let entries = loaded.project.jobs.keys();
    let entries: BTreeSet<&str> = entries.filter_map(|job| job.split('.').next()).collect();
    before
        .formation
        .retain(|name, _| name == "all" || entries.contains(name.as_str()));
    let is_up = match params.op {
        Some(ProjectOp::Up) => true,
        Some(ProjectOp::Plan) => params.reload != Some(true),
        _ => false,
    };
    let wanted = options.clone().over(&before, is_up);
    if wanted == options {
        Ok(loaded)
    } else {
        read_with(client, params, named, wanted).await
    }
}

/// The files that a request names, or with which its project is up if `up` has named them.
async fn named(
    hub: &Hub,
    client: &Client,
    params: &Project,
) -> Result<Option<Vec<PathBuf>>, Error> {
    let dir = directory(client, params)?;
    if let Some(files) = &params.files {
        return Ok(Some(files.iter().map(|file| dir.join(file)).collect()));
    }
    let is_meant = |known: &&Known| known.wish.standing == Standing::Up && known.applied.is_named;
    // Only then it matters which project is meant.
    if !hub.read().projects.iter().any(|known| is_meant(&known)) {
        return Ok(None);
    }
    let dirs = threads::run("project", move || candidates(&dir, None)).await?;
    let state = hub.read();
    let known = dirs.iter().find_map(|dir| state.projects.at(dir));
    Ok(known
        .filter(is_meant)
        .map(|known| known.applied.paths.clone()))
}

async fn read_with(
    client: &Client,
    params: &Project,
    files: Option<Vec<PathBuf>>,
    procfile: ProcfileOptions,
) -> Result<Loaded, Error> {
    let dir = directory(client, params)?;
    threads::run("project file", move || load(&dir, files, procfile)).await?
}

/// Reads the file of a project, and looks at the `.env` files of its jobs.
pub(super) async fn read_with_env_files(
    hub: &Hub,
    client: &Client,
    params: &Project,
) -> Result<Loaded, Error> {
    let mut loaded = read(hub, client, params).await?;
    let looking = threads::run("env files", move || {
        let mut prints = EnvPrints::new(&Disk);
        let jobs = loaded.project.jobs.iter();
        let known = jobs.filter_map(|(name, job)| Some((name.clone(), prints.of(job).ok()?)));
        loaded.env_prints = known.collect();
        loaded
    });
    looking.await
}

/// Reads the files of a known project again.
pub(super) async fn read_known(
    hub: &Hub,
    client: &Client,
    known: &file::Project,
) -> Result<Loaded, Error> {
    let params = Project {
        files: Some(
            known
                .paths
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        ),
        ..Project::default()
    };
    let mut loaded = read(hub, client, &params).await?;
    loaded.project.is_named = known.is_named;
    Ok(loaded)
}

/// The numbers of instances that `formation` gives.
pub(super) fn formation(text: &str) -> Result<BTreeMap<String, u16>, Error> {
    let parsed = ProcfileOptions::parse_formation(text);
    parsed.map_err(|why| Error::invalid(format!("`formation`: {why}")))
}

/// What a Procfile does not say itself.
fn procfile(client: &Client, params: &Project) -> Result<ProcfileOptions, Error> {
    let formation = params.formation.as_deref().map(formation).transpose()?;
    let env = client.greeting.env.as_ref();
    // Inside a job, PORT is the port of that job.
    let env = env.filter(|env| !env.contains_key(MARK));
    Ok(ProcfileOptions {
        port: params.port,
        inherited_port: env.and_then(|env| env.get("PORT")?.parse().ok()),
        formation: formation.unwrap_or_default(),
    })
}

fn load(
    dir: &Path,
    files: Option<Vec<PathBuf>>,
    procfile: ProcfileOptions,
) -> Result<Loaded, Error> {
    let shown = |faults: Vec<Fault>| refused_from(dir, &faults);
    let is_named = files.is_some();
    let source = match files {
        Some(paths) => {
            let first = paths.first().and_then(|path| path.parent()).unwrap_or(dir);
            let dir = first
                .canonicalize()
                .map_err(|error| unreadable(first, &error))?;
            Source {
                dir,
                paths,
                procfile,
            }
        }
        None => {
            let found = file::find(&Disk, dir).map_err(shown)?;
            let found = found.ok_or_else(|| not_found(dir))?;
            Source {
                dir: found.dir,
                paths: found.paths,
                procfile,
            }
        }
    };
    let mut project = file::load(&Disk, &source).map_err(shown)?;
    project.is_named = is_named;
    let checkout = checkout(&Disk, &project.dir);
    if let Some(name) = name_in_main(&project, checkout.as_ref()) {
        project.name = name;
    }
    let identity = users::identity(&project.dir).unwrap_or_default();
    Ok(Loaded {
        project,
        checkout,
        identity,
        env_prints: BTreeMap::new(),
    })
}

/// The error for files that cannot be used, with paths as they are seen from the directory of the request.
pub(super) fn refused_from(dir: &Path, faults: &[Fault]) -> Error {
    let faults: Vec<Fault> = faults.iter().map(|fault| fault.seen_from(dir)).collect();
    spec::refused(&faults)
}

/// The name of a project in a linked worktree that has none in its file: that of the same directory in the main
/// checkout, so that all its worktrees have one name.
fn name_in_main(project: &file::Project, checkout: Option<&Checkout>) -> Option<String> {
    let checkout = checkout.filter(|checkout| checkout.is_linked)?;
    let own = project.dir.file_name()?;
    let is_written = own.to_str() != Some(project.name.as_str());
    let main = checkout.in_main(&project.dir).filter(|_| !is_written)?;
    Some(main.file_name()?.to_string_lossy().into_owned())
}

/// The known project that a request means: that of its file or, if there is no file that can be read, of the
/// directory or one above it in the repository. `None` if it is not known.
pub(super) async fn known(
    hub: &Hub,
    client: &Client,
    params: &Project,
) -> Result<Option<ProjectId>, Error> {
    let dir = directory(client, params)?;
    let first = params
        .files
        .as_ref()
        .and_then(|files| files.first())
        .cloned();
    let dirs = threads::run("project", move || candidates(&dir, first.as_deref())).await?;
    let state = hub.read();
    let found = dirs.iter().find_map(|dir| state.projects.at(dir));
    let Some(found) = found else {
        return Ok(None);
    };
    check_agent(client, &found.applied, Wants::Read)?;
    Ok(Some(found.id.clone()))
}

/// The directories of the projects that may be meant.
fn candidates(dir: &Path, file: Option<&str>) -> Vec<PathBuf> {
    // A directory that is gone can still be named.
    let real = |dir: &Path| {
        dir.canonicalize()
            .unwrap_or_else(|_| file::without_dots(dir))
    };
    if let Some(file) = file {
        let path = dir.join(file);
        return vec![real(path.parent().unwrap_or(dir))];
    }
    if let Ok(Some(found)) = file::find(&Disk, dir) {
        return vec![found.dir];
    }
    let dir = real(dir);
    let mut dirs = Vec::new();
    for dir in dir.ancestors() {
        dirs.push(dir.to_owned());
        if dir.join(".git").exists() {
            break;
        }
    }
    dirs
}

/// A project before anything of its file was applied.
pub(super) fn nothing(project: &file::Project) -> file::Project {
    file::Project {
        dir: project.dir.clone(),
        name: project.name.clone(),
        paths: project.paths.clone(),
        is_named: project.is_named,
        procfile: project.procfile.clone(),
        agents: project.agents,
        jobs: Default::default(),
        order: Vec::new(),
        groups: Default::default(),
        warnings: Vec::new(),
    }
}

/// Checks what agents may do with the jobs of a project.
pub(super) fn check_agent(
    client: &Client,
    project: &file::Project,
    wants: Wants,
) -> Result<(), Error> {
    use file::AgentAccess::{None, Read, Write};
    let may = match (client.principal.role, project.agents) {
        (Role::Human, _) | (_, Write) => true,
        (Role::Agent, Read) => wants == Wants::Read,
        (Role::Agent, None) => false,
    };
    // A project starts programs and shell lines that an allow-list does not know.
    let is_confined = client.greeting.policy.allow.is_some() && wants == Wants::Change;
    if may && !is_confined {
        Ok(())
    } else {
        Err(refused(client, &project.name, wants))
    }
}

/// The directory of a request.
pub(super) fn directory(client: &Client, params: &Project) -> Result<PathBuf, Error> {
    let dir = resolved(&client.greeting, params.dir.as_deref())?;
    if dir.is_absolute() {
        Ok(dir)
    } else {
        Err(Error::invalid("`dir` is not an absolute path"))
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let message = format!("{}: {error}", path.display());
    Error::new(ErrorCode::ProjectNotFound, message)
}

fn not_found(dir: &Path) -> Error {
    let message = format!("there is no project file in {} or above it", dir.display());
    Error::new(ErrorCode::ProjectNotFound, message)
        .hint("bgproc help projects describes project files")
}
