//! What can be done about a finding, once a person has agreed.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::sys::{process, signal};

/// Something that puts a finding right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mend {
    /// Lets a stopped process go on.
    Continue(u32),
    /// Makes this program the daemon and the keeper. It is done as by the verb `daemon upgrade`.
    Upgrade,
    /// Removes files that nobody needs any more.
    Remove(Vec<PathBuf>),
    /// Takes the rights of others away from a directory.
    MakePrivate(PathBuf),
}

impl Mend {
    /// What is to be agreed to.
    pub fn question(&self) -> String {
        match self {
            Self::Continue(pid) => format!("let pid {pid} go on (kill -CONT)"),
            Self::Upgrade => "make this bgproc the daemon and the keeper".to_owned(),
            Self::Remove(files) if files.len() == 1 => format!("remove {}", files[0].display()),
            Self::Remove(files) => format!("remove {} files", files.len()),
            Self::MakePrivate(dir) => format!("chmod 700 {}", dir.display()),
        }
    }

    /// Does it, but for what a verb does.
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

/// The process that left `PATH.PID.tmp` behind, if it is gone: a crash came between writing and renaming.
pub(super) fn is_abandoned(name: &str) -> bool {
    let pid = name
        .strip_suffix(".tmp")
        .and_then(|rest| rest.rsplit('.').next());
    let pid = pid.and_then(|pid| pid.parse().ok());
    pid.is_some_and(|pid| process::read(pid).is_none())
}
