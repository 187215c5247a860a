//! Reads the `.env` files that a project file names.

use std::path::Path;

use super::dotenv::{self, Pair};
use super::fault::{Fault, Faults};
use super::files::{FileKind, Files};
use super::job::EnvFile;
use super::trust::Trust;
use super::{load, worktree};

/// Reads `.env` files.
pub(super) struct Reader<'a> {
    files: &'a dyn Files,
    trust: Trust<'a>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            trust: Trust::new(files),
        }
    }

    /// The pairs of a file of the project in `dir`. What is wrong with it is reported.
    pub(super) fn read(&self, file: &EnvFile, dir: &Path, faults: &Faults) -> Vec<Pair> {
        let path = &file.path;
        match self.files.look(path) {
            Ok(Some(look)) if look.kind == FileKind::File => {}
            Ok(Some(_)) => {
                faults.push(load::not_a_file(path));
                return Vec::new();
            }
            Ok(None) => {
                self.missing(file, dir, faults);
                return Vec::new();
            }
            Err(error) => {
                faults.push(Fault::of_file(path, format!("cannot be read: {error}")));
                return Vec::new();
            }
        }
        if let Some(why) = self.trust.refusal(path) {
            faults.push(Fault::of_file(path, why));
            return Vec::new();
        }
        match self.files.read(path, dotenv::MAX_FILE) {
            Ok(content) => dotenv::parse(path, &content).unwrap_or_else(|found| {
                found.into_iter().for_each(|fault| faults.push(fault));
                Vec::new()
            }),
            Err(error) => {
                faults.push(load::unreadable(path, &error, dotenv::MAX_FILE));
                Vec::new()
            }
        }
    }

    /// A file that is not there: a fault if it must be, a warning if only the main checkout has it. Worktrees
    /// have no files that git ignores, and a job without its secrets fails in ways that do not name them.
    fn missing(&self, file: &EnvFile, dir: &Path, faults: &Faults) {
        let path = &file.path;
        if !file.may_be_missing {
            let shown = path.display();
            let message = format!(
                "{shown} does not exist; write a \"?\" before its name if it may be missing"
            );
            faults.add(&file.written, message);
            return;
        }
        let checkout = worktree::checkout(self.files, dir);
        let Some(checkout) = checkout.filter(|checkout| checkout.is_linked) else {
            return;
        };
        if let Some(there) = checkout.in_main(path)
            && matches!(self.files.look(&there), Ok(Some(_)))
        {
            let message = format!(
                "does not exist in this worktree, but the main checkout has {}; copy or link it",
                there.display()
            );
            faults.warn(Fault::of_file(path, message));
        }
    }
}
