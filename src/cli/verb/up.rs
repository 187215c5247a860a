//! `up`: brings the jobs of a project up.

use std::path::Path;
use std::time::Duration;

use clap::{ArgAction, Args};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::jobs::attach;
use crate::cli::jobs::consent::can_ask;
use crate::cli::output::{advised, note, takes_screens, words};
use crate::cli::project::end::End;
use crate::cli::project::follow::{View, Wait, conclude, told_down, until};
use crate::cli::project::source::{self, Source};
use crate::cli::project::wanted::Wanted;
use crate::cli::project::{consent, foreign, plan};
use crate::cli::settings::dashboard;
use crate::cli::value::number;
use crate::project::ProcfileOptions;
use crate::protocol::duration;
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::reply::ProjectState;
use crate::protocol::shell::quote;
use crate::protocol::{Action, ErrorCode, Timestamp};
use crate::term::sanitize::clean;
use crate::tui;

#[derive(Args, Debug)]
pub struct Up {
    // Without the short form of the others, which also follows the logs here.
    /// Use this project file instead of the nearest one; several are merged from left to right
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
    /// With a file: the same as --file. Without: follow the logs of the jobs when they are up
    #[arg(short = 'f', value_name = "FILE", num_args = 0..=1, default_missing_value = "", action = ArgAction::Append)]
    follow_or_file: Vec<String>,
    /// Follow the logs of the jobs when they are up; the same as -f at the end
    #[arg(long)]
    follow: bool,
    /// Jobs, patterns, g:GROUP or +TAG; by default all jobs that start by themselves
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,
    /// Of these, leave out this job, pattern, g:GROUP or +TAG; can be repeated
    #[arg(short = 'x', long, value_name = "JOB")]
    except: Vec<String>,
    /// Base port of a Procfile
    #[arg(long, value_name = "N", value_parser = number::between::<u16>(1, 65_535))]
    port: Option<u16>,
    /// Numbers of instances of the entries of a Procfile, as all=1,worker=2
    #[arg(short = 'm', long, value_name = "NAME=N,...", value_parser = formation)]
    formation: Option<String>,
    /// Leave out what the jobs need
    #[arg(long)]
    no_deps: bool,
    /// Stop all jobs when one service ends or a task fails
    #[arg(long)]
    all_or_none: bool,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Accepted as in other programs; up always leaves the jobs in the background
    #[arg(short, long, short_alias = 'D', hide = true)]
    detach: bool,
    /// Restart jobs whose definition has changed, without asking
    #[arg(long)]
    apply: bool,
    /// Stop jobs that are not in the file any more
    #[arg(long)]
    prune: bool,
    /// Stop jobs that have `confirm = true` without asking
    #[arg(short, long)]
    yes: bool,
    /// Return as soon as one job has failed; nothing is stopped
    #[arg(long)]
    fail_fast: bool,
    /// Whether to wait until the jobs are ready, have ended or have failed
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    wait: bool,
    /// Longest time to wait; the jobs go on afterwards
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Then open the dashboard on the project
    #[arg(short, long, conflicts_with_all = ["dry_run", "fail_fast", "wait", "timeout", "exit_code_from", "detach"])]
    attach: bool,
    /// Wait for the end of this job, bring the project down and exit with its code
    #[arg(long, value_name = "JOB", conflicts_with_all = ["dry_run", "fail_fast"])]
    exit_code_from: Option<String>,
}

impl Up {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let jobs = self.jobs.clone();
        let outcome = self.bring_up(ctx);
        outcome.map_err(|failure| foreign::named(with_value_of_wait(failure, &jobs)))
    }

    fn bring_up(mut self, ctx: &mut Context) -> Result<Exit, Failure> {
        let began = words::now();
        self.sort_words();
        let follows = self.follow;
        foreign::refuse(&self.file)?;
        let source = self.source();
        let mut request = self.request(&source)?;
        if self.attach {
            check_attach(ctx, follows)?;
        }
        ctx.daemon_with_surroundings()?;
        if self.dry_run {
            request.apply = Some(self.apply);
            return plan::show(ctx, request);
        }
        let is_shown = self.ask(ctx, &mut request)?;
        request.op = Some(ProjectOp::Up);
        let state = begin(ctx, &request, is_shown)?;
        if request.apply != Some(true) {
            tell_left_alone(&state, &source);
        }
        if self.attach {
            return open_dashboard(state);
        }
        if self.wait || follows || self.exit_code_from.is_some() {
            interrupt::leave_with(goes_on(&source))?;
        }
        let wanted = Wanted::of(&request, &state);
        self.stay(ctx, &wanted, state, follows.then_some(began))
    }

    /// Takes the words after each `-f` as files and jobs, and notes whether the logs are followed.
    fn sort_words(&mut self) {
        let words = source::meant(&self.follow_or_file, Path::is_file);
        self.file.extend(words.files);
        self.jobs.extend(words.jobs);
        self.follow |= words.follow;
    }

    fn source(&self) -> Source {
        Source {
            file: self.file.clone(),
        }
    }

    fn request(&self, source: &Source) -> Result<Project, Failure> {
        Ok(Project {
            jobs: Some(self.jobs.clone()).filter(|jobs| !jobs.is_empty()),
            except: Some(self.except.clone()).filter(|jobs| !jobs.is_empty()),
            port: self.port,
            formation: self.formation.clone(),
            no_deps: self.no_deps.then_some(true),
            all_or_none: self.all_or_none.then_some(true),
            prune: self.prune.then_some(true),
            wait_ms: Some(0),
            ..source.request()?
        })
    }

    /// Stays for what comes after the start: until the jobs have settled or one has ended, and with their logs from
    /// `follow` on.
    fn stay(
        &self,
        ctx: &mut Context,
        wanted: &Wanted,
        state: ProjectState,
        follow: Option<Timestamp>,
    ) -> Result<Exit, Failure> {
        if let Some(job) = &self.exit_code_from {
            let end = End {
                wanted,
                job,
                within: self.timeout,
            };
            return match follow {
                Some(began) => end.follow(ctx, state, |ctx| follow_logs(ctx, wanted, began)),
                None => end.wait(ctx, state),
            };
        }
        let exit = if self.wait {
            settle(ctx, wanted, state, self.timeout, self.fail_fast)?
        } else {
            if ctx.json {
                ctx.out.json(&state)?;
            }
            Exit::OK
        };
        match follow {
            Some(began) => follow_logs(ctx, wanted, began).map(|followed| exit.or(followed)),
            None => Ok(exit),
        }
    }
}

impl Up {
    /// Looks at the plan before it is carried out, if there is something to check or to ask. Notes in the request
    /// whether running jobs are restarted whose definition has changed, and whether those are stopped that are not in
    /// the file. Returns whether the plan was shown.
    fn ask(&self, ctx: &mut Context, request: &mut Project) -> Result<bool, Failure> {
        request.apply = Some(self.apply);
        let may_ask = !ctx.json && takes_screens();
        let ends = (self.apply || self.prune) && !self.yes;
        let asks_to_prune = may_ask && !self.prune && !self.yes && self.jobs.is_empty();
        let is_needed =
            self.exit_code_from.is_some() || ends || asks_to_prune || (may_ask && !self.apply);
        if !is_needed {
            return Ok(false);
        }
        let state = plan::of(ctx, request.clone())?;
        if let Some(job) = &self.exit_code_from {
            check_is_wanted(request, &state, job)?;
        }
        let confirmed = if ends {
            consent::confirmed(request, &state, self.apply)
        } else {
            Vec::new()
        };
        let restarts = !self.apply && plan::running_restarts(&state).next().is_some();
        // Whoever is asked sees first what about.
        let gone = if asks_to_prune {
            plan::gone(&state)
        } else {
            Vec::new()
        };
        let is_shown =
            (may_ask && (restarts || !gone.is_empty())) || (can_ask(ctx) && !confirmed.is_empty());
        if is_shown {
            plan::print(ctx, &state)?;
        }
        let count = plan::ended(request, &state, self.apply).count();
        consent::require(ctx, &confirmed, count, |ctx| self.command_unasked(ctx))?;
        if !self.apply && may_ask {
            request.apply = Some(consent::to_apply(ctx, &state)?);
        }
        if consent::to_prune(ctx, &gone)? {
            request.prune = Some(true);
        }
        Ok(is_shown)
    }

    /// The same command with `--yes`.
    fn command_unasked(&self, ctx: &Context) -> String {
        // What the words after `-f` mean is clear by now.
        let given = ctx.given().without(&["follow_or_file", "follow", "file"]);
        let follow = if self.follow { " --follow" } else { "" };
        let jobs = self.jobs.iter().map(|job| format!(" {}", quote(job)));
        let jobs: String = jobs.collect();
        format!("{}{follow}{}{jobs}", given.unasked(), self.source().words())
    }
}

/// If there is no job of this name, because it was meant as a value: `--wait false`. The option takes none without a `=`,
/// so that `--wait web` names a job.
fn with_value_of_wait(failure: Failure, jobs: &[String]) -> Failure {
    let Failure::Refused(error) = &failure else {
        return failure;
    };
    let is_unknown = |word: &&str| error.message.ends_with(&format!(" `{word}`"));
    let word = ["true", "false"].into_iter().find(is_unknown);
    let is_meant = error.code == ErrorCode::SessionNotFound;
    match word.filter(|word| is_meant && jobs.iter().any(|job| job == word)) {
        Some(word) => failure.hint(format!("a value of --wait follows a `=`: --wait={word}")),
        None => failure,
    }
}

/// What Ctrl-C leaves behind.
pub(super) fn goes_on(source: &Source) -> String {
    format!("the jobs go on; {} ends them", source.command("down"))
}

/// Checks the value of `-m`.
fn formation(text: &str) -> Result<String, String> {
    ProcfileOptions::parse_formation(text).map(|_| text.to_owned())
}

/// Opens the dashboard on a project that was brought up.
fn open_dashboard(state: ProjectState) -> Result<Exit, Failure> {
    tui::run(tui::Options {
        project: Some(state.project.dir),
        ..dashboard::options(&[], None)?
    })?;
    Ok(Exit::OK)
}

/// Fails if the dashboard cannot be opened afterwards.
fn check_attach(ctx: &Context, follows: bool) -> Result<(), Failure> {
    if follows || ctx.json {
        let with = if ctx.json {
            "--json"
        } else {
            "-f without a file"
        };
        return Err(Failure::Usage(format!("-a cannot be used with {with}")));
    }
    need_terminal()
}

/// Fails unless standard input and output are a terminal.
fn need_terminal() -> Result<(), Failure> {
    if takes_screens() {
        return Ok(());
    }
    let failure = Failure::with_message(Exit::USAGE, attach::no_terminal("the dashboard"));
    Err(failure.hint("bgproc up without -a needs none, bgproc up -f follows the logs"))
}

/// Sends the request, and prints its plan and warnings, unless they are shown already.
pub(super) fn begin(
    ctx: &mut Context,
    request: &Project,
    is_shown: bool,
) -> Result<ProjectState, Failure> {
    let state: ProjectState = ctx.daemon()?.call_as(Action::Project(request.clone()))?;
    if !is_shown {
        plan::print(ctx, &state)?;
    }
    Ok(state)
}

/// Fails unless the request brings this job up.
fn check_is_wanted(request: &Project, state: &ProjectState, job: &str) -> Result<(), Failure> {
    if Wanted::of(request, state)
        .among(state)
        .any(|known| known.job == job)
    {
        Ok(())
    } else {
        let message = format!("{job} is not one of the jobs that are brought up");
        let failure = Failure::with_message(Exit::USAGE, message);
        Err(if state.jobs.iter().any(|known| known.job == job) {
            failure.hint(format!("bgproc up {job} --exit-code-from {job}"))
        } else {
            failure
        })
    }
}

/// Says which running jobs go on although their definition has changed.
fn tell_left_alone(state: &ProjectState, source: &Source) {
    let reload = advised(&source.command("reload"));
    let changed = plan::running_restarts(state);
    let names: Vec<String> = changed.map(|change| clean(&change.job)).collect();
    match names.as_slice() {
        [] => {}
        [one] => note(&format!("{one} goes on as it was; {reload} restarts it")),
        all => note(&format!(
            "{} go on as they were; {reload} restarts them",
            all.join(", ")
        )),
    }
}

pub(super) fn settle(
    ctx: &mut Context,
    wanted: &Wanted,
    state: ProjectState,
    within: Option<Duration>,
    fail_fast: bool,
) -> Result<Exit, Failure> {
    let is_over = |state: &ProjectState| state.settled || (fail_fast && state.failed) || !state.up;
    let told = state.warnings.clone();
    let wait = Wait {
        view: View::States,
        within,
    };
    let (state, over) = until(ctx, wanted, state, wait, is_over)?;
    // What has come to light meanwhile.
    for warning in state.warnings.iter().filter(|new| !told.contains(new)) {
        note(&format!("warning: {warning}"));
    }
    conclude(ctx, wanted, &state, over)
}

/// Follows the merged logs of the wanted jobs. If one of them brings the others down, it is named.
fn follow_logs(ctx: &mut Context, wanted: &Wanted, began: Timestamp) -> Result<Exit, Failure> {
    let status = Action::Project(wanted.status());
    let state: ProjectState = ctx.daemon()?.call_as(status.clone())?;
    let sessions = wanted.among(&state);
    let sessions: Vec<String> = sessions
        .filter_map(|job| Some(job.session_id.as_ref()?.to_string()))
        .collect();
    // If it is not up, that was told.
    if sessions.is_empty() || !state.up {
        return Ok(Exit::OK);
    }
    let followed = super::logs::follow_all(ctx, sessions, began)?;
    // The state from before the following may be settled, too.
    let state: ProjectState = ctx.daemon()?.call_as(status)?;
    let is_over = |state: &ProjectState| state.settled || !state.up;
    let wait = Wait {
        view: View::Nothing,
        within: None,
    };
    let (state, _) = until(ctx, wanted, state, wait, is_over)?;
    Ok(match state.ended_by {
        Some(_) => followed.or(told_down(&state)),
        None if state.failed => followed.or(Exit::FAILED),
        None => followed,
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::Cli;

    #[test]
    fn the_background_of_other_programs_is_accepted() {
        for flag in ["-d", "-D", "--detach"] {
            assert!(
                Cli::try_parse_from(["bgproc", "up", flag]).is_ok(),
                "{flag}"
            );
        }
        assert!(Cli::try_parse_from(["bgproc", "up", "-d", "-a"]).is_err());
    }
}
