//! The verbs, one small file each, named as people say them.

mod attach;
mod capture;
mod daemon;
mod decline;
mod doctor;
mod events;
mod export;
mod find;
mod help;
mod keys;
mod kill;
mod logs;
mod ls;
mod mcp;
mod rename;
mod replay;
mod rm;
mod run;
mod schema;
mod send;
mod share;
mod signal;
mod state;
mod status;
mod stop;
mod wait;

use clap::{Args, Command, Subcommand};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};

pub(super) use help::list_topics;

/// What can be asked for.
///
/// Only the one that is asked for is built. Its struct has no doc comment of its own: clap would take that for the
/// line about the verb, in place of the one here.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub enum Verb {
    /// Start a job; it goes on when this command has ended
    #[command(visible_alias = "add")]
    Run(Box<run::Run>),
    /// List the jobs
    #[command(visible_alias = "ps")]
    Ls(ls::Ls),
    /// Show one job in full; exit code 3 if it is not running
    #[command(visible_aliases = ["inspect", "show"])]
    Status(status::StatusOf),
    /// Show what jobs have written: clean text, whatever they painted
    #[command(visible_alias = "log")]
    Logs(logs::Logs),
    /// Show the lines of all jobs that match; exit code 1 if there are none
    #[command(visible_alias = "grep")]
    Find(find::Find),
    /// The same as logs -f
    #[command(hide = true)]
    Follow(logs::Logs),
    /// The same as logs -n 10
    #[command(hide = true)]
    Tail(logs::Logs),
    /// Show a job's screen and type into it; ctrl-] leaves
    #[command(visible_alias = "a")]
    Attach(attach::Attach),
    /// Type text into a job, and Enter
    Send(send::Send),
    /// Press keys in a job: C-c Up Enter F5 M-x (bgproc help keys)
    Keys(keys::Keys),
    /// Open a job to agents that did not start it: read, write or none
    Share(share::ShareWith),
    /// Tell agents that nobody will answer what they have asked about a job
    Decline(decline::DeclineFor),
    /// Print a job's screen
    #[command(visible_alias = "screen")]
    Capture(capture::Capture),
    /// Show how a job went: its screen as it was, step by step or played
    Replay(replay::Replay),
    /// Write a job's whole log as a recording (asciicast), text, page or bytes
    Export(export::Export),
    /// End jobs with all their processes: a signal, then KILL
    Stop(stop::Stop),
    /// End jobs at once, with all their processes; with -s only send that signal
    Kill(kill::Kill),
    /// Send a signal to jobs, and nothing else
    Signal(signal::Signal),
    /// Run jobs anew, under the same id; ends what still runs first
    Restart(state::Restart),
    /// Stop jobs where they stand, with all their processes
    Pause(state::Jobs),
    /// Let paused jobs go on
    #[command(visible_alias = "continue")]
    Resume(state::Jobs),
    /// Wait for jobs: for their end (and exit with their code), or for something else
    Wait(wait::Wait),
    /// Give a job another name
    Rename(rename::Rename),
    /// Forget jobs that have ended, with their logs
    Rm(rm::Rm),
    /// Forget all jobs that have ended, with their logs
    #[command(visible_alias = "prune")]
    Clean(rm::Clean),
    /// Show who did what to which job
    Events(events::Events),
    /// Look at the daemon, end it, or replace it
    Daemon(daemon::Daemon),
    /// Look for what keeps bgproc from working here, and say what to do
    Doctor(doctor::Doctor),
    /// Show a chapter of the manual, or the help of a verb
    Help(help::Help),
    /// Serve an agent by the Model Context Protocol, on standard input and output
    Mcp(mcp::Mcp),
    /// Print the JSON Schema of the protocol
    Schema(schema::Schema),
}

/// Adds the arguments of a verb to its grammar.
type Arguments = fn(Command) -> Command;

/// The verbs by their names, and what they take.
const ARGUMENTS: [(&[&str], Arguments); 31] = [
    (&["run", "add"], run::Run::augment_args),
    (&["ls", "ps"], ls::Ls::augment_args),
    (
        &["status", "inspect", "show"],
        status::StatusOf::augment_args,
    ),
    (&["logs", "log"], logs::Logs::augment_args),
    (&["find", "grep"], find::Find::augment_args),
    (&["follow"], logs::Logs::augment_args),
    (&["tail"], logs::Logs::augment_args),
    (&["attach", "a"], attach::Attach::augment_args),
    (&["send"], send::Send::augment_args),
    (&["keys"], keys::Keys::augment_args),
    (&["share"], share::ShareWith::augment_args),
    (&["decline"], decline::DeclineFor::augment_args),
    (&["capture", "screen"], capture::Capture::augment_args),
    (&["replay"], replay::Replay::augment_args),
    (&["export"], export::Export::augment_args),
    (&["stop"], stop::Stop::augment_args),
    (&["kill"], kill::Kill::augment_args),
    (&["signal"], signal::Signal::augment_args),
    (&["restart"], state::Restart::augment_args),
    (&["pause"], state::Jobs::augment_args),
    (&["resume", "continue"], state::Jobs::augment_args),
    (&["wait"], wait::Wait::augment_args),
    (&["rename"], rename::Rename::augment_args),
    (&["rm"], rm::Rm::augment_args),
    (&["clean", "prune"], rm::Clean::augment_args),
    (&["events"], events::Events::augment_args),
    (&["daemon"], daemon::Daemon::augment_args),
    (&["doctor"], doctor::Doctor::augment_args),
    (&["help"], help::Help::augment_args),
    (&["mcp"], mcp::Mcp::augment_args),
    (&["schema"], schema::Schema::augment_args),
];

impl Verb {
    /// Does it.
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        match self {
            Self::Run(verb) => verb.run(ctx),
            Self::Ls(verb) => verb.run(ctx),
            Self::Status(verb) => verb.run(ctx),
            Self::Logs(verb) => verb.run(ctx),
            Self::Find(verb) => verb.run(ctx),
            Self::Follow(verb) => verb.following().run(ctx),
            Self::Tail(verb) => verb.tailing().run(ctx),
            Self::Attach(verb) => verb.run(ctx),
            Self::Send(verb) => verb.run(ctx),
            Self::Keys(verb) => verb.run(ctx),
            Self::Share(verb) => verb.run(ctx),
            Self::Decline(verb) => verb.run(ctx),
            Self::Capture(verb) => verb.run(ctx),
            Self::Replay(verb) => verb.run(ctx),
            Self::Export(verb) => verb.run(ctx),
            Self::Stop(verb) => verb.run(ctx),
            Self::Kill(verb) => verb.run(ctx),
            Self::Signal(verb) => verb.run(ctx),
            Self::Restart(verb) => verb.run(ctx),
            Self::Pause(jobs) => jobs.pause(ctx),
            Self::Resume(jobs) => jobs.resume(ctx),
            Self::Wait(verb) => verb.run(ctx),
            Self::Rename(verb) => verb.run(ctx),
            Self::Rm(verb) => verb.run(ctx),
            Self::Clean(verb) => verb.run(ctx),
            Self::Events(verb) => verb.run(ctx),
            Self::Daemon(verb) => verb.run(ctx),
            Self::Doctor(verb) => verb.run(ctx),
            Self::Help(verb) => verb.run(ctx),
            Self::Mcp(verb) => verb.run(ctx),
            Self::Schema(verb) => verb.run(ctx),
        }
    }

    /// The arguments of the verb that is called so, for reading them. What help says about the verb is not there:
    /// to say that of all verbs, as the derived grammar does, takes longer than most verbs take.
    pub(super) fn grammar(name: &str) -> Option<Command> {
        let mut verbs = ARGUMENTS.iter();
        let (names, arguments) = verbs.find(|(names, _)| names.contains(&name))?;
        let (name, aliases) = names.split_first()?;
        Some(arguments(Command::new(*name).aliases(aliases.iter())))
    }

    /// What verbs are called, aliases too.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        ARGUMENTS
            .iter()
            .flat_map(|(names, _)| names.iter().copied())
    }

    /// The list, which a bare `bgproc` shows where there is no terminal.
    pub(super) fn list() -> Self {
        Self::Ls(ls::Ls::default())
    }
}
