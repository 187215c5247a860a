//! Checks that the program exists before a job is started.
//!
//! A shell line always starts a shell, so with a misspelt command `run` would report a running job that
//! ends with 127 a moment later.

use std::process::{Command, Stdio};

use crate::cli::exit::{Exit, Failure};
use crate::protocol::params::Start;

/// Fails with 127 if the shell line is one plain command that the shell does not find.
///
/// Asks the shell itself, because `command -v` also knows builtins. Lines with shell syntax are not
/// checked: in `nosuch || echo gone` the missing command may be intended.
pub fn check(start: &Start) -> Result<(), Failure> {
    let Some(word) = plain_command(&start.command) else {
        return Ok(());
    };
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", r#"command -v -- "$1""#, "sh", word])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(dir) = &start.cwd {
        shell.current_dir(dir);
    }
    for (name, value) in start.env.iter().flatten() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    match shell.status() {
        Ok(status) if !status.success() => {
            let message = format!("{word} was not found{}", searched());
            Err(Failure::with_message(Exit::NOT_FOUND, message))
        }
        // If the shell gives no answer, the job itself reports the error.
        _ => Ok(()),
    }
}

/// Where programs were searched.
fn searched() -> String {
    match std::env::var("PATH") {
        Ok(path) if !path.is_empty() => format!("; searched PATH: {path}"),
        _ => "; PATH is empty".to_owned(),
    }
}

/// The first word of a line without shell syntax.
fn plain_command(line: &str) -> Option<&str> {
    let special = |c: char| "|&;<>()$`\\\"'*?[]#~=%{}!\n".contains(c);
    let word = line.split_whitespace().next()?;
    (!line.contains(special)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(line: &str) -> Exit {
        let start = Start {
            command: line.to_owned(),
            ..Start::default()
        };
        check(&start).map_or_else(|failure| failure.exit(), |()| Exit::OK)
    }

    #[test]
    fn a_missing_plain_command_is_detected() {
        assert_eq!(exit("bgproc-surely-not-there --port 3000"), Exit::NOT_FOUND);
        assert_eq!(exit("./surely-not-there"), Exit::NOT_FOUND);
    }

    #[test]
    fn builtins_and_lines_that_leave_something_to_the_shell_pass() {
        for line in [
            "cd /",
            "ls -l",
            "true",
            "surely-not-there || true",
            "A=1 surely-not-there",
        ] {
            assert_eq!(exit(line), Exit::OK, "{line}");
        }
    }
}
