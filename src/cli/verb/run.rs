//! `run`: starts a job, and follows it if requested.

use std::time::Duration;

use clap::Args;

use crate::cli::context::{Context, recent};
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::jobs::share::{self, Agents};
use crate::cli::jobs::started::started_line;
use crate::cli::jobs::{attach, cause, sudden_end, unsaved};
use crate::cli::logs::follow::{Follower, News};
use crate::cli::logs::place::Place;
use crate::cli::logs::show::{Detail, How, Show};
use crate::cli::logs::skipped;
use crate::cli::output::{advised, note, words};
use crate::cli::start::after::{self, Other};
use crate::cli::start::batch::BatchRequest;
use crate::cli::start::{directory, launch, program, queue_name, stdin, unheard, variables};
use crate::cli::value::keep::{self, Keep};
use crate::cli::value::name::parse_name;
use crate::cli::value::notice::{self, Notices};
use crate::cli::value::{limit, moment, number, restart};
use crate::client::{host, read_reply};
use crate::protocol::condition::WaitMode;
use crate::protocol::duration;
use crate::protocol::params::{Remove, Start};
use crate::protocol::reply::Started;
use crate::protocol::shell::quote;
use crate::protocol::status::InputState;
use crate::protocol::{
    Action, ErrorCode, JobLimits, Mode, Probe, Record, RestartPolicy, SessionId, Status, Timestamp,
};
use crate::term::size::{self, Size};

#[derive(Args, Debug)]
pub struct Run {
    /// Name of the job
    #[arg(short, long, value_parser = parse_name)]
    name: Option<String>,
    /// Stop the job that has this name, then start this one
    #[arg(long, requires = "name")]
    replace: bool,
    /// Group of the job. If the group is a queue, the job waits for its turn
    #[arg(short, long, value_name = "GROUP", value_parser = parse_name)]
    group: Option<String>,
    /// Tag of the job, which +TAG selects; can be given several times
    #[arg(long = "tag", value_name = "TAG", value_parser = parse_name)]
    tags: Vec<String>,
    /// Working directory of the job
    #[arg(short = 'C', long = "dir", value_name = "DIR")]
    dir: Option<String>,
    /// Set an environment variable (K=V), or take its value from the current environment (K)
    #[arg(short, long = "env", value_name = "K=V")]
    env: Vec<String>,
    /// Set the variables of a .env file; can be repeated, and -e wins. ?FILE may be missing
    #[arg(long, value_name = "FILE")]
    env_file: Vec<String>,
    /// Return at once and leave the job in the background (the default)
    #[arg(short, long, group = "stay")]
    detach: bool,
    /// Show the screen of the job and type into it; ctrl-] and then q leave
    #[arg(short, long, group = "stay")]
    attach: bool,
    /// Show the output and exit with the exit code of the job; Ctrl-C stops following, not the job
    #[arg(short, long, group = "stay")]
    follow: bool,
    /// As -f, but first print the job's id and the path of its log on stderr. With -f or -w, the
    /// job reads standard input if it is piped
    #[arg(short, long, group = "stay")]
    wait: bool,
    /// With --attach: exit with the exit code of the job, if it has ended
    #[arg(long, requires = "attach")]
    exit_code: bool,
    /// Remove the job and its log when it has ended
    #[arg(long, conflicts_with_all = ["restart", "keep"])]
    rm: bool,
    /// With -f or -w: print text without colours and control sequences, even on a terminal
    #[arg(long)]
    plain: bool,
    /// Print only the id; with -w, only the output
    #[arg(short, long)]
    quiet: bool,
    /// Size of the terminal: columns by rows
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<Size>,
    /// Use pipes instead of a terminal; stdout and stderr are then separate
    #[arg(long, conflicts_with = "size")]
    no_pty: bool,
    /// Use a terminal although standard input is piped
    #[arg(long, conflicts_with = "no_pty")]
    pty: bool,
    /// End the job after this time (30s, 10m, 2h)
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Limit the job: memory=2G, processes=100, open_files=1024, cpu_time=60s, nice=5 or log=64M; can be given
    /// several times
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit::parse)]
    limits: Vec<JobLimits>,
    /// Keep the job and its log this long after its end and after you last looked at it (7d), or forever
    #[arg(long, value_name = "TIME", value_parser = keep::parse)]
    keep: Option<Keep>,
    /// Restart the job when it ends: no, on-failure (at most 5 times in a row), on-failure:N, always,
    /// always:N; pauses between restarts grow to one minute
    #[arg(long, value_name = "WHEN", value_parser = restart::parse)]
    restart: Option<RestartPolicy>,
    /// Shell line that continues the job after it was lost in a reboot (bgproc resume)
    #[arg(long, value_name = "COMMAND")]
    resume: Option<String>,
    /// The job is ready when a line of its output matches
    #[arg(long, value_name = "REGEX", group = "ready")]
    ready_log: Option<String>,
    /// The job is ready when it listens on this TCP port
    #[arg(long, value_name = "N", group = "ready", value_parser = number::between::<u16>(1, 65_535))]
    ready_port: Option<u16>,
    /// The job is ready when this command succeeds; it is tried every 0.5 s
    #[arg(long, value_name = "CMD", group = "ready")]
    ready_cmd: Option<String>,
    /// Start the job when another one has started, is ready, has ended well (ok), or has ended (done); it is
    /// queued until then. Without a level: ready if that job has a probe, else ok
    #[arg(long, value_name = "JOB[:LEVEL]", value_parser = after::parse)]
    after: Vec<Other>,
    /// Start the job only after this time (90s, 10m, 2h); it is queued until then
    #[arg(long = "in", value_name = "TIME", value_parser = duration::parse)]
    delay: Option<Duration>,
    /// Start the job at this time (18:00, 2026-12-24 18:00); it is queued until then
    #[arg(long, value_name = "TIME", value_parser = moment::ahead, conflicts_with = "delay")]
    at: Option<Timestamp>,
    /// Notify of this: failed, done, exit (both), ready or input; several with commas, or given several times
    #[arg(long, value_name = "EVENT,...", value_parser = notice::parse)]
    notify: Vec<Notices>,
    #[command(flatten)]
    batch: BatchRequest,
    /// Let agents see the job (read), or also type into it (write)
    #[arg(long, value_name = "HOW")]
    share: Option<Agents>,
    /// The command: one argument is a shell line; several are a program and its arguments
    #[arg(required = true, trailing_var_arg = true)]
    command: Vec<String>,
}

/// How long a job of `--rm` is kept after its end, in milliseconds, so that other waiting commands can
/// still read its exit code.
const RM_MS: u64 = 1000;

/// As [`RM_MS`], for a command that follows the job. Such a command removes the job itself, so this
/// value matters only if it cannot, for example because it was killed. It must be longer than the
/// command may be blocked by the reader of its output, for example by a pager.
const RM_STAYING_MS: u64 = 60_000;

impl Run {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if self.attach {
            attach::need_terminal(|| None)?;
        }
        // This command passes standard input on, so it has to follow the job for that.
        let stays = self.follow || self.wait;
        let piped = stays && stdin::is_piped();
        if !stays && !self.quiet && stdin::has_data() {
            note("the job does not get standard input; run -w and run -f pass it on");
        }
        let start = self.start(ctx, piped)?;
        // Only a command that runs on this machine has to be found on it.
        if start.args.is_none() && start.launcher.is_none() && host::chosen().is_none() {
            program::check(&start)?;
        }
        ctx.daemon_with_surroundings()?;
        if let Some(group) = &self.group {
            queue_name::tell_near(ctx, group)?;
        }
        let value = launch::start(ctx, &start, self.replace)?;
        let started: Started = read_reply(value.clone())?;
        let id = started.session_id;
        recent::remember(&id);
        if !self.notify.is_empty() && !self.attach && !self.quiet {
            unheard::tell(ctx);
        }
        if let Some(agents) = self.share {
            unsaved::tell(share::set(ctx, &id, agents)?.unsaved);
        }
        if self.attach || self.follow || self.wait {
            let exit = if self.attach {
                self.attach(ctx, &id)?
            } else {
                self.stay(ctx, &id, piped)?
            };
            if self.rm {
                forget(ctx, &id)?;
            }
            return Ok(exit);
        }
        if ctx.json {
            ctx.out.json(&value)?;
        } else if self.quiet {
            ctx.out.line(id.as_str())?;
        } else {
            let line = match ctx.record(&id, false) {
                Ok(record) => started_line(ctx, &record),
                // The job was removed before it could be queried.
                Err(Failure::Refused(error)) if error.code == ErrorCode::SessionRemoved => {
                    format!("{}  ended", self.name.as_deref().unwrap_or(id.as_str()))
                }
                Err(error) => return Err(error),
            };
            ctx.out.line(&line)?;
        }
        Ok(Exit::OK)
    }

    /// Opens the job in the dashboard.
    fn attach(&self, ctx: &mut Context, id: &SessionId) -> Result<Exit, Failure> {
        attach::open(id, false, &[], true)?;
        if self.exit_code {
            attach::code(ctx, id)
        } else {
            Ok(Exit::OK)
        }
    }

    /// How long the job is kept after its end, in milliseconds. `None` takes the default of the daemon.
    fn ttl_ms(&self) -> Option<u64> {
        let stays = self.attach || self.follow || self.wait;
        let at_once = self.rm.then_some(if stays { RM_STAYING_MS } else { RM_MS });
        at_once.or(match self.keep {
            Some(Keep::For(ms)) => Some(ms),
            Some(Keep::Forever) | None => None,
        })
    }

    /// Shows the output of the job until it ends.
    fn stay(&self, ctx: &mut Context, id: &SessionId, piped: bool) -> Result<Exit, Failure> {
        // Ask for details: without them, the record may lack the path of the log.
        let job = ctx.record(id, true)?;
        let name = words::name(&job.summary);
        let target = ctx.target_of(&job);
        let goes_on = interrupt::goes_on(std::slice::from_ref(&target));
        if self.follow {
            interrupt::leave_following(goes_on)?
        } else {
            interrupt::leave_with(goes_on)?
        }
        skipped::leave_with(std::iter::once(&job), WaitMode::All)?;
        if self.wait && !self.quiet {
            note(&whereabouts(&job));
        }
        if piped {
            stdin::pass_on(id.clone())?;
        }
        let mut follower = Follower::new(id.clone())?.from_the_first_run();
        let mut show = Show::new(
            ctx,
            &job,
            Place::BEGINNING,
            (How::Filter, self.plain),
            None,
            Detail::default(),
        );
        let mut asks = false;
        let end = follower.drain(|news| {
            if let News::Idle(polled) = &news {
                use InputState::{Line, Password, Raw, Tui};
                let asked = matches!(polled.input_state, Line | Password | Raw | Tui);
                if asked && !asks && !piped && !self.quiet {
                    // What is typed here goes nowhere.
                    note(&advised(&format!(
                        "{name} waits for {}: bgproc attach {} in another terminal",
                        match polled.input_state {
                            Raw | Tui => "keys",
                            _ => "input",
                        },
                        quote(&target)
                    )));
                }
                asks = asked;
            }
            show.news(ctx, news)
        })?;
        show.finish(ctx)?;
        let is_told = !self.quiet || end.status == Status::Lost;
        if is_told && sudden_end::is_sudden(end.status, end.code, end.signal.as_deref()) {
            sudden_end::tell(ctx, id)?;
        }
        if !self.quiet
            && cause::may_be_of_shell(end.code)
            && let Ok(ended) = ctx.record(id, false)
            && let Some(lead) = cause::other_shell(&ended)
        {
            note(&lead);
        }
        Ok(Exit::of_job(end.status, end.code, end.signal.as_deref()))
    }

    /// Pipes if the job must not have a terminal. `None` takes the default of the daemon.
    fn mode(&self, piped: bool) -> Option<Mode> {
        let asks_for_terminal = self.pty || self.size.is_some();
        (self.no_pty || (piped && !asks_for_terminal)).then_some(Mode::Pipe)
    }

    /// The size of the job's terminal: `--size`, or else the size of the terminal on which the job
    /// is followed, or typed into above the status line.
    fn size(&self, ctx: &Context) -> Option<Size> {
        let followed = || ctx.out.size().filter(|_| self.follow || self.wait);
        let attached = || {
            let size = ctx.out.size().filter(|_| self.attach)?;
            Some(Size::new(size.rows().saturating_sub(1).max(1), size.cols()))
        };
        self.size.or_else(followed).or_else(attached)
    }

    /// How long from now the job is to start, in milliseconds.
    fn delay_ms(&self) -> Option<u64> {
        let at = self.at.map(|at| words::since(words::now(), at));
        at.or(self.delay.map(duration::millis))
    }

    fn probe(&self) -> Option<Probe> {
        let (pattern, port) = (self.ready_log.clone(), self.ready_port);
        let command = self.ready_cmd.clone();
        let asked = pattern.is_some() || port.is_some() || command.is_some();
        asked.then_some(Probe {
            pattern,
            port,
            command,
            ..Probe::default()
        })
    }

    /// The request to start the job.
    fn start(&self, ctx: &mut Context, piped: bool) -> Result<Start, Failure> {
        let (command, args) = match self.command.as_slice() {
            [line] => (line.clone(), None),
            [program, args @ ..] => (program.clone(), Some(args.to_vec())),
            [] => return Err(Failure::Usage("no command given".to_owned())),
        };
        if command.trim().is_empty() {
            return Err(Failure::Usage("the command is empty".to_owned()));
        }
        let millis = self.timeout.map(duration::millis);
        let (mode, size) = (self.mode(piped), self.size(ctx));
        let size = size.filter(|_| mode.is_none());
        let (launcher, resources) = self.batch.params();
        let in_dir = |dir: &str| directory::absolute(dir, &self.batch);
        Ok(Start {
            command,
            args,
            cwd: self.dir.as_deref().map(in_dir).transpose()?,
            env: variables::given(&self.env_file, &self.env)?,
            mode,
            rows: size.map(Size::rows),
            cols: size.map(Size::cols),
            label: self.name.clone(),
            unique_label: self.name.is_some().then_some(true),
            // Makes the request idempotent, so that it can be repeated if the daemon dies while handling
            // it.
            key: Some(SessionId::fresh().to_string()),
            group: self.group.clone(),
            tags: Some(self.tags.clone()).filter(|tags| !tags.is_empty()),
            background: Some(true),
            ttl_ms: self.ttl_ms(),
            timeout_ms: millis,
            limits: limit::all(&self.limits),
            keep: (self.keep == Some(Keep::Forever)).then_some(true),
            restart: self.restart,
            resume: self.resume.clone(),
            ready: self.probe(),
            after: after::resolve(ctx, &self.after)?,
            delay_ms: self.delay_ms(),
            launcher,
            resources,
            notify: (!self.notify.is_empty()).then(|| notice::all(&self.notify)),
            ..Start::default()
        })
    }
}

/// Removes a job that has ended. If it is still running, because the user has left its view, the
/// daemon removes it when it ends.
fn forget(ctx: &mut Context, id: &SessionId) -> Result<(), Failure> {
    let remove = Action::Remove(Remove {
        session_id: id.to_string(),
        kill: Some(false),
    });
    match ctx.daemon()?.call(remove) {
        Err(error) => match error.code {
            // The job is running, or has already been removed.
            ErrorCode::InvalidRequest | ErrorCode::SessionRemoved => Ok(()),
            _ => Err(error.into()),
        },
        Ok(_) => Ok(()),
    }
}

/// Formats the job and its log as `web (4hqk2mzr8w1n) log: /…/output.log`.
fn whereabouts(job: &Record) -> String {
    let (name, id) = (words::name(&job.summary), job.summary.session_id.as_str());
    let mut line = if name == id {
        name
    } else {
        format!("{name} ({id})")
    };
    if let Some(log) = job.output_files.last() {
        line.push_str(&format!(" log: {}", log.path));
    }
    line
}

fn parse_size(text: &str) -> Result<Size, String> {
    let wrong = || {
        format!(
            "`{text}` is not a size; write 120x40, at most {0}x{0}",
            size::MAX
        )
    };
    let (cols, rows) = text.split_once('x').ok_or_else(wrong)?;
    match (cols.parse(), rows.parse()) {
        (Ok(cols), Ok(rows)) if Size::new(rows, cols).rows() == rows => {
            let size = Size::new(rows, cols);
            if size.cols() == cols {
                Ok(size)
            } else {
                Err(wrong())
            }
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_columns_by_rows() {
        let size = parse_size("80x24").unwrap();
        assert_eq!((size.cols(), size.rows()), (80, 24));
        for text in ["80", "80x", "x24", "0x1", "0x0", "9999x24", "80X24", "-1x5"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
