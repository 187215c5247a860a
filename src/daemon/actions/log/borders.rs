//! The runs to which the lines of a reply for a model belong.

use crate::daemon::actions::log::Room;
use crate::daemon::hub::Hub;
use crate::protocol::SessionId;
use crate::protocol::params::Log;
use crate::protocol::reply::{ShownRun, ShownRuns};

/// Notes where the runs of a session begin among the lines that are collected, in order.
pub(super) struct Borders {
    /// Number and first offset of each run; empty if there is nothing to note.
    runs: Vec<(u32, u64)>,
    seen: Vec<ShownRun>,
}

impl Borders {
    /// Notes nothing if the session has had one run, or if the request names one or a command.
    pub(super) fn new(hub: &Hub, id: &SessionId, params: &Log, room: Room) -> Self {
        let is_named = params.run.is_some() || params.command.is_some();
        let state = hub.read();
        let session = state.sessions.get(id).filter(|_| room.is_lean && !is_named);
        let runs = session.map_or(&[][..], |session| session.life.runs());
        Self::of(runs.iter().map(|run| (run.run, run.offset)).collect())
    }

    fn of(runs: Vec<(u32, u64)>) -> Self {
        let several = runs.last().is_some_and(|(last, _)| *last > 1);
        Self {
            runs: if several { runs } else { Vec::new() },
            seen: Vec::new(),
        }
    }

    /// Notes line `n`, which begins at `start`.
    pub(super) fn line(&mut self, n: u64, start: u64) {
        let begun = self.runs.iter().rev().find(|(_, offset)| *offset <= start);
        if let Some((run, _)) = begun
            && self.seen.last().is_none_or(|seen| seen.run != *run)
        {
            self.seen.push(ShownRun { run: *run, line: n });
        }
    }

    /// The runs of the lines `shown`, in order, which may be fewer than those that were noted. `None` if there is
    /// nothing to tell.
    pub(super) fn take(self, shown: impl Iterator<Item = u64>) -> Option<ShownRuns> {
        let (last, _) = *self.runs.last()?;
        let mut runs: Vec<ShownRun> = Vec::new();
        for line in shown {
            let run = self.seen.iter().rev().find(|seen| seen.line <= line);
            if let Some(ShownRun { run, .. }) = run
                && runs.last().is_none_or(|last| last.run != *run)
            {
                runs.push(ShownRun { run: *run, line });
            }
        }
        Some(ShownRuns { last, shown: runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_begins_with_its_first_line_that_is_shown() {
        let shown = |lines: &[u64]| {
            let mut borders = Borders::of(vec![(2, 0), (3, 100), (5, 200)]);
            for n in 1..=30 {
                borders.line(n, (n - 1) * 10);
            }
            let runs = borders.take(lines.iter().copied());
            runs.map(|runs| {
                (
                    runs.last,
                    runs.shown.iter().map(|s| (s.run, s.line)).collect(),
                )
            })
        };
        let expected = |shown: &[(u32, u64)]| Some((5, shown.to_vec()));
        assert_eq!(
            shown(&[1, 2, 11, 21]),
            expected(&[(2, 1), (3, 11), (5, 21)])
        );
        assert_eq!(shown(&[9, 10, 12]), expected(&[(2, 9), (3, 12)]));
        assert_eq!(shown(&[]), expected(&[]));
    }

    #[test]
    fn a_single_run_has_no_border() {
        let mut borders = Borders::of(vec![(1, 0)]);
        borders.line(1, 0);
        assert_eq!(borders.take([1].into_iter()), None);
    }
}
