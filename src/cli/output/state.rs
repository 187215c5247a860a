//! Job states as the list shows them, for `--status`.

use super::words;
use crate::protocol::suggest::nearest;
use crate::protocol::{Status, Summary};

/// Words of the list that are not a status of the protocol, and `failed`.
const WORDS: [&str; 10] = [
    "needs password",
    "needs input",
    "blocked",
    "working",
    "idle",
    "exit",
    "skipped",
    "scheduled",
    "stopped",
    FAILED,
];

/// The word for jobs that failed, however.
const FAILED: &str = "failed";

/// A state to select jobs by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wanted(String);

/// The words by which jobs can be selected, besides `exit N` and the names of signals.
pub(crate) fn known() -> Vec<String> {
    let statuses = Status::ALL.map(Status::words);
    statuses
        .into_iter()
        .chain(WORDS.map(str::to_owned))
        .collect()
}

/// Parses the value of `--status`.
pub(crate) fn parse(text: &str) -> Result<Wanted, String> {
    let word = text.trim().to_lowercase().replace(['-', '_'], " ");
    let known = known();
    let code = word.strip_prefix("exit ");
    let is_code = code.is_some_and(|code| code.parse::<i32>().is_ok());
    let is_signal = word.starts_with("sig") && word.chars().all(char::is_alphanumeric);
    if is_code || is_signal || known.contains(&word) {
        return Ok(Wanted(word));
    }
    Err(match nearest(&word, known.iter().map(String::as_str)) {
        Some(near) => format!("there is no state \"{text}\"; did you mean \"{near}\"?"),
        None => {
            let known = known.join(", ");
            format!("there is no state \"{text}\"; known: {known}, exit N")
        }
    })
}

impl Wanted {
    /// The status to filter by in the daemon. `None` if only [`Wanted::is`] can decide.
    pub(crate) fn status(&self) -> Option<Status> {
        let status = |status: &Status| status.words() == self.0;
        // The list also shows `starting` for a running job that is not ready yet.
        let status = Status::ALL.into_iter().find(status);
        status.filter(|status| *status != Status::Starting)
    }

    /// Whether a job is in this state.
    pub(crate) fn is(&self, job: &Summary) -> bool {
        let shown = words::state_word(job).0.to_lowercase();
        match self.0.as_str() {
            FAILED => job.has_failed(),
            "exit" => shown.starts_with("exit "),
            word => shown == word || job.status.words() == word,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::status::InputState;

    #[test]
    fn a_job_of_a_queue_or_a_cluster_is_selected_wherever_it_is() {
        let mut waits = record("a", None, Status::Queued).summary;
        let waiting = json!({"why": "needs a place", "place": 3});
        waits.waiting = serde_json::from_value(waiting).unwrap();
        assert_eq!(words::state(&waits).0, "queued #3");
        let mut asks = record("b", None, Status::Running).summary;
        asks.input_state = InputState::Line;
        let engine = json!({"node": "n17"});
        asks.engine = serde_json::from_value(engine).unwrap();
        assert_eq!(words::state(&asks).0, "needs input on n17");
        for (word, job) in [("queued", &waits), ("needs input", &asks)] {
            assert!(parse(word).unwrap().is(job), "{word}");
        }
    }

    #[test]
    fn jobs_are_selected_by_the_words_of_the_list() {
        let mut waits = record("a", None, Status::Running).summary;
        waits.input_state = InputState::Line;
        let mut failed = record("b", None, Status::Error).summary;
        failed.exit_code = Some(1);
        let mut crashed = record("c", None, Status::Error).summary;
        crashed.signal = Some("SIGSEGV".to_owned());
        let late = record("d", None, Status::TimedOut).summary;
        let mut never_ran = record("e", None, Status::Killed).summary;
        let role = json!({"name": "shop", "dir": "/srv", "job": "api", "phase": "stopped",
            "place": 0, "needs": []});
        never_ran.project = serde_json::from_value(role).unwrap();
        let jobs = [waits, failed, crashed, late, never_ran];
        let chosen = |word: &str| -> String {
            let wanted = parse(word).unwrap();
            let is = |job: &&Summary| wanted.is(job);
            let ids = jobs.iter().filter(is).map(|job| job.session_id.as_str());
            ids.map(|id| &id[..1]).collect()
        };
        for (word, expected) in [
            ("needs-input", "a"),
            ("running", "a"),
            ("exit 1", "b"),
            ("exit", "b"),
            ("exit 2", ""),
            ("error", "bc"),
            ("SIGSEGV", "c"),
            ("timed_out", "d"),
            ("timed out", "d"),
            ("failed", "bcd"),
            ("stopped", "e"),
            ("killed", "e"),
        ] {
            assert_eq!(chosen(word), expected, "{word}");
        }
        assert!(parse("runing").unwrap_err().contains("\"running\""));
        assert!(parse("lunch").unwrap_err().contains("needs password"));
    }
}
