//! The verbs, one file each.

mod attach;
mod capture;
mod clear;
mod completions;
mod daemon;
mod decline;
mod diff;
mod doctor;
mod down;
mod env;
mod events;
mod examples;
mod export;
mod find;
mod group;
mod help;
mod hosts;
mod init;
mod keys;
mod kill;
mod logs;
mod ls;
mod man;
mod mcp;
mod r#move;
mod news;
mod node;
mod open;
mod pause;
mod pin;
mod ports;
mod queue;
mod reload;
mod rename;
mod replay;
mod report;
mod restart;
mod resume;
mod rm;
mod run;
mod schema;
mod send;
mod share;
mod signal;
mod start;
mod state;
mod status;
mod stop;
mod tag;
mod top;
mod up;
mod wait;
mod why;

use clap::{Command, Subcommand};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::client;

pub(super) use help::{is_topic, list_topics};

/// Serves a link. A link that breaks is no failure: its jobs go on, and the other end says what it knows.
fn relay() -> Result<Exit, Failure> {
    client::relay::run().map_err(Failure::Output)?;
    Ok(Exit::OK)
}

/// The verbs of the command line.
///
/// Only the verb that is used is built. The structs of the verbs have no doc comments, because clap would
/// use them in place of the descriptions here.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub enum Verb {
    /// Start a job, which keeps running after this command has ended
    #[command(visible_alias = "add")]
    Run(Box<run::Run>),
    /// List the jobs
    #[command(visible_alias = "ps", aliases = ["list", "list-sessions"])]
    Ls(ls::Ls),
    /// Show details of one job; exit code 3 if it has ended or is skipped
    #[command(visible_aliases = ["inspect", "show"])]
    Status(status::StatusOf),
    /// Print the output of jobs as clean text
    #[command(visible_alias = "log")]
    Logs(logs::Logs),
    /// Show the lines of all jobs that match a pattern; exit code 1 if none match
    #[command(visible_alias = "grep")]
    Find(find::Find),
    /// The same as logs -f
    #[command(hide = true)]
    Follow(logs::Logs),
    /// The same as logs -n 10
    #[command(hide = true)]
    Tail(logs::Logs),
    /// Show the screen of a job and type into it; ctrl-] and then q leave
    #[command(visible_alias = "a", alias = "attach-session")]
    Attach(attach::Attach),
    /// Type text into a job and press Enter
    Send(send::Send),
    /// Press keys in a job: C-c Up Enter F5 M-x (bgproc help keys)
    #[command(alias = "send-keys")]
    Keys(keys::Keys),
    /// Share a job with agents that did not start it: read, write or none
    Share(share::ShareWith),
    /// Say how a job is doing, from within it: a hook of a coding agent, a script
    Report(report::Report),
    /// Decline the questions that agents have asked about a job
    Decline(decline::DeclineFor),
    /// Print the screen of a job
    #[command(visible_alias = "screen", alias = "capture-pane")]
    Capture(capture::Capture),
    /// Play what the screen of a job showed
    Replay(replay::Replay),
    /// Write the log of a job as a recording (asciicast), text, page or bytes
    Export(export::Export),
    /// End jobs and all their processes: SIGTERM, a grace period, then SIGKILL
    Stop(stop::Stop),
    /// End jobs at once: SIGKILL to all their processes; with -s only send that signal
    Kill(kill::Kill),
    /// Only send a signal to jobs: bgproc signal web HUP
    Signal(signal::Signal),
    /// Run jobs again that have ended
    Start(start::Start),
    /// Run jobs again under the same id; running jobs are ended first
    Restart(restart::Restart),
    /// Stop all processes of jobs until they are resumed
    Pause(pause::Pause),
    /// Let paused jobs continue, and start jobs that were lost in a reboot
    #[command(visible_alias = "continue", alias = "unpause")]
    Resume(resume::Resume),
    /// Write a project file from what is here: package.json, Procfile, compose.yaml and others
    Init(init::Init),
    /// Bring the jobs of a project file up, with what they need
    Up(Box<up::Up>),
    /// Stop all jobs of a project, in the reverse order of their needs
    Down(down::Down),
    /// Apply a changed project file: restart the jobs whose definition has changed
    Reload(reload::Reload),
    /// Run a command in this terminal with the directory, environment and ports of a project's job
    Exec(env::Exec),
    /// Print the environment of a project's job, and where each value comes from
    Env(env::Env),
    /// Wait for jobs to end and exit with their code, or for a condition (--for)
    Wait(wait::Wait),
    /// Say in one sentence why a job is in its state
    Why(why::Why),
    /// Show what two runs of a job wrote differently; exit code 1 if there is a difference
    Diff(diff::Diff),
    /// Show the processes of jobs, and what they use
    #[command(alias = "stats")]
    Top(top::Top),
    /// List the ports on which jobs listen
    #[command(alias = "port")]
    Ports(ports::Ports),
    /// Open the URL that a job serves
    Open(open::Open),
    /// Change the name of a job
    Rename(rename::Rename),
    /// Put jobs into a group, or make a group a queue
    Group(group::Group),
    /// Move jobs that wait in a queue
    Move(r#move::Move),
    /// Give jobs tags, which +TAG selects, or take them away
    Tag(tag::Tag),
    /// Keep jobs and their logs for ever
    Pin(pin::Pin),
    /// Remove ended jobs and their logs
    #[command(aliases = ["remove", "delete"])]
    Rm(rm::Rm),
    /// Remove all ended jobs and their logs
    #[command(visible_alias = "prune")]
    Clean(rm::Clean),
    /// Drop the output of jobs so far; the jobs go on
    Clear(clear::Clear),
    /// List what happened to jobs, and who did it
    Events(events::Events),
    /// Show, end or replace the daemon, or start it at boot
    Daemon(daemon::Daemon),
    /// Name other hosts, log in to them and check them (bgproc help hosts)
    #[command(alias = "host")]
    Hosts(hosts::Hosts),
    /// The other end of a link, on standard input and output
    #[command(hide = true)]
    Relay,
    /// The first process of a batch job, for the session of a directory
    #[command(hide = true)]
    Node(node::Node),
    /// Check whether bgproc can work here, and say how to fix problems
    Doctor(doctor::Doctor),
    /// Show a chapter of the manual, or the help of a verb
    Help(help::Help),
    /// Serve an agent with the Model Context Protocol on stdin and stdout
    Mcp(mcp::Mcp),
    /// Print what an agent has not been told of its jobs: ends, readiness, prompts
    News(news::News),
    /// Print the JSON Schema of the protocol, or of project files
    Schema(schema::Schema),
    /// Print or install completions for a shell
    Completions(completions::Completions),
    /// Write the manual pages
    Man(man::ManPages),
}

/// Where a verb acts if another host is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Here: it talks to the daemon of that host.
    Daemon,
    /// On that host: it is about the machine, and bgproc is run there.
    There,
    /// Here: the host makes no difference.
    Here,
    /// Nowhere, for this reason.
    Never(&'static str),
}

impl Verb {
    /// Where the verb acts if another host is named.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Export(verb) if verb.writes_a_file() => Place::Never(
                "with -H, export writes to standard output: bgproc -H HOST export JOB > FILE",
            ),
            // A long log comes through a file, which has to be where it is read.
            Self::Daemon(_) | Self::Doctor(_) | Self::Export(_) => Place::There,
            Self::Open(_) => Place::Never(
                "the page is on that host; bgproc open JOB@HOST says how its port comes here",
            ),
            Self::Help(_)
            | Self::Schema(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Hosts(_)
            | Self::Relay
            | Self::Node(_)
            | Self::Init(_) => Place::Here,
            Self::Report(verb) if verb.is_about_its_own_job() => Place::Here,
            Self::Exec(_) => Place::Never(
                "exec runs a command in this terminal, so it has no other host; \
                 use bgproc run -w -H HOST",
            ),
            _ => Place::Daemon,
        }
    }

    /// Runs the verb.
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
            Self::Report(verb) => verb.run(ctx),
            Self::Decline(verb) => verb.run(ctx),
            Self::Capture(verb) => verb.run(ctx),
            Self::Replay(verb) => verb.run(ctx),
            Self::Export(verb) => verb.run(ctx),
            Self::Stop(verb) => verb.run(ctx),
            Self::Kill(verb) => verb.run(ctx),
            Self::Signal(verb) => verb.run(ctx),
            Self::Start(verb) => verb.run(ctx),
            Self::Restart(verb) => verb.run(ctx),
            Self::Pause(verb) => verb.run(ctx),
            Self::Resume(verb) => verb.run(ctx),
            Self::Init(verb) => verb.run(ctx),
            Self::Up(verb) => verb.run(ctx),
            Self::Down(verb) => verb.run(ctx),
            Self::Reload(verb) => verb.run(ctx),
            Self::Exec(verb) => verb.run(ctx),
            Self::Env(verb) => verb.run(ctx),
            Self::Wait(verb) => verb.run(ctx),
            Self::Why(verb) => verb.run(ctx),
            Self::Diff(verb) => verb.run(ctx),
            Self::Top(verb) => verb.run(ctx),
            Self::Ports(verb) => verb.run(ctx),
            Self::Open(verb) => verb.run(ctx),
            Self::Rename(verb) => verb.run(ctx),
            Self::Group(verb) => verb.run(ctx),
            Self::Move(verb) => verb.run(ctx),
            Self::Tag(verb) => verb.run(ctx),
            Self::Pin(verb) => verb.run(ctx),
            Self::Rm(verb) => verb.run(ctx),
            Self::Clean(verb) => verb.run(ctx),
            Self::Clear(verb) => verb.run(ctx),
            Self::Events(verb) => verb.run(ctx),
            Self::Daemon(verb) => verb.run(ctx),
            Self::Hosts(verb) => verb.run(ctx),
            Self::Relay => relay(),
            Self::Node(verb) => verb.run(),
            Self::Doctor(verb) => verb.run(ctx),
            Self::Help(verb) => verb.run(ctx),
            Self::Mcp(verb) => verb.run(ctx),
            Self::News(verb) => verb.run(ctx),
            Self::Schema(verb) => verb.run(ctx),
            Self::Completions(verb) => verb.run(ctx),
            Self::Man(verb) => verb.run(ctx),
        }
    }

    /// The grammar of every verb.
    pub(super) fn grammars() -> Command {
        let mut grammars =
            Self::augment_subcommands(Command::new("bgproc").disable_help_subcommand(true));
        grammars.build();
        grammars
    }

    /// The grammar of one verb, by its name or an alias.
    pub(super) fn grammar(name: &str) -> Option<Command> {
        Self::grammars().find_subcommand(name).cloned()
    }

    /// The verb that a bare `bgproc` runs if there is no terminal.
    pub(super) fn list() -> Self {
        Self::Ls(ls::Ls::default())
    }
}
