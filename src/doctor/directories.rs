//! Checks that the directories are private and writable, and have room for logs.

use std::io;
use std::path::Path;

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::{Finding, Repair};
use crate::sys::disk::Space;
use crate::sys::machine;
use crate::sys::paths::{Home, PathError, check_private};
use crate::sys::role::ProcessRole;

const SUBJECT: &str = "directories";

pub(super) fn check(home: &Home) -> Vec<Finding> {
    let sessions = home.sessions();
    let mut dirs = vec![home.runtime.as_path(), &home.state, &sessions];
    dirs.dedup();
    let mut found: Vec<_> = dirs.into_iter().map(directory).collect();
    found.extend(ProcessRole::ALL.into_iter().filter_map(|process| {
        let path = home.diagnostics(process);
        let meta = std::fs::symlink_metadata(&path).ok()?;
        let text = format!(
            "{} is not a plain file, so nothing is written to it",
            path.display()
        );
        (!meta.is_file()).then(|| Finding::warning(SUBJECT, text).advise("remove it"))
    }));
    found.extend(machines(home));
    found.extend(space(&home.state));
    found
}

/// Says which machines have the state in common, or would spoil it for each other.
fn machines(home: &Home) -> Option<Finding> {
    let state = &home.state;
    if machine::parts(state).is_some() {
        let others = machine::others(state);
        let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        let others = if names.is_empty() {
            "no other machine has used this home".to_owned()
        } else {
            format!("other machines that use this home: {}", names.join(", "))
        };
        let text = format!(
            "the jobs of this machine are in {}; {others}",
            state.display()
        );
        return Some(Finding::ok(SUBJECT, text));
    }
    let is_whole = home.session.is_none() && home.sessions().exists();
    (is_whole && machine::is_of_network(state)).then(|| {
        let text = format!(
            "{} is in a network file system: only the machine whose keeper runs can run jobs",
            state.display()
        );
        Finding::warning(SUBJECT, text).advise(format!(
            "end all jobs (bgproc daemon stop --kill), then: mkdir -m 700 {}/machines; finished jobs are no longer listed then",
            state.display()
        ))
    })
}

fn directory(path: &Path) -> Finding {
    let name = path.display();
    match check_private(path) {
        Ok(()) if access(path, Access::WRITE_OK | Access::EXEC_OK).is_err() => {
            let why = if is_read_only(path) {
                "its file system is read-only"
            } else {
                "its mode does not allow it"
            };
            Finding::problem(SUBJECT, format!("{name} cannot be written to: {why}"))
                .advise("make it writable, or set BGPROC_HOME to another directory")
        }
        Ok(()) => Finding::ok(SUBJECT, format!("{name} is private and can be written to")),
        Err(PathError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            missing(path)
        }
        Err(error) => {
            let finding = Finding::problem(SUBJECT, error.to_string()).advise(error.advice());
            match error {
                PathError::Open { path, .. } => finding.with_repair(Repair::MakePrivate(path)),
                _ => finding,
            }
        }
    }
}

/// The first verb creates the directory, if its nearest existing ancestor permits it.
fn missing(path: &Path) -> Finding {
    let name = path.display();
    let above = nearest(path);
    match access(above, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) if above.is_dir() => {
            Finding::ok(SUBJECT, format!("{name} is not there yet and can be made"))
        }
        _ => Finding::problem(
            SUBJECT,
            format!("{name} cannot be made in {}", above.display()),
        )
        .advise("set BGPROC_HOME to a directory that you can write to"),
    }
}

fn nearest(path: &Path) -> &Path {
    let mut above = path.ancestors().skip(1);
    above.find(|dir| dir.exists()).unwrap_or(Path::new("/"))
}

fn is_read_only(path: &Path) -> bool {
    statvfs(path).is_ok_and(|fs| fs.f_flag.contains(StatVfsMountFlags::RDONLY))
}

fn space(path: &Path) -> Option<Finding> {
    let place = if path.exists() { path } else { nearest(path) };
    Space::of(place).ok().map(judge_space)
}

fn judge_space(space: Space) -> Finding {
    let text = format!("{} MiB are free for logs", space.free >> 20);
    if !space.is_low() {
        return Finding::ok(SUBJECT, text);
    }
    let least = space.least() >> 20;
    let text = format!("{text}; below {least} MiB only the newest output of a job is kept");
    Finding::problem(SUBJECT, text)
        .advise("make room on the disk; bgproc clean removes finished jobs")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn least_space_is_a_gibibyte_or_a_twentieth() {
        let judge = |free, size| judge_space(Space { free, size }).verdict;
        assert_eq!(judge(2 << 30, 100 << 30), Verdict::Ok);
        assert_eq!(judge(1 << 29, 100 << 30), Verdict::Problem);
        assert_eq!(judge(6 << 20, 100 << 20), Verdict::Ok);
        assert_eq!(judge(4 << 20, 100 << 20), Verdict::Problem);
    }

    #[test]
    fn a_missing_directory_is_judged_by_its_ancestor() {
        let dir = tempfile::tempdir().unwrap();
        let finding = directory(&dir.path().join("not/there"));
        assert_eq!(finding.verdict, Verdict::Ok, "{finding:?}");
        std::fs::write(dir.path().join("file"), "").unwrap();
        let finding = directory(&dir.path().join("file/not/there"));
        assert_eq!(finding.verdict, Verdict::Problem, "{finding:?}");
    }
}
