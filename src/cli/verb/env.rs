//! `env` and `exec`: the environment of a project's job, printed or for a command in this terminal.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{note, words};
use crate::cli::project::source::Source;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::record::MASKED;
use crate::protocol::reply::{JobEnvironment, ProjectState, Variable};
use crate::protocol::shell::quote;
use crate::protocol::{Action, Error, ErrorCode, Record};
use crate::term::sanitize::clean;

/// The shell that `exec` runs if no command is given and SHELL is not set.
const SHELL: &str = "/bin/sh";

#[derive(Args, Debug)]
pub struct Env {
    #[command(flatten)]
    source: Source,
    /// Also print the variables that come from this shell
    #[arg(short, long)]
    all: bool,
    /// The job, by its name in the project file, or as PROJECT/JOB
    #[arg(value_name = "JOB")]
    job: String,
}

#[derive(Args, Debug)]
pub struct Exec {
    #[command(flatten)]
    source: Source,
    /// The job, by its name in the project file, or as PROJECT/JOB
    #[arg(value_name = "JOB")]
    job: String,
    /// The command and its arguments; by default a shell
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<String>,
}

impl Env {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let environment = environment(ctx, &self.source, &self.job)?;
        let variables = environment.variables.iter();
        let wanted = variables.filter(|variable| self.all || variable.from != CALLER);
        for variable in wanted {
            if ctx.json {
                let Variable { name, from, .. } = variable;
                let line = json!({ "name": name, "value": shown(variable), "from": from });
                ctx.out.json(&line)?;
            } else {
                let line = format!("{}={}", variable.name, shown(variable));
                let from = format!("  # {}", variable.from);
                let faint = ctx
                    .out
                    .tint(crate::cli::output::style::Tone::Faint, &clean(&from));
                ctx.out.line(&format!("{}{faint}", clean(&line)))?;
            }
        }
        Ok(Exit::OK)
    }
}

/// The origin of variables that come from this shell.
const CALLER: &str = "the environment";

fn shown(variable: &Variable) -> &str {
    if variable.secret {
        MASKED
    } else {
        &variable.value
    }
}

impl Exec {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let environment = environment(ctx, &self.source, &self.job)?;
        let shell = std::env::var("SHELL")
            .ok()
            .filter(|shell| !shell.is_empty());
        let shell = shell.unwrap_or_else(|| SHELL.to_owned());
        let (program, args) = match self.command.split_first() {
            Some((program, args)) => (program.clone(), args),
            None => (shell, &[] as &[String]),
        };
        let variables = environment.variables.into_iter();
        let error = Command::new(&program)
            .args(args)
            .current_dir(&environment.cwd)
            .env_clear()
            .envs(variables.map(|variable| (variable.name, variable.value)))
            .exec();
        // The error of a missing directory would be told of the program.
        if let Err(error) = std::fs::metadata(&environment.cwd) {
            let cwd = &environment.cwd;
            let message = format!("the working directory {cwd} cannot be used: {error}");
            return Err(Failure::with_message(Exit::NOT_EXECUTABLE, message));
        }
        let exit = match error.kind() {
            io::ErrorKind::NotFound => Exit::NOT_FOUND,
            _ => Exit::NOT_EXECUTABLE,
        };
        Err(Failure::with_message(
            exit,
            format!("{program} could not be run: {error}"),
        ))
    }
}

fn environment(ctx: &mut Context, source: &Source, job: &str) -> Result<JobEnvironment, Failure> {
    let request = Project {
        op: Some(ProjectOp::Env),
        jobs: Some(vec![job.to_owned()]),
        ..source.request()?
    };
    let daemon = ctx.daemon_with_surroundings()?;
    let answer = daemon.call_as(Action::Project(request.clone()));
    let state: ProjectState = match answer {
        Ok(state) => state,
        Err(error) if is_unknown(&error) => {
            let Some((dir, job)) = elsewhere(ctx, source, job) else {
                return Err(unknown(ctx, source, job, error));
            };
            ctx.daemon()?.call_as(Action::Project(Project {
                dir: Some(dir),
                jobs: Some(vec![job]),
                ..request
            }))?
        }
        Err(error) => return Err(error.into()),
    };
    for warning in &state.warnings {
        note(&format!("warning: {warning}"));
    }
    state.environment.ok_or_else(|| {
        Failure::with_message(
            Exit::BROKEN,
            "the daemon did not return the environment".to_owned(),
        )
    })
}

/// Whether there is no project here, or no such job in it.
fn is_unknown(error: &Error) -> bool {
    use ErrorCode::{ProjectNotFound, SessionNotFound};
    matches!(error.code, ProjectNotFound | SessionNotFound)
}

/// The failure for a job that is in no project file: one that `run` has started may be meant.
fn unknown(ctx: &mut Context, source: &Source, job: &str, error: Error) -> Failure {
    let found = source.file.is_empty().then(|| ctx.one(job).ok()).flatten();
    let is_it = |found: &Record| {
        let summary = &found.summary;
        let is_named = words::name(summary) == job || summary.session_id.as_str() == job;
        summary.project.is_none() && (is_named || job == "-")
    };
    let Some(found) = found.filter(is_it) else {
        return error.into();
    };
    let name = words::name(&found.summary);
    let target = ctx.target_of(&found);
    let exit = Failure::from(error).exit();
    let failure = Failure::with_message(exit, format!("{name} is a job without a project file"));
    failure.hint(format!(
        "bgproc status --env=full {} prints its environment",
        quote(&target)
    ))
}

/// The directory of the project and the name of a job that is named as in other verbs, as `shop/api`; `None` if there is
/// no such job.
fn elsewhere(ctx: &mut Context, source: &Source, job: &str) -> Option<(String, String)> {
    let may_be = source.file.is_empty() && job.contains('/');
    let record = may_be.then(|| ctx.one(job).ok())??;
    let of = record.summary.project?;
    Some((of.project.dir, of.job))
}
