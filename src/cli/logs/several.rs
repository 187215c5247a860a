//! The output of several jobs: what they have written so far in order of time, then live.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use super::follow::{End, Follower, News, Resting};
use super::show::{Show, tell_end};
use super::skipped;
use super::told::Told;
use crate::cli::beside;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::protocol::{EventKind, Record, SessionId, Status};

/// Pieces of output that may wait for a slow terminal before the followers block.
const QUEUE: usize = 4;

/// One of the jobs.
pub(crate) struct Source {
    job: Record,
    show: Show,
    /// `None` once the log cannot be read any more.
    follower: Option<Follower>,
    /// Whether all that the job has written so far was read.
    is_read: bool,
    /// Where reading goes on if the job, which has ended, is started again.
    resting: Option<Resting>,
    /// Whether it was started again before its end was heard of.
    is_restarted: bool,
    /// Whether it has not ended, as far as is known: its end is news.
    is_going: bool,
    /// Whether it is followed because a pattern means it. What a pattern means comes and goes.
    is_of_pattern: bool,
}

/// How the printing has ended.
pub(crate) struct Outcome {
    /// The exit code of the first job whose log could not be read.
    pub(crate) exit: Exit,
    /// Whether a line has matched; `None` if none was looked for.
    pub(crate) has_found: Option<bool>,
}

impl Source {
    /// Shows the output of `job` as `show` does, read by `follower` up to its bound.
    pub(crate) fn new(job: &Record, show: Show, follower: Follower) -> Self {
        Self {
            job: job.clone(),
            show,
            follower: Some(follower),
            is_read: false,
            resting: None,
            is_restarted: false,
            is_going: !job.summary.status.is_finished(),
            is_of_pattern: false,
        }
    }

    fn id(&self) -> SessionId {
        self.job.summary.session_id.clone()
    }

    /// Whether its schedule starts it again, as far as is known now.
    fn runs_again(&self, ctx: &mut Context) -> bool {
        let job = ctx.record(&self.job.summary.session_id, false).ok();
        let project = job.and_then(|job| job.summary.project);
        project.is_some_and(|project| project.has_next_run())
    }

    /// It is followed because a pattern means it.
    #[must_use]
    pub(crate) fn of_pattern(self) -> Self {
        Self {
            is_of_pattern: true,
            ..self
        }
    }

    /// Reads until a line can be printed or nothing is left.
    fn fill(&mut self, ctx: &mut Context, follows: bool) -> Result<Exit, Failure> {
        while let Some(follower) = self.follower.as_mut()
            && !self.is_read
            && self.show.next_at().is_none()
        {
            match follower.read_on() {
                Ok(News::Idle(_) | News::Ended(_)) if follows => {
                    self.is_read = true;
                    self.show.release(ctx)?;
                }
                Ok(News::Idle(_) | News::Ended(_)) => {
                    self.is_read = true;
                    self.show.finish(ctx)?;
                }
                // Without `--follow`, restarts are not reported.
                Ok(News::Restarted(_)) if !follows => {}
                Ok(news) => self.show.news(ctx, news)?,
                Err(error) => {
                    self.follower = None;
                    self.show.finish(ctx)?;
                    return Ok(ctx.complain(error.into()));
                }
            }
        }
        Ok(Exit::OK)
    }
}

/// Prints what the jobs have written up to the bounds of their followers.
pub(crate) fn print(ctx: &mut Context, mut sources: Vec<Source>) -> Result<Outcome, Failure> {
    let exit = print_merged(ctx, &mut sources, false)?;
    Ok(Outcome::of(&sources, exit))
}

/// The jobs that are followed as soon as they exist.
pub(crate) trait Newcomers {
    /// The sources of those that exist now, without `known`. They are numbered from `known.len()` on.
    fn sources(&self, ctx: &mut Context, known: &[SessionId]) -> Result<Vec<Source>, Failure>;
}

/// Prints what the jobs have written up to the bounds of their followers, then what follows, until all of them have
/// ended or cannot start. `tells_of_skipped`: says why a job cannot start.
pub(crate) fn follow(
    ctx: &mut Context,
    sources: Vec<Source>,
    newcomers: Option<&dyn Newcomers>,
    tells_of_skipped: bool,
) -> Result<Outcome, Failure> {
    let (sender, receiver) = sync_channel(QUEUE);
    let mut following = Following {
        sources,
        states: Vec::new(),
        sender,
        tells_of_skipped,
        exit: Exit::OK,
    };
    let has_started = following.watch_starts()?;
    following.exit = print_merged(ctx, &mut following.sources, true)?;
    following.read_on(0)?;
    // What has started since the targets were looked up.
    following.welcome(ctx, newcomers)?;
    // Flush whenever the queue is empty, so that following is live.
    while following.goes_on()
        && let Ok(message) = receiver.recv()
    {
        let mut next = Some(message);
        while let Some(message) = next {
            match message {
                Message::Of(number, said) => following.hear(ctx, number, said)?,
                Message::Started => {
                    has_started.store(false, Ordering::SeqCst);
                    following.welcome(ctx, newcomers)?;
                }
                Message::Restarted(id) => following.wake(ctx, &id),
                Message::Phase(id) => following.look_at_schedule(ctx, &id),
                Message::Missed => {
                    let all: Vec<_> = following.sources.iter().map(Source::id).collect();
                    all.iter().for_each(|id| following.wake(ctx, id));
                    following.welcome(ctx, newcomers)?;
                }
                Message::Failure(failure) => return Err(failure),
            }
            next = receiver.try_recv().ok();
        }
        ctx.out.flush()?;
    }
    Ok(Outcome::of(&following.sources, following.exit))
}

/// The jobs that are followed, each with a thread and a connection of its own as long as it runs.
struct Following {
    sources: Vec<Source>,
    states: Vec<State>,
    sender: SyncSender<Message>,
    tells_of_skipped: bool,
    /// The exit code of the first job that could not be followed, or that cannot start.
    exit: Exit,
}

impl Following {
    fn goes_on(&self) -> bool {
        self.states.iter().any(State::goes_on)
    }

    /// Tells of jobs that start, or start again, from now on. Of several that start, it tells once, until the flag that
    /// is returned is cleared.
    fn watch_starts(&self) -> Result<Arc<AtomicBool>, Failure> {
        let mut told = Told::of(&[EventKind::Started, EventKind::Restarted, EventKind::Phase])?;
        let (sender, flag) = (self.sender.clone(), Arc::new(AtomicBool::new(false)));
        let is_told = flag.clone();
        beside::start(move || {
            loop {
                let message = match told.next() {
                    Ok(Some(event)) => match (event.event, event.session_id) {
                        (EventKind::Restarted, Some(id)) => Message::Restarted(id),
                        (EventKind::Phase, Some(id)) => Message::Phase(id),
                        (EventKind::Phase, None) => continue,
                        _ if is_told.swap(true, Ordering::SeqCst) => continue,
                        _ => Message::Started,
                    },
                    Ok(None) => Message::Missed,
                    Err(error) => Message::Failure(error.into()),
                };
                // Sending fails only if this process is about to end.
                let is_last = matches!(message, Message::Failure(_));
                if sender.send(message).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(flag)
    }

    /// Follows the newcomers that exist now.
    fn welcome(
        &mut self,
        ctx: &mut Context,
        newcomers: Option<&dyn Newcomers>,
    ) -> Result<(), Failure> {
        let Some(newcomers) = newcomers else {
            return Ok(());
        };
        let known: Vec<_> = self.sources.iter().map(Source::id).collect();
        let new = newcomers.sources(ctx, &known)?;
        self.sources.extend(new);
        self.read_on(known.len())
    }

    /// Reads what the sources from number `first` on write from now on.
    fn read_on(&mut self, first: usize) -> Result<(), Failure> {
        for number in first..self.sources.len() {
            let follower = self.sources[number].follower.take();
            self.states.push(State {
                is_over: follower.is_none(),
                ..State::default()
            });
            if let Some(mut follower) = follower {
                follower.go_on();
                self.read(number, follower)?;
            }
        }
        let jobs: Vec<Record> = self.sources[first..]
            .iter()
            .map(|source| source.job.clone())
            .collect();
        let sender = self.sender.clone();
        skipped::watch(&jobs, move |place, why| {
            let message = Message::Of(first + place, Said::Skipped(why));
            sender.send(message).is_ok()
        })?;
        Ok(())
    }

    /// Reads what a job writes until it has ended.
    fn read(&self, number: usize, follower: Follower) -> Result<(), Failure> {
        let sender = self.sender.clone();
        beside::start(move || {
            let said = forward(follower, number, &sender);
            let said = said.map_or_else(Said::Failure, |(resting, end)| Said::End(resting, end));
            let _ = sender.send(Message::Of(number, said));
        })?;
        Ok(())
    }

    /// A job that waits for its schedule may wait for nothing any more.
    fn look_at_schedule(&mut self, ctx: &mut Context, id: &SessionId) {
        let number = self.sources.iter().position(|source| source.id() == *id);
        if let Some(number) = number.filter(|number| self.states[*number].awaits_schedule) {
            self.states[number].awaits_schedule = self.sources[number].runs_again(ctx);
        }
    }

    /// A job has started again: reads on.
    fn wake(&mut self, ctx: &mut Context, id: &SessionId) {
        let Some(number) = self.sources.iter().position(|source| source.id() == *id) else {
            return;
        };
        let source = &mut self.sources[number];
        source.is_going = true;
        let Some(resting) = source.resting.take() else {
            // The end of the run before may not have been heard of yet.
            source.is_restarted = true;
            return;
        };
        let follower = resting.wake().map_err(Failure::from);
        let read = follower.and_then(|follower| self.read(number, follower));
        self.states[number].is_over = read.is_err();
        if let Err(failure) = read {
            self.exit = self.exit.or(ctx.complain(failure));
        }
    }

    /// Shows what is said of a job.
    fn hear(&mut self, ctx: &mut Context, number: usize, said: Said) -> Result<(), Failure> {
        self.states[number].hear(&said);
        let source = &mut self.sources[number];
        match said {
            Said::News(news) => {
                source.is_going |= matches!(news, News::Idle(_) | News::Restarted(_));
                source.show.news(ctx, news)?;
            }
            Said::End(resting, end) => {
                source.show.pause(ctx)?;
                let runs_again = source.runs_again(ctx);
                self.states[number].awaits_schedule = runs_again;
                // That a run of a schedule has ended well is no news.
                let is_routine = runs_again && end.status == Status::Done;
                if std::mem::take(&mut source.is_going) && !is_routine {
                    tell_end(source.show.name(), &end);
                }
                source.resting = Some(resting);
                if std::mem::take(&mut source.is_restarted) {
                    let id = source.id();
                    self.wake(ctx, &id);
                }
            }
            Said::Failure(failure) => {
                source.show.finish(ctx)?;
                if !(source.is_of_pattern && failure.exit() == Exit::NO_JOB) {
                    self.exit = self.exit.or(ctx.complain(failure));
                }
            }
            Said::Skipped(Some(failure)) if self.tells_of_skipped => {
                self.exit = self.exit.or(ctx.complain(failure));
            }
            Said::Skipped(_) => {}
        }
        Ok(())
    }
}

/// Prints the lines of all jobs up to the bounds of their followers, the oldest first. Lines of one job keep their
/// order.
fn print_merged(ctx: &mut Context, sources: &mut [Source], follows: bool) -> Result<Exit, Failure> {
    let mut exit = Exit::OK;
    for source in &mut *sources {
        source.show.hold();
    }
    loop {
        for source in &mut *sources {
            exit = exit.or(source.fill(ctx, follows)?);
        }
        let oldest = sources
            .iter_mut()
            .filter_map(|source| Some((source.show.next_at()?, source)))
            .min_by_key(|(at, _)| *at);
        let Some((_, source)) = oldest else { break };
        source.show.print_next(ctx)?;
    }
    for source in sources {
        source.show.hold_no_more();
    }
    ctx.out.flush()?;
    Ok(exit)
}

/// Sends what a job writes until it has ended.
fn forward(
    mut follower: Follower,
    number: usize,
    sender: &SyncSender<Message>,
) -> Result<(Resting, End), Failure> {
    let gone = |_| Failure::Output(std::io::ErrorKind::BrokenPipe.into());
    let end = follower.drain(|news| match news {
        News::Ended(_) => Ok(()),
        news => {
            let message = Message::Of(number, Said::News(news));
            sender.send(message).map_err(gone)
        }
    })?;
    Ok((follower.rest(), end))
}

impl Outcome {
    fn of(sources: &[Source], exit: Exit) -> Self {
        let found = sources.iter().map(|source| source.show.has_found());
        Self {
            exit,
            has_found: found.max().flatten(),
        }
    }
}

/// A message of a thread.
enum Message {
    /// About the job with this number.
    Of(usize, Said),
    /// Jobs were started.
    Started,
    /// This job was started again.
    Restarted(SessionId),
    /// Its schedule may have been switched off.
    Phase(SessionId),
    /// Jobs may have been started: the daemon has been replaced.
    Missed,
    /// Nothing more is told of starts.
    Failure(Failure),
}

/// What is said of one job.
enum Said {
    News(News),
    /// It has ended. It may be started again.
    End(Resting, End),
    Failure(Failure),
    /// It cannot start any more by itself, or `None`: it can again.
    Skipped(Option<Failure>),
}

/// What is known of a job that is followed.
#[derive(Clone, Copy, Default)]
struct State {
    is_over: bool,
    is_skipped: bool,
    /// Whether all that it had written was read.
    has_read: bool,
    /// Whether its schedule starts it again.
    awaits_schedule: bool,
}

impl State {
    fn hear(&mut self, said: &Said) {
        match said {
            Said::End(..) | Said::Failure(_) => self.is_over = true,
            Said::Skipped(why) => self.is_skipped = why.is_some(),
            Said::News(news) => {
                // Somebody has started it again.
                self.is_over = false;
                self.has_read = matches!(news, News::Idle(_));
            }
        }
    }

    /// Whether it may write something, even if nobody starts it.
    fn goes_on(&self) -> bool {
        let is_over = self.is_over && !self.awaits_schedule;
        !(is_over || self.is_skipped && self.has_read)
    }
}
