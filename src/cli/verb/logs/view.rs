//! Shows the output of jobs: which part of it, and in which form.

use regex::Regex;

use crate::cli::context::{Context, Found};
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::jobs::{cuts, sudden_end};
use crate::cli::logs::follow::{Bound, Follower, News};
use crate::cli::logs::place::Place;
use crate::cli::logs::schedule::Schedule;
use crate::cli::logs::show::{Detail, How, Name, Show};
use crate::cli::logs::sieve::Sieve;
use crate::cli::logs::skipped;
use crate::cli::logs::typed::Typed;
use crate::cli::output::style::Paint;
use crate::cli::output::words;
use crate::cli::value::run::RunNumber;
use crate::protocol::bounds::MAX_LINES;
use crate::protocol::condition::WaitMode;
use crate::protocol::params::Log;
use crate::protocol::reply::{Left, LogLines};
use crate::protocol::status::Mode;
use crate::protocol::{Action, Record, Status, Timestamp};

/// Lines of a run before an `up` that its following shows first.
const BEFORE: u64 = 10;

/// How often the last lines of a job are looked for that writes so fast that they are dropped before they are read.
const ATTEMPTS: u32 = 10;

/// What is shown of the output of jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct LogView {
    /// The targets that mean the jobs.
    pub(super) targets: Vec<String>,
    /// Whether it goes on with new output until the jobs have ended.
    pub(super) follow: bool,
    /// Only the last lines; with `pattern`, of those that match.
    pub(super) lines: Option<u64>,
    /// The exact bytes.
    pub(super) raw: bool,
    /// Clean text on a terminal, too.
    pub(super) plain: bool,
    /// Only what was written after this time.
    pub(super) since: Option<Timestamp>,
    /// Only what was written before this time.
    pub(super) until: Option<Timestamp>,
    /// Only one run.
    pub(super) run: Option<RunNumber>,
    /// Only lines that match.
    pub(super) pattern: Option<Regex>,
    /// Lines around each match.
    pub(super) context: usize,
    /// The time of each line.
    pub(super) times: bool,
    /// What was typed, too.
    pub(super) stdin: bool,
    /// When the `up` began that follows its jobs. It has said itself what Ctrl-C does.
    pub(super) up: Option<Timestamp>,
}

impl LogView {
    /// What an `up` that began then follows of its jobs.
    pub(super) fn within_up(jobs: Vec<String>, began: Timestamp) -> Self {
        Self {
            targets: jobs,
            follow: true,
            up: Some(began),
            ..Self::default()
        }
    }

    /// Prints the output of these jobs.
    pub(super) fn show_all(&self, ctx: &mut Context, mut found: Found) -> Result<Exit, Failure> {
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
                if self.up.is_none() {
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
        self.lines.filter(|_| self.pattern.is_none())
    }

    /// Where the output begins and ends.
    pub(super) fn part(&self, ctx: &mut Context, job: &Record) -> Result<(Place, Bound), Failure> {
        let id = &job.summary.session_id;
        let mut bound = Bound {
            offset: None,
            until: self.until,
            present: !self.follow,
        };
        let number = match self.run {
            Some(number) => number,
            None if self.up.is_some() => RunNumber::NEWEST,
            None => {
                let (place, end) = self.place(ctx, job)?;
                bound.offset = end;
                return Ok((place, bound));
            }
        };
        let record = ctx.record(id, true)?;
        let runs = record.detail.map(|detail| detail.runs).unwrap_or_default();
        if runs.is_empty() && self.up.is_some() {
            // It waits for its first run.
            return Ok((Place::BEGINNING, bound));
        }
        let run = number.find(&runs, &words::name(&job.summary), || ctx.target_of(job))?;
        let next = runs.iter().find(|next| next.run > run.run);
        bound.offset = next.map(|next| next.offset);
        let is_older = self.up.is_some_and(|began| run.started_at < began);
        if is_older && run.ended_at.is_some() {
            // It is no result of this `up`. The end is that of the same answer: the next run may write by now.
            let end = Place {
                offset: record.summary.output_bytes,
                line: record.summary.output_lines + 1,
            };
            return Ok((end, bound));
        }
        let lines = self.last_lines().or(is_older.then_some(BEFORE));
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

    pub(super) fn show(
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
        if self.up.is_some()
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
        let is_filtered = is_part || self.up.is_some() || self.stdin;
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

    /// Lets Ctrl-C, and a reader that goes away, end the following.
    pub(super) fn leave(&self, ctx: &mut Context, jobs: &[Record]) -> Result<(), Failure> {
        match self.up {
            Some(_) => interrupt::leave_with_reader(),
            None => {
                let targets = ctx.lasting(&self.targets, jobs);
                interrupt::leave_following(interrupt::goes_on(&targets))?
            }
        }
        Ok(())
    }

    pub(super) fn follower(&self, job: &Record, place: Place) -> Result<Follower, Failure> {
        let mut follower = Follower::new(job.summary.session_id.clone())?;
        follower.go_to(place);
        Ok(follower)
    }
}
