//! `--allow`: which programs a connection may start.
//!
//! A word on the list stands for the file that the connection's own PATH finds for it, so no other file of that
//! name is accepted, whatever a request changes. In a shell line, each command is replaced by such a file. The
//! line is refused if that is not certain to be possible ([`ShellLine`]), unless the shell itself is on the
//! list. Arguments and variables that make an allowed program start another one are refused as far as they are
//! known ([`launchers`]). What an allowed program starts otherwise is not checked.

use std::path::Path;

use super::launchers;
use super::program::{SHELL, find_program, named};
use super::shell_line::{Argument, ShellLine};
use crate::engine::meta::Spec;
use crate::protocol::{Error, ErrorCode, Greeting};

/// Variables that can make the shell or the loader run other code.
const STEERING: [&str; 8] = [
    "PATH",
    "IFS",
    "ENV",
    "CDPATH",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "GCONV_PATH",
];

/// Prefixes of such variables.
const STEERING_PREFIXES: [&str; 3] = ["LD_", "BASH_", "GLIBC_"];

/// Checks whether a request may set these variables.
pub(crate) fn check_env<'a>(
    greeting: &Greeting,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<(), Error> {
    if greeting.policy.allow.is_none() {
        return Ok(());
    }
    let shell = is_allowed(greeting, SHELL);
    let steers = |name: &&String| {
        (!shell && launchers::is_starting(name))
            || STEERING.contains(&name.as_str())
            || STEERING_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix))
    };
    match names.into_iter().find(steers) {
        Some(name) => Err(refused(
            greeting,
            &format!("`env` may not change {name}: it decides which programs run"),
        )),
        None => Ok(()),
    }
}

/// Refuses arguments that make a program start another one. If the shell is allowed, nothing is checked.
fn check_arguments(
    greeting: &Greeting,
    program: &str,
    arguments: &[Argument],
) -> Result<(), Error> {
    if greeting.policy.allow.is_none() || is_allowed(greeting, SHELL) {
        return Ok(());
    }
    match launchers::starting(program, arguments) {
        Some(what) => Err(refused(greeting, &format!("{what} is not allowed here"))),
        None => Ok(()),
    }
}

fn plain(args: &[String]) -> Vec<Argument> {
    args.iter().cloned().map(Argument::plain).collect()
}

/// Checks whether the connection may run the file `program` with the arguments of `spec`.
pub(crate) fn check_program(greeting: &Greeting, spec: &Spec, program: &str) -> Result<(), Error> {
    if is_allowed(greeting, program) {
        check_arguments(
            greeting,
            program,
            &plain(spec.args.as_deref().unwrap_or_default()),
        )
    } else {
        Err(refused(
            greeting,
            &format!("`{}` is not allowed here", spec.command),
        ))
    }
}

/// The shell line to run for `line`. With an allow-list, each command in it is the path of an allowed program.
pub(crate) fn checked_line(greeting: &Greeting, line: &str, cwd: &Path) -> Result<String, Error> {
    if greeting.policy.allow.is_none() || is_allowed(greeting, SHELL) {
        return Ok(line.to_owned());
    }
    let parsed = ShellLine::parse(line)
        .map_err(|what| refused(greeting, &format!("a shell line may not contain {what}")))?;
    parsed.with_programs(|name, arguments| {
        let file = allowed_file(greeting, name, cwd)?;
        check_arguments(greeting, &file, arguments)?;
        Ok(file)
    })
}

/// Checks whether the connection may run a session again, which another client with more rights may have
/// started.
pub(crate) fn check_spec(greeting: &Greeting, spec: &Spec) -> Result<(), Error> {
    if let Some(line) = &spec.on_exit {
        checked_line(greeting, line, Path::new(&spec.cwd))?;
    }
    check_command(greeting, spec)
}

/// Checks whether the connection may run the command of a session.
fn check_command(greeting: &Greeting, spec: &Spec) -> Result<(), Error> {
    let cwd = Path::new(&spec.cwd);
    match &spec.args {
        _ if greeting.policy.allow.is_none() => Ok(()),
        None => checked_line(greeting, &spec.command, cwd).map(drop),
        Some(args) => {
            let file = allowed_file(greeting, &spec.command, cwd)?;
            check_arguments(greeting, &file, &plain(args))
        }
    }
}

/// Checks whether the connection may type into a program. With an allow-list it must be one that it could start itself:
/// what is typed into a shell or an editor starts others.
pub(crate) fn check_typing(greeting: &Greeting, spec: &Spec) -> Result<(), Error> {
    check_command(greeting, spec).map_err(|error| {
        let why = "typing into a session that this connection could not start";
        Error::new(error.code, format!("{why}: {}", error.message)).hint(
            "`exec` runs allowed programs in a shell; `start` with `args` runs one without a shell",
        )
    })
}

/// The line to type into the shell of a session for `line`: with an allow-list, each command in it is the path of an
/// allowed program, unless the connection could start this shell itself. `is_posix`: the shell is known to be a Bourne
/// shell, whose lines can be checked.
pub(crate) fn typed_line(
    greeting: &Greeting,
    spec: &Spec,
    line: &str,
    is_posix: bool,
) -> Result<String, Error> {
    match check_typing(greeting, spec) {
        Ok(()) => Ok(line.to_owned()),
        Err(_) if is_posix => checked_line(greeting, line, Path::new(&spec.cwd)),
        Err(error) => Err(error),
    }
}

/// The file that a word stands for, if it is on the list.
fn allowed_file(greeting: &Greeting, word: &str, cwd: &Path) -> Result<String, Error> {
    let file = if word.contains('/') {
        find_program(word, "", cwd).ok()
    } else {
        named(greeting, word)
    };
    file.filter(|file| is_allowed(greeting, file))
        .ok_or_else(|| refused(greeting, &format!("`{word}` is not allowed here")))
}

/// Whether this file is on the list, or there is no list.
fn is_allowed(greeting: &Greeting, program: &str) -> bool {
    let Some(allow) = &greeting.policy.allow else {
        return true;
    };
    let mut files = allow.iter().filter_map(|word| named(greeting, word));
    files.any(|file| is_same(Path::new(&file), Path::new(program)))
}

/// Whether two paths name the same directory entry, such as `/bin/ls` and `/usr/bin/ls` if `/bin` is a link. A
/// link to the file itself counts as another program, because multi-call programs act by the name they are
/// called with.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        Some((
            path.parent()?.canonicalize().ok()?,
            path.file_name()?.to_owned(),
        ))
    };
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

fn refused(greeting: &Greeting, why: &str) -> Error {
    let allow = greeting.policy.allow.iter().flatten();
    let allow: Vec<&str> = allow.map(String::as_str).collect();
    let message = format!("{why}; allowed: {}", allow.join(", "));
    Error::new(ErrorCode::PermissionDenied, message).hint(
        "use `args` to run one program without a shell; a shell line may combine allowed programs",
    )
}
