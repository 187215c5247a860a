//! `bgproc` without a verb: the dashboard, `--serve`, or the list of jobs.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::agent::{greeting, parse_on_disconnect};
use crate::cli::settings::dashboard;
use crate::cli::settings::host::check_reach;
use crate::cli::value::number;
use crate::cli::verb::Verb;
use crate::protocol::hello::{OnDisconnect, Replies};
use crate::serve;
use crate::tui::{self, theme::Appearance};

/// The options that are given without a verb.
#[derive(Args, Debug, Default)]
pub struct Front {
    /// Use only ASCII characters in the dashboard
    #[arg(long)]
    ascii: bool,
    /// Show the dashboard and the output of jobs in it without colours
    #[arg(long)]
    mono: bool,
    /// Use this theme in the dashboard
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
    /// Start the dashboard with this filter
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Change nothing: no typing in the dashboard, no changes by an agent
    #[arg(long)]
    read_only: bool,
    /// Speak the protocol for agents on standard input and output
    #[arg(long)]
    serve: bool,
    /// Answer for a model: short replies without fields that say nothing
    #[arg(long, requires = "serve")]
    lean: bool,
    /// Scope of the agent: it sees the jobs that were started in the same scope
    #[arg(long, value_name = "NAME", requires = "serve")]
    scope: Option<String>,
    /// Let the agent start only these programs
    #[arg(long, value_name = "CMD,…", value_delimiter = ',', requires = "serve")]
    allow: Option<Vec<String>>,
    /// What happens to the agent's jobs when it disconnects: keep or kill
    #[arg(long, value_name = "WHAT", value_parser = parse_on_disconnect, requires = "serve")]
    on_disconnect: Option<OnDisconnect>,
    /// Largest number of jobs that the agent may run at the same time
    #[arg(long, value_name = "N", requires = "serve", value_parser = number::between::<u32>(1, u32::MAX.into()))]
    max_sessions: Option<u32>,
    /// Let the agent reach these hosts, and no others
    #[arg(long, value_name = "HOST,…", value_delimiter = ',', requires = "serve")]
    hosts: Option<Vec<String>>,
}

impl Front {
    /// Fails if one of these options is given together with a verb, for which they have no meaning.
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
            Some((flag, _)) => Err(Failure::Usage(format!("{flag} cannot be used with a verb"))),
            None => Ok(()),
        }
    }

    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if self.serve {
            return self.serve();
        }
        // The dashboard needs a terminal that supports cursor movement.
        let person = crate::cli::output::takes_screens();
        if ctx.json || !person {
            if self.filter.is_some() {
                let message = "--filter is for the dashboard, which needs a terminal";
                return Err(Failure::Usage(message.to_owned())
                    .hint("bgproc ls JOB... lists some of the jobs"));
            }
            return Verb::list().run(ctx);
        }
        let options = dashboard::options(&[], self.theme.as_deref())?;
        tui::run(tui::Options {
            read_only: self.read_only,
            appearance: Appearance {
                ascii: self.ascii || options.appearance.ascii,
                mono: self.mono,
                ..options.appearance
            },
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
            return Err(Failure::Usage(format!(
                "{flag} cannot be used with --serve"
            )));
        }
        check_reach(self.hosts.as_deref())?;
        let flags = serve::Flags {
            scope: self.scope,
            replies: if self.lean {
                Replies::Lean
            } else {
                Replies::Full
            },
            read_only: self.read_only,
            allow: self.allow,
            on_disconnect: self.on_disconnect.unwrap_or_default(),
            max_sessions: self.max_sessions,
            hosts: self.hosts,
        };
        serve::run(greeting(flags)?)?;
        Ok(Exit::OK)
    }
}
