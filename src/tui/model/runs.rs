//! The runs of jobs that were restarted, and the lines between them.

use std::collections::HashMap;

use super::Model;
use crate::protocol::run::Run;
use crate::protocol::{Ending, SessionId};
use crate::term::sanitize::clean;
use crate::tui::scrollback::RunBreak;
use crate::tui::units;

/// The runs of restarted jobs, as far as they were asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTracker {
    known: HashMap<SessionId, KnownRuns>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct KnownRuns {
    /// The number of restarts at the time of the request.
    restarts: u32,
    runs: Vec<Run>,
    /// Number of the last run that is known to have erased the screen on which the runs before it had written.
    erased_by: u32,
}

impl RunTracker {
    /// Whether the runs of a job with so many restarts have to be asked for. They count as asked for from now on.
    pub fn ask(&mut self, id: &SessionId, restarts: u32) -> bool {
        if self.known.get(id).map_or(0, |known| known.restarts) == restarts {
            return false;
        }
        self.known.entry(id.clone()).or_default().restarts = restarts;
        true
    }

    /// Has the runs of all jobs asked for again: after a reconnect, replies to earlier requests may never come.
    pub fn ask_again(&mut self) {
        for known in self.known.values_mut() {
            known.restarts = 0;
        }
    }

    /// Stores the runs of a job, oldest first.
    pub fn store(&mut self, id: &SessionId, runs: Vec<Run>) {
        self.known.entry(id.clone()).or_default().runs = runs;
    }

    /// The runs of a job, oldest first; empty if it has one only.
    pub fn of(&self, id: &SessionId) -> &[Run] {
        self.known.get(id).map_or(&[], |known| &known.runs)
    }

    /// A screen has arrived on which a job has written so many lines of clean text: fewer than before its last run
    /// mean that this run has erased the screen.
    pub fn note_lines(&mut self, id: &SessionId, lines: u64) {
        let Some(known) = self.known.get_mut(id) else {
            return;
        };
        let last = known.runs.last();
        if let Some(last) =
            last.filter(|last| last.first_line.is_some_and(|first| lines + 1 < first))
        {
            known.erased_by = last.run;
        }
    }

    /// Whether a run has erased the screen, on which a job has written so many lines and bytes in all: none of the
    /// runs before it has left anything there. A run that has written something, but no line yet, counts as one that
    /// has: what it has written was most likely the erasure.
    pub fn has_erased(&self, id: &SessionId, run: &Run, lines: u64, bytes: u64) -> bool {
        let is_known = self
            .known
            .get(id)
            .is_some_and(|known| run.run <= known.erased_by);
        is_known || bytes > run.offset && run.first_line.is_some_and(|first| first > lines)
    }

    /// Forgets a job.
    pub fn forget(&mut self, id: &SessionId) {
        self.known.remove(id);
    }
}

impl Model {
    /// The offsets where the runs of a job begin, and the lines between them.
    pub fn run_places(&self, id: &SessionId) -> (Vec<u64>, Vec<RunBreak>) {
        let runs = self.runs.of(id);
        let breaks = runs.windows(2).map(|pair| RunBreak {
            offset: pair[1].offset,
            words: self.between_runs(&pair[0], &pair[1]),
        });
        (
            runs.iter().map(|run| run.offset).collect(),
            breaks.collect(),
        )
    }

    /// `── run 2, 20:48, after exit 1, changed: src/main.rs ──`
    pub fn between_runs(&self, before: &Run, run: &Run) -> String {
        let line = self.theme.glyph("─").repeat(2);
        let when = units::since(run.started_at.millis(), self.now.ms, &self.zone);
        let after = match Ending::from(before).known() {
            Some(how) => format!(", after {}", clean(&how)),
            None if before.lost => ", after it was lost".to_owned(),
            None => String::new(),
        };
        let because = run.because.as_deref().map(clean);
        let because = because.map(|why| format!(", {why}")).unwrap_or_default();
        format!("{line} run {}, {when}{after}{because} {line}", run.run)
    }
}
