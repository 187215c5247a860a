//! Reads one file: its top-level keys, its jobs and its groups.

use std::path::Path;

use super::draft::{Draft, DraftGroup};
use super::fault::Faults;
use super::group::{Group, OnFailure};
use super::job::Places;
use super::load::{AgentAccess, MAX_JOBS};
use super::merge::{self, Kind};
use super::node::{Entry, Table, Value};
use super::reader::{self, Common, What};
use super::section::{Section, Text};
use super::{Place, keys, names, variables};

/// The only version of the language.
const VERSION: i64 = 1;

/// A file that was read.
pub(super) struct Document {
    pub(super) project: Option<String>,
    /// What agents may do, and where it says so.
    pub(super) agents: Option<(AgentAccess, Place)>,
    pub(super) include: Vec<Text>,
    pub(super) common: Common,
    pub(super) jobs: Vec<Draft>,
    /// Whether `jobs` are all jobs of the file. Those whose names are not valid are left out.
    pub(super) is_whole: bool,
    pub(super) groups: Vec<DraftGroup>,
}

/// Reads the table of the file `path`. `outer` is what the including files say about all jobs.
pub(super) fn read(path: &Path, table: &Table, outer: &Common, faults: &Faults) -> Document {
    let section = Section {
        table,
        name: String::new(),
        place: Place::of_file(path),
        faults,
    };
    section.only(keys::DOCUMENT, &[]);
    version(&section);
    let project = section.text("project").filter(|name| {
        let is_valid = names::is_valid(&name.text);
        if !is_valid {
            section.wrong(&name.place, "project", &format!("a name; {}", names::RULE));
        }
        is_valid
    });
    let accesses = [
        ("none", AgentAccess::None),
        ("read", AgentAccess::Read),
        ("write", AgentAccess::Write),
    ];
    let agents = section.word("agents", &accesses);
    let agents = agents.zip(section.get("agents").map(|node| node.place.clone()));
    let common = common(path, &section, outer);
    let jobs = jobs(&section, &common);
    let is_whole = match section.get("jobs").map(|node| &node.value) {
        Some(Value::Table(table)) => table.entries.len() == jobs.len(),
        other => other.is_none(),
    };
    Document {
        project: project.map(|name| name.text),
        agents,
        include: section.texts("include").unwrap_or_default(),
        jobs,
        is_whole,
        groups: groups(&section, &common),
        common,
    }
}

fn version(section: &Section<'_>) {
    let Some(node) = section.get("version") else {
        return;
    };
    let must = match &node.value {
        Value::Integer(VERSION) => return,
        Value::Integer(other) => format!("{VERSION}, not {other}; a newer bgproc may know it"),
        other => format!("{VERSION}, not {}", other.kind()),
    };
    section.wrong(&node.place, "version", &must);
}

/// What the file says about all of its jobs, with what the files say that include it.
fn common(path: &Path, section: &Section<'_>, outer: &Common) -> Common {
    let mut places = Places::default();
    let env = section.section("env");
    let env = env.map(|env| variables::read(&env, "[env]", &mut places));
    let env = env.unwrap_or_default();
    let inherited = outer.env_places.0.iter();
    for (key, place) in inherited {
        // A value that this file replaces has its own place, or none.
        let is_replaced = env.iter().any(|(name, _)| *key == format!("[env].{name}"));
        if !is_replaced {
            places.0.insert(key.clone(), place.clone());
        }
    }
    let own_files = variables::files(section, "env_file");
    let own_files = own_files.unwrap_or_else(|| vec![variables::usual_file(path)]);
    let shell = section.texts("shell").map(|shell| {
        if let (true, Some(node)) = (shell.is_empty(), section.get("shell")) {
            let must = "a list such as [\"/bin/sh\", \"-c\"]";
            section.wrong(&node.place, "shell", must);
        }
        shell.into_iter().map(|word| word.text).collect()
    });
    Common {
        prefix: outer.prefix.clone(),
        shell,
        env: variables::lay(&outer.env, &env),
        env_places: places,
        env_files: outer.env_files.iter().cloned().chain(own_files).collect(),
        is_linked: outer.is_linked,
    }
}

fn jobs(section: &Section<'_>, common: &Common) -> Vec<Draft> {
    let defaults = section.section("defaults");
    if let Some(defaults) = &defaults {
        reader::read(defaults, "", common, What::Defaults);
    }
    let Some(jobs) = section.section("jobs") else {
        return Vec::new();
    };
    let entries = &jobs.table.entries;
    if let Some(first) = entries.get(MAX_JOBS) {
        let message = format!(
            "{} jobs are too many; a project has at most {MAX_JOBS}; make several projects of them",
            entries.len()
        );
        jobs.faults.add(&first.place, message);
        return Vec::new();
    }
    let one = |entry| {
        job(
            &jobs,
            entry,
            defaults.as_ref().map(|section| section.table),
            common,
        )
    };
    entries.iter().filter_map(one).collect()
}

fn job(
    jobs: &Section<'_>,
    entry: &Entry,
    defaults: Option<&Table>,
    common: &Common,
) -> Option<Draft> {
    let name = &entry.key;
    if !names::is_valid(name) {
        let message = format!("{name:?} is not a valid name of a job; {}", names::RULE);
        jobs.faults.add(&entry.place, message);
        return None;
    }
    // The check of the type, with its fault.
    let own = jobs.section(name)?.table;
    let merged;
    let table = match defaults {
        Some(defaults) => {
            let mut table = defaults.clone();
            // Their faults are reported once, in their own section.
            table
                .entries
                .retain(|entry| !keys::NO_DEFAULT.contains(&entry.key.as_str()));
            merge::lay(&mut table, own.clone(), Kind::Job);
            merged = table;
            &merged
        }
        None => own,
    };
    let section = jobs.below(entry, table);
    Some(reader::read(
        &section,
        &format!("{}{name}", common.prefix),
        common,
        What::Job,
    ))
}

fn groups(section: &Section<'_>, common: &Common) -> Vec<DraftGroup> {
    let Some(groups) = section.section("groups") else {
        return Vec::new();
    };
    let failures = [
        ("continue", OnFailure::Continue),
        ("pause", OnFailure::Pause),
    ];
    let mut found = Vec::new();
    for entry in &groups.table.entries {
        let name = &entry.key;
        if !names::is_valid(name) {
            let message = format!("{name:?} is not a valid name of a group; {}", names::RULE);
            groups.faults.add(&entry.place, message);
            continue;
        }
        let Some(group) = groups.section(name) else {
            continue;
        };
        group.only(keys::GROUP, &[]);
        let parallel = group.number("parallel", 0..=i64::from(u32::MAX));
        found.push(DraftGroup {
            name: format!("{}{name}", common.prefix),
            jobs: group.texts("jobs").unwrap_or_default(),
            group: Group {
                jobs: Vec::new(),
                parallel: parallel
                    .and_then(|n| u32::try_from(n).ok())
                    .unwrap_or_default(),
                on_failure: group.word("on_failure", &failures).unwrap_or_default(),
            },
        });
    }
    found
}
