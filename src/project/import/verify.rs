//! Whether the reader of project files takes what is about to be written.
//!
//! Each value is read alone, because other programs allow what bgproc does not: cron lines with seconds, names of
//! variables with blanks. What it refuses is left out, with a remark, so that one odd value does not cost the file.

use std::io;
use std::path::{Path, PathBuf};

use super::sketch::{Part, Sketch};
use super::toml_text::{self, Toml};
use crate::project::find::LOCAL;
use crate::project::{Fault, FileKind, Files, Look, ProcfileOptions, Project, Source, load};

/// Where the reader sees the new file.
const PATH: &str = "/bgproc.toml";

/// Reads `text` as the only file of a project.
pub(super) fn read(text: &str) -> Result<Project, Vec<Fault>> {
    let source = Source {
        dir: PathBuf::from("/"),
        paths: vec![PathBuf::from(PATH)],
        procfile: ProcfileOptions::default(),
    };
    load(&Alone(text), &source)
}

/// Leaves out what is not valid. A job whose command is not valid is left out as a whole.
pub(super) fn mend(part: &mut Part) {
    part.top.retain(|(key, value)| {
        let line = format!("{key} = {}\n[jobs.x]\nrun = \"x\"\n", value.written());
        refusal(&line).is_none()
    });
    part.env = kept(std::mem::take(&mut part.env), &mut part.notes);
    let jobs = std::mem::take(&mut part.jobs);
    for mut job in jobs {
        match keys(&mut job) {
            Some(why) => part
                .notes
                .push(format!("{} ({}) is left out: {why}.", job.name, job.origin)),
            None => part.jobs.push(job),
        }
    }
}

/// Leaves out keys of a job. The result is what is wrong with its command.
fn keys(job: &mut Sketch) -> Option<String> {
    let mut notes = Vec::new();
    let mut wrong = None;
    // `restart.unready` is valid only beside it.
    let mut ready = String::new();
    job.keys.retain(|(key, value)| {
        let is_command = matches!(*key, "run" | "cmd");
        let command = if is_command { "" } else { "run = \"x\"\n" };
        let line = format!("{key} = {}\n", value.written());
        let Some(why) = refusal(&format!("[jobs.x]\n{command}{ready}{line}")) else {
            if *key == "ready" {
                ready = line;
            }
            return true;
        };
        if is_command {
            wrong = Some(why)
        } else {
            notes.push(format!("Not taken over: {key}: {why}."))
        }
        false
    });
    job.env = kept(std::mem::take(&mut job.env), &mut notes);
    job.notes.append(&mut notes);
    wrong
}

/// The variables that are valid.
fn kept(env: Vec<(String, Toml)>, notes: &mut Vec<String>) -> Vec<(String, Toml)> {
    let mut kept = Vec::new();
    for (name, value) in env {
        let line = format!("{} = {}", toml_text::key(&name), value.written());
        match refusal(&format!("[env]\n{line}\n[jobs.x]\nrun = \"x\"\n")) {
            Some(why) => notes.push(format!("Not taken over: the variable {name:?}: {why}.")),
            None => kept.push((name, value)),
        }
    }
    kept
}

/// Why the reader refuses a file.
fn refusal(text: &str) -> Option<String> {
    let faults = read(text).err()?;
    Some(faults.first()?.message.clone())
}

/// Whether the reader looks for this file by itself: another project file, or a repository.
fn is_part_of_the_project(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name == LOCAL || name == ".git"
}

/// A file system with one file that has a text, which belongs to the user. All others are empty.
struct Alone<'a>(&'a str);

impl Files for Alone<'_> {
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        match path == Path::new(PATH) {
            true if self.0.len() as u64 > max => Err(io::ErrorKind::FileTooLarge.into()),
            true => Ok(self.0.as_bytes().to_vec()),
            false => Ok(Vec::new()),
        }
    }

    fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        let kind = match path.to_str() {
            Some(PATH) => FileKind::File,
            Some("/") => FileKind::Dir,
            _ if is_part_of_the_project(path) => return Ok(None),
            // Files of variables that a job names may be anywhere. Whether they exist, `up` says.
            _ => FileKind::File,
        };
        Ok(Some(Look {
            kind,
            uid: 0,
            gid: 0,
            mode: 0o755,
            device: 0,
            inode: 0,
        }))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }

    fn names(&self, _dir: &Path) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn is_mine(&self, _look: &Look) -> bool {
        true
    }

    fn group_is_private(&self, _gid: u32) -> bool {
        true
    }
}
