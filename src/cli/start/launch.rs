//! Starts a job under a unique name.
//!
//! The daemon refuses a second job with the name, so if two commands start at the same moment, only one
//! succeeds.

use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::ended::end;
use crate::cli::output::{note, words};
use crate::cli::settings::grace;
use crate::cli::start::program;
use crate::client::read_reply;
use crate::protocol::params::{Kill, Start};
use crate::protocol::reply::Killed;
use crate::protocol::shell::quote;
use crate::protocol::{Action, Error, ErrorCode, SessionId, Status};

/// How often a job that holds the name is stopped. More than one means that another command keeps starting
/// jobs with this name.
const REPLACEMENTS: usize = 5;

/// Starts a job. With `replace`, stops the job that has its name first.
pub fn start(ctx: &mut Context, start: &Start, replace: bool) -> Result<Value, Failure> {
    let mut left = if replace { REPLACEMENTS } else { 0 };
    loop {
        let error = match ctx.daemon()?.call(Action::Start(start.clone())) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        match Taken::by(&error) {
            Some(taken) if left > 0 => taken.stop(ctx)?,
            Some(taken) => {
                let instead = taken.instead(ctx);
                return Err(taken.refusal().hint(instead));
            }
            None => return Err(not_started(error, start)),
        }
        left -= 1;
    }
}

/// The job that already has a name.
#[derive(Debug)]
pub struct Taken {
    name: String,
    id: SessionId,
    status: Status,
    runtime_ms: u64,
}

impl Taken {
    /// Reads the job from an error. `None` if the error has another cause.
    pub fn by(error: &Error) -> Option<Self> {
        let data = error.data.as_ref()?;
        if error.code != ErrorCode::InvalidRequest {
            return None;
        }
        Some(Self {
            name: data["label"].as_str()?.to_owned(),
            id: SessionId::parse(data["sessionId"].as_str()?)?,
            status: serde_json::from_value(data["status"].clone()).ok()?,
            runtime_ms: data["runtimeMs"].as_u64()?,
        })
    }

    /// The failure that the name is in use.
    pub fn refusal(&self) -> Failure {
        let Self { name, id, .. } = self;
        let time = words::span(self.runtime_ms);
        let is = match self.status {
            Status::Running | Status::Starting => "is already running".to_owned(),
            status => format!("is already {}", status.as_str()),
        };
        Failure::with_message(
            Exit::FAILED,
            format!("a job named {name} {is} ({id}, {time})"),
        )
    }

    /// What to do: what ends nothing comes first.
    fn instead(&self, ctx: &mut Context) -> String {
        let attach = match self.status {
            Status::Running => {
                let job = ctx.record(&self.id, false).ok();
                let target = job.map(|job| ctx.target_of(&job));
                let target = target.unwrap_or_else(|| self.id.to_string());
                format!("bgproc attach {} shows it; ", quote(&target))
            }
            _ => String::new(),
        };
        format!(
            "{attach}--replace stops it and starts this one in its place; or choose another name"
        )
    }

    /// Ends the job with all processes that it has started.
    fn stop(&self, ctx: &mut Context) -> Result<(), Failure> {
        let manner = Kill {
            grace_ms: Some(grace::grace(None)?),
            ..Kill::default()
        };
        let Self { name, id, .. } = self;
        end(ctx, &[(id.clone(), manner)], |_, ended| {
            let killed: Killed = read_reply(ended.answer?)?;
            if killed.survivors.is_empty() {
                note(&format!("{name} ({id}) was stopped"));
                return Ok(());
            }
            let pids: Vec<_> = killed.survivors.iter().map(u32::to_string).collect();
            let message = format!(
                "{name} ({id}) was not replaced: cannot end pid {}",
                pids.join(", ")
            );
            Err(Failure::with_message(Exit::FAILED, message))
        })
    }
}

/// Replaces the daemon's hint, which is written for clients of the protocol. A directory of `-C` that is not there is
/// wrong usage, whether this machine or another host has looked for it; a program that is not there is code 127.
fn not_started(mut error: Error, start: &Start) -> Failure {
    if error.code == ErrorCode::SpawnFailed {
        if start.cwd.is_some() && is_about_directory(&error) {
            return Failure::with_message(Exit::USAGE, error.message);
        }
        if error.hint.is_some() {
            error.hint = program::lead(start);
        }
    }
    error.into()
}

/// Whether a start has failed for its working directory: the data about a program also have its command.
fn is_about_directory(error: &Error) -> bool {
    let has = |field| {
        let data = error.data.as_ref();
        data.is_some_and(|data| data.get(field).is_some())
    };
    has("errno") && has("path") && !has("command")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_directory_that_is_not_there_is_wrong_usage() {
        let failed = |data: Value| Error::new(ErrorCode::SpawnFailed, "x").data(data);
        let start = |cwd: Option<&str>| Start {
            command: "pwd".to_owned(),
            cwd: cwd.map(str::to_owned),
            ..Start::default()
        };
        let dir = json!({ "errno": 2, "path": "/nowhere" });
        let program = json!({ "errno": 2, "path": "/", "command": "nosuch" });
        for (data, cwd, exit) in [
            (&dir, Some("/nowhere"), Exit::USAGE),
            (&dir, None, Exit::NOT_FOUND),
            (&program, Some("/"), Exit::NOT_FOUND),
        ] {
            let failure = not_started(failed(data.clone()), &start(cwd));
            assert_eq!(failure.exit(), exit, "{data}");
        }
    }
}
