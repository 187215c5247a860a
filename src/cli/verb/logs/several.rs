//! The output of several jobs together, also of those that are still to come.

use super::view::LogView;
use crate::cli::context::{Context, target};
use crate::cli::exit::Failure;
use crate::cli::jobs::cuts;
use crate::cli::logs::follow::Bound;
use crate::cli::logs::place::Place;
use crate::cli::logs::several::{self, Newcomers, Outcome, Source};
use crate::cli::logs::show::Name;
use crate::cli::output::names;
use crate::protocol::{Record, SessionId, Status};

impl LogView {
    /// Prints several jobs, each line after the name of its job, up to now or, with `--follow`, until all have ended.
    pub(super) fn print_several(
        &self,
        ctx: &mut Context,
        jobs: &[Record],
    ) -> Result<Outcome, Failure> {
        let names = names::together(jobs);
        if self.follow {
            self.leave(ctx, jobs)?;
            cuts::tell(jobs);
        }
        let width = names::width(&names);
        let is_of_pattern = self.patterns().count() == self.targets.len();
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
            view: self,
            width,
            patterns,
        };
        let newcomers: Option<&dyn Newcomers> = match meant.patterns.as_slice() {
            [] => None,
            _ => Some(&meant),
        };
        // Of a job that is skipped, `up` has said it.
        several::follow(ctx, sources, newcomers, self.up.is_none())
    }

    /// Whether other output than that of this one job may be followed.
    pub(super) fn follows_more(&self, only: &Record) -> bool {
        // Of a job that is skipped, `up` has said it.
        let is_skipped = self.up.is_some() && only.summary.status == Status::Queued;
        is_skipped || self.follow && !self.raw && self.patterns().next().is_some()
    }

    /// The targets that mean all jobs of a kind, also those that are still to come.
    fn patterns(&self) -> impl Iterator<Item = &String> {
        self.targets
            .iter()
            .filter(|target| target::is_several(target))
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
}

/// What the patterns among the targets of `logs --follow` mean.
struct Meant<'a> {
    view: &'a LogView,
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
            let source = self.view.source(ctx, job, all, name)?;
            sources.push(source.of_pattern());
        }
        Ok(sources)
    }
}
