//! `run --env-file`: variables from files in the language of a project's `.env` files.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::disk::{self, Disk};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::project::environment::Surroundings;
use crate::project::job::{EnvFile, Program};
use crate::project::{Environment, Files, Job, Origin, Place, environment};

/// The variables of the files; a later file wins. `?FILE` may be missing.
pub fn read(names: &[String]) -> Result<BTreeMap<String, Option<String>>, Failure> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let here = disk::here()?;
    let here = Disk.canonical(&here).unwrap_or(here);
    let mut job = Job::new(&here, Program::Line("true".to_owned()));
    job.own_env_files = names.iter().map(|name| file(&here, name)).collect();
    // What is not UTF-8 cannot be referred to in a file.
    let caller = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let surroundings = Surroundings {
        caller: &caller.collect(),
        ports: &BTreeMap::new(),
        project: "",
        worktree: "",
    };
    let made = environment(&Disk, &job, "", &surroundings);
    let Environment { values, warnings } = made.map_err(|faults| {
        let lines = faults.iter().map(|fault| {
            if fault.path == here {
                // The file was named on the command line, not in a file of this directory.
                fault.message.clone()
            } else {
                fault.seen_from(&here).to_string()
            }
        });
        let message = lines.collect::<Vec<_>>().join("\n");
        Failure::with_message(Exit::USAGE, message)
    })?;
    for warning in &warnings {
        note(&format!("warning: {}", warning.seen_from(&here)));
    }
    let from_files = values
        .into_iter()
        .filter(|(_, value)| matches!(value.from, Origin::File { .. }));
    Ok(from_files.map(|(name, value)| (name, value.text)).collect())
}

fn file(here: &Path, name: &str) -> EnvFile {
    let (name, may_be_missing) = match name.strip_prefix('?') {
        Some(name) => (name, true),
        None => (name, false),
    };
    EnvFile {
        path: here.join(name),
        may_be_missing,
        written: Place::of_file(here),
    }
}
