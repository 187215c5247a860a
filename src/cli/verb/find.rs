//! `find`: prints the matching lines of all jobs, as grep(1) does for files.

use clap::Args;
use regex::{Regex, RegexBuilder};
use serde_json::json;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::logs::sieve;
use crate::cli::output::style::Tone;
use crate::cli::output::{note, words};
use crate::cli::value::{moment, number};
use crate::protocol::params::Log;
use crate::protocol::reply::{LogMatch, LogMatches};
use crate::protocol::{Action, Record, Timestamp};

/// Matches per request: the most that the daemon returns.
const PAGE: usize = 10_000;

#[derive(Args, Debug)]
pub struct Find {
    /// A regular expression in Rust's syntax
    #[arg(value_name = "RE")]
    pattern: String,
    /// Search only these jobs: names, ids, groups (g:shop), patterns
    #[arg(long, value_name = "JOB", value_delimiter = ',')]
    jobs: Vec<String>,
    /// Search only lines written after this time, or within the last TIME (10m)
    #[arg(long, value_name = "TIME", value_parser = moment::parse)]
    since: Option<Timestamp>,
    /// Print N lines around each match
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0, value_parser = number::from::<usize>(0))]
    context: usize,
    /// Ignore case
    #[arg(short, long)]
    ignore_case: bool,
}

impl Find {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let built = RegexBuilder::new(&self.pattern)
            .case_insensitive(self.ignore_case)
            .build();
        let pattern = built.map_err(|error| {
            let error = error.to_string();
            let why = error.lines().last().unwrap_or_default();
            Failure::Usage(format!(
                "`{}` is not a regular expression: {why}",
                self.pattern
            ))
        })?;
        let (jobs, missed) = match self.jobs.as_slice() {
            [] => (ctx.jobs()?, Exit::OK),
            targets => {
                let found = ctx.many(targets, Among::Any)?;
                (found.jobs, found.exit)
            }
        };
        let mut any = false;
        for (number, job) in jobs.iter().enumerate() {
            any |= self.look(ctx, job, number, &pattern)?;
        }
        ctx.out.flush()?;
        Ok(match any {
            true => missed,
            false => missed.or(Exit::FAILED),
        })
    }

    /// Prints the matches in one job. Returns whether there are any.
    fn look(
        &self,
        ctx: &mut Context,
        job: &Record,
        number: usize,
        pattern: &Regex,
    ) -> Result<bool, Failure> {
        let mut next = None;
        let mut shown = 0;
        loop {
            let log = Log {
                session_id: Some(job.summary.session_id.to_string()),
                grep: Some(self.pattern.clone()),
                ignore_case: self.ignore_case.then_some(true),
                context: (self.context > 0).then_some(self.context),
                max_matches: Some(PAGE),
                since_time: self.since.map(|at| at.to_string()),
                from_line: next,
                ..Log::default()
            };
            let page: LogMatches = match ctx.read(&Action::Log(log)) {
                Ok(page) => page,
                // The job was removed meanwhile.
                Err(failure) if failure.exit() == Exit::NO_JOB => return Ok(shown > 0),
                Err(failure) => return Err(failure),
            };
            let mut lines = page.matches.iter().peekable();
            while let Some(found) = lines.next() {
                let until = lines.peek().map_or(u64::MAX, |next| next.n);
                if ctx.json {
                    ctx.out.json(&with_job(job, found))?;
                } else {
                    self.show(ctx, job, number, pattern, found, (shown, until))?;
                }
                shown = found.n + (found.after.len() as u64).min(until - found.n - 1);
            }
            if page.omitted.bytes > 0 {
                note("some lines are too long to be shown in full");
            }
            match page.matches.last() {
                Some(last) if page.truncated => next = Some(last.n + 1),
                _ => break,
            }
        }
        Ok(shown > 0)
    }

    /// Prints a match with its context, except lines up to `shown` and from `until` on, which are printed
    /// with other matches.
    fn show(
        &self,
        ctx: &mut Context,
        job: &Record,
        number: usize,
        pattern: &Regex,
        found: &LogMatch,
        (shown, until): (u64, u64),
    ) -> Result<(), Failure> {
        let name = ctx
            .out
            .tint(Tone::Stream(number), &words::name(&job.summary));
        let first = found.n - (found.before.len() as u64).min(found.n - 1);
        if self.context > 0 && shown > 0 && first > shown + 1 {
            ctx.out.line("--")?;
        }
        for (_, text) in (first..).zip(&found.before).filter(|(n, _)| *n > shown) {
            ctx.out.line(&format!("{name}- {text}"))?;
        }
        let at = found.at.map(time_of_day).unwrap_or_default();
        let text = sieve::marked(&ctx.out, pattern, &found.text);
        ctx.out.line(&format!("{name}:{at}: {text}"))?;
        let after = (found.n + 1..).zip(&found.after);
        for (_, text) in after.take_while(|(n, _)| *n < until) {
            ctx.out.line(&format!("{name}- {text}"))?;
        }
        Ok(())
    }
}

/// Formats a time as `12:44:52`, with the date if it is not today.
fn time_of_day(at: Timestamp) -> String {
    let (then, now) = (words::local(at), words::local(words::now()));
    match (then.split_once(' '), now.split_once(' ')) {
        (Some((day, time)), Some((today, _))) if day == today => time.to_owned(),
        _ => then,
    }
}

fn with_job(job: &Record, found: &LogMatch) -> serde_json::Value {
    let mut value = serde_json::to_value(found).unwrap_or_default();
    value["sessionId"] = json!(job.summary.session_id);
    value["name"] = json!(words::name(&job.summary));
    value
}
