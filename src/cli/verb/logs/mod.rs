//! `logs`: prints the output of jobs, and follows it.

use clap::Args;
use regex::Regex;

use crate::cli::context::{Among, Context, target};
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::jobs::{cuts, sudden_end};
use crate::cli::logs::follow::{Bound, Follower, News};
use crate::cli::logs::of_command;
use crate::cli::logs::place::Place;
use crate::cli::logs::schedule::Schedule;
use crate::cli::logs::several::{self, Newcomers, Outcome, Source};
use crate::cli::logs::show::{Detail, How, Name, Show};
use crate::cli::logs::sieve::{self, Sieve};
use crate::cli::logs::skipped;
use crate::cli::logs::typed::Typed;
use crate::cli::output::style::Paint;
use crate::cli::output::{names, words};
use crate::cli::value::run::{self, RunNumber};
use crate::cli::value::{moment, number};
use crate::protocol::bounds::MAX_LINES;
use crate::protocol::condition::WaitMode;
use crate::protocol::params::Log;
use crate::protocol::reply::{Left, LogLines};
use crate::protocol::status::Mode;
use crate::protocol::{Action, Record, SessionId, Status, Timestamp};

/// Lines that `tail` shows by default, as tail(1).
const TAIL: u64 = 10;

/// How often the last lines of a job are looked for that writes so fast that they are dropped before they are read.
const ATTEMPTS: u32 = 10;

/// The value of `--lines all`: no limit.
const ALL: u64 = u64::MAX;

#[derive(Args, Clone, Debug, Default)]
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
    /// The compiled `--grep`.
    #[arg(skip)]
    pattern: Option<Regex>,
    /// When the `up` began that follows its jobs. It has said itself what Ctrl-C does.
    #[arg(skip)]
    within_up: Option<Timestamp>,
}

/// Follows the logs of the jobs of an `up` that began then: all of the runs that it has started, and the last lines of
/// those that ran before.
pub(super) fn follow_all(
    ctx: &mut Context,
    jobs: Vec<String>,
    began: Timestamp,
) -> Result<Exit, Failure> {
    let logs = Logs {
        follow: true,
        jobs,
        within_up: Some(began),
        ..Logs::default()
    };
    logs.run(ctx)
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
        self.lines = self.lines.filter(|lines| *lines != ALL);
        if self.jobs.is_empty() {
            // These are for one job at a time.
            let is_of_one = self.raw || self.command.is_some();
            self.jobs = vec![ctx.usual(!is_of_one)?];
        }
        let mut found = ctx.many(&self.jobs, Among::Any)?;
        if let Some(n) = self.command {
            let [only] = found.jobs.as_slice() else {
                let message = "--command is for one job at a time";
                return Err(Failure::Usage(message.to_owned()));
            };
            of_command::print(ctx, &only.summary.session_id, n as usize)?;
            ctx.out.flush()?;
            return Ok(found.exit);
        }
        let grep = self
            .grep
            .as_deref()
            .map(|grep| sieve::compile(grep, self.ignore_case));
        self.pattern = grep.transpose().map_err(Failure::Usage)?;
        let mut any = None;
        match found.jobs.as_slice() {
            [] => {}
            [_, _, ..] if self.raw => {
                let message = "--raw is for one job at a time";
                return Err(Failure::Usage(message.to_owned()));
            }
            [only] if !self.follows_more(only) => {
                any = self.print_one(ctx, only)?;
            }
            several => {
                let printed = self.print_several(ctx, several)?;
                // A job that is removed meanwhile is no failure of `up`.
                if self.within_up.is_none() {
                    found.exit = found.exit.or(printed.exit);
                }
                any = printed.has_found;
            }
        }
        ctx.out.flush()?;
        Ok(match any {
            Some(false) => found.exit.or(Exit::FAILED),
            _ => found.exit,
        })
    }

    /// The last lines that are wanted. With `--grep`, the matches among all lines are counted instead.
    fn last_lines(&self) -> Option<u64> {
        self.lines.filter(|_| self.grep.is_none())
    }

    /// Where the output begins and ends.
    fn part(&self, ctx: &mut Context, job: &Record) -> Result<(Place, Bound), Failure> {
        let id = &job.summary.session_id;
        let mut bound = Bound {
            offset: None,
            until: self.until,
            present: !self.follow,
        };
        let number = match self.run {
            Some(number) => number,
            None if self.within_up.is_some() => RunNumber::NEWEST,
            None => {
                let (place, end) = self.place(ctx, job)?;
                bound.offset = end;
                return Ok((place, bound));
            }
        };
        let record = ctx.record(id, true)?;
        let runs = record.detail.map(|detail| detail.runs).unwrap_or_default();
        if runs.is_empty() && self.within_up.is_some() {
            // It waits for its first run.
            return Ok((Place::BEGINNING, bound));
        }
        let run = number.find(&runs, &words::name(&job.summary))?;
        let next = runs.iter().find(|next| next.run > run.run);
        bound.offset = next.map(|next| next.offset);
        let is_older = self.within_up.is_some_and(|began| run.started_at < began);
        if is_older && run.ended_at.is_some() {
            // It is no result of this `up`. The end is that of the same answer: the next run may write by now.
            let end = Place {
                offset: record.summary.output_bytes,
                line: record.summary.output_lines + 1,
            };
            return Ok((end, bound));
        }
        let lines = self.last_lines().or(is_older.then_some(TAIL));
        let place = Place::of_run(ctx, id, (run, next), lines)?;
        Ok((place, bound))
    }

    /// The position where the output begins, and the offset where the last lines end that are wanted.
    fn place(&self, ctx: &mut Context, job: &Record) -> Result<(Place, Option<u64>), Failure> {
        let id = &job.summary.session_id;
        let lines = self.last_lines();
        // Of the lines before a time, the last ones are not the last ones of the log.
        if let (Some(until), Some(count)) = (self.until, lines) {
            return Ok((Place::before(ctx, id, count, (self.since, until))?, None));
        }
        if lines.is_none() && self.since.is_none() && !ctx.json {
            return Ok((Place::BEGINNING, None));
        }
        let (place, beyond) = Place::find(ctx, id, lines, self.since)?;
        // A job that writes meanwhile must not add to the last lines.
        let is_cut = lines.is_some() && !self.follow && !job.summary.status.is_finished();
        let end = is_cut
            .then(|| Place::offset_of(ctx, id, beyond))
            .transpose()?;
        Ok((place, end))
    }

    fn show(
        &self,
        ctx: &mut Context,
        job: &Record,
        place: Place,
        name: Option<Name<'_>>,
    ) -> Result<Show, Failure> {
        let how = match (self.raw, self.follow) {
            (true, _) => How::Raw,
            (false, true) => How::Live,
            (false, false) => How::Lines,
        };
        let most = self
            .lines
            .map(|lines| usize::try_from(lines).unwrap_or(usize::MAX));
        let sieve = |pattern: &Regex| Sieve::new(pattern.clone(), self.context, most);
        let typed = self
            .stdin
            .then(|| Typed::of(ctx, &job.summary.session_id, self.since));
        let detail = Detail {
            times: self.times,
            typed: typed.transpose()?,
            skips_typed: self.lines.is_some(),
            sieve: self.pattern.as_ref().map(sieve),
        };
        let show = Show::new(ctx, job, place, (how, self.plain), name, detail);
        if self.within_up.is_some()
            && !job.summary.status.has_process()
            && job.summary.started_at.is_some()
        {
            return Ok(show.before_a_run());
        }
        Ok(show)
    }

    /// Prints one job up to now or, with `--follow`, until it ends. Returns whether a line has matched, if that was
    /// asked.
    fn print_one(&self, ctx: &mut Context, job: &Record) -> Result<Option<bool>, Failure> {
        let wants_last = self.last_lines().is_some_and(|lines| lines > 0);
        let may_flood = wants_last && !self.follow && !job.summary.status.is_finished();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (place, bound) = self.part(ctx, job)?;
            let mut follower = self.follower(job, place)?;
            follower.stop_at(bound);
            let first = if self.follow {
                None
            } else {
                Some(follower.read_on()?)
            };
            // The last lines were dropped before they were read, because the job writes that fast.
            let is_beyond = bound.offset.is_some_and(|end| place.offset >= end);
            let is_late = match &first {
                Some(News::Gap(_)) => true,
                Some(News::Idle(_)) => place.offset > 0,
                _ => is_beyond && place.offset > 0,
            };
            let is_last = attempts == ATTEMPTS;
            // A reply has no colours, which are better than none of the lines.
            if may_flood
                && is_late
                && (is_last || self.plain || ctx.out.paint == Paint::Plain)
                && let Some(text) = self.last_text(ctx, job)?
            {
                text.iter().try_for_each(|line| ctx.out.line(line))?;
                return Ok(None);
            }
            if !(may_flood && is_late) || is_last {
                let show = self.show(ctx, job, place, None)?;
                return self.print(ctx, job, (follower, first), show);
            }
        }
    }

    /// The text of the last lines as one reply has it, if nothing but text is wanted. `None` also if lines were dropped
    /// before the daemon had read them.
    fn last_text(&self, ctx: &mut Context, job: &Record) -> Result<Option<Vec<String>>, Failure> {
        let is_part = self.run.is_some() || self.since.is_some() || self.until.is_some();
        let is_filtered = is_part || self.within_up.is_some() || self.stdin;
        // Standard error is printed as such.
        let is_pipe = job.summary.mode == Mode::Pipe;
        let count = self.last_lines().filter(|count| *count <= MAX_LINES);
        if ctx.json || self.raw || self.times || is_filtered || is_pipe || count.is_none() {
            return Ok(None);
        }
        let last: LogLines = ctx.read(&Action::Log(Log {
            session_id: Some(job.summary.session_id.to_string()),
            tail: count,
            ..Log::default()
        }))?;
        let read = last.lines.len() as u64;
        let is_whole = last.omitted == Left::default() && count == Some(read);
        let text = last.lines.into_iter().map(|line| line.text);
        Ok(is_whole.then(|| text.collect()))
    }

    /// Prints what a follower reads, after what it has read.
    fn print(
        &self,
        ctx: &mut Context,
        job: &Record,
        (mut follower, first): (Follower, Option<News>),
        mut show: Show,
    ) -> Result<Option<bool>, Failure> {
        let mut schedule = self.follow.then(|| Schedule::of(job)).transpose()?;
        let goes_on = |schedule: &Schedule| schedule.is_on() || !job.summary.status.is_finished();
        if schedule.as_ref().is_some_and(goes_on) {
            self.leave(ctx, std::slice::from_ref(job))?;
            cuts::tell([job]);
        }
        if let Some(schedule) = &mut schedule {
            let mut is_watched = false;
            let end = loop {
                let end = follower.drain(|news| {
                    let has_read = matches!(news, News::Idle(_));
                    show.news(ctx, news)?;
                    // All that is there is shown, so that nothing is lost if this ends here.
                    if has_read && !std::mem::replace(&mut is_watched, true) {
                        skipped::leave_with(std::iter::once(job), WaitMode::All)?;
                    }
                    Ok::<_, Failure>(())
                })?;
                if !schedule.is_on() {
                    break end;
                }
                show.pause(ctx)?;
                if !schedule.runs_again(ctx)? {
                    break end;
                }
            };
            if end.status == Status::Lost {
                show.finish(ctx)?;
                sudden_end::tell(ctx, &job.summary.session_id)?;
                return Ok(show.has_found());
            }
        } else {
            let mut read = first;
            loop {
                let news = match read.take() {
                    Some(news) => news,
                    None => follower.read_on()?,
                };
                match news {
                    News::Idle(_) | News::Ended(_) => break,
                    // Without `--follow`, restarts are not reported.
                    News::Restarted(_) => {}
                    news => show.news(ctx, news)?,
                }
            }
        }
        show.finish(ctx)?;
        Ok(show.has_found())
    }

    /// Prints several jobs, each line after the name of its job, up to now or, with `--follow`, until all have ended.
    fn print_several(&self, ctx: &mut Context, jobs: &[Record]) -> Result<Outcome, Failure> {
        let names = names::together(jobs);
        if self.follow {
            self.leave(ctx, jobs)?;
            cuts::tell(jobs);
        }
        let width = names::width(&names);
        let is_of_pattern = self.patterns().count() == self.jobs.len();
        let mut sources = Vec::new();
        for (number, (job, name)) in jobs.iter().zip(&names).enumerate() {
            let part = self.part(ctx, job)?;
            let name = Name {
                text: name,
                width,
                number,
            };
            let source = self.source(ctx, job, part, name)?;
            sources.push(if is_of_pattern {
                source.of_pattern()
            } else {
                source
            });
        }
        if !self.follow {
            return several::print(ctx, sources);
        }
        let patterns: Vec<String> = self.patterns().cloned().collect();
        let meant = Meant {
            logs: self,
            width,
            patterns,
        };
        let newcomers: Option<&dyn Newcomers> = match meant.patterns.as_slice() {
            [] => None,
            _ => Some(&meant),
        };
        // Of a job that is skipped, `up` has said it.
        several::follow(ctx, sources, newcomers, self.within_up.is_none())
    }

    /// Whether other output than that of this one job may be followed.
    fn follows_more(&self, only: &Record) -> bool {
        // Of a job that is skipped, `up` has said it.
        let is_skipped = self.within_up.is_some() && only.summary.status == Status::Queued;
        is_skipped || self.follow && !self.raw && self.patterns().next().is_some()
    }

    /// The targets that mean all jobs of a kind, also those that are still to come.
    fn patterns(&self) -> impl Iterator<Item = &String> {
        self.jobs.iter().filter(|target| target::is_several(target))
    }

    /// One of several jobs, from a place to the present. `name` stands before its lines.
    fn source(
        &self,
        ctx: &mut Context,
        job: &Record,
        (place, bound): (Place, Bound),
        name: Name<'_>,
    ) -> Result<Source, Failure> {
        let show = self.show(ctx, job, place, Some(name))?;
        let mut follower = self.follower(job, place)?;
        follower.stop_at(Bound {
            present: true,
            ..bound
        });
        Ok(Source::new(job, show, follower))
    }

    /// Lets Ctrl-C, and a reader that goes away, end the following.
    fn leave(&self, ctx: &mut Context, jobs: &[Record]) -> Result<(), Failure> {
        match self.within_up {
            Some(_) => interrupt::leave_with_reader(),
            None => {
                let targets = ctx.lasting(&self.jobs, jobs);
                interrupt::leave_following(interrupt::goes_on(&targets))?
            }
        }
        Ok(())
    }

    fn follower(&self, job: &Record, place: Place) -> Result<Follower, Failure> {
        let mut follower = Follower::new(job.summary.session_id.clone())?;
        follower.go_to(place);
        Ok(follower)
    }
}

/// What the patterns among the targets of `logs --follow` mean.
struct Meant<'a> {
    logs: &'a Logs,
    patterns: Vec<String>,
    /// Columns for the names of jobs.
    width: usize,
}

impl Newcomers for Meant<'_> {
    fn sources(&self, ctx: &mut Context, known: &[SessionId]) -> Result<Vec<Source>, Failure> {
        let mut jobs = ctx.matching(&self.patterns)?;
        jobs.retain(|job| !known.contains(&job.summary.session_id));
        let names = names::together(&jobs);
        let mut sources = Vec::new();
        for (job, name) in jobs.iter().zip(&names) {
            let all = (Place::BEGINNING, Bound::default());
            let name = Name {
                text: name,
                width: self.width,
                number: known.len() + sources.len(),
            };
            let source = self.logs.source(ctx, job, all, name)?;
            sources.push(source.of_pattern());
        }
        Ok(sources)
    }
}

/// Parses a number of lines. `all` is accepted as in docker.
fn lines(text: &str) -> Result<u64, String> {
    match text {
        "all" => Ok(ALL),
        _ => number::from(0)(text),
    }
}
