//! Whether a job is flaky: whether its runs fail and succeed although nothing has changed.
//!
//! *Nothing has changed* means: the runs had the same definition, which is the command with its arguments, the shell,
//! the directory, the kind of terminal and the names of the variables that were set for it ([`Spec::definition`]).
//! Files that the program reads may have changed all the same, and that is the usual way in which a job that failed
//! succeeds: somebody has mended it. So one change from failure to success, or from success to failure, says
//! nothing. A job is flaky if its result has changed and changed back.
//!
//! Only runs that ended by themselves count: a signal from outside says nothing about the program.

use super::life::is_success;
use super::meta::Spec;
use crate::protocol::run::{Flaky, Run};
use crate::protocol::status::Mode;

/// Signals that people, agents, limits and the system send to end a program.
const FROM_OUTSIDE: [&str; 7] = [
    "SIGTERM", "SIGKILL", "SIGINT", "SIGHUP", "SIGQUIT", "SIGSTOP", "SIGXCPU",
];

/// The marking of a session with these runs, oldest first. Only the newest runs with the same definition count.
pub(super) fn flaky(runs: &[Run], ok_codes: &[i32]) -> Option<Flaky> {
    let definition = runs.last()?.definition.as_ref()?;
    let same = runs
        .iter()
        .rev()
        .take_while(|run| run.definition.as_ref() == Some(definition));
    let results: Vec<bool> = same.filter_map(|run| result(run, ok_codes)).collect();
    let pairs = results.iter().zip(results.iter().skip(1));
    let changes = pairs.filter(|(one, other)| one != other).count();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    (changes >= 2).then(|| Flaky {
        failed: count(results.iter().filter(|is_ok| !**is_ok).count()),
        runs: count(results.len()),
    })
}

/// Whether a run succeeded. `None` if that is not known.
fn result(run: &Run, ok_codes: &[i32]) -> Option<bool> {
    run.ended_at?;
    match (run.exit_code, &run.signal) {
        (Some(code), _) => Some(is_success(code, ok_codes)),
        (None, Some(signal)) if !FROM_OUTSIDE.contains(&signal.as_str()) => Some(false),
        (None, _) => None,
    }
}

impl Spec {
    /// Stands for what is run: equal for two runs of the same definition.
    pub fn definition(&self) -> String {
        let mut hash = Fnv::default();
        let mut texts = |texts: &mut dyn Iterator<Item = &str>| {
            for text in texts {
                hash.add(text.as_bytes());
                // No text has this byte, so that the borders count.
                hash.add(&[0xff]);
            }
            hash.add(&[0xfe]);
        };
        texts(&mut std::iter::once(self.command.as_str()));
        let has_args = if self.args.is_some() { "args" } else { "" };
        texts(&mut std::iter::once(has_args));
        texts(&mut self.args.iter().flatten().map(String::as_str));
        texts(&mut self.shell.iter().map(String::as_str));
        texts(&mut std::iter::once(self.cwd.as_str()));
        let mode = match self.mode {
            Mode::Pty => "pty",
            Mode::Pipe => "pipe",
        };
        texts(&mut std::iter::once(mode));
        texts(&mut self.env_names.iter().map(String::as_str));
        format!("{:016x}", hash.0)
    }
}

/// FNV-1a. It is stored, so it must be the same in every version.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;

    /// Runs by their exit codes; -1 is a signal from outside, -2 a crash, -3 a run that goes on. `definition`
    /// changes at `|`.
    fn marked(runs: &str) -> Option<(u32, u32)> {
        let mut definition = 0;
        let mut list = Vec::new();
        for word in runs.split_whitespace() {
            if word == "|" {
                definition += 1;
                continue;
            }
            let code: i32 = word.parse().unwrap_or_default();
            let signal = match code {
                -1 => Some("SIGTERM"),
                -2 => Some("SIGSEGV"),
                _ => None,
            };
            list.push(Run {
                ended_at: (code != -3).then_some(Timestamp(1)),
                exit_code: (code >= 0).then_some(code),
                signal: signal.map(str::to_owned),
                definition: Some(definition.to_string()),
                ..Run::begun(1, 0, Timestamp(0))
            });
        }
        flaky(&list, &[0, 3]).map(|flaky| (flaky.failed, flaky.runs))
    }

    #[test]
    fn a_result_that_changes_and_changes_back_is_flaky() {
        for (runs, expected) in [
            ("", None),
            ("0 0 0", None),
            ("1 1", None),
            // Mended, or broken.
            ("1 1 0 0", None),
            ("0 1", None),
            ("1 0 1", Some((2, 3))),
            ("0 1 0", Some((1, 3))),
            ("0 1 0 0 0 1 0 0 0", Some((2, 9))),
            ("0 -2 0", Some((1, 3))),
            // Somebody has ended it; it is still running; 3 is success here.
            ("0 -1 0", None),
            ("0 1 -3", None),
            ("0 1 0 -3", Some((1, 3))),
            ("0 3 0", None),
            // Another command.
            ("0 1 | 0", None),
            ("0 1 0 | 0 1", None),
            ("1 | 0 1 0", Some((1, 3))),
        ] {
            assert_eq!(marked(runs), expected, "{runs}");
        }
    }

    #[test]
    fn success_is_what_its_exit_codes_say() {
        let run = |code: i32| Run {
            ended_at: Some(Timestamp(1)),
            exit_code: Some(code),
            definition: Some(String::new()),
            ..Run::begun(1, 0, Timestamp(0))
        };
        let runs = [run(3), run(0), run(3)];
        assert_eq!(flaky(&runs, &[0, 3]), None);
        assert_eq!(flaky(&runs, &[3]).map(|flaky| flaky.failed), Some(1));
        assert_eq!(flaky(&runs, &[]).map(|flaky| flaky.failed), Some(2));
    }

    #[test]
    fn runs_of_earlier_versions_have_no_definition() {
        let run = Run {
            ended_at: Some(Timestamp(1)),
            exit_code: Some(0),
            ..Run::begun(1, 0, Timestamp(0))
        };
        let failed = Run {
            exit_code: Some(1),
            ..run.clone()
        };
        assert_eq!(flaky(&[run.clone(), failed, run], &[]), None);
    }

    #[test]
    fn a_definition_is_what_is_run() {
        let spec = Spec {
            command: "a".to_owned(),
            cwd: "/".to_owned(),
            ..Spec::default()
        };
        let same = Spec {
            label: Some("web".to_owned()),
            ..spec.clone()
        };
        assert_eq!(spec.definition(), same.definition());
        let words = |words: &[&str]| Some(words.iter().map(|&word| word.to_owned()).collect());
        let others = [
            Spec {
                command: "b".to_owned(),
                ..spec.clone()
            },
            Spec {
                args: Some(Vec::new()),
                ..spec.clone()
            },
            Spec {
                args: words(&["x", "y"]),
                ..spec.clone()
            },
            Spec {
                args: words(&["xy"]),
                ..spec.clone()
            },
            Spec {
                cwd: "/x".to_owned(),
                ..spec.clone()
            },
            Spec {
                shell: Some("x".to_owned()),
                ..spec.clone()
            },
            Spec {
                env_names: vec!["x".to_owned()],
                ..spec.clone()
            },
        ];
        let mut seen = vec![spec.definition()];
        for other in others {
            let definition = other.definition();
            assert!(!seen.contains(&definition), "{other:?}");
            seen.push(definition);
        }
        assert_eq!(seen.first().map(String::len), Some(16));
    }
}
