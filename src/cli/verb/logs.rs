//! `logs`: what jobs have written, and what they go on to write.

use std::sync::mpsc::{SyncSender, sync_channel};

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::dated::{self, LineFollower};
use crate::cli::exit::{Exit, Failure};
use crate::cli::follow::{Follower, Form, News};
use crate::cli::show::{self, Show};
use crate::cli::typed::{self, Typed};
use crate::cli::{interrupt, moment, number, words};
use crate::protocol::params::Log;
use crate::protocol::reply::{LogLine, LogLines};
use crate::protocol::{Action, Record, SessionId, Timestamp};

/// Lines asked for at once.
const PAGE: u64 = 1000;

/// Lines that `tail` shows unless told otherwise, as tail(1).
const TAIL: u64 = 10;

/// As many lines as there are.
const ALL: u64 = u64::MAX;

/// Pieces of output that may wait for a slow terminal before followers wait too.
const QUEUE: usize = 64;

#[derive(Args, Clone, Debug)]
pub struct Logs {
    /// Go on until the jobs have ended; Ctrl-C ends the following, not the jobs
    #[arg(short, long)]
    follow: bool,
    /// Only the last N lines
    #[arg(short = 'n', long = "lines", visible_alias = "tail", value_name = "N", value_parser = lines)]
    lines: Option<u64>,
    /// The bytes exactly as they were written
    #[arg(long)]
    raw: bool,
    /// Only what was written after this time, or in the last so long (10m)
    #[arg(long, value_name = "TIME", value_parser = moment::parse, conflicts_with = "raw")]
    since: Option<Timestamp>,
    /// When each line was written, in front of it
    #[arg(short, long, conflicts_with = "raw")]
    times: bool,
    /// With what was typed into it, when and by whom; not what was typed without echo
    #[arg(long, conflicts_with_all = ["follow", "raw"])]
    stdin: bool,
    /// Which jobs
    #[arg(value_name = "JOB", default_value = "-")]
    jobs: Vec<String>,
}

impl Logs {
    /// As `follow` means it.
    pub(super) fn following(self) -> Self {
        Self {
            follow: true,
            ..self
        }
    }

    /// As `tail` means it.
    pub(super) fn tailing(self) -> Self {
        let lines = self.lines.or(Some(TAIL));
        Self { lines, ..self }
    }

    pub(super) fn run(mut self, ctx: &mut Context) -> Result<Exit, Failure> {
        self.lines = self.lines.filter(|lines| *lines != ALL);
        let found = ctx.many(&self.jobs, Among::Any)?;
        match found.jobs.as_slice() {
            [] => {}
            [only] if self.follow || self.raw => self.stream_one(ctx, only)?,
            several if self.follow => self.stream_several(ctx, several)?,
            [_, _, ..] if self.raw => {
                let message = "--raw is for one job at a time";
                return Err(Failure::Usage(message.to_owned()));
            }
            [only] => self.print(ctx, only, &mut Show::Alone)?,
            several => {
                let width = show::name_width(several);
                for (number, job) in several.iter().enumerate() {
                    let name = words::name(&job.summary);
                    self.print(ctx, job, &mut Show::named(&name, width, number))?;
                }
            }
        }
        ctx.out.flush()?;
        Ok(found.exit)
    }

    /// Lines as they stand now.
    fn print(&self, ctx: &mut Context, job: &Record, show: &mut Show) -> Result<(), Failure> {
        let id = &job.summary.session_id;
        let mut next = match self.lines {
            None => 1,
            Some(0) => return Ok(()),
            Some(count) => {
                let last = self.page(ctx, id, None)?;
                (last.total_lines + 1).saturating_sub(count).max(1)
            }
        };
        let mut typed = match self.stdin {
            true => Typed::of(ctx, id, self.since)?,
            false => Typed::none(),
        };
        let mut is_first = self.lines.is_some();
        loop {
            let page = self.page(ctx, id, Some(next))?;
            for line in &page.lines {
                if std::mem::take(&mut is_first) {
                    typed.skip_to(line);
                }
                while let Some(input) = typed.before(Some(line)) {
                    print_line(
                        ctx,
                        id,
                        show,
                        &input,
                        &self.dated(&input, typed::shown(&input)),
                    )?;
                }
                print_line(ctx, id, show, line, &self.dated(line, line.text.clone()))?;
            }
            match page.lines.last() {
                Some(last) if last.n < page.total_lines && last.n >= next => next = last.n + 1,
                _ => break,
            }
        }
        while let Some(input) = typed.before(None) {
            print_line(
                ctx,
                id,
                show,
                &input,
                &self.dated(&input, typed::shown(&input)),
            )?;
        }
        Ok(())
    }

    /// A line as it is shown, with its time if that was asked for.
    fn dated(&self, line: &LogLine, text: String) -> String {
        match self.times {
            true => dated::line(line, &text),
            false => text,
        }
    }

    /// Whether lines are followed one by one, because of what only whole lines have: when they were written.
    fn by_lines(&self, job: &Record) -> Option<LineFollower> {
        let id = job.summary.session_id.clone();
        let by_lines = self.times || self.since.is_some();
        by_lines.then(|| LineFollower::new(id, self.since, self.lines, self.times))
    }

    /// A page of lines from `from`, or only the last line.
    fn page(
        &self,
        ctx: &mut Context,
        id: &SessionId,
        from: Option<u64>,
    ) -> Result<LogLines, Failure> {
        let log = Log {
            session_id: id.to_string(),
            from_line: from,
            lines: from.map(|_| PAGE),
            tail: from.is_none().then_some(1),
            since_time: self.since.map(|at| at.to_string()),
            ..Log::default()
        };
        Ok(ctx.daemon()?.call_as(Action::Log(log))?)
    }

    /// One job: its bytes as they come, followed or up to now.
    fn stream_one(&self, ctx: &mut Context, job: &Record) -> Result<(), Failure> {
        let name = words::name(&job.summary);
        if self.follow && !job.summary.status.is_finished() {
            interrupt::leave_with(format!("stopped following; {name} goes on"))?;
        }
        if self.follow
            && let Some(mut follower) = self.by_lines(job)
        {
            return follower.drain(|text| {
                ctx.out.bytes(text)?;
                ctx.out.flush()?;
                Ok(())
            });
        }
        let mut follower = self.follower(job)?;
        if let Some(lines) = self.lines {
            let tail = follower.skip_to_last(count(lines))?;
            ctx.out.bytes(&tail)?;
        }
        if self.follow {
            follower.drain(|news| show::news(ctx, news, &mut Show::Alone))?;
            return Ok(());
        }
        loop {
            match follower.read_on()? {
                News::Idle(_) | News::Ended(_) => return Ok(()),
                news => show::news(ctx, news, &mut Show::Alone)?,
            }
        }
    }

    /// Several jobs: a thread and a connection each, whole lines behind their names.
    fn stream_several(&self, ctx: &mut Context, jobs: &[Record]) -> Result<(), Failure> {
        interrupt::leave_with("stopped following; the jobs go on".to_owned())?;
        let width = show::name_width(jobs);
        let (sender, receiver) = sync_channel(QUEUE);
        for (number, job) in jobs.iter().enumerate() {
            let (sender, logs, job) = (sender.clone(), self.clone(), job.clone());
            std::thread::spawn(move || {
                let outcome = logs.forward(&job, number, &sender);
                // The receiver is gone only when this process is about to end.
                let _ = sender.send((number, outcome.err().map_or(Said::End, Said::Failure)));
            });
        }
        drop(sender);
        let names = jobs.iter().map(|job| words::name(&job.summary)).enumerate();
        let mut shows: Vec<_> = names
            .map(|(number, name)| Show::named(&name, width, number))
            .collect();
        // Flushed as soon as nothing more waits, so that following is live.
        while let Ok((number, said)) = receiver.recv() {
            self.say(ctx, &mut shows[number], said)?;
            while let Ok((number, said)) = receiver.try_recv() {
                self.say(ctx, &mut shows[number], said)?;
            }
            ctx.out.flush()?;
        }
        Ok(())
    }

    fn say(&self, ctx: &mut Context, show: &mut Show, said: Said) -> Result<(), Failure> {
        match said {
            Said::Output(bytes) => show.bytes(ctx, &bytes)?,
            Said::End => show.finish(ctx)?,
            Said::Failure(failure) => {
                show.finish(ctx)?;
                crate::cli::complain(&failure);
            }
        }
        Ok(())
    }

    fn forward(
        &self,
        job: &Record,
        number: usize,
        sender: &SyncSender<(usize, Said)>,
    ) -> Result<(), Failure> {
        let gone = |_| Failure::Output(std::io::ErrorKind::BrokenPipe.into());
        if let Some(mut follower) = self.by_lines(job) {
            let said = |text: &[u8]| (number, Said::Output(text.to_vec()));
            return follower.drain(|text| sender.send(said(text)).map_err(gone));
        }
        let mut follower = self.follower(job)?;
        if let Some(lines) = self.lines {
            let tail = follower.skip_to_last(count(lines))?;
            sender.send((number, Said::Output(tail))).map_err(gone)?;
        }
        follower.drain(|news| match news {
            News::Output(bytes) => sender.send((number, Said::Output(bytes))).map_err(gone),
            News::Gap(bytes) => {
                show::tell_gap(bytes);
                Ok(())
            }
            News::Idle(_) | News::Ended(_) => Ok(()),
        })?;
        Ok(())
    }

    fn follower(&self, job: &Record) -> Result<Follower, Failure> {
        let form = if self.raw { Form::Raw } else { Form::Plain };
        Ok(Follower::new(job.summary.session_id.clone(), form)?)
    }
}

/// What a follower of several has to say.
enum Said {
    Output(Vec<u8>),
    End,
    Failure(Failure),
}

fn print_line(
    ctx: &mut Context,
    id: &SessionId,
    show: &mut Show,
    line: &LogLine,
    text: &str,
) -> Result<(), Failure> {
    match ctx.json {
        true => ctx.out.json(&with_session(id, line))?,
        false => show.whole_line(ctx, text)?,
    }
    Ok(())
}

fn with_session(id: &SessionId, line: &LogLine) -> serde_json::Value {
    let mut value = serde_json::to_value(line).unwrap_or_default();
    value["sessionId"] = id.as_str().into();
    value
}

/// How many lines; docker says `all`.
fn lines(text: &str) -> Result<u64, String> {
    match text {
        "all" => Ok(ALL),
        _ => number::from(0)(text),
    }
}

fn count(lines: u64) -> usize {
    usize::try_from(lines).unwrap_or(usize::MAX)
}
