//! `report`: says how a job is doing, from within it. Hooks of coding agents, and scripts, run it.

mod hook;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::value::hook::{Hook, asked};
use crate::client::{self, Running, greeting};
use crate::protocol::environment::MARK;
use crate::protocol::params;
use crate::protocol::report::Activity;
use crate::protocol::{Action, Record, SessionId};

#[derive(Args, Debug)]
pub struct Report {
    /// How it is doing
    #[arg(long, value_name = "STATE", conflicts_with = "clear")]
    state: Option<State>,
    /// Description of the state, at most 200 characters; what looks secret is masked
    #[arg(short, long, value_name = "TEXT", requires = "state")]
    message: Option<String>,
    /// Forget what was reported
    #[arg(long)]
    clear: bool,
    /// Shell line that continues the job after a reboot (bgproc resume)
    #[arg(long, value_name = "COMMAND")]
    resume: Option<String>,
    /// The job; by default the one in which this runs (BGPROC_SESSION)
    #[arg(short, long, value_name = "JOB")]
    job: Option<String>,
    /// Report what a hook of this client says; always exit with 0, also outside of a job
    #[arg(long, value_name = "CLIENT", conflicts_with_all = ["state", "clear", "resume"])]
    hook: Option<Hook>,
}

/// The states of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum State {
    /// It works
    Working,
    /// It cannot go on without somebody
    Blocked,
    /// It has nothing to do
    Idle,
}

impl State {
    fn activity(self) -> Activity {
        match self {
            Self::Working => Activity::Working,
            Self::Blocked => Activity::Blocked,
            Self::Idle => Activity::Idle,
        }
    }
}

impl Report {
    /// Whether the job is the one in which this runs, which is on this machine. A hook, too, speaks of that one only.
    pub(super) fn is_about_its_own_job(&self) -> bool {
        self.job.is_none() || self.hook.is_some()
    }

    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if let Some(client) = self.hook {
            // Some clients take another exit code for a refusal.
            if let Err(failure) = self.forward(client) {
                note(&failure.to_string());
            }
            return Ok(Exit::OK);
        }
        if self.state.is_none() && !self.clear && self.resume.is_none() {
            let why = "report needs --state, --resume or --clear";
            return Err(Failure::Usage(why.to_owned()));
        }
        let session_id = match &self.job {
            Some(job) => ctx.one(job)?.summary.session_id.to_string(),
            None => own().ok_or_else(outside)?.to_string(),
        };
        let report = Action::Report(params::Report {
            session_id,
            state: self.state.map(State::activity),
            message: self.message,
            clear: self.clear.then_some(true),
            resume: self.resume,
        });
        let value = ctx.daemon()?.call(report)?;
        if ctx.json {
            ctx.out.json(&value)?;
        }
        Ok(Exit::OK)
    }

    /// Reports what a hook says of the job in which it runs. Outside of a job, and without a daemon, there is nobody
    /// to report to.
    fn forward(&self, client: Hook) -> Result<(), Failure> {
        let said = asked()?;
        let named = self.job.as_deref().map(str::to_owned);
        let Some(session_id) = named.or_else(|| own().map(|id| id.to_string())) else {
            return Ok(());
        };
        let Some(report) = hook::heard(client, &said).report(session_id) else {
            return Ok(());
        };
        if let Running::Yes(mut connection) = client::connect_running(&greeting::human())? {
            let _: Record = connection.call_as(Action::Report(report))?;
        }
        Ok(())
    }
}

/// The job in which this command runs.
fn own() -> Option<SessionId> {
    SessionId::parse(&std::env::var(MARK).ok()?)
}

fn outside() -> Failure {
    let why = format!("this does not run in a job: {MARK} is not set");
    Failure::Usage(format!("{why}; name the job with --job JOB"))
}
