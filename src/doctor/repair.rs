//! Repairs that doctor can make, once a person has agreed.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::sys::{process, signal};

/// A repair for a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Repair {
    /// Resumes a stopped process.
    Continue(u32),
    /// Makes this program the daemon and the keeper, as the verb `daemon upgrade` does.
    Upgrade,
    /// Removes files that are no longer needed.
    Remove(Vec<PathBuf>),
    /// Removes the access of other users to a directory.
    MakePrivate(PathBuf),
}

impl Repair {
    /// The question that asks a person to agree.
    pub fn question(&self) -> String {
        match self {
            Self::Continue(pid) => format!("resume pid {pid} (kill -CONT)"),
            Self::Upgrade => "upgrade daemon and keeper to this bgproc".to_owned(),
            Self::Remove(files) if files.len() == 1 => format!("remove {}", files[0].display()),
            Self::Remove(files) => format!("remove {} files", files.len()),
            Self::MakePrivate(dir) => format!("chmod 700 {}", dir.display()),
        }
    }

    /// Makes the repair, except for `Upgrade`, which is done by a verb.
    pub fn apply(&self) -> io::Result<()> {
        match self {
            Self::Continue(pid) => {
                let process = process::read(*pid).ok_or(io::ErrorKind::NotFound)?;
                let handle = process::open(&process).ok_or(io::ErrorKind::NotFound)?;
                signal::send(&handle, signal::CONT)
            }
            Self::Upgrade => Ok(()),
            Self::Remove(files) => files.iter().try_for_each(std::fs::remove_file),
            Self::MakePrivate(dir) => {
                std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700))
            }
        }
    }
}

/// Whether the process that created `PATH.PID.tmp` is gone: it crashed between writing and renaming.
pub(super) fn is_abandoned(name: &str) -> bool {
    let pid = name
        .strip_suffix(".tmp")
        .and_then(|rest| rest.rsplit('.').next());
    let pid = pid.and_then(|pid| pid.parse().ok());
    pid.is_some_and(|pid| process::read(pid).is_none())
}
