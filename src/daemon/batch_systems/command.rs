//! The commands of a batch system. They talk to a server elsewhere, and may hang for long when that is down.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::engine::batch::slurm;
use crate::protocol::{Error, ErrorCode};

/// Longest time that a command may take. Slurm's own give up on a controller that is down after up to 18 s, as was
/// seen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum number of bytes of what a command says on standard error that are kept.
const WORDS: usize = 4096;

/// Number of the last lines of that which an error quotes.
const REASON_LINES: usize = 3;

/// Why a command has failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    /// What happened, in a sentence without subject.
    pub(crate) what: String,
    /// What it said on standard error.
    pub(crate) stderr: String,
    /// Whether it may have done its work in spite of that.
    pub(crate) is_unknown: bool,
}

impl Failure {
    /// The error that a batch system did not do what it was asked with `command`.
    pub(crate) fn refused(&self, system: &str, command: &str) -> Error {
        let said = match self.reason() {
            reason if reason.is_empty() => String::new(),
            reason => format!(": {reason}"),
        };
        let data = json!({ "stderr": self.stderr });
        let error = if slurm::is_out_of_reach(&self.stderr) {
            let message = format!("{system} does not answer: {command} {}{said}", self.what);
            Error::new(ErrorCode::LauncherRefused, message)
                .hint("nothing was changed; try again when its controller answers")
        } else if self.stderr.is_empty() {
            let message = format!("{system} cannot be asked: {command} {}", self.what);
            Error::new(ErrorCode::LauncherRefused, message)
                .hint("bgproc doctor checks the commands of the launchers")
        } else {
            let message = format!("{system} refused: {command} {}{said}", self.what);
            Error::new(ErrorCode::LauncherRefused, message)
        };
        error.data(data)
    }
}

impl Failure {
    /// The last lines that it said, without those that only point to a manual.
    fn reason(&self) -> String {
        let lines = self.stderr.lines().map(str::trim);
        let lines: Vec<&str> = lines
            .filter(|line| !line.is_empty() && !line.starts_with("Try "))
            .collect();
        lines[lines.len().saturating_sub(REASON_LINES)..].join("; ")
    }
}

/// Where a command runs, and what it is given.
#[derive(Default)]
pub(crate) struct Surroundings<'a> {
    /// Its directory; `None`: that of the daemon.
    pub(crate) dir: Option<&'a Path>,
    /// Whether it gets none of the daemon's own variables.
    pub(crate) only_variables: bool,
    /// Its standard input.
    pub(crate) input: Option<String>,
}

/// Runs a command with these variables added to the daemon's own. Returns what it printed.
pub(crate) async fn run(
    words: &[String],
    variables: &HashMap<String, String>,
    Surroundings {
        dir,
        only_variables,
        input,
    }: Surroundings<'_>,
) -> Result<String, Failure> {
    let (program, args) = words
        .split_first()
        .ok_or_else(|| failed("is no command", ""))?;
    let mut command = Command::new(program);
    if only_variables {
        command.env_clear();
    }
    if let Some(dir) = dir {
        command.current_dir(dir);
    }
    let (name, value) = slurm::ENVIRONMENT;
    command
        .args(args)
        .envs(variables)
        .env(name, value)
        .stdin(match input {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed("is not in PATH", ""),
        _ => failed(&format!("cannot be started: {error}"), ""),
    })?;
    let work = async {
        if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
            // One that reads nothing says itself why.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        child.wait_with_output().await
    };
    let output = match tokio::time::timeout(PATIENCE, work).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(failed(&format!("cannot be read: {error}"), "")),
        Err(_) => {
            let seconds = PATIENCE.as_secs();
            return Err(Failure {
                is_unknown: true,
                ..failed(&format!("did not answer within {seconds} s"), "")
            });
        }
    };
    if !output.status.success() {
        let words = &output.stderr[..output.stderr.len().min(WORDS)];
        let words = String::from_utf8_lossy(words);
        return Err(failed(&format!("failed ({})", output.status), words.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn failed(what: &str, stderr: &str) -> Failure {
    Failure {
        what: what.to_owned(),
        stderr: stderr.to_owned(),
        is_unknown: false,
    }
}
