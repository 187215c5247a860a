//! `--after`: the jobs after which a job starts.

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::protocol::project::{After, Level};

/// Another job, and the level that it must have had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::cli) struct Other {
    target: String,
    is: Option<Level>,
}

/// Parses `JOB` or `JOB:LEVEL`.
pub(in crate::cli) fn parse(text: &str) -> Result<Other, String> {
    let known = [Level::Started, Level::Ready, Level::Ok, Level::Done];
    let level = |word: &str| known.into_iter().find(|known| known.as_str() == word);
    let parts = text.rsplit_once(':');
    let parts = parts.and_then(|(target, word)| Some((target, level(word)?)));
    let (target, is) = match parts {
        // A group may have the name of a level.
        Some(("g", _)) | None => (text, None),
        Some((target, level)) => (target, Some(level)),
    };
    match target {
        "" => Err("the job is missing".to_owned()),
        _ => Ok(Other {
            target: target.to_owned(),
            is,
        }),
    }
}

/// The sessions of these jobs.
pub(in crate::cli) fn resolve(
    ctx: &mut Context,
    others: &[Other],
) -> Result<Option<Vec<After>>, Failure> {
    if others.is_empty() {
        return Ok(None);
    }
    let after = |other: &Other| {
        let found = ctx.one(&other.target);
        let job = found.map_err(|failure| no_level(&other.target, failure))?;
        if let Some(host) = job.summary.session_id.host() {
            let name = words::name(&job.summary);
            let message = format!(
                "{name} is a job of {host}; a job starts only after jobs of its own machine"
            );
            let failure = Failure::with_message(Exit::USAGE, message);
            return Err(failure.hint(format!(
                "bgproc -H {host} run --after {name} COMMAND runs it there"
            )));
        }
        Ok(After {
            session_id: job.summary.session_id.to_string(),
            is: other.is,
        })
    };
    others.iter().map(after).collect::<Result<_, _>>().map(Some)
}

/// The failure for a target that is no job: what follows its last colon may be a mistyped level.
fn no_level(target: &str, failure: Failure) -> Failure {
    match target.rsplit_once(':') {
        Some((job, level)) if !["", "g"].contains(&job) && failure.exit() == Exit::NO_JOB => {
            let message = format!("{failure}, and `{level}` is none of started, ready, ok, done");
            Failure::with_message(Exit::USAGE, message).hint(format!("write {job}:ok"))
        }
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_and_its_level() {
        let other = |target: &str, is| {
            Ok(Other {
                target: target.to_owned(),
                is,
            })
        };
        assert_eq!(parse("db"), other("db", None));
        assert_eq!(parse("db:ready"), other("db", Some(Level::Ready)));
        assert_eq!(parse(":3000"), other(":3000", None));
        assert_eq!(parse(":3000:done"), other(":3000", Some(Level::Done)));
        // Names may have colons, too.
        assert_eq!(parse("a:b"), other("a:b", None));
        assert_eq!(parse("h:ok"), other("h", Some(Level::Ok)));
        assert_eq!(parse("g:ok"), other("g:ok", None));
        assert_eq!(parse("g:web:ok"), other("g:web", Some(Level::Ok)));
        assert!(parse(":ok").is_err());
        assert!(parse("").is_err());
    }
}
