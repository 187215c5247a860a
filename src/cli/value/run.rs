//! Runs of a job: `3` is its third one, `0` the newest, `-1` the one before that, as `journalctl -b` counts boots.

use crate::cli::exit::{Exit, Failure};
use crate::protocol::run::Run;
use crate::protocol::shell::quote;

/// A run as it is named on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RunNumber(i64);

impl RunNumber {
    /// The run before the newest one.
    pub(crate) const BEFORE: Self = Self(-1);
    /// The newest run.
    pub(crate) const NEWEST: Self = Self(0);

    /// The run that is meant of `runs`, which are sorted by their numbers. `target` says how the job with this name is
    /// called in another command.
    pub(crate) fn find<'a>(
        self,
        runs: &'a [Run],
        job: &str,
        target: impl FnOnce() -> String,
    ) -> Result<&'a Run, Failure> {
        let back = usize::try_from(self.0.unsigned_abs()).unwrap_or(usize::MAX);
        let found = match self.0 {
            ..=0 => runs.iter().rev().nth(back),
            number => runs.iter().find(|run| i64::from(run.run) == number),
        };
        found.ok_or_else(|| self.missing(runs, job, &target()))
    }

    fn missing(self, runs: &[Run], job: &str, target: &str) -> Failure {
        let Self(number) = self;
        let message = match (runs, number) {
            ([], _) => format!("{job} has not run yet"),
            ([only], ..=0) => format!("{job} has only one run, run {}", only.run),
            ([only], number) => {
                format!("{job} has no run {number}; its only run is {}", only.run)
            }
            ([first, .., last], ..=0) => format!(
                "{job} has only {} runs, {} to {}",
                runs.len(),
                first.run,
                last.run
            ),
            ([first, .., last], number) => format!(
                "{job} has no run {number}; its runs are {} to {}",
                first.run, last.run
            ),
        };
        let hint = format!("bgproc status {} lists the last runs", quote(target));
        Failure::with_message(Exit::STATE, message).hint(hint)
    }
}

/// Parses a run.
pub(crate) fn parse(text: &str) -> Result<RunNumber, String> {
    let number = text.parse::<i64>().ok();
    let number = number.filter(|number| number.unsigned_abs() <= u64::from(u32::MAX));
    number.map(RunNumber).ok_or_else(|| {
        format!(
            "`{text}` is not a run; write 3 for the third, 0 for the newest, -1 for the one before"
        )
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;

    #[test]
    fn runs_are_counted_from_both_ends() {
        let run = |run| Run::begun(run, 0, Timestamp(0));
        let runs = [run(4), run(5), run(6)];
        let found = |text: &str, runs: &[Run]| {
            let number = parse(text).unwrap();
            number
                .find(runs, "web", || "shop/my web".to_owned())
                .map(|run| run.run)
                .map_err(|why| {
                    let hint = "bgproc status 'shop/my web' lists the last runs";
                    assert_eq!(why.hint_text(), Some(hint));
                    why.to_string()
                })
        };
        for (text, expected) in [("4", 4), ("6", 6), ("0", 6), ("-1", 5), ("-2", 4)] {
            assert_eq!(found(text, &runs), Ok(expected), "{text}");
        }
        let refused = |text: &str, runs: &[Run], message: &str| {
            assert_eq!(found(text, runs).unwrap_err(), message);
        };
        refused("3", &runs, "web has no run 3; its runs are 4 to 6");
        refused("-3", &runs, "web has only 3 runs, 4 to 6");
        refused("-1", &runs[..1], "web has only one run, run 4");
        refused("0", &[], "web has not run yet");
        for text in ["x", "", "1.5", "99999999999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
