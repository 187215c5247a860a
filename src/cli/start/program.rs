//! Whether there is a program to run, asked before a job is made of a typing error.
//!
//! A shell line starts a shell whatever it says, so a misspelt command would be
//! a job that ends with 127 a moment after `run` reported it as running.

use std::process::{Command, Stdio};

use crate::cli::exit::{Exit, Failure};
use crate::protocol::params::Start;

/// Fails with 127 if the shell line is one plain command that the shell does not know.
///
/// The shell itself is asked (`command -v` knows builtins, too), and only about
/// lines in which nothing is left to it: `nosuch || echo gone` is meant as it stands.
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
            Err(Failure::told(Exit::NOT_FOUND, message))
        }
        // Without an answer the job itself will tell.
        _ => Ok(()),
    }
}

/// Where programs were looked for, in the daemon's words for the same trouble.
fn searched() -> String {
    match std::env::var("PATH") {
        Ok(path) if !path.is_empty() => format!("; searched PATH: {path}"),
        _ => "; PATH is empty".to_owned(),
    }
}

/// The first word of a line that holds nothing but words.
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
    fn a_plain_command_that_is_not_there_is_found_out() {
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
