//! The list's filter: words that a job has to satisfy, all of them.
//!
//! - `web` is fuzzy text: its letters in this order in name, group or command. A state by its word (`failed`,
//!   `running`, `done`) also matches the jobs in that state.
//! - `?` is what waits for a person, `g:shop` a group, `@agent` what an agent started.
//! - `!word` is everything that `word` does not match.

use super::job::Job;
use crate::tui::state::State;

/// A filter, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    not: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Text(String),
    NeedsInput,
    Group(String),
    Owner(String),
}

impl Query {
    /// Reads what was typed. Everything is a query; an unfinished word (`!`, `g:`) filters nothing.
    pub fn parse(text: &str) -> Self {
        let words = text.split_whitespace().filter_map(|word| {
            let word = word.to_lowercase();
            let (not, rest) = match word.strip_prefix('!') {
                Some(rest) => (true, rest),
                None => (false, word.as_str()),
            };
            let test = match rest {
                "" | "g:" => return None,
                "?" => Test::NeedsInput,
                _ => match (rest.strip_prefix("g:"), rest.strip_prefix('@')) {
                    (Some(group), _) => Test::Group(group.to_owned()),
                    (_, Some(owner)) => Test::Owner(owner.to_owned()),
                    _ => Test::Text(rest.to_owned()),
                },
            };
            Some(Word { not, test })
        });
        Self {
            words: words.collect(),
        }
    }

    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether `job` passes.
    pub fn matches(&self, job: &Job) -> bool {
        self.words
            .iter()
            .all(|word| word.test.matches(job) != word.not)
    }
}

impl Test {
    fn matches(&self, job: &Job) -> bool {
        let state = job.state();
        match self {
            Self::NeedsInput => state.needs_input(),
            Self::Group(group) => job
                .record
                .summary
                .group
                .as_deref()
                .is_some_and(|name| name.to_lowercase().contains(group)),
            Self::Owner(owner) => {
                let scope = job.record.scope.as_str().to_lowercase();
                let agent = !job.record.scope.is_human();
                (agent && (owner.is_empty() || "agent".starts_with(owner.as_str())))
                    || (!owner.is_empty() && scope.contains(owner))
            }
            Self::Text(text) => {
                is_in_state(text, &state)
                    || fuzzy(text, &job.name)
                    || fuzzy(text, &job.command)
                    || job
                        .record
                        .summary
                        .group
                        .as_deref()
                        .is_some_and(|group| fuzzy(text, group))
            }
        }
    }
}

fn is_in_state(word: &str, state: &State) -> bool {
    match word {
        "failed" | "error" => state.failed(),
        "running" => matches!(state, State::Running) || state.needs_input(),
        "done" => *state == State::Done,
        "paused" => *state == State::Paused,
        "killed" => matches!(state, State::Killed(_)),
        "lost" => *state == State::Lost,
        _ => false,
    }
}

/// Whether the letters of `needle` (lower case) occur in `text` in this order, and near each other.
///
/// A match may be spread over three times its own length and four characters more; without such a bound any
/// three letters match any long command line.
fn fuzzy(needle: &str, text: &str) -> bool {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let needle: Vec<char> = needle.chars().collect();
    let Some(first) = needle.first() else {
        return true;
    };
    let reach = needle.len() * 3 + 4;
    (0..text.len()).filter(|&at| text[at] == *first).any(|at| {
        let window = &text[at..text.len().min(at + reach)];
        let mut letters = window.iter();
        needle.iter().all(|c| letters.any(|t| t == c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::{job, shop};

    fn names(text: &str) -> Vec<String> {
        let query = Query::parse(text);
        shop()
            .into_iter()
            .filter(|job| query.matches(job))
            .map(|job| job.name)
            .collect()
    }

    #[test]
    fn text_is_fuzzy_but_not_arbitrary() {
        assert!(fuzzy("wrk", "my-worker"));
        assert!(!fuzzy("abc", "a long command with a b somewhere and a c"));
        assert_eq!(names("migr"), ["migrate"]);
    }

    #[test]
    fn sigils_ask_for_more_than_text() {
        assert_eq!(names("?"), ["migrate"]);
        assert_eq!(names("@agent"), ["agent"]);
        assert_eq!(names("failed"), ["lint"]);
        assert!(!names("!failed").contains(&"lint".to_owned()));
        assert_eq!(names("g:shop !running"), Vec::<String>::new());
        assert_eq!(names("!"), names(""));
    }

    #[test]
    fn an_empty_query_lets_all_through() {
        assert!(Query::parse("  ").is_empty());
        assert!(Query::parse("").matches(&job("x")));
    }
}
