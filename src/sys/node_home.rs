//! The homes of the runs of a session on nodes of a cluster.
//!
//! The session has a directory that all nodes see, and each of its runs has a home there:
//!
//! ```text
//! DIR/job.json   engine.log   refusal.json
//!    /ID.1/      the home of the first run: node, state.json, sessions/ID/…
//!    /ID.2/      the home of the second run
//!    /sessions   a symbolic link to ID.2/sessions: the second run owns the session
//! ```
//!
//! A cluster that does not hear of a node puts its jobs into the queue again, while their processes may go on there. So
//! the next run gets the log as far as it reaches now, and what the run before it still writes stays in that one's home.
//! The homes of still earlier runs are removed.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use super::{file, segments};
use crate::protocol::SessionId;
use crate::protocol::disk::{INDEX, INPUT, META, segment_name};

/// The file in a home that is on a node of a cluster. It contains the id of the session for which the home was made;
/// that of an allocation is empty. The state is in a file system that other machines see, so sockets and locks are in
/// a directory of the node's own.
pub(super) const NODE: &str = "node";

/// The directory of sessions in a home, and the link to that of the owner.
pub(super) const SESSIONS: &str = "sessions";

/// The file in a home that names the run before while not all of its log is here yet.
const BEFORE: &str = "before";

/// The run that owns a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    /// Number of the run, counted from 1.
    pub run: u32,
    /// Its home.
    pub home: PathBuf,
}

/// The run that owns the session of a directory; `None` if the directory has no homes of runs.
///
/// # Errors
///
/// The link cannot be read, as on a file system that does not answer.
pub fn owner(dir: &Path) -> io::Result<Option<Owner>> {
    let aim = match std::fs::read_link(dir.join(SESSIONS)) {
        Ok(aim) => aim,
        // There is none, or it is a directory.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut parts = aim.components();
    let (Some(Component::Normal(name)), Some(Component::Normal(sessions)), None) =
        (parts.next(), parts.next(), parts.next())
    else {
        return Ok(None);
    };
    let run = name
        .to_str()
        .and_then(|name| name.rsplit_once('.')?.1.parse().ok());
    let home = dir.join(name);
    let run = if sessions == SESSIONS && home.join(NODE).try_exists()? {
        run
    } else {
        None
    };
    Ok(run.map(|run| Owner { run, home }))
}

/// Makes a run the owner of the session of a directory, with a home that has the log so far. Returns the home; `None` if
/// a later run owns the session already.
///
/// # Errors
///
/// What of the directory cannot be read or written. The same run can try again.
pub fn take_over(dir: &Path, session: &SessionId, run: u32) -> io::Result<Option<PathBuf>> {
    let before = owner(dir)?;
    match &before {
        Some(owner) if owner.run > run => return Ok(None),
        Some(owner) => {
            complete(dir, session, &owner.home)?;
            if owner.run == run {
                return Ok(Some(owner.home.clone()));
            }
        }
        // An earlier version made the directory itself the home of all runs.
        None if dir.join(NODE).exists() => return Ok(Some(dir.to_owned())),
        None => {}
    }
    let home = home_of(dir, session, run);
    remove(&home)?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(home.join(SESSIONS))?;
    let has_run = |owner: &&Owner| log_in(&owner.home, session).exists();
    if let Some(before) = before.as_ref().filter(has_run) {
        let (log, own) = (log_in(&before.home, session), log_in(&home, session));
        DirBuilder::new().mode(0o700).create(&own)?;
        for name in [META, INPUT] {
            copy(&log, &own, name)?;
        }
        bring_log(&log, &own)?;
        file::replace(&home.join(BEFORE), before.run.to_string().as_bytes())?;
    }
    file::replace(&home.join(NODE), session.as_str().as_bytes())?;
    // A run that was held up meanwhile comes too late.
    if owner(dir)? != before {
        return Ok(None);
    }
    let link = home.join("link");
    symlink(home_of(Path::new(""), session, run).join(SESSIONS), &link)?;
    std::fs::rename(&link, dir.join(SESSIONS))?;
    complete(dir, session, &home)?;
    for earlier in 1..before.map_or(0, |before| before.run) {
        // It only takes room.
        let _ = remove(&home_of(dir, session, earlier));
    }
    Ok(Some(home))
}

/// Brings into the home of the owner what the run before has written up to now. Until the owner has changed, readers have
/// seen the log of that one, and what they have seen keeps its offsets.
fn complete(dir: &Path, session: &SessionId, home: &Path) -> io::Result<()> {
    let marker = home.join(BEFORE);
    let before = match std::fs::read_to_string(&marker) {
        Ok(text) => text.parse().map_err(io::Error::other)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let before = log_in(&home_of(dir, session, before), session);
    let own = log_in(home, session);
    // The index first, so that it does not reach beyond the log.
    copy(&before, &own, INDEX)?;
    bring_log(&before, &own)?;
    std::fs::remove_file(marker)
}

fn home_of(dir: &Path, session: &SessionId, run: u32) -> PathBuf {
    dir.join(format!("{session}.{run}"))
}

fn log_in(home: &Path, session: &SessionId) -> PathBuf {
    home.join(SESSIONS).join(session.as_str())
}

/// Removes a directory, if it is there.
fn remove(dir: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Copies a file, if there is one.
fn copy(from: &Path, to: &Path, name: &str) -> io::Result<()> {
    match std::fs::copy(from.join(name), to.join(name)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Brings a log to where it ends in another directory. Only its last segment may still grow there.
fn bring_log(from: &Path, to: &Path) -> io::Result<()> {
    let starts = segments::starts(from)?;
    for start in &starts {
        let (source, target) = (
            from.join(segment_name(*start)),
            to.join(segment_name(*start)),
        );
        let is_full = Some(start) != starts.last();
        if is_full && !target.exists() && std::fs::hard_link(&source, &target).is_ok() {
            continue;
        }
        match bring_segment(&source, &target) {
            // It was dropped just now.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

/// Appends to a copy of a segment what it lacks.
fn bring_segment(source: &Path, target: &Path) -> io::Result<()> {
    let mut source = File::open(source)?;
    let mut options = OpenOptions::new();
    let mut target = options.create(true).append(true).mode(0o600).open(target)?;
    let has = target.metadata()?.len();
    let lacks = source.metadata()?.len().saturating_sub(has);
    source.seek(SeekFrom::Start(has))?;
    io::copy(&mut source.take(lacks), &mut target)?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;

    struct Bench {
        dir: tempfile::TempDir,
        session: SessionId,
    }

    impl Bench {
        fn new() -> Self {
            Self {
                dir: tempfile::tempdir().unwrap(),
                session: SessionId::fresh(),
            }
        }

        fn take_over(&self, run: u32) -> Option<PathBuf> {
            let home = take_over(self.dir.path(), &self.session, run).unwrap()?;
            let own = home.join(SESSIONS).join(self.session.as_str());
            std::fs::create_dir_all(&own).unwrap();
            Some(own)
        }

        fn owner(&self) -> Option<u32> {
            owner(self.dir.path()).unwrap().map(|owner| owner.run)
        }

        /// A file as readers find it.
        fn read(&self, name: &str) -> String {
            let own = self
                .dir
                .path()
                .join(SESSIONS)
                .join(self.session.as_str())
                .join(name);
            std::fs::read_to_string(own).unwrap()
        }
    }

    fn append(path: &Path, text: &str) {
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn the_next_run_has_the_log_and_what_comes_late_stays_aside() {
        let bench = Bench::new();
        let first = bench.take_over(1).unwrap();
        assert_eq!(bench.owner(), Some(1));
        append(&first.join("output.log"), "full\n");
        append(&first.join("output.5.log"), "first\n");
        append(&first.join(META), "{}");
        append(&first.join("exit.json"), "{}");
        let second = bench.take_over(2).unwrap();
        assert_eq!(bench.owner(), Some(2));
        append(&first.join("output.5.log"), "late\n");
        append(&second.join("output.5.log"), "second\n");
        assert_eq!(bench.read("output.log"), "full\n");
        assert_eq!(bench.read("output.5.log"), "first\nsecond\n");
        assert_eq!(bench.read(META), "{}");
        assert!(
            !second.join("exit.json").exists(),
            "the exit of another run"
        );
        let late = std::fs::read_to_string(first.join("output.5.log")).unwrap();
        assert_eq!(late, "first\nlate\n");
    }

    #[test]
    fn what_is_written_during_a_takeover_is_brought_too() {
        let bench = Bench::new();
        let (from, to) = (bench.take_over(1).unwrap(), bench.dir.path().join("to"));
        std::fs::create_dir(&to).unwrap();
        append(&from.join("output.log"), "one\n");
        bring_log(&from, &to).unwrap();
        append(&from.join("output.log"), "two\n");
        append(&from.join("output.8.log"), "three\n");
        bring_log(&from, &to).unwrap();
        let read = |name: &str| std::fs::read_to_string(to.join(name)).unwrap();
        assert_eq!(read("output.log"), "one\ntwo\n");
        assert_eq!(read("output.8.log"), "three\n");
    }

    #[test]
    fn a_run_that_comes_late_owns_nothing() {
        let bench = Bench::new();
        bench.take_over(1).unwrap();
        bench.take_over(2).unwrap();
        assert_eq!(bench.take_over(1), None);
        // The same run again, as after a restart of its script.
        assert!(bench.take_over(2).unwrap().exists());
        assert_eq!(bench.owner(), Some(2));
    }

    #[test]
    fn an_interrupted_takeover_is_begun_again() {
        let bench = Bench::new();
        let first = bench.take_over(1).unwrap();
        append(&first.join("output.log"), "first\n");
        let left = bench.dir.path().join(format!("{}.2", bench.session));
        std::fs::create_dir(&left).unwrap();
        append(&left.join("output.log"), "left");
        bench.take_over(2).unwrap();
        assert_eq!(bench.read("output.log"), "first\n");
    }

    #[test]
    fn a_takeover_that_has_lost_its_node_is_completed_by_the_next_one() {
        let bench = Bench::new();
        let first = bench.take_over(1).unwrap();
        append(&first.join("output.log"), "first\n");
        let second = bench.take_over(2).unwrap();
        // As it is between the two halves.
        append(&first.join("output.log"), "more\n");
        std::fs::write(second.parent().unwrap().parent().unwrap().join(BEFORE), "1").unwrap();
        let third = bench.take_over(3).unwrap();
        assert_eq!(bench.read("output.log"), "first\nmore\n");
        assert!(third.exists() && second.exists());
        assert!(!first.exists(), "nobody needs it any more");
    }

    #[test]
    fn a_directory_of_an_earlier_version_is_the_home_of_all_runs() {
        let bench = Bench::new();
        append(&bench.dir.path().join(NODE), bench.session.as_str());
        let home = take_over(bench.dir.path(), &bench.session, 2).unwrap();
        assert_eq!(home.as_deref(), Some(bench.dir.path()));
        assert_eq!(bench.owner(), None);
    }
}
