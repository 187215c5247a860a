//! `find`: prints the matching lines of all jobs, as grep(1) does for files.

use clap::Args;
use regex::{Regex, RegexBuilder};
use serde_json::json;

use crate::cli::context::{Among, Context, is_arriving};
use crate::cli::exit::{Exit, Failure};
use crate::cli::logs::sieve;
use crate::cli::output::style::Tone;
use crate::cli::output::{complain, hosts, names, note, words};
use crate::cli::value::{moment, number};
use crate::protocol::params::Log;
use crate::protocol::reply::{LogMatch, LogMatches};
use crate::protocol::{Action, Record, Timestamp};

/// Matches per request: the most that the daemon returns.
const PAGE: usize = 10_000;

#[derive(Args, Debug)]
pub struct Find {
    /// A regular expression in Rust's syntax
    #[arg(value_name = "REGEX")]
    pattern: String,
    /// Search only these jobs: names, ids, groups (g:shop), patterns
    #[arg(long, value_name = "JOB,…", value_delimiter = ',')]
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
        let mut search = Search {
            find: &self,
            pattern,
            colour: 0,
            any: false,
            lost: Vec::new(),
            cut: Vec::new(),
        };
        let missed = match targets(&self.jobs).as_slice() {
            [] => search.everywhere(ctx)?,
            targets => {
                let found = ctx.many(targets, Among::Any)?;
                search.all(ctx, &found.jobs)?;
                found.exit
            }
        };
        ctx.out.flush()?;
        search.tell_cut();
        Ok(if search.any {
            missed
        } else {
            missed.or(Exit::FAILED)
        })
    }
}

/// The targets of a list that was split at its commas. A comma in braces belongs to a pattern, as in `{web,api}`.
fn targets(parts: &[String]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let is_open = |text: &String| text.matches('{').count() > text.matches('}').count();
    for part in parts {
        match whole.last_mut().filter(|last| is_open(last)) {
            Some(last) => last.extend([",", part.as_str()]),
            None => whole.push(part.clone()),
        }
    }
    whole
}

/// A search through several jobs.
struct Search<'a> {
    find: &'a Find,
    pattern: Regex,
    /// Number of jobs so far; each has a colour of its own.
    colour: usize,
    any: bool,
    /// Hosts that went away meanwhile.
    lost: Vec<String>,
    /// Jobs of which older output is not kept any more.
    cut: Vec<String>,
}

impl Search<'_> {
    /// Searches the jobs of this machine and of all hosts, and says which hosts it could not ask.
    fn everywhere(&mut self, ctx: &mut Context) -> Result<Exit, Failure> {
        let reached = ctx.everywhere()?;
        self.all(ctx, &reached.jobs)?;
        let (arriving, mut away): (Vec<_>, Vec<_>) =
            reached.away.into_iter().partition(is_arriving);
        if !arriving.is_empty() {
            // What was found so far need not wait for them.
            ctx.out.flush()?;
            let names = arriving.into_iter().map(|host| host.name).collect();
            let reached = ctx.arriving(names)?;
            self.all(ctx, &reached.jobs)?;
            away.extend(reached.away);
        }
        hosts::tell_unasked(&away);
        // Without a match, it is not known that there is none.
        let is_whole = away.is_empty() && self.lost.is_empty();
        Ok(if is_whole || self.any {
            Exit::OK
        } else {
            Exit::UNAVAILABLE
        })
    }

    /// Says where older lines could not be searched.
    fn tell_cut(&self) {
        if !self.cut.is_empty() && self.find.since.is_none() {
            let names = self.cut.join(", ");
            note(&format!("older output is no longer kept: {names}"));
        }
    }

    fn all(&mut self, ctx: &mut Context, jobs: &[Record]) -> Result<(), Failure> {
        for (job, name) in jobs.iter().zip(names::together(jobs)) {
            let host = job.summary.session_id.host();
            if host.is_some_and(|host| self.lost.iter().any(|lost| lost == host)) {
                continue;
            }
            match self.look(ctx, job, &name) {
                Ok(any) => self.any |= any,
                // The other machines can be searched all the same.
                Err(failure) if host.is_some() && failure.exit() == Exit::UNAVAILABLE => {
                    complain(&failure);
                    self.lost.extend(host.map(str::to_owned));
                }
                Err(failure) => return Err(failure),
            }
            if job.summary.dropped_bytes > 0 {
                self.cut.push(name);
            }
            self.colour += 1;
        }
        Ok(())
    }

    /// Prints the matches in one job. Returns whether there are any.
    fn look(&self, ctx: &mut Context, job: &Record, name: &str) -> Result<bool, Failure> {
        let find = self.find;
        let mut next = None;
        let mut shown = 0;
        loop {
            let log = Log {
                session_id: Some(job.summary.session_id.to_string()),
                grep: Some(find.pattern.clone()),
                ignore_case: find.ignore_case.then_some(true),
                context: (find.context > 0).then_some(find.context),
                max_matches: Some(PAGE),
                since_time: find.since.map(|at| at.to_string()),
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
                    self.show(ctx, name, found, (shown, until))?;
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
        name: &str,
        found: &LogMatch,
        (shown, until): (u64, u64),
    ) -> Result<(), Failure> {
        let name = ctx.out.tint(Tone::Stream(self.colour), name);
        let first = found.n - (found.before.len() as u64).min(found.n - 1);
        if self.find.context > 0 && shown > 0 && first > shown + 1 {
            ctx.out.line("--")?;
        }
        for (_, text) in (first..).zip(&found.before).filter(|(n, _)| *n > shown) {
            ctx.out.line(&format!("{name}- {text}"))?;
        }
        let at = found.at.map(time_of_day).unwrap_or_default();
        let text = sieve::marked(&ctx.out, &self.pattern, &found.text);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_split_outside_of_braces() {
        let split = |list: &str| {
            let parts: Vec<String> = list.split(',').map(str::to_owned).collect();
            targets(&parts)
        };
        assert_eq!(split("web"), ["web"]);
        assert_eq!(split("web,g:shop"), ["web", "g:shop"]);
        assert_eq!(split("{web,api}"), ["{web,api}"]);
        assert_eq!(split("a{b,{c,d}},e"), ["a{b,{c,d}}", "e"]);
    }
}
