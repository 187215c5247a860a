//! `-C`: the working directory of a job.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::batch::BatchRequest;
use crate::cli::disk;
use crate::cli::exit::Failure;
use crate::client::host;
use crate::project::without_dots;

/// The absolute path of an existing directory, without `.` and `..`, so that one directory has one name in lists. The
/// daemon has another working directory. For a job of another host, the path as it is written: it begins at the
/// directory of a login, and only the host can check it.
pub(crate) fn absolute(dir: &str, batch: &BatchRequest) -> Result<String, Failure> {
    if dir.is_empty() {
        let message = "-C needs a directory, but the value is empty";
        return Err(Failure::Usage(message.to_owned()));
    }
    if host::chosen().is_some() || batch.host()?.is_some() {
        return Ok(dir.to_owned());
    }
    let absolute = disk::absolute(Path::new(dir))?;
    if !absolute.is_dir() {
        let what = if absolute.exists() {
            "is not a directory"
        } else {
            "does not exist"
        };
        let message = format!("-C {dir}: {} {what}", absolute.display());
        return Err(Failure::Usage(message));
    }
    let found = normal(&absolute).map_err(Failure::cannot(format!("find {dir}")))?;
    let path = found.into_os_string();
    path.into_string().map_err(|path| {
        let message = format!("-C {dir}: {} is not UTF-8", path.to_string_lossy());
        Failure::Usage(message)
    })
}

/// An absolute path without `..`. Symlinks stay as they are written, unless one stands before `..`: then its target
/// says which directory is meant.
fn normal(path: &Path) -> std::io::Result<PathBuf> {
    let short = without_dots(path);
    let id = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino()));
    if id(&short).ok() == Some(id(path)?) {
        Ok(short)
    } else {
        path.canonicalize()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn one_directory_has_one_name() {
        let here = BatchRequest::default();
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let at = |path: &str| base.join(path);
        std::fs::create_dir_all(at("deep/er")).unwrap();
        std::fs::create_dir_all(at("x")).unwrap();
        symlink(at("deep/er"), at("link")).unwrap();
        for (written, meant) in [
            ("x", "x"),
            ("deep/../x", "x"),
            ("./deep/er/../../x/.", "x"),
            ("link", "link"),
            ("link/.", "link"),
            // The directory that contains `er`, as for cd -P and for the system.
            ("link/..", "deep"),
        ] {
            let found = absolute(&at(written).display().to_string(), &here).unwrap();
            assert_eq!(found, at(meant).display().to_string(), "{written}");
        }
        for wrong in ["", "/nowhere/at/all"] {
            assert!(absolute(wrong, &here).is_err(), "{wrong}");
        }
    }
}
