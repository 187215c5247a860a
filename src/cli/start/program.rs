//! Checks that the program exists before a job is started.
//!
//! A shell line always starts a shell, so with a misspelt command `run` would report a running job that
//! ends with 127 a moment later.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::bash_line;
use crate::client::host;
use crate::protocol::params::Start;
use crate::protocol::shell::{self, quote};

/// Fails with 127 if the shell line is one plain command that the shell does not find, and with 126 if it is a file that
/// nobody may execute.
///
/// Asks the shell itself, because `command -v` also knows builtins. Lines with shell syntax are not
/// checked: in `nosuch || echo gone` the missing command may be intended.
pub fn check(start: &Start) -> Result<(), Failure> {
    let Some(word) = plain_command(&start.command) else {
        return Ok(());
    };
    if let Some(failure) = not_executable(start, word) {
        return Err(failure);
    }
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
            let message = if word.contains('/') {
                format!("{word} does not exist, or is not executable")
            } else {
                format!("{word} was not found on PATH")
            };
            let failure = Failure::with_message(Exit::NOT_FOUND, message);
            Err(match lead(start) {
                Some(hint) => failure.hint(hint),
                None => failure,
            })
        }
        // If the shell gives no answer, the job itself reports the error.
        _ => Ok(()),
    }
}

/// Why a path cannot be executed by anybody. `None` if it may be possible, or if there is nothing.
///
/// `command -v` of some shells finds such a file, which the shell then cannot start.
fn not_executable(start: &Start, word: &str) -> Option<Failure> {
    if !word.contains('/') {
        return None;
    }
    let found = std::fs::metadata(dir(start).join(word)).ok()?;
    let refused = |message| Failure::with_message(Exit::NOT_EXECUTABLE, message);
    if found.is_dir() {
        return Some(refused(format!("{word} is a directory")));
    }
    let may_run = found.permissions().mode() & 0o111 != 0;
    (!may_run).then(|| {
        let hint = format!("chmod +x {word} changes that; or name the program that runs it");
        refused(format!("{word} is not executable")).hint(hint)
    })
}

/// The directory of the job, as seen from here.
fn dir(start: &Start) -> &Path {
    Path::new(start.cwd.as_deref().unwrap_or("."))
}

/// What was probably meant by a command whose program was not found.
pub fn lead(start: &Start) -> Option<String> {
    let word = match &start.args {
        Some(_) => start.command.as_str(),
        None => start.command.split_whitespace().next()?,
    };
    let args = start.args.as_deref().unwrap_or_default();
    if let Some(line) = with_variables(word, args) {
        return Some(format!("variables are options: {line}"));
    }
    // A program that reads such a line itself would have been found.
    if word == "cd" || word.contains([' ', '=']) {
        // Without the name, the line is the only argument.
        let name = late_name(word, args).filter(|_| word.contains(' ') && args.len() == 2);
        let kinds = "one argument is a shell line; several are a program and its arguments";
        return name.or_else(|| Some(kinds.to_owned()));
    }
    let of_bash = start.args.is_none().then_some(&start.command);
    let of_bash = of_bash.and_then(|line| bash_line::lead_of_word(line, word));
    let other = || here(start, word).or_else(|| late_name(word, args));
    of_bash.or_else(other)
}

/// The command for somebody who writes variables before the program, as in a shell line: `A=1 npm start`.
fn with_variables(word: &str, args: &[String]) -> Option<String> {
    let words = std::iter::once(word).chain(args.iter().map(String::as_str));
    let words: Vec<&str> = words.collect();
    let count = words.iter().take_while(|word| sets_variable(word)).count();
    let (variables, command) = words.split_at(count);
    if variables.is_empty() || command.is_empty() {
        return None;
    }
    let options = variables.iter().map(|word| format!(" -e {}", quote(word)));
    let command: Vec<_> = command.iter().map(|word| quote(word)).collect();
    let command = command.join(" ");
    // One argument is a shell line, in which a name with blanks needs quotes of its own.
    let command = match words.len() - count {
        1 => quote(&command).into_owned(),
        _ => command,
    };
    Some(format!(
        "bgproc run{} {command}",
        options.collect::<String>()
    ))
}

/// Whether a shell takes a word before the program for a variable: `A=1`.
fn sets_variable(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let is_begin = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_begin) && name.chars().all(|c| is_begin(c) || c.is_ascii_digit())
}

/// A file of the job's directory, which is not on PATH.
fn here(start: &Start, word: &str) -> Option<String> {
    if word.contains('/') || host::chosen().is_some() {
        return None;
    }
    let file = std::fs::metadata(dir(start).join(word)).ok()?;
    if !file.is_file() {
        return None;
    }
    Some(match file.permissions().mode() & 0o111 {
        0 => format!("./{word} is here, but it is not executable; name the program that runs it"),
        _ => {
            let program = format!("./{word}");
            let line = match &start.args {
                Some(args) => shell::line(&program, Some(args)),
                None => quote(&format!("./{}", start.command.trim())).into_owned(),
            };
            format!("{program} is here: bgproc run {line}")
        }
    })
}

/// A name of the job behind the program, where pm2 takes it.
fn late_name(word: &str, args: &[String]) -> Option<String> {
    let at = args.iter().position(|arg| arg == "--name" || arg == "-n")?;
    let name = args.get(at + 1)?;
    let rest = args[..at].iter().chain(&args[at + 2..]).map(String::as_str);
    let line = ["bgproc", "run", "-n", name, word].into_iter().chain(rest);
    let line = shlex::try_join(line).ok()?;
    Some(format!("options of bgproc come first: {line}"))
}

/// The first word of a line without shell syntax.
fn plain_command(line: &str) -> Option<&str> {
    let special = |c: char| "|&;<>()$`\\\"'*?[]#~=%{}!\n".contains(c);
    let word = line.split_whitespace().next()?;
    (!line.contains(special)).then_some(word)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
    fn a_file_that_nobody_may_execute_is_detected() {
        let dir = tempfile::tempdir().unwrap();
        for (name, mode) in [("plain", 0o644), ("script", 0o755)] {
            std::fs::write(dir.path().join(name), "").unwrap();
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(dir.path().join(name), mode).unwrap();
        }
        let checked = |line: &str| {
            let start = Start {
                command: line.to_owned(),
                cwd: Some(dir.path().display().to_string()),
                ..Start::default()
            };
            check(&start).map_or_else(|failure| failure.exit(), |()| Exit::OK)
        };
        let whole = dir.path().join("plain").display().to_string();
        for (line, expected) in [
            ("./plain", Exit::NOT_EXECUTABLE),
            ("./plain -x a", Exit::NOT_EXECUTABLE),
            (&whole, Exit::NOT_EXECUTABLE),
            ("../", Exit::NOT_EXECUTABLE),
            ("./plain || true", Exit::OK),
            ("./script -x", Exit::OK),
            ("./nothing", Exit::NOT_FOUND),
        ] {
            assert_eq!(checked(line), expected, "{line}");
        }
    }

    #[test]
    fn what_was_meant_is_named() {
        let dir = std::env::temp_dir().join(format!("bgproc-lead-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        for (name, mode) in [("s.sh", 0o755), ("my$x", 0o755), ("app.js", 0o644)] {
            std::fs::write(dir.join(name), "").unwrap();
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(dir.join(name), mode).unwrap();
        }
        let lead = |words: &[&str]| {
            let args: Vec<String> = words[1..].iter().map(|word| (*word).to_owned()).collect();
            lead(&Start {
                command: words[0].to_owned(),
                args: Some(args).filter(|args| !args.is_empty()),
                cwd: Some(dir.display().to_string()),
                ..Start::default()
            })
        };
        let line = "one argument is a shell line; several are a program and its arguments";
        for (words, expected) in [
            (&["s.sh"][..], Some("./s.sh is here: bgproc run ./s.sh")),
            (
                &["s.sh", "a b"],
                Some("./s.sh is here: bgproc run ./s.sh 'a b'"),
            ),
            (
                &["s.sh x && y"],
                Some("./s.sh is here: bgproc run './s.sh x && y'"),
            ),
            (
                &["my$x", "a"],
                Some("./my$x is here: bgproc run './my$x' a"),
            ),
            (
                &["app.js"],
                Some("./app.js is here, but it is not executable; name the program that runs it"),
            ),
            (
                &["nod", "app.js", "--name", "api", "-x"],
                Some("options of bgproc come first: bgproc run -n api nod app.js -x"),
            ),
            (
                &["npm run dev", "-n", "web"],
                Some("options of bgproc come first: bgproc run -n web 'npm run dev'"),
            ),
            (&["npm run dev", "x", "-n", "web"], Some(line)),
            (&["cd", "/tmp"], Some(line)),
            (
                &["A=1", "x"],
                Some("variables are options: bgproc run -e A=1 x"),
            ),
            (
                &["A=1", "B=c d", "npm", "run", "a b"],
                Some("variables are options: bgproc run -e A=1 -e 'B=c d' npm run 'a b'"),
            ),
            (&["A=1", "B=2"], Some(line)),
            (&["a.b=1", "x"], Some(line)),
            (&["ls -l", "x"], Some(line)),
            (&["surely-not-there"], None),
            (&["surely-not-there", "x"], None),
        ] {
            assert_eq!(lead(words).as_deref(), expected, "{words:?}");
        }
        std::fs::remove_dir_all(dir).unwrap();
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
