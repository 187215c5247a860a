//! The filter of the list: a job must match all of its words. `LANGUAGE` describes the whole
//! syntax.

use super::job::Job;
use crate::config::LOCAL;
use crate::tui::state::State;

/// The syntax of the filter, for the help screen.
pub const LANGUAGE: &[(&str, &str)] = &[
    ("web", "Its letters in this order in name, group or command"),
    ("?", "Waits for a person"),
    (
        "!failed",
        "Wants attention so: !failed, !input, !password, !asked",
    ),
    (
        "running",
        "In this state: done, paused, killed, lost, failed, ...",
    ),
    ("g:shop", "In a group or project of this name"),
    ("h:gpu1", "On a host of this name; h:local is this machine"),
    ("+slow", "With a tag of this name"),
    (
        "@agent",
        "Started by an agent, or by the one of this name; @me: by you",
    ),
    (":3000", "Listens on this port"),
    ("~/shop", "Runs in this directory or below"),
    (
        "-word !word",
        "None that word would show; after ! no alarm of the above",
    ),
];

/// A parsed filter.
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
    Alarm(String),
    Group(String),
    Host(String),
    Tag(String),
    Owner(String),
    Port(String),
    Dir(String),
}

/// States that want a person's attention. `!` before any other word means "not", as in k9s.
const ALARMS: [&str; 6] = ["failed", "error", "lost", "input", "password", "asked"];

impl Query {
    /// Parses a filter. Every text is valid; an unfinished word (`!`, `g:`) matches every job.
    pub fn parse(text: &str) -> Self {
        let words = text.split_whitespace();
        Self {
            words: words
                .filter_map(|word| Word::parse(&word.to_lowercase()))
                .collect(),
        }
    }

    /// Whether it matches every job.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Byte offsets in `name` of the characters that match the filter, for highlighting.
    pub fn hits(&self, name: &str) -> Vec<usize> {
        let texts = self.words.iter().filter(|word| !word.not);
        let hits = texts.filter_map(|word| match &word.test {
            Test::Text(text) => fuzzy(text, name),
            _ => None,
        });
        hits.flatten().collect()
    }

    /// Whether `job` matches.
    pub fn matches(&self, job: &Job) -> bool {
        self.rank(job).is_some()
    }

    /// How well `job` matches, 0 is best; `None` if it does not match.
    pub fn rank(&self, job: &Job) -> Option<u32> {
        self.words.iter().try_fold(0, |sum, word| {
            let rank = word.test.rank(job);
            if word.not {
                rank.is_none().then_some(sum)
            } else {
                rank.map(|rank| sum + rank)
            }
        })
    }
}

impl Word {
    fn parse(word: &str) -> Option<Self> {
        if let Some(alarm) = word.strip_prefix('!')
            && ALARMS.contains(&alarm)
        {
            let test = Test::Alarm(alarm.to_owned());
            return Some(Self { not: false, test });
        }
        let negated = word.strip_prefix('!').or(word.strip_prefix('-'));
        let rest = negated.unwrap_or(word);
        let sigil = |sigil: &str| rest.strip_prefix(sigil).map(str::to_owned);
        let test = match rest {
            "" | "g:" | "h:" | ":" | "-" | "+" => return None,
            "?" => Test::NeedsInput,
            _ if rest.starts_with(['~', '/']) => Test::Dir(rest.trim_end_matches('/').to_owned()),
            _ => sigil("g:")
                .map(Test::Group)
                .or_else(|| sigil("h:").map(Test::Host))
                .or_else(|| sigil("+").map(Test::Tag))
                .or_else(|| sigil("@").map(Test::Owner))
                .or_else(|| sigil(":").filter(|port| is_number(port)).map(Test::Port))
                .unwrap_or_else(|| Test::Text(rest.to_owned())),
        };
        Some(Self {
            not: negated.is_some(),
            test,
        })
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Test {
    /// How well a job passes, 0 is best; `None` if it does not.
    fn rank(&self, job: &Job) -> Option<u32> {
        match self {
            Self::Text(text) => text_rank(text, job),
            _ => self.matches(job).then_some(0),
        }
    }

    fn matches(&self, job: &Job) -> bool {
        let state = job.state();
        match self {
            Self::NeedsInput => state.needs_input(),
            Self::Alarm(word) => is_in_state(word, &state),
            // Match by prefix, so that the filter works while the port is being typed.
            Self::Port(port) => job
                .ports()
                .iter()
                .any(|open| open.to_string().starts_with(port)),
            Self::Dir(dir) => [&job.dir, &job.record.summary.cwd].into_iter().any(|own| {
                let own = own.to_lowercase();
                let below = own.strip_prefix(dir.as_str());
                below.is_some_and(|rest| dir.is_empty() || rest.is_empty() || rest.starts_with('/'))
            }),
            Self::Group(group) => groups(job).any(|name| name.to_lowercase().contains(group)),
            Self::Host(host) => {
                let own = job.host().unwrap_or(LOCAL).to_lowercase();
                own.starts_with(host)
            }
            Self::Tag(tag) => {
                let mut own = job.record.summary.tags.iter();
                own.any(|own| own.to_lowercase().starts_with(tag))
            }
            Self::Owner(owner) => {
                let scope = job.record.scope.as_str().to_lowercase();
                let agent = !job.record.scope.is_human();
                (!agent && matches!(owner.as_str(), "me" | "you"))
                    || (agent && (owner.is_empty() || "agent".starts_with(owner.as_str())))
                    || (!owner.is_empty() && scope.contains(owner))
            }
            Self::Text(text) => text_rank(text, job).is_some(),
        }
    }
}

/// Its project and its group.
fn groups(job: &Job) -> impl Iterator<Item = &str> {
    let project = job.role().map(|role| role.project.name.as_str());
    project
        .into_iter()
        .chain(job.record.summary.group.as_deref())
}

/// How well `text` (lower case) matches a job: first by its whole name, then by the beginning of the
/// name, of a word in it, and by any part of it; then by state, group and command; last by letters in
/// this order.
fn text_rank(text: &str, job: &Job) -> Option<u32> {
    let name = job.name.to_lowercase();
    let starts_a_word = |(at, _): (usize, &str)| {
        let before = name[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric())
    };
    let group = groups(job).next().unwrap_or_default();
    let group = group.to_lowercase();
    if name == text {
        Some(0)
    } else if name.starts_with(text) {
        Some(1)
    } else if name.match_indices(text).any(starts_a_word) {
        Some(2)
    } else if name.contains(text) {
        Some(3)
    } else if is_in_state(text, &job.state()) {
        Some(4)
    } else if group.starts_with(text) {
        Some(5)
    } else if job.command.to_lowercase().contains(text) || group.contains(text) {
        Some(6)
    } else if fuzzy(text, &job.name).is_some() {
        Some(7)
    } else {
        // Not the letters of a command: a long line contains almost any few letters in any order.
        fuzzy(text, &group).map(|_| 8)
    }
}

fn is_in_state(word: &str, state: &State) -> bool {
    match word {
        // As for `ls --status failed`; one that was skipped is also to be looked at.
        "failed" => state.failed() || *state == State::Skipped || state.timed_out(),
        "error" => state.failed() || *state == State::Skipped,
        "skipped" => *state == State::Skipped,
        "scheduled" => *state == State::Scheduled,
        "ready" => *state == State::Ready,
        "input" => state.needs_input(),
        "password" => *state == State::NeedsPassword,
        "asked" => *state == State::Asked,
        "blocked" => *state == State::Blocked,
        "idle" => *state == State::Idle,
        "running" => state.runs() || *state == State::Idle || state.needs_input(),
        "starting" => *state == State::Starting,
        "stopping" => *state == State::Stopping,
        "waiting" | "queued" => *state == State::Queued,
        "retrying" => matches!(state, State::Retrying(_)),
        "timeout" => state.timed_out(),
        "done" => *state == State::Done,
        "paused" => *state == State::Paused,
        "killed" => matches!(state, State::Killed(_)),
        "lost" => *state == State::Lost,
        _ => false,
    }
}

/// Byte offsets of the letters of `needle` (lower case), which must occur in `text` in this order
/// and near each other.
///
/// The match may span three times the needle's length plus four characters; without a limit any
/// three letters match any long command line. If there are several matches, the shortest is used.
fn fuzzy(needle: &str, text: &str) -> Option<Vec<usize>> {
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    let text: Vec<(usize, char)> = text.char_indices().map(|(at, c)| (at, lower(c))).collect();
    let needle: Vec<char> = needle.chars().collect();
    let Some(first) = needle.first() else {
        return Some(Vec::new());
    };
    let reach = needle.len() * 3 + 4;
    let starts = (0..text.len()).filter(|&at| text[at].1 == *first);
    let matches = starts.filter_map(|start| {
        let mut letters = text[start..text.len().min(start + reach)].iter();
        needle
            .iter()
            .map(|c| letters.find(|(_, t)| t == c).map(|(at, _)| *at))
            .collect::<Option<Vec<usize>>>()
    });
    matches.min_by_key(|hits| hits.last().unwrap_or(&0) - hits.first().unwrap_or(&0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Status;
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
        assert_eq!(fuzzy("wrk", "my-worker"), Some(vec![3, 5, 6]));
        assert_eq!(fuzzy("ab", "a-b ab"), Some(vec![4, 5]), "the closest");
        assert_eq!(
            fuzzy("abc", "a long command with a b somewhere and a c"),
            None
        );
        assert_eq!(names("migr"), ["migrate"]);
    }

    #[test]
    fn the_whole_name_matches_best_and_letters_in_order_worst() {
        let names = [
            "web",
            "web-2",
            "my-web",
            "cobweb",
            "w-e-b",
            "日本語",
            "日本",
        ];
        let jobs = names.map(|name| {
            let mut one = job("x");
            one.name = name.to_owned();
            one
        });
        let ranked = |text: &str| {
            let query = Query::parse(text);
            let mut found: Vec<(u32, &str)> = jobs
                .iter()
                .filter_map(|job| Some((query.rank(job)?, job.name.as_str())))
                .collect();
            found.sort_by_key(|(rank, _)| *rank);
            found.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        assert_eq!(ranked("web"), ["web", "web-2", "my-web", "cobweb", "w-e-b"]);
        assert_eq!(ranked("日本"), ["日本", "日本語"]);
        assert_eq!(ranked("-web"), ["日本語", "日本"]);
        assert_eq!(ranked("2 web"), ["web-2"]);
    }

    #[test]
    fn sigils_filter_by_more_than_text() {
        assert_eq!(names("?"), ["migrate"]);
        assert_eq!(names("@agent"), ["agent"]);
        assert_eq!(
            names("@me"),
            ["web", "api", "db", "migrate", "tests", "lint", "build"]
        );
        assert_eq!(names("failed"), ["lint"]);
        assert_eq!(names("!failed"), ["lint"]);
        assert_eq!(names("!password"), ["migrate"]);
        assert_eq!(names("!asked"), Vec::<String>::new());
        assert_eq!(names("!"), names(""));
        assert_eq!(names("-"), names(""));
    }

    #[test]
    fn a_job_that_timed_out_has_failed_and_was_killed() {
        let mut late = job("late");
        late.record.summary.status = Status::TimedOut;
        let is = |text: &str| Query::parse(text).matches(&late);
        assert!(is("!failed") && is("failed") && is("timeout") && is("killed"));
        assert!(!is("!error") && !is("done"));
    }

    #[test]
    fn supports_two_forms_of_negation() {
        assert!(!names("-failed").contains(&"lint".to_owned()));
        assert_eq!(names("-failed").len(), 7);
        assert_eq!(names("!done"), names("-done"));
        assert_eq!(names("g:shop !running"), Vec::<String>::new());
        assert_eq!(names("g:shop -? !te"), ["web", "api", "db"]);
    }

    #[test]
    fn ports_and_directories() {
        let mut web = job("web");
        web.record.summary.ports = Some(vec![3000, 9229]);
        let is = |text: &str| Query::parse(text).matches(&web);
        assert!(is(":3000") && is(":92") && !is(":80"));
        assert!(is("~/shop") && is("~/shop/") && is("/home/me") && is("~") && is("/"));
        assert!(!is("~/sho") && !is("~/shop/web") && is("-~/notes"));
        assert!(!is("/lint") && is(":"));
    }

    #[test]
    fn an_empty_query_matches_every_job() {
        assert!(Query::parse("  ").is_empty());
        assert!(Query::parse("").matches(&job("x")));
    }
}
