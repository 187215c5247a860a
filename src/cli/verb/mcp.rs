//! `mcp`: the Model Context Protocol on standard input and output.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::agent::{greeting, parse_on_disconnect};
use crate::cli::settings::host::check_reach;
use crate::cli::value::number;
use crate::mcp::{self, Offer, ToolSet};
use crate::protocol::hello::OnDisconnect;
use crate::serve;

#[derive(Args, Debug)]
pub struct Mcp {
    /// The set of tools to offer: own, deepchat, dotnet, duragent or macos-shell
    #[arg(long, value_name = "SET", default_value = "own", value_parser = parse_tools)]
    tools: ToolSet,
    /// Add the results as data (structuredContent, with output schemas), for programs. Several
    /// clients show a model only these, which costs it twice the bytes
    #[arg(long)]
    structured: bool,
    /// Ask people only in the dashboard, not also with a form in the client
    #[arg(long)]
    no_elicitation: bool,
    /// Scope of the agent: it sees the jobs that were started in the same scope
    #[arg(long, value_name = "NAME")]
    scope: Option<String>,
    /// Let the agent only look, not change anything
    #[arg(long)]
    read_only: bool,
    /// Let the agent start only these programs
    #[arg(long, value_name = "CMD,…", value_delimiter = ',')]
    allow: Option<Vec<String>>,
    /// What happens to the agent's jobs when it disconnects: keep or kill
    #[arg(long, value_name = "WHAT", value_parser = parse_on_disconnect)]
    on_disconnect: Option<OnDisconnect>,
    /// Largest number of jobs that the agent may run at the same time
    #[arg(long, value_name = "N", value_parser = number::between::<u32>(1, u32::MAX.into()))]
    max_sessions: Option<u32>,
    /// Let the agent reach these hosts, and no others
    #[arg(long, value_name = "HOST,…", value_delimiter = ',')]
    hosts: Option<Vec<String>>,
}

impl Mcp {
    pub(super) fn run(self, _: &mut Context) -> Result<Exit, Failure> {
        check_reach(self.hosts.as_deref())?;
        let flags = serve::Flags {
            scope: self.scope,
            replies: self.tools.replies(),
            read_only: self.read_only,
            allow: self.allow,
            on_disconnect: self.on_disconnect.unwrap_or_default(),
            max_sessions: self.max_sessions,
            hosts: self.hosts,
        };
        let offer = Offer {
            read_only: self.read_only,
            tools: self.tools,
            structured: self.structured,
            elicitation: !self.no_elicitation,
        };
        mcp::run(greeting(flags)?, offer)?;
        Ok(Exit::OK)
    }
}

fn parse_tools(name: &str) -> Result<ToolSet, String> {
    ToolSet::parse(name).ok_or_else(|| {
        let names = ToolSet::NAMES.map(|(name, _)| name);
        format!("needs one of {}", names.join(", "))
    })
}
