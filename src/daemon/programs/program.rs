//! What a session runs: the program's file, its directory and environment.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::allow::{check_program, checked_line};
use crate::engine::meta::Spec;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::record::Mode;
use crate::protocol::{Error, ErrorCode, Greeting, SessionId};
use crate::sys::detach::ROLE;
use crate::sys::tree::MARK;

/// The shell that runs a command without `args`.
pub(crate) const SHELL: &str = "/bin/sh";

/// What it is called with in front of the command.
pub(crate) const SHELL_ARGV: [&str; 2] = ["sh", "-c"];

/// Where programs are looked for if the environment does not say.
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A directory that is not there would silently be another one's problem.
pub(crate) fn check_directory(cwd: &Path) -> Result<(), Error> {
    let failed = |errno: i32, why: &str| {
        let message = format!("the working directory {} {why}", cwd.display());
        Err(Error::new(ErrorCode::SpawnFailed, message)
            .data(json!({ "errno": errno, "path": cwd.display().to_string() })))
    };
    match std::fs::metadata(cwd) {
        Ok(meta) if meta.is_dir() => Ok(()),
        // ENOTDIR, as chdir(2) has it.
        Ok(_) => failed(20, "is not a directory"),
        Err(error) => failed(
            error.raw_os_error().unwrap_or_default(),
            &format!("cannot be used: {error}"),
        ),
    }
}

/// The environment of a job: its client's, with what was asked for on top.
pub(crate) fn environment(
    greeting: &Greeting,
    id: &SessionId,
    changes: Option<&BTreeMap<String, Option<String>>>,
    mode: Mode,
) -> Result<BTreeMap<String, String>, Error> {
    let own = || {
        std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
    };
    let mut env = greeting.env.clone().unwrap_or_else(|| own().collect());
    // What describes the client's own terminal would be a lie about the job's.
    for name in ["COLUMNS", "LINES", "TMUX", "TMUX_PANE", "STY", "WINDOW"] {
        env.remove(name);
    }
    env.remove(ROLE);
    if mode == Mode::Pty {
        env.insert("TERM".to_owned(), "xterm-256color".to_owned());
        env.insert("COLORTERM".to_owned(), "truecolor".to_owned());
    }
    for (name, value) in changes.into_iter().flatten() {
        if name.is_empty() || name.contains('=') || name.contains('\0') {
            return Err(Error::invalid(format!(
                "`env`: `{name}` is no name of a variable"
            )));
        }
        match value {
            Some(value) => {
                no_nul("env", value)?;
                env.insert(name.clone(), value.clone());
            }
            None => {
                env.remove(name);
            }
        }
    }
    env.insert(MARK.to_owned(), id.to_string());
    Ok(env)
}

/// What to run, if the client may: the program's path is looked up here, so that
/// the error can name the places that were searched.
pub(crate) fn spawn_spec(
    greeting: &Greeting,
    spec: &Spec,
    env: BTreeMap<String, String>,
) -> Result<SpawnSpec, Error> {
    let (program, argv) = match &spec.args {
        None => {
            let mut argv: Vec<_> = SHELL_ARGV.map(str::to_owned).into();
            argv.push(checked_line(greeting, &spec.command, Path::new(&spec.cwd))?);
            (SHELL.to_owned(), argv)
        }
        Some(args) => {
            let path = env.get("PATH").map_or(DEFAULT_PATH, String::as_str);
            let program = find_program(&spec.command, path, Path::new(&spec.cwd))?;
            check_program(greeting, spec, &program)?;
            let argv = std::iter::once(&spec.command)
                .chain(args)
                .cloned()
                .collect();
            (program, argv)
        }
    };
    let env = env.into_iter().collect();
    Ok(SpawnSpec {
        program,
        argv,
        cwd: spec.cwd.clone(),
        env,
        mode: spec.mode,
        umask: greeting.umask,
        inherit: greeting.inherit.clone(),
        limits: spec.limits.map(Box::new),
    })
}

/// What to run after a person has changed it, in the environment of the run before.
pub(crate) fn renewed(spec: &Spec, known: SpawnSpec) -> Result<SpawnSpec, Error> {
    let (program, argv) = match &spec.args {
        None => {
            let words = SHELL_ARGV.into_iter().chain([spec.command.as_str()]);
            (SHELL.to_owned(), words.map(str::to_owned).collect())
        }
        Some(args) => {
            let path = known.env.get("PATH").unwrap_or(DEFAULT_PATH);
            let program = find_program(&spec.command, path, Path::new(&spec.cwd))?;
            let words = std::iter::once(&spec.command).chain(args);
            (program, words.cloned().collect())
        }
    };
    Ok(SpawnSpec {
        program,
        argv,
        ..known
    })
}

/// What to run again when the keeper does not remember it.
pub(crate) fn fresh_spec(
    greeting: &Greeting,
    id: &SessionId,
    spec: &Spec,
) -> Result<SpawnSpec, Error> {
    check_directory(Path::new(&spec.cwd))?;
    spawn_spec(greeting, spec, environment(greeting, id, None, spec.mode)?)
}

/// The file that a word means to a connection, whatever a request changes.
pub(crate) fn named(greeting: &Greeting, word: &str) -> Option<String> {
    if word == "sh" {
        return Some(SHELL.to_owned());
    }
    let env = greeting.env.as_ref();
    let path = env
        .and_then(|env| env.get("PATH"))
        .map_or(DEFAULT_PATH, String::as_str);
    find_program(word, path, Path::new("/")).ok()
}

pub(crate) fn find_program(command: &str, path: &str, cwd: &Path) -> Result<String, Error> {
    let mut refused = None;
    let candidates: Vec<PathBuf> = match command.contains('/') {
        true => vec![cwd.join(command)],
        false => path
            .split(':')
            .map(|dir| cwd.join(dir).join(command))
            .collect(),
    };
    for candidate in &candidates {
        match std::fs::metadata(candidate) {
            Ok(meta) if meta.is_file() && meta.permissions().mode() & 0o111 != 0 => {
                return Ok(candidate.display().to_string());
            }
            Ok(_) => refused = refused.or(Some(candidate)),
            Err(_) => {}
        }
    }
    let (errno, message, place) = match refused {
        // EACCES and ENOENT, as execve(2) has them.
        Some(file) => {
            let file = file.display().to_string();
            (13, format!("{file} is not an executable file"), file)
        }
        None if command.contains('/') => {
            let file = cwd.join(command).display().to_string();
            (2, format!("{file} does not exist"), file)
        }
        None => (
            2,
            format!("{command} was not found; searched PATH: {path}"),
            path.to_owned(),
        ),
    };
    Err(Error::new(ErrorCode::SpawnFailed, message)
        .hint("without `args`, `command` is run by a shell")
        .data(json!({ "errno": errno, "path": place, "command": command })))
}

/// Refuses text with a NUL character, which no program can be given.
pub(crate) fn no_nul(what: &str, text: &str) -> Result<(), Error> {
    match text.contains('\0') {
        true => Err(Error::invalid(format!("`{what}` has a NUL character"))),
        false => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_as_the_system_would() {
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("tool");
        std::fs::write(&tool, "#!/bin/sh\n").unwrap();
        let path = format!("/nowhere:{}", dir.path().display());
        let error = find_program("tool", &path, dir.path()).unwrap_err();
        assert_eq!(error.data.unwrap()["errno"], 13, "not executable yet");
        std::fs::set_permissions(&tool, PermissionsExt::from_mode(0o755)).unwrap();
        let found = find_program("tool", &path, dir.path()).unwrap();
        assert_eq!(found, tool.display().to_string());
        assert!(find_program("./tool", "/nowhere", dir.path()).is_ok());
        let error = find_program("too", &path, dir.path()).unwrap_err();
        assert!(error.message.contains(&path), "{error}");
    }
}
