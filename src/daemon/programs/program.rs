//! What a session runs: the program's file, its arguments, directory and environment.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::allow::{check_program, checked_line};
use crate::engine::meta::Spec;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::status::Mode;
use crate::protocol::{Error, ErrorCode, Greeting, SessionId};
use crate::sys::detach::ROLE;
use crate::sys::tree::MARK;

/// The shell that runs a command without `args`, if the request does not name another one.
pub(crate) const SHELL: &str = "/bin/sh";

/// The arguments of that shell before the command.
pub(crate) const SHELL_ARGV: [&str; 2] = ["sh", "-c"];

/// The PATH if the environment has none.
pub(crate) const DEFAULT_PATH: &str =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Checks the working directory now, so that the error names it.
pub(crate) fn check_directory(cwd: &Path) -> Result<(), Error> {
    let failed = |errno: i32, why: &str| {
        let message = format!("the working directory {} {why}", cwd.display());
        Err(Error::new(ErrorCode::SpawnFailed, message)
            .data(json!({ "errno": errno, "path": cwd.display().to_string() })))
    };
    match std::fs::metadata(cwd) {
        Ok(meta) if meta.is_dir() => Ok(()),
        // ENOTDIR, as chdir(2) reports it.
        Ok(_) => failed(20, "is not a directory"),
        Err(error) => failed(
            error.raw_os_error().unwrap_or_default(),
            &format!("cannot be used: {error}"),
        ),
    }
}

/// The environment of a job: that of its client, with the requested changes.
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
    // Remove what describes the client's own terminal: it does not apply to the job's terminal.
    for name in ["COLUMNS", "LINES", "TMUX", "TMUX_PANE", "STY", "WINDOW"] {
        env.remove(name);
    }
    env.remove(ROLE);
    if mode == Mode::Pty {
        env.insert("TERM".to_owned(), "xterm-256color".to_owned());
        env.insert("COLORTERM".to_owned(), "truecolor".to_owned());
    }
    if let Some(changes) = changes {
        change(&mut env, changes)?;
    }
    env.insert(MARK.to_owned(), id.to_string());
    Ok(env)
}

/// Checks whether a program can have the variables of a request.
pub(crate) fn check_changes(changes: &BTreeMap<String, Option<String>>) -> Result<(), Error> {
    for (name, value) in changes {
        if name.is_empty() || name.contains('=') || name.contains('\0') {
            return Err(Error::invalid(format!(
                "`env`: `{name}` is not a valid variable name"
            )));
        }
        no_nul("env", value.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

/// Changes variables as a request says; one without a value is removed.
fn change(
    env: &mut BTreeMap<String, String>,
    changes: &BTreeMap<String, Option<String>>,
) -> Result<(), Error> {
    check_changes(changes)?;
    for (name, value) in changes {
        match value {
            Some(value) => drop(env.insert(name.clone(), value.clone())),
            None => drop(env.remove(name)),
        }
    }
    Ok(())
}

/// What a session runs, with other variables. It keeps the mark by which its processes are known.
pub(crate) fn with_changes(
    spec: SpawnSpec,
    id: &SessionId,
    changes: &BTreeMap<String, Option<String>>,
) -> Result<SpawnSpec, Error> {
    let known = spec.env.iter();
    let mut env = known
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    change(&mut env, changes)?;
    env.insert(MARK.to_owned(), id.to_string());
    Ok(SpawnSpec {
        env: env.into_iter().collect(),
        ..spec
    })
}

/// What to run, if the client may run it. The program is looked up here, so that the error can name the
/// directories that were searched.
pub(crate) fn spawn_spec(
    greeting: &Greeting,
    spec: &Spec,
    env: BTreeMap<String, String>,
) -> Result<SpawnSpec, Error> {
    let (program, argv) = match &spec.args {
        None => {
            let line = checked_line(greeting, &spec.command, Path::new(&spec.cwd))?;
            shell_words(spec, line)
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
        ready: None,
    })
}

/// The shell of a session, and its arguments to run a line.
fn shell_words(spec: &Spec, line: String) -> (String, Vec<String>) {
    let shell = spec.shell.as_deref().unwrap_or(SHELL);
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let argv = [name.to_owned(), SHELL_ARGV[1].to_owned(), line];
    (shell.to_owned(), argv.into())
}

/// What to run after a person has changed the command, in the environment of the last run.
pub(crate) fn renewed(spec: &Spec, known: SpawnSpec) -> Result<SpawnSpec, Error> {
    let (program, argv) = match &spec.args {
        None => shell_words(spec, spec.command.clone()),
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

/// What to run again if the keeper does not have the last run's spawn request.
pub(crate) fn fresh_spec(
    greeting: &Greeting,
    id: &SessionId,
    spec: &Spec,
) -> Result<SpawnSpec, Error> {
    check_directory(Path::new(&spec.cwd))?;
    spawn_spec(greeting, spec, environment(greeting, id, None, spec.mode)?)
}

/// The file that the connection's own PATH finds for a word, whatever a request changes.
pub(crate) fn named(greeting: &Greeting, word: &str) -> Option<String> {
    if word == "sh" {
        return Some(SHELL.to_owned());
    }
    find_named(greeting, word).ok()
}

/// As [`named`], with the error of a word that is not found.
pub(super) fn find_named(greeting: &Greeting, word: &str) -> Result<String, Error> {
    let env = greeting.env.as_ref();
    let path = env
        .and_then(|env| env.get("PATH"))
        .map_or(DEFAULT_PATH, String::as_str);
    find_program(word, path, Path::new("/"))
}

/// Checks that a program that was found for an earlier run is still there.
pub(crate) fn check_still_there(program: &str) -> Result<(), Error> {
    find_program(program, "", Path::new("/")).map(drop)
}

pub(crate) fn find_program(command: &str, path: &str, cwd: &Path) -> Result<String, Error> {
    let mut refused = None;
    let candidates: Vec<PathBuf> = if command.contains('/') {
        vec![cwd.join(command)]
    } else {
        path.split(':')
            .map(|dir| cwd.join(dir).join(command))
            .collect()
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
    let (errno, message, place, searched) = match refused {
        // EACCES and ENOENT, as execve(2) reports them.
        Some(file) => {
            let file = file.display().to_string();
            (13, format!("{file} is not an executable file"), file, None)
        }
        None if command.contains('/') => {
            let file = cwd.join(command).display().to_string();
            (2, format!("{file} does not exist"), file, None)
        }
        None => (
            2,
            format!("{command} was not found on PATH"),
            command.to_owned(),
            Some(path),
        ),
    };
    let mut data = json!({ "errno": errno, "path": place, "command": command });
    if let Some(path) = searched {
        data["searched"] = path.into();
    }
    Err(Error::new(ErrorCode::SpawnFailed, message)
        .hint("without `args`, a shell runs `command`")
        .data(data))
}

/// Refuses text with a NUL character, which cannot be passed to a program.
pub(crate) fn no_nul(what: &str, text: &str) -> Result<(), Error> {
    if text.contains('\0') {
        Err(Error::invalid(format!("`{what}` contains a NUL character")))
    } else {
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finds_programs_as_the_system_does() {
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
        assert!(!error.message.contains(&path), "{error}");
        let data = error.data.unwrap();
        assert_eq!(
            (&data["path"], &data["searched"]),
            (&"too".into(), &path.into())
        );
    }
}
