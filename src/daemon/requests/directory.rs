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
        return Ok(plain(given));
    }
    match (&greeting.cwd, &greeting.cwd_fault) {
        (Some(base), _) => Ok(plain(&Path::new(base).join(given))),
        (None, None) => Ok(plain(&Path::new("/").join(given))),
        (None, Some(why)) => {
            let message = format!("the current directory cannot be used: {why}; go to another one");
            Err(Error::new(ErrorCode::SpawnFailed, message))
        }
    }
}

/// The working directory that a client names, which is [`resolved`]; `~` is the home directory, unless there is a
/// directory of that name.
pub(crate) fn working_directory(greeting: &Greeting, path: Option<&str>) -> Result<PathBuf, Error> {
    let named = resolved(greeting, path);
    match path.and_then(|path| in_home(greeting, path)) {
        Some(home) => Ok(named.ok().filter(|named| named.exists()).unwrap_or(home)),
        None => named,
    }
}

/// The path that a shell makes of `~` and `~/NAME`; `None` for another path, or if the home directory is not known.
fn in_home(greeting: &Greeting, path: &str) -> Option<PathBuf> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let home = match &greeting.env {
        Some(env) => env.get("HOME").cloned(),
        None => std::env::var("HOME").ok(),
    };
    let home = home.filter(|_| first == "~")?;
    Some(plain(&Path::new(&home).join(rest)))
}

/// A path without `.` and without a slash at its end, so that a directory has one name in lists.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_name() {
        for (given, name) in [
            ("/srv/", "/srv"),
            ("/srv/./a//b/", "/srv/a/b"),
            ("/", "/"),
            ("/srv/../a", "/srv/../a"),
        ] {
            assert_eq!(plain(Path::new(given)).display().to_string(), name);
        }
    }
}
