//! Whole files: from text to jobs, or to faults.

mod bad_files;
mod bad_jobs;
mod env_print;
mod environment;
mod include;
mod language;
mod needs;
mod procfile;
mod random;

use std::path::{Path, PathBuf};

use super::memory::Memory;
use super::{Fault, ProcfileOptions, Project, Source, load};

/// Loads `/p/bgproc.toml`, with `/p/bgproc.local.toml` if there is one.
fn load_files(files: &Memory) -> Result<Project, String> {
    load_with(files, &["bgproc.toml"])
}

fn load_with(files: &Memory, paths: &[&str]) -> Result<Project, String> {
    let source = Source {
        dir: PathBuf::from("/p"),
        paths: paths.iter().map(PathBuf::from).collect(),
        procfile: ProcfileOptions::default(),
    };
    load(files, &source).map_err(|faults| shown(&faults))
}

/// Faults as they are printed in `/p`.
fn shown(faults: &[Fault]) -> String {
    let lines = faults
        .iter()
        .map(|fault| fault.seen_from(Path::new("/p")).to_string());
    lines.collect::<Vec<_>>().join("\n")
}

/// Loads a text.
fn project(text: &str) -> Project {
    load_files(&Memory::with(&[("/p/bgproc.toml", text)])).unwrap()
}

/// The faults of a text.
fn faults(text: &str) -> String {
    load_files(&Memory::with(&[("/p/bgproc.toml", text)])).unwrap_err()
}
