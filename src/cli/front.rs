//! What a bare `bgproc` opens: the dashboard, `--serve`, or the list.

use std::io::IsTerminal;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::agent::{greeting, parse_on_disconnect};
use crate::cli::settings::dashboard;
use crate::cli::value::number;
use crate::cli::verb::Verb;
use crate::protocol::hello::OnDisconnect;
use crate::serve;
use crate::tui;

/// The options of a bare `bgproc`, for suggestions.
pub(super) const FLAGS: [&str; 14] = [
    "ascii",
    "mono",
    "theme",
    "filter",
    "read-only",
    "serve",
    "scope",
    "allow",
    "on-disconnect",
    "max-sessions",
    "version",
    "help",
    "json",
    "color",
];

/// Flags that need no verb.
#[derive(Args, Debug, Default)]
pub struct Front {
    /// Only ASCII characters in the dashboard
    #[arg(long)]
    ascii: bool,
    /// No colours in the dashboard, not even those of the jobs
    #[arg(long)]
    mono: bool,
    /// Colours of the dashboard: a theme's name
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
    /// Start the dashboard with this filter
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only look: no typing in the dashboard, no changes by an agent
    #[arg(long)]
    read_only: bool,
    /// Speak the protocol on standard input and output, for agents
    #[arg(long)]
    serve: bool,
    /// The agent's scope: it sees what was started from the same one
    #[arg(long, value_name = "NAME", requires = "serve")]
    scope: Option<String>,
    /// Programs that the agent may start
    #[arg(long, value_name = "CMD", value_delimiter = ',', requires = "serve")]
    allow: Option<Vec<String>>,
    /// What becomes of the agent's jobs at the end: keep or kill
    #[arg(long, value_name = "WHAT", value_parser = parse_on_disconnect, requires = "serve")]
    on_disconnect: Option<OnDisconnect>,
    /// Running jobs of the agent at most
    #[arg(long, value_name = "N", requires = "serve", value_parser = number::between::<u32>(1, u32::MAX.into()))]
    max_sessions: Option<u32>,
}

impl Front {
    /// These flags say nothing about a verb, so with one they are a mistake.
    pub(super) fn refuse_with_a_verb(&self) -> Result<(), Failure> {
        let flags = [
            ("--ascii", self.ascii),
            ("--mono", self.mono),
            ("--theme", self.theme.is_some()),
            ("--filter", self.filter.is_some()),
            ("--read-only", self.read_only),
            ("--serve", self.serve),
        ];
        match flags.iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::Usage(format!("{flag} goes with no verb"))),
            None => Ok(()),
        }
    }

    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if self.serve {
            return self.serve();
        }
        // A dashboard needs a terminal that does what it is told.
        let person = std::io::stdin().is_terminal() && crate::cli::output::obeys();
        if ctx.json || !person {
            return Verb::list().run(ctx);
        }
        let options = dashboard::options(&[], self.theme.as_deref())?;
        tui::run(tui::Options {
            read_only: self.read_only,
            ascii: self.ascii || options.ascii,
            mono: self.mono,
            filter: self.filter,
            ..options
        })?;
        Ok(Exit::OK)
    }

    fn serve(self) -> Result<Exit, Failure> {
        let dashboard = [
            ("--ascii", self.ascii),
            ("--mono", self.mono),
            ("--theme", self.theme.is_some()),
            ("--filter", self.filter.is_some()),
        ];
        if let Some((flag, _)) = dashboard.iter().find(|(_, given)| *given) {
            return Err(Failure::Usage(format!("{flag} says nothing about --serve")));
        }
        let flags = serve::Flags {
            scope: self.scope,
            read_only: self.read_only,
            allow: self.allow,
            on_disconnect: self.on_disconnect.unwrap_or_default(),
            max_sessions: self.max_sessions,
        };
        serve::run(greeting(flags)?)?;
        Ok(Exit::OK)
    }
}
