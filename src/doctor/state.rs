//! Checks for leftovers of earlier daemons: unreadable records, directories without a record, and temporary
//! files of a crash.

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
    for (name, path) in entries(&home.sessions()) {
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
}

impl Leftovers {
    fn look_at_files(&mut self, dir: &Path) {
        for (name, path) in entries(dir) {
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
        let all = [put_aside, temporary, without_record, strange];
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

fn entries(dir: &Path) -> Vec<(String, std::path::PathBuf)> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut named: Vec<_> = entries
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .collect();
    named.sort();
    named
}
