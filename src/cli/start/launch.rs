//! Starting a job under a name that only one may have at a time.
//!
//! The daemon refuses the second one, so that of two that are started in the same moment one runs.

use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{note, words};
use crate::cli::settings::grace;
use crate::protocol::params::{Kill, Start};
use crate::protocol::reply::Killed;
use crate::protocol::{Action, Error, ErrorCode, SessionId, Status};

/// How often a job is stopped that has taken the name meanwhile. More than one at a time is somebody else who replaces
/// it, again and again.
const REPLACEMENTS: usize = 5;

/// Starts a job; with `replace` in the place of the one that has its name.
pub fn start(ctx: &mut Context, start: &Start, replace: bool) -> Result<Value, Failure> {
    let mut left = if replace { REPLACEMENTS } else { 0 };
    loop {
        let error = match ctx.daemon()?.call(Action::Start(start.clone())) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        match Taken::by(&error) {
            Some(taken) if left > 0 => taken.stop(ctx)?,
            Some(taken) => return Err(taken.refusal().hint(REPLACE)),
            None => return Err(not_started(error).into()),
        }
        left -= 1;
    }
}

const REPLACE: &str = "--replace stops it and starts this one in its place; or choose another name";

/// The job that has a name already.
#[derive(Debug)]
pub struct Taken {
    name: String,
    id: SessionId,
    status: Status,
    runtime_ms: u64,
}

impl Taken {
    /// What an error says about it; `None`: it is another error.
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

    /// That the name cannot be had.
    pub fn refusal(&self) -> Failure {
        let Self { name, id, .. } = self;
        let time = words::span(self.runtime_ms);
        let is = match self.status {
            Status::Running | Status::Starting => "is running already".to_owned(),
            status => format!("is {} already", status.as_str()),
        };
        Failure::told(
            Exit::FAILED,
            format!("a job named {name} {is} ({id}, {time})"),
        )
    }

    /// Ends it with everything that it has started.
    fn stop(&self, ctx: &mut Context) -> Result<(), Failure> {
        let kill = Action::Kill(Kill {
            session_id: Some(self.id.to_string()),
            grace_ms: Some(grace::grace(None)?),
            ..Kill::default()
        });
        let killed: Killed = ctx.daemon()?.call_as(kill)?;
        let Self { name, id, .. } = self;
        if killed.survivors.is_empty() {
            note(&format!("{name} ({id}) was stopped"));
            return Ok(());
        }
        let pids: Vec<_> = killed.survivors.iter().map(u32::to_string).collect();
        let message = format!(
            "{name} ({id}) was not replaced: pid {} could not be ended",
            pids.join(", ")
        );
        Err(Failure::told(Exit::FAILED, message))
    }
}

/// The daemon's advice is for those who speak its protocol.
fn not_started(mut error: Error) -> Error {
    if error.code == ErrorCode::SpawnFailed && error.hint.is_some() {
        let hint =
            "several arguments are a program and its arguments; one, quoted, is a shell line";
        error.hint = Some(hint.to_owned());
    }
    error
}
