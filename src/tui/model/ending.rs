//! Describes how a job failed, from its exit code, its signal and its output together.

use std::fmt;

use crate::protocol::Record;
use crate::term::sanitize::clean;
use crate::tui::state::State;

/// Exit codes above this are signals of a program that a shell ran (POSIX: 128 + signal number).
const SIGNALS: i32 = 128;

/// Signal numbers that are the same on Linux and macOS, with the name and the meaning.
const KNOWN: [(i32, &str, &str); 10] = [
    (1, "SIGHUP", "its terminal went away"),
    (2, "SIGINT", "interrupted"),
    (4, "SIGILL", "it crashed"),
    (6, "SIGABRT", "it aborted"),
    (7, "SIGBUS", "it crashed"),
    (8, "SIGFPE", "it crashed"),
    (9, "SIGKILL", "killed"),
    (11, "SIGSEGV", "it crashed"),
    (13, "SIGPIPE", "its output was closed"),
    (15, "SIGTERM", "terminated"),
];

/// How a job ended. Its text is `exit 127, command not found: eslint`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HowEnded {
    /// Its end, as its state has it: `exit 127`; `None` if the reason says it all.
    pub end: Option<String>,
    /// Why it ended like that, if it is known: `command not found: eslint`.
    pub why: Option<String>,
}

impl fmt::Display for HowEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.end, &self.why].into_iter().flatten();
        f.write_str(&parts.map(String::as_str).collect::<Vec<_>>().join(", "))
    }
}

/// How a failed job ended. `output` holds its last lines.
pub fn how_ended(record: &Record, output: &[String]) -> HowEnded {
    let with = |end: String, why: Option<String>| HowEnded {
        end: Some(end),
        why,
    };
    let only = |why: String| HowEnded {
        end: None,
        why: Some(why),
    };
    if let Some(why) = record.summary.ended_early() {
        return only(clean(why));
    }
    let reason = record.reason.as_deref().map(clean).unwrap_or_default();
    let told = if reason.contains("limit `") {
        Some(reason.clone())
    } else if reason.contains("out of memory") {
        Some("out of memory?".to_owned())
    } else {
        None
    };
    match State::of(record) {
        State::Failed(code) => with(
            format!("exit {code}"),
            told.or_else(|| by_code(code, output)),
        ),
        // Its last run was seen to end; it was to run again.
        State::Lost if record.summary.exit_code.is_some() && !reason.is_empty() => only(reason),
        State::Lost => with(
            "it ended unseen".to_owned(),
            Some(reason).filter(|r| !r.is_empty()),
        ),
        State::Died(_) if record.summary.signal.is_none() => {
            if reason.is_empty() {
                only("it could not be started".to_owned())
            } else {
                only(reason)
            }
        }
        State::Died(signal) => {
            let known = KNOWN.iter().find(|(_, name, _)| *name == signal);
            let meant = known.map(|(.., means)| (*means).to_owned());
            with(signal, told.or(meant))
        }
        other => with(other.word(), None),
    }
}

fn by_code(code: i32, output: &[String]) -> Option<String> {
    let named = |what: &str, name: Option<String>| match name {
        Some(name) => format!("{what}: {name}"),
        None => what.to_owned(),
    };
    match code {
        127 => Some(named("command not found", find(output, not_found))),
        126 => Some(named("not executable", find(output, not_executable))),
        _ => {
            let known = KNOWN.iter().find(|(number, ..)| SIGNALS + number == code);
            known.map(|(_, name, means)| format!("{means} ({name})"))
        }
    }
}

/// The name that `says` extracts from the newest matching line, because that line caused the end.
fn find(output: &[String], says: fn(&str) -> Option<&str>) -> Option<String> {
    let name = output.iter().rev().find_map(|line| says(line))?;
    let name = name.trim().trim_matches(['\'', '"', '`', '‘', '’']);
    Some(clean(name)).filter(|name| !name.is_empty())
}

/// The command in `sh: 1: eslint: not found`, `bash: eslint: command not found`, `zsh: command not
/// found: eslint` or `env: 'eslint': No such file or directory`.
fn not_found(line: &str) -> Option<&str> {
    if let Some((_, name)) = line.split_once("command not found: ") {
        return Some(name);
    }
    let ends = [
        ": command not found",
        ": not found",
        ": No such file or directory",
    ];
    before(line, &ends)
}

/// The file in `sh: 1: ./run: Permission denied`.
fn not_executable(line: &str) -> Option<&str> {
    let ends = [
        ": Permission denied",
        ": cannot execute",
        ": Is a directory",
    ];
    before(line, &ends)
}

/// The text between the last colon and one of `ends`.
fn before<'a>(line: &'a str, ends: &[&str]) -> Option<&'a str> {
    let cut = ends.iter().find_map(|end| line.find(end))?;
    let head = &line[..cut];
    Some(head.rsplit_once(": ").map_or(head, |(_, name)| name))
}

/// The port that a line reports as already in use. If the line does not name the port, the one in
/// `command`.
pub fn port_in_use(line: &str, command: &str) -> Option<u16> {
    let lower = line.to_ascii_lowercase();
    let says = lower.contains("eaddrinuse")
        || lower.contains("address already in use")
        || lower.contains("already in use") && lower.contains("port");
    says.then(|| port(&lower).or_else(|| port(command)))?
}

/// The number in a text that is most likely a port: `:::3000`, `port 8080`, `('', 8000)`. Errno 98
/// (EADDRINUSE) is not a port.
fn port(text: &str) -> Option<u16> {
    let bytes = text.as_bytes();
    let mut likely = None;
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let (before, number) = (&text.as_bytes()[..at], &bytes[at..at + digits]);
        at += digits.max(1);
        let number = std::str::from_utf8(number).unwrap_or_default();
        let Ok(number) = number.parse::<u16>() else {
            continue;
        };
        let before = before.trim_ascii_end();
        if before.ends_with(b"errno") || before.ends_with(b"os error") {
            continue;
        }
        if number > 0 && (before.ends_with(b":") || before.ends_with(b"port")) {
            return Some(number);
        }
        // Smaller numbers are parts of addresses or line numbers; programs rarely get such a port.
        likely = likely.or(Some(number).filter(|&number| number >= 1024));
    }
    likely
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Status;
    use crate::tui::tests::jobs::ended;

    fn exit(code: i32, output: &[&str]) -> String {
        let output: Vec<String> = output.iter().map(|&line| line.to_owned()).collect();
        how_ended(&ended("x", Status::Error, Some(code), 0), &output).to_string()
    }

    #[test]
    fn explains_exit_codes_as_shells_define_them() {
        for (line, name) in [
            ("sh: 1: eslint: not found", "eslint"),
            ("bash: line 1: eslint: command not found", "eslint"),
            ("zsh:1: command not found: eslint", "eslint"),
            ("env: 'my tool': No such file or directory", "my tool"),
        ] {
            assert_eq!(
                exit(127, &["x", line]),
                format!("exit 127, command not found: {name}")
            );
        }
        assert_eq!(exit(127, &[]), "exit 127, command not found");
        assert_eq!(
            exit(126, &["sh: 1: ./run: Permission denied"]),
            "exit 126, not executable: ./run"
        );
        assert_eq!(exit(130, &[]), "exit 130, interrupted (SIGINT)");
        assert_eq!(exit(137, &[]), "exit 137, killed (SIGKILL)");
        assert_eq!(exit(139, &[]), "exit 139, it crashed (SIGSEGV)");
        assert_eq!(exit(1, &["sh: 1: eslint: not found"]), "exit 1");
    }

    #[test]
    fn mentions_memory_only_if_the_record_does() {
        let words = |record: &Record, output: &[String]| how_ended(record, output).to_string();
        let mut record = ended("x", Status::Error, None, 0);
        record.summary.signal = Some("SIGKILL".to_owned());
        assert_eq!(words(&record, &[]), "SIGKILL, killed");
        record.reason = Some("killed by SIGKILL (out of memory?)".to_owned());
        assert_eq!(words(&record, &[]), "SIGKILL, out of memory?");
        record.reason = Some("it reached its limit `memoryBytes` (killed by SIGKILL)".to_owned());
        assert!(words(&record, &[]).contains("limit `memoryBytes`"));
        record.summary.signal = None;
        record.reason = Some("it could not be started: no such directory".to_owned());
        assert_eq!(
            words(&record, &[]),
            "it could not be started: no such directory"
        );
        let lost = ended("x", Status::Lost, None, 0);
        assert_eq!(words(&lost, &[]), "it ended unseen");
        let mut retrying = ended("x", Status::Lost, None, 0);
        retrying.summary.exit_code = Some(4);
        retrying.reason = Some("exit code 4; bgproc ended before retry 1".to_owned());
        let said = "exit code 4; bgproc ended before retry 1";
        assert_eq!(words(&retrying, &[]), said);
    }

    #[test]
    fn finds_the_port_in_use() {
        for (line, port) in [
            (
                "Error: listen EADDRINUSE: address already in use :::3000",
                Some(3000),
            ),
            ("OSError: [Errno 98] Address already in use", None),
            (
                "[Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use",
                Some(8000),
            ),
            (
                "listen tcp 0.0.0.0:8080: bind: address already in use",
                Some(8080),
            ),
            ("Port 5173 is already in use", Some(5173)),
            ("Address already in use (os error 98)", None),
            ("listening on :3000", None),
        ] {
            assert_eq!(port_in_use(line, "serve"), port, "{line}");
        }
    }
}
