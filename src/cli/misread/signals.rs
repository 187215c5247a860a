//! Signals as kill(1) takes them: `kill -HUP web`, `kill -9 web`.

use std::ffi::OsString;

use super::words::takes_next;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::signals::is_known;
use crate::cli::verb::Verb;

/// The failure for a signal that is written as an option of `kill` or `stop`. To the grammar, `-HUP` is the host `UP`.
pub(crate) fn as_option(args: &[OsString]) -> Option<Failure> {
    let words: Vec<&str> = args.iter().skip(1).map_while(|arg| arg.to_str()).collect();
    let (verb, rest) = words.split_first()?;
    if !["kill", "stop"].contains(verb) {
        return None;
    }
    let rest: Vec<&str> = rest
        .iter()
        .copied()
        .take_while(|word| *word != "--")
        .collect();
    let at = rest.iter().enumerate().position(|(at, word)| {
        // The value of an option, such as `-t -1`, is not one.
        let before = at.checked_sub(1).map(|before| rest[before]);
        let takes_it = |option: &&str| {
            let grammar = Verb::grammar(verb).unwrap_or_default();
            takes_next(&grammar, option)
        };
        of(word).is_some() && before.filter(takes_it).is_none()
    })?;
    let (given, signal) = (rest[at], of(rest[at])?);
    let jobs = rest.iter().enumerate().filter(|(place, _)| *place != at);
    let jobs: Vec<&str> = jobs.map(|(_, word)| *word).collect();
    let line = shlex::try_join(jobs).unwrap_or_default();
    let message = format!("{given} is not an option of {verb}");
    let failure = Failure::with_message(Exit::USAGE, message);
    Some(failure.hint(format!(
        "the signal follows -s: bgproc {verb} -s {signal} {line}"
    )))
}

/// The signal in a word such as `-HUP`, `-SIGHUP` or `-9`.
fn of(word: &str) -> Option<&str> {
    let name = word.strip_prefix('-')?;
    // `-s` and `-h` are options.
    (!name.contains(char::is_lowercase) && is_known(name)).then_some(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn hint(line: &str) -> Option<String> {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let failure = as_option(&args)?;
        Some(failure.hint_text().unwrap().to_owned())
    }

    #[test]
    fn signals_of_kill_follow_an_option() {
        for (line, ours) in [
            ("bgproc kill -HUP web", "bgproc kill -s HUP web"),
            ("bgproc kill -9 web api", "bgproc kill -s 9 web api"),
            ("bgproc stop web -SIGINT", "bgproc stop -s SIGINT web"),
        ] {
            let expected = format!("the signal follows -s: {ours}");
            assert_eq!(hint(line).as_deref(), Some(expected.as_str()), "{line}");
        }
        for line in [
            "bgproc kill -H UP web",
            "bgproc kill -s HUP web",
            "bgproc run kill -9 7",
            "bgproc stop -t 2s -- -9",
            "bgproc stop -t -1 web",
            "bgproc kill -Hgpu1 web",
        ] {
            assert_eq!(hint(line), None, "{line}");
        }
    }
}
