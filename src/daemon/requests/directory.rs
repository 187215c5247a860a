//! The directories that clients name.

use std::path::{Path, PathBuf};

use crate::protocol::{Error, ErrorCode, Greeting};

/// The absolute path that a client means by `path`, which is relative to its own directory; absent: that directory.
///
/// # Errors
///
/// `spawn_failed` if its own directory is needed and cannot be named: to act on another one would be dangerous.
pub(crate) fn resolved(greeting: &Greeting, path: Option<&str>) -> Result<PathBuf, Error> {
    let given = Path::new(path.unwrap_or_default());
    if given.is_absolute() {
        return Ok(given.to_owned());
    }
    match (&greeting.cwd, &greeting.cwd_fault) {
        (Some(base), _) => Ok(Path::new(base).join(given)),
        (None, None) => Ok(Path::new("/").join(given)),
        (None, Some(why)) => {
            let message = format!("the current directory cannot be used: {why}; go to another one");
            Err(Error::new(ErrorCode::SpawnFailed, message))
        }
    }
}

/// The path that a shell makes of `~` and `~/NAME`; `None` for another path, or if the home directory is not known.
pub(crate) fn in_home(greeting: &Greeting, path: &str) -> Option<PathBuf> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let home = match &greeting.env {
        Some(env) => env.get("HOME").cloned(),
        None => std::env::var("HOME").ok(),
    };
    let home = home.filter(|_| first == "~")?;
    Some(Path::new(&home).join(rest))
}
