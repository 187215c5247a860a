//! `hosts`: names other hosts, logs in to them, and checks them.

mod allocation;
mod disconnect;
mod doctor;
mod install;
mod list;
mod login;

use std::path::Path;
use std::process::{Command, Stdio};

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::settings;
use crate::cli::settings::host::{named, unknown};
use crate::cli::start::batch::BatchRequest;
use crate::client::{self, Running, greeting};
use crate::config::{HostEntry, edit, is_name};
use crate::link::Host;
use crate::protocol::reply::HostConnect;
use crate::protocol::{Action, params};

#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Hosts {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Name a host in config.toml
    Add(Add),
    /// List the hosts, and how they are reached
    #[command(alias = "list")]
    Ls,
    /// Log in to a host by ssh in this terminal, for passwords, one-time codes and new host keys
    Login(login::Login),
    /// Copy this program to a host
    Install(install::Install),
    /// Check whether bgproc can work on a host, and say how to fix problems
    Doctor(doctor::Doctor),
    /// End the connection to a host; its jobs go on
    Disconnect(disconnect::Disconnect),
    /// Remove a host from config.toml; its jobs go on, unless it is held by a job of a cluster
    #[command(alias = "remove")]
    Rm(Rm),
}

/// What `--on` means where a host is added.
const ON: &str =
    "Request a node from this launcher and use it as the host; after a colon its partition";

#[derive(Args, Debug)]
#[command(mut_arg("on", |on| on.help(ON)))]
struct Add {
    /// The name of the host in bgproc
    #[arg(value_name = "NAME")]
    name: String,
    /// What follows ssh: options and the destination; the name by default
    #[arg(
        value_name = "SSH",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    words: Vec<String>,
    /// The words after the name are a command that runs a shell there, in place of ssh
    #[arg(long)]
    command: bool,
    /// Where bgproc is on the host
    #[arg(long, value_name = "PATH")]
    bgproc: Option<String>,
    /// The directory of bgproc on the host (BGPROC_HOME)
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
    /// When it is connected: always, on demand (default), or only by `hosts login`
    #[arg(long, value_name = "WHEN")]
    connect: Option<When>,
    /// Let all agents reach the host
    #[arg(long)]
    agents: bool,
    #[command(flatten)]
    batch: BatchRequest,
}

/// When a host is connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum When {
    Always,
    Demand,
    Manual,
}

impl From<When> for HostConnect {
    fn from(when: When) -> Self {
        match when {
            When::Always => Self::Always,
            When::Demand => Self::Demand,
            When::Manual => Self::Manual,
        }
    }
}

#[derive(Args, Debug)]
struct Rm {
    /// The host
    #[arg(value_name = "HOST")]
    name: String,
    /// Do not ask before the end of a job that holds the host
    #[arg(short, long)]
    yes: bool,
}

impl Hosts {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Add(verb) => verb.run(ctx),
            Verb::Ls => list::run(ctx),
            Verb::Login(verb) => verb.run(ctx),
            Verb::Disconnect(verb) => verb.run(ctx),
            Verb::Install(verb) => verb.run(ctx),
            Verb::Doctor(verb) => verb.run(ctx),
            Verb::Rm(verb) => verb.run(ctx),
        }
    }
}

impl Add {
    fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let name = &self.name;
        if !is_name(name) {
            return Err(Failure::Usage(format!(
                "{name} cannot be the name of a host: it has letters, digits, - _ . only, and is not `local`"
            )));
        }
        if settings::configuration()?.hosts.contains_key(name) {
            let message = format!("there is a host {name} already");
            let hint = format!(
                "bgproc hosts ls shows how it is reached; bgproc hosts rm {name} removes it"
            );
            return Err(Failure::with_message(Exit::FAILED, message).hint(hint));
        }
        if self.command && self.words.is_empty() {
            return Err(Failure::Usage(
                "the command after the name is missing".to_owned(),
            ));
        }
        let path = client::home()?.config_file();
        if self.batch.launcher().is_some() {
            return self.allocate(ctx, &path);
        }
        let entry = self.entry()?;
        edit::add_host(&path, name, &entry)?;
        reread();
        if ctx.json {
            ctx.out.json(&json!({ "name": name, "path": path }))?;
            return Ok(Exit::OK);
        }
        note(&format!("{name} is in {}", path.display()));
        note(&format!(
            "bgproc hosts doctor {name} checks it; bgproc -H {name} ls lists its jobs"
        ));
        Ok(Exit::OK)
    }

    /// Has a batch system give a node, which is the host.
    fn allocate(&self, ctx: &mut Context, path: &Path) -> Result<Exit, Failure> {
        if !self.words.is_empty() || self.bgproc.is_some() || self.home.is_some() {
            let message = "with --on, SSH, --bgproc and --home are not possible: the batch system says how the host is reached";
            return Err(Failure::Usage(message.to_owned()));
        }
        let (job, entry) = allocation::submit(ctx, &self.name, &self.batch)?;
        let entry = HostEntry {
            connect: self.connect.map(Into::into).unwrap_or_default(),
            agents: self.agents,
            ..entry
        };
        if let Err(error) = edit::add_host(path, &self.name, &entry) {
            allocation::release(ctx, job.summary.session_id.as_str())?;
            return Err(error.into());
        }
        if ctx.json {
            let session = &job.summary.session_id;
            ctx.out
                .json(&json!({ "name": self.name, "path": path, "sessionId": session }))?;
            return Ok(Exit::OK);
        }
        allocation::tell(&self.name, &job);
        Ok(Exit::OK)
    }

    fn entry(&self) -> Result<HostEntry, Failure> {
        let ssh = match self.words.as_slice() {
            _ if self.command => None,
            [] => None,
            // One word may have blanks, as in config.toml.
            [words] => Some(words.clone()),
            words => {
                let joined = shlex::try_join(words.iter().map(String::as_str));
                Some(joined.map_err(|error| Failure::Usage(error.to_string()))?)
            }
        };
        Ok(HostEntry {
            ssh,
            command: self.command.then(|| self.words.clone()),
            bgproc: self.bgproc.clone(),
            home: self.home.clone(),
            connect: self.connect.map(Into::into).unwrap_or_default(),
            agents: self.agents,
            session: None,
        })
    }
}

/// Has a daemon that runs read the hosts again, so that a removed one is gone at once. The file is written: a daemon that
/// is too old to know hosts, or does not answer, has nothing to do with that.
fn reread() {
    if let Ok(Running::Yes(mut daemon)) = client::connect_running(&greeting::human()) {
        let _ = daemon.call(Action::Hosts(params::Hosts {}));
    }
}

/// Ends the shared connection of a login, which would let anybody with this account in for hours.
fn log_out(host: &Host) {
    let Some(words) = host.logout() else {
        return;
    };
    let Some((program, args)) = words.split_first() else {
        return;
    };
    let mut command = Command::new(program);
    let command = command.args(args).stdin(Stdio::null());
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !ended.is_ok_and(|status| status.success()) {
        let words = shlex::try_join(words.iter().map(String::as_str));
        note(&format!(
            "its login may still be open; {} ends it",
            words.unwrap_or_default()
        ));
    }
}

impl Rm {
    fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let config = settings::configuration()?;
        let Some(entry) = config.hosts.get(&self.name) else {
            return Err(unknown(&self.name, &config).into());
        };
        if let Some(session) = &entry.get_ref().session {
            allocation::give_back(ctx, &self.name, session, self.yes)?;
        }
        let host = named(&self.name)?;
        let path = client::home()?.config_file();
        edit::remove_host(&path, &self.name)?;
        reread();
        log_out(&host);
        if ctx.json {
            ctx.out.json(&json!({ "name": self.name, "path": path }))?;
        }
        Ok(Exit::OK)
    }
}
