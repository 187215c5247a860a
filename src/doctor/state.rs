//! Checks for leftovers of earlier daemons: unreadable records, directories without a record, and temporary
//! files of a crash.

use std::io;
use std::path::{Path, PathBuf};

use super::repair::is_abandoned;
use super::{Finding, Repair};
use crate::protocol::SessionId;
use crate::protocol::disk::META;
use crate::sys::paths::Home;

const SUBJECT: &str = "state";

/// Names shown of a longer list.
const SHOWN: usize = 3;

pub(super) fn check(home: &Home) -> Vec<Finding> {
    let mut left = Leftovers::default();
    left.look_at_files(&home.state);
    let mut sessions = 0;
    for (name, path) in left.entries(&home.sessions()) {
        if SessionId::parse(&name).is_none() {
            left.strange.push(name);
            continue;
        }
        sessions += 1;
        left.look_at_files(&path);
        if !path.join(META).exists() {
            left.without_record.push(name);
        }
    }
    let mut found = left.findings();
    if found.is_empty() {
        let text = format!("the records of {sessions} jobs are in order");
        found.push(Finding::ok(SUBJECT, text));
    }
    found
}

#[derive(Default)]
struct Leftovers {
    put_aside: Vec<String>,
    temporary: Vec<String>,
    /// The temporary files whose writer is gone.
    removable: Vec<PathBuf>,
    without_record: Vec<String>,
    strange: Vec<String>,
    /// Directories of which nothing is known, with the reason.
    unreadable: Vec<String>,
}

impl Leftovers {
    fn look_at_files(&mut self, dir: &Path) {
        for (name, path) in self.entries(dir) {
            if name.ends_with(".bad") {
                self.put_aside.push(path.display().to_string());
            } else if name.ends_with(".tmp") {
                if is_abandoned(&name) {
                    self.removable.push(path.clone());
                }
                self.temporary.push(path.display().to_string());
            }
        }
    }

    /// What is in a directory, in order of the names; nothing if there is no such directory.
    fn entries(&mut self, dir: &Path) -> Vec<(String, PathBuf)> {
        match entries(dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                let dir = dir.display();
                self.unreadable.push(format!("{dir} ({error})"));
                Vec::new()
            }
        }
    }

    fn findings(self) -> Vec<Finding> {
        let found = |names: &[String], what: &str, advice: &str| {
            let text = format!("{} {what}", some_of(names));
            (!names.is_empty()).then(|| Finding::warning(SUBJECT, text).advise(advice))
        };
        let put_aside = found(
            &self.put_aside,
            "could not be read and were put aside",
            "look at them, or remove them; their jobs are listed with what is known about them",
        );
        let temporary = found(
            &self.temporary,
            "were left over by a crash",
            "remove them while no daemon runs",
        );
        let removable = Some(self.removable).filter(|files| !files.is_empty());
        let temporary = temporary.map(|finding| match removable {
            Some(files) => finding.with_repair(Repair::Remove(files)),
            None => finding,
        });
        let without_record = found(
            &self.without_record,
            "in sessions/ have no record",
            "bgproc ls lists those whose records could not be written yet; remove only what it does not list",
        );
        let strange = found(&self.strange, "in sessions/ are not jobs", "remove them");
        let unreadable = found(
            &self.unreadable,
            "cannot be read",
            "make it a directory that you own and can read; what is in it is not checked",
        );
        let all = [put_aside, temporary, without_record, strange, unreadable];
        all.into_iter().flatten().collect()
    }
}

/// The first few names, and the number of the others.
fn some_of(names: &[String]) -> String {
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn entries(dir: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let entries = std::fs::read_dir(dir)?.map(|entry| {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        Ok((name, entry.path()))
    });
    let mut named = entries.collect::<io::Result<Vec<_>>>()?;
    named.sort();
    Ok(named)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_not_in_order() {
        let home = tempfile::tempdir().unwrap();
        let mut left = Leftovers::default();
        left.look_at_files(&home.path().join("none"));
        left.look_at_files(home.path());
        assert!(left.findings().is_empty());
        // Root may read every directory, but this is none.
        let file = home.path().join("sessions");
        std::fs::write(&file, "").unwrap();
        let mut left = Leftovers::default();
        left.look_at_files(&file);
        let found = left.findings();
        assert_eq!(found.len(), 1);
        assert!(found[0].text.contains("sessions (") && found[0].text.ends_with("cannot be read"));
    }
}
