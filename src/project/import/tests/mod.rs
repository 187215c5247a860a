//! Files of other programs become files that the reader of project files takes.
//!
//! - `managers` and `pitchfork`: the files of process managers, `builds`: those of compose, package managers and make,
//!   `vscode`: those of an editor.
//! - `directory`: which files of a directory are taken, and what is wrong with them.

mod builds;
mod directory;
mod managers;
mod pitchfork;
mod vscode;

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::project::memory::Memory;
use crate::project::{Job, Project, load};

const DIR: &str = "/p";

fn memory(files: &[(&str, &str)]) -> Memory {
    let mut memory = Memory::default();
    for (name, text) in files {
        memory.put(&format!("{DIR}/{name}"), text.as_bytes());
    }
    memory
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Takes the jobs of files, and reads the result as `bgproc up` does.
fn taken(files: &[(&str, &str)], from: &[&str]) -> (Project, String) {
    let mut memory = memory(files);
    let imported = import(&memory, Path::new(DIR), &names(from)).unwrap();
    memory.put(&format!("{DIR}/bgproc.toml"), imported.text.as_bytes());
    let source = crate::project::Source {
        dir: DIR.into(),
        paths: vec![format!("{DIR}/bgproc.toml").into()],
        procfile: Default::default(),
    };
    let project = load(&memory, &source);
    let project = project.unwrap_or_else(|faults| panic!("{faults:#?}\n{}", imported.text));
    assert_eq!(project.order, imported.jobs, "{}", imported.text);
    (project, imported.text)
}

/// The one file `name`.
fn of(name: &str, text: &str) -> (Project, String) {
    taken(&[(name, text)], &[name])
}

fn fault(name: &str, text: &str) -> String {
    let memory = memory(&[(name, text)]);
    let faults = import(&memory, Path::new(DIR), &names(&[name])).unwrap_err();
    let faults = faults.iter().map(|fault| fault.seen_from(Path::new(DIR)));
    faults
        .map(|fault| fault.to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

fn line(job: &Job) -> &str {
    match &job.program {
        crate::project::job::Program::Line(line) => line,
        other => panic!("{other:?}"),
    }
}

fn argv(job: &Job) -> &[String] {
    match &job.program {
        crate::project::job::Program::Argv(words) => words,
        other => panic!("{other:?}"),
    }
}

/// A scalar of YAML in double quotes.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

proptest! {
    #[test]
    fn any_names_commands_and_values_arrive(
        jobs in proptest::collection::vec(("\\PC{0,20}", "[^\0]{1,40}", "\\PC{0,10}", "[^\0]{0,20}"), 1..5),
    ) {
        let mut text = "procs:\n".to_owned();
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        for (name, command, variable, value) in &jobs {
            if seen.contains(name) || command.trim().is_empty() {
                continue;
            }
            seen.push(name.clone());
            text.push_str(&format!(
                "  {}: {{shell: {}, env: {{{}: {}}}}}\n",
                quoted(name), quoted(command), quoted(variable), quoted(value)
            ));
            expected.push(command.clone());
        }
        prop_assume!(!expected.is_empty());
        let (project, _) = of("mprocs.yaml", &text);
        let found: Vec<&str> = project.order.iter().map(|name| line(&project.jobs[name])).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_file_makes_it_panic(text in "\\PC{0,60}|[-a-z:{}\\[\\]&*<> \n\"'$!|]{0,80}") {
        for (name, _) in NAMES {
            let memory = memory(&[(name, &text)]);
            if let Ok(new) = import(&memory, Path::new(DIR), &names(&[name])) {
                prop_assert!(verify::read(&new.text).is_ok(), "{}", new.text);
            }
        }
    }
}
