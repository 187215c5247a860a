//! `logs`: prints the output of jobs, and follows it.

use std::sync::mpsc::{SyncSender, sync_channel};

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::logs::follow::{Follower, News};
use crate::cli::logs::of_command;
use crate::cli::logs::place::Place;
use crate::cli::logs::show::{self, How, Show};
use crate::cli::logs::typed::Typed;
use crate::cli::output::words;
use crate::cli::value::{moment, number};
use crate::protocol::{Record, Timestamp};

/// Lines that `tail` shows by default, as tail(1).
const TAIL: u64 = 10;

/// The value of `--lines all`: no limit.
const ALL: u64 = u64::MAX;

/// Pieces of output that may wait for a slow terminal before the followers block.
const QUEUE: usize = 4;

#[derive(Args, Clone, Debug)]
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
    /// Print the time of each line
    #[arg(short, long, conflicts_with = "raw")]
    times: bool,
    /// Include what was typed into the job, when and by whom; input without echo is never recorded
    #[arg(long, conflicts_with_all = ["follow", "raw"])]
    stdin: bool,
    /// Print only the output of the last command that the job's shell ran, or of the Nth from the end, if the shell marks its prompts (OSC 133)
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(conflicts_with_all = ["follow", "lines", "raw", "plain", "since", "times", "stdin"])]
    command: Option<u32>,
    /// The jobs; by default the one that was used last
    #[arg(value_name = "JOB", default_value = "-")]
    jobs: Vec<String>,
}

/// Follows the logs of several jobs, from their last lines on.
pub(super) fn follow_all(ctx: &mut Context, jobs: Vec<String>) -> Result<Exit, Failure> {
    let logs = Logs {
        follow: true,
        lines: Some(TAIL),
        jobs,
        raw: false,
        plain: false,
        since: None,
        times: false,
        stdin: false,
        command: None,
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
        match found.jobs.as_slice() {
            [] => {}
            [_, _, ..] if self.raw => {
                let message = "--raw is for one job at a time";
                return Err(Failure::Usage(message.to_owned()));
            }
            [only] => {
                let place = self.place(ctx, only)?;
                let show = self.show(ctx, only, place)?;
                self.print(ctx, only, place, show)?;
            }
            several if self.follow => self.follow_several(ctx, several)?,
            several => {
                let width = show::name_width(several);
                for (number, job) in several.iter().enumerate() {
                    let place = self.place(ctx, job)?;
                    let show = self.show(ctx, job, place)?.named(ctx, width, number);
                    self.print(ctx, job, place, show)?;
                }
            }
        }
        ctx.out.flush()?;
        Ok(found.exit)
    }

    /// The position where the output begins.
    fn place(&self, ctx: &mut Context, job: &Record) -> Result<Place, Failure> {
        if self.lines.is_none() && self.since.is_none() && !ctx.json {
            return Ok(Place::BEGINNING);
        }
        Place::find(ctx, &job.summary.session_id, self.lines, self.since)
    }

    fn show(&self, ctx: &mut Context, job: &Record, place: Place) -> Result<Show, Failure> {
        let how = match (self.raw, self.follow) {
            (true, _) => How::Raw,
            (false, true) => How::Live,
            (false, false) => How::Lines,
        };
        let mut show = Show::new(ctx, job, place, how, self.plain);
        if self.times {
            show = show.with_times();
        }
        if !self.stdin {
            return Ok(show);
        }
        let typed = Typed::of(ctx, &job.summary.session_id, self.since)?;
        Ok(show.with_typed(typed, self.lines.is_some()))
    }

    /// Prints one job up to now or, with `--follow`, until it ends.
    fn print(
        &self,
        ctx: &mut Context,
        job: &Record,
        place: Place,
        mut show: Show,
    ) -> Result<(), Failure> {
        if self.follow && !job.summary.status.is_finished() {
            interrupt::leave_with(interrupt::goes_on(&[words::name(&job.summary)]))?;
        }
        let mut follower = self.follower(job, place)?;
        if self.follow {
            follower.drain(|news| show.news(ctx, news))?;
        } else {
            loop {
                match follower.read_on()? {
                    News::Idle(_) | News::Ended(_) => break,
                    // Without `--follow`, restarts are not reported.
                    News::Restarted(_) => {}
                    news => show.news(ctx, news)?,
                }
            }
        }
        Ok(show.finish(ctx)?)
    }

    /// Follows several jobs, each with its own thread and connection. Prints whole lines after the name of
    /// their job.
    fn follow_several(&self, ctx: &mut Context, jobs: &[Record]) -> Result<(), Failure> {
        let names: Vec<_> = jobs.iter().map(|job| words::name(&job.summary)).collect();
        interrupt::leave_with(interrupt::goes_on(&names))?;
        let width = show::name_width(jobs);
        let (sender, receiver) = sync_channel(QUEUE);
        let mut shows = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            let place = self.place(ctx, job)?;
            shows.push(self.show(ctx, job, place)?.named(ctx, width, number));
            let (sender, logs, job) = (sender.clone(), self.clone(), job.clone());
            std::thread::spawn(move || {
                let outcome = logs.forward(&job, place, number, &sender);
                // Sending fails only if this process is about to end.
                let _ = sender.send((number, outcome.err().map_or(Said::End, Said::Failure)));
            });
        }
        drop(sender);
        // Flush whenever the queue is empty, so that following is live.
        while let Ok((number, said)) = receiver.recv() {
            say(ctx, &mut shows[number], said)?;
            while let Ok((number, said)) = receiver.try_recv() {
                say(ctx, &mut shows[number], said)?;
            }
            ctx.out.flush()?;
        }
        Ok(())
    }

    fn forward(
        &self,
        job: &Record,
        place: Place,
        number: usize,
        sender: &SyncSender<(usize, Said)>,
    ) -> Result<(), Failure> {
        let mut follower = self.follower(job, place)?;
        let gone = |_| Failure::Output(std::io::ErrorKind::BrokenPipe.into());
        follower.drain(|news| match news {
            News::Idle(_) | News::Ended(_) => Ok(()),
            news => sender.send((number, Said::News(news))).map_err(gone),
        })?;
        Ok(())
    }

    fn follower(&self, job: &Record, place: Place) -> Result<Follower, Failure> {
        let mut follower = Follower::new(job.summary.session_id.clone())?;
        follower.go_to(place);
        Ok(follower)
    }
}

/// Parses a number of lines. `all` is accepted as in docker.
fn lines(text: &str) -> Result<u64, String> {
    match text {
        "all" => Ok(ALL),
        _ => number::from(0)(text),
    }
}

/// A message from the follower of one job.
enum Said {
    News(News),
    End,
    Failure(Failure),
}

fn say(ctx: &mut Context, show: &mut Show, said: Said) -> Result<(), Failure> {
    match said {
        Said::News(news) => show.news(ctx, news)?,
        Said::End => show.finish(ctx)?,
        Said::Failure(failure) => {
            show.finish(ctx)?;
            crate::cli::output::complain(&failure);
        }
    }
    Ok(())
}
