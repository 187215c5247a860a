//! The command line that does what a job does: its directory, the variables that were set for it, and
//! its command. Pure.

use std::borrow::Cow;

use crate::protocol::record::{Detail, MASKED, Record};
use crate::protocol::shell::{self, quote};

/// `cd ~/shop && PORT=3000 npm run dev`. Variables that look secret are there, and their values are not.
pub fn command_line(record: &Record, home: Option<&str>) -> String {
    let summary = &record.summary;
    let line = shell::line(&summary.command, summary.args.as_deref());
    let set = record.detail.as_ref().map(set_for).unwrap_or_default();
    let is_plain = summary.args.is_some() || is_plain(&line);
    let line = match set.as_slice() {
        [] => line,
        set if is_plain && set.iter().all(|one| one.value.is_some()) => {
            let words: Vec<String> = set.iter().map(Variable::word).collect();
            format!("{} {line}", words.join(" "))
        }
        set => {
            let words: Vec<String> = set.iter().map(Variable::word).collect();
            let line = if is_plain {
                line
            } else {
                format!("sh -c {}", quote(&line))
            };
            format!("env {} {line}", words.join(" "))
        }
    };
    format!("cd {} && {line}", directory(&summary.cwd, home))
}

/// Names of the variables whose values the command line leaves out.
pub fn masked(record: &Record) -> Vec<String> {
    let set = record.detail.as_ref().map(set_for).unwrap_or_default();
    let masked = set.into_iter().filter(|one| one.value == Some(MASKED));
    masked.map(|one| one.name.to_owned()).collect()
}

/// A variable that was set for a job, or removed.
struct Variable<'a> {
    name: &'a str,
    value: Option<&'a str>,
}

impl Variable<'_> {
    /// As an argument of `env`.
    fn word(&self) -> String {
        match self.value {
            Some(value) => format!("{}={}", self.name, quote(value)),
            None => format!("-u {}", self.name),
        }
    }
}

/// The variables that were set for a job: first the removed ones, because `env` wants options first. If
/// the daemon no longer knows the values, they count as masked.
fn set_for(detail: &Detail) -> Vec<Variable<'_>> {
    let known = |name: &str| match detail.env.get(name) {
        Some(value) => value.as_deref(),
        None => Some(MASKED),
    };
    let names = detail.env_names.iter().filter(|name| is_name(name));
    let mut set: Vec<Variable<'_>> = names
        .map(|name| Variable {
            name,
            value: known(name),
        })
        .collect();
    set.sort_by_key(|one| one.value.is_some());
    set
}

/// Whether a shell accepts the name in an assignment.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether variables in front of a command line are those of all of it: it is one command, and expands
/// nothing before they are set.
fn is_plain(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let keywords = ["for", "while", "until", "if", "case", "time", "!"];
    !line.contains([';', '&', '|', '(', ')', '`', '$', '{', '}', '\n'])
        && !keywords.contains(&first)
}

fn directory<'a>(cwd: &'a str, home: Option<&str>) -> Cow<'a, str> {
    match home.and_then(|home| cwd.strip_prefix(home)) {
        Some("") => Cow::Borrowed("~"),
        // The shell expands the tilde only if it is unquoted.
        Some(rest) if rest.starts_with('/') => Cow::Owned(format!("~/{}", quote(&rest[1..]))),
        _ => quote(cwd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::{HOME, record};

    fn line(command: &str, env: &[(&str, Option<&str>)]) -> String {
        let mut job = record("web");
        job.summary.command = command.to_owned();
        let names = env.iter().map(|(name, _)| (*name).to_owned());
        let pairs = env.iter().map(|(name, value)| {
            let value = value.map(str::to_owned);
            ((*name).to_owned(), value)
        });
        job.detail = Some(Detail {
            env_names: names.collect(),
            env: pairs.collect(),
            ..Detail::default()
        });
        command_line(&job, Some(HOME))
    }

    #[test]
    fn variables_are_set_for_the_whole_command() {
        assert_eq!(line("npm start", &[]), "cd ~/shop && npm start");
        assert_eq!(
            line("npm start", &[("PORT", Some("3000")), ("A", Some("a b"))]),
            "cd ~/shop && PORT=3000 A='a b' npm start"
        );
        assert_eq!(
            line("a; echo $B", &[("B", Some("1"))]),
            "cd ~/shop && env B=1 sh -c 'a; echo $B'"
        );
        assert_eq!(
            line("npm start", &[("B", Some("1")), ("TERM", None)]),
            "cd ~/shop && env -u TERM B=1 npm start"
        );
        assert_eq!(line("x", &[("A B", Some("1"))]), "cd ~/shop && x");
    }

    #[test]
    fn values_that_are_masked_or_lost_are_left_out() {
        assert_eq!(
            line("x", &[("TOKEN", Some(MASKED))]),
            "cd ~/shop && TOKEN='***' x"
        );
        let mut job = record("web");
        job.detail = Some(Detail {
            env_names: vec!["PORT".to_owned()],
            ..Detail::default()
        });
        assert_eq!(
            command_line(&job, None),
            "cd /home/me/shop && PORT='***' npm run web"
        );
        assert_eq!(masked(&job), ["PORT"]);
    }
}
