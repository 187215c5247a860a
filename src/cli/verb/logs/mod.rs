//! `logs`: prints the output of jobs, and follows it.

mod several;
mod view;

use clap::Args;

use self::view::LogView;
use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::logs::{of_command, sieve};
use crate::cli::value::run::{self, RunNumber};
use crate::cli::value::{moment, number};
use crate::protocol::Timestamp;

/// Lines that `tail` shows by default, as tail(1).
const TAIL: u64 = 10;

/// The value of `--lines all`: no limit.
const ALL: u64 = u64::MAX;

#[derive(Args, Debug)]
pub struct Logs {
    /// Continue with new output until the jobs have ended; Ctrl-C stops following, not the jobs
    #[arg(short, long)]
    follow: bool,
    /// Print only the last N lines
    #[arg(short = 'n', long = "lines", visible_alias = "tail", value_name = "N", value_parser = lines)]
    lines: Option<u64>,
    /// Print the exact bytes
    #[arg(long)]
    raw: bool,
    /// Print clean text on a terminal too
    #[arg(long, conflicts_with = "raw")]
    plain: bool,
    /// Print only output written after this time, or within the last TIME (10m)
    #[arg(long, value_name = "TIME", value_parser = moment::parse)]
    since: Option<Timestamp>,
    /// Print only output written before this time, or before the last TIME (10m)
    #[arg(long, value_name = "TIME", value_parser = moment::parse, conflicts_with = "follow")]
    until: Option<Timestamp>,
    /// Print only one run: 3 is the third, 0 the newest, -1 the one before
    #[arg(long, value_name = "N", value_parser = run::parse, allow_negative_numbers = true, conflicts_with_all = ["follow", "since", "until"])]
    run: Option<RunNumber>,
    /// Print only lines that match; with -n, the last N of them; exit code 1 if there is none
    #[arg(long, value_name = "REGEX", conflicts_with = "raw")]
    grep: Option<String>,
    /// With --grep: print N lines around each match
    #[arg(
        short = 'C',
        long,
        value_name = "N",
        requires = "grep",
        default_value_t = 0
    )]
    context: usize,
    /// With --grep: ignore case
    #[arg(short, long, requires = "grep")]
    ignore_case: bool,
    /// Print the time of each line
    #[arg(short, long, conflicts_with = "raw")]
    times: bool,
    /// Include what was typed into the job, when and by whom; input without echo is never recorded
    #[arg(long, conflicts_with_all = ["follow", "raw"])]
    stdin: bool,
    /// Print only the output of the last command that the job's shell ran, or of the Nth from the end, if the shell
    /// marks its prompts (OSC 133)
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = number::from::<u32>(1))]
    #[arg(conflicts_with_all = ["follow", "lines", "raw", "plain", "since", "until", "run", "grep", "times", "stdin"])]
    command: Option<u32>,
    /// The jobs; by default the one that was used last, else all of this directory's project
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,
}

/// Follows the logs of the jobs of an `up` that began then: all of the runs that it has started, and the last lines of
/// those that ran before.
pub(super) fn follow_all(
    ctx: &mut Context,
    jobs: Vec<String>,
    began: Timestamp,
) -> Result<Exit, Failure> {
    let found = ctx.many(&jobs, Among::Any)?;
    LogView::within_up(jobs, began).show_all(ctx, found)
}

impl Logs {
    /// The options of `follow`.
    pub(super) fn following(self) -> Self {
        Self {
            follow: true,
            ..self
        }
    }

    /// The options of `tail`.
    pub(super) fn tailing(self) -> Self {
        let lines = self.lines.or(Some(TAIL));
        Self { lines, ..self }
    }

    pub(super) fn run(mut self, ctx: &mut Context) -> Result<Exit, Failure> {
        if self.jobs.is_empty() {
            // These are for one job at a time.
            let is_of_one = self.raw || self.command.is_some();
            self.jobs = vec![ctx.usual(!is_of_one)?];
        }
        let found = ctx.many(&self.jobs, Among::Any)?;
        if let Some(n) = self.command {
            let [only] = found.jobs.as_slice() else {
                let message = "--command is for one job at a time";
                return Err(Failure::Usage(message.to_owned()));
            };
            of_command::print(ctx, &only.summary.session_id, n as usize)?;
            ctx.out.flush()?;
            return Ok(found.exit);
        }
        self.view()?.show_all(ctx, found)
    }

    /// What these options mean.
    fn view(self) -> Result<LogView, Failure> {
        let ignores_case = self.ignore_case;
        let grep = self.grep.map(|grep| sieve::compile(&grep, ignores_case));
        Ok(LogView {
            targets: self.jobs,
            follow: self.follow,
            lines: self.lines.filter(|lines| *lines != ALL),
            raw: self.raw,
            plain: self.plain,
            since: self.since,
            until: self.until,
            run: self.run,
            pattern: grep.transpose().map_err(Failure::Usage)?,
            context: self.context,
            times: self.times,
            stdin: self.stdin,
            up: None,
        })
    }
}

/// Parses a number of lines. `all` is accepted as in docker.
fn lines(text: &str) -> Result<u64, String> {
    match text {
        "all" => Ok(ALL),
        _ => number::from(0)(text),
    }
}
