//! Jobs that were read from another program's file, on their way to `bgproc.toml`.

use std::collections::{BTreeMap, BTreeSet};

use super::toml_text::{self, Toml};
use crate::project::names;

/// What one file says.
#[derive(Default)]
pub(super) struct Part {
    /// The file, as it was named.
    pub(super) from: String,
    /// What the user should know about the file as a whole.
    pub(super) notes: Vec<String>,
    /// Keys of the whole project.
    pub(super) top: Vec<(&'static str, Toml)>,
    /// Variables of all jobs.
    pub(super) env: Vec<(String, Toml)>,
    pub(super) jobs: Vec<Sketch>,
}

/// A job.
#[derive(Default)]
pub(super) struct Sketch {
    /// Its name in the other file, which may not be valid here.
    pub(super) name: String,
    /// Where it was found, such as `Procfile, line 3`.
    pub(super) origin: String,
    /// What could not be taken over, and other remarks.
    pub(super) notes: Vec<String>,
    pub(super) keys: Vec<(&'static str, Toml)>,
    pub(super) env: Vec<(String, Toml)>,
    pub(super) needs: Vec<Need>,
}

/// A need, with the name that the other file uses.
pub(super) struct Need {
    pub(super) name: String,
    /// The level; the natural one if there is none.
    pub(super) is: Option<&'static str>,
}

impl Sketch {
    pub(super) fn new(name: &str, origin: String) -> Self {
        Self {
            name: name.to_owned(),
            origin,
            ..Self::default()
        }
    }

    pub(super) fn set(&mut self, key: &'static str, value: impl Into<Toml>) {
        self.keys.push((key, value.into()));
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|(known, _)| *known == key)
    }

    /// Whether its file says that it is a task, which is not ready, but ends.
    fn is_task(&self) -> bool {
        let kind = self.keys.iter().find(|(key, _)| *key == "kind");
        kind.is_some_and(|(_, kind)| *kind == Toml::from("task"))
    }

    /// Whether its schedule is the only thing that starts it.
    fn is_timed(&self) -> bool {
        let schedule = self.keys.iter().find(|(key, _)| *key == "schedule");
        let Some((_, Toml::Table(entries))) = schedule else {
            return false;
        };
        !entries
            .iter()
            .any(|(key, value)| key == "at_start" && *value == Toml::Bool(true))
    }
}

/// A name that a job may have, made from any text: other characters become `-`.
pub(super) fn cleaned(name: &str) -> String {
    let mut clean = String::new();
    for c in name.chars() {
        let is_plain = c.is_ascii_alphanumeric() || "_.".contains(c);
        match is_plain {
            true => clean.push(c),
            // One dash for a run of others.
            false if !clean.ends_with('-') => clean.push('-'),
            false => {}
        }
    }
    let is_first = |c: char| c.is_ascii_alphanumeric();
    let clean = clean
        .trim_start_matches(|c| !is_first(c))
        .trim_end_matches('-');
    let clean: String = clean.chars().take(names::MAX_NAME).collect();
    if clean.is_empty() {
        "job".to_owned()
    } else {
        clean
    }
}

/// `name`, with a number if it is taken.
fn free(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = |number: usize| {
        let end = format!("-{number}");
        let room = names::MAX_NAME.saturating_sub(end.len());
        let start: String = name.chars().take(room).collect();
        format!("{start}{end}")
    };
    let mut name = name.to_owned();
    let mut number = 2;
    while taken.contains(&name) {
        name = numbered(number);
        number += 1;
    }
    name
}

/// The whole file, and the names of its jobs.
pub(super) fn document(mut parts: Vec<Part>) -> (String, Vec<String>) {
    let mut taken = BTreeSet::new();
    let mut text = String::new();
    let from: Vec<&str> = parts.iter().map(|part| part.from.as_str()).collect();
    text.push_str(&toml_text::comment(&format!(
        "Written by `bgproc init` from {}. `bgproc help projects` describes the keys.",
        from.join(", ")
    )));
    for note in parts.iter().flat_map(|part| &part.notes) {
        text.push_str(&toml_text::comment(note));
    }
    text.push_str("version = 1\n");
    for (key, value) in top(&parts) {
        text.push_str(&format!("{key} = {}\n", value.written()));
    }
    let mut env: Vec<(String, Toml)> = Vec::new();
    for (name, value) in parts.iter().flat_map(|part| &part.env) {
        if !env.iter().any(|(known, _)| known == name) {
            env.push((name.clone(), value.clone()));
        }
    }
    text.push_str(&table("env", &env));
    let mut all = Vec::new();
    for part in &mut parts {
        let mut names = BTreeMap::new();
        let mut own = Vec::new();
        for job in &part.jobs {
            let name = free(&cleaned(&job.name), &taken);
            taken.insert(name.clone());
            names.entry(job.name.clone()).or_insert(name.clone());
            own.push(name);
        }
        connect(part, &names);
        for (job, name) in part.jobs.iter().zip(&own) {
            text.push_str(&written(job, name));
        }
        all.append(&mut own);
    }
    (text, all)
}

/// The keys of the project. The first file that has a key wins.
fn top(parts: &[Part]) -> Vec<(&'static str, Toml)> {
    let mut top: Vec<(&'static str, Toml)> = Vec::new();
    for (key, value) in parts.iter().flat_map(|part| &part.top) {
        if !top.iter().any(|(known, _)| known == key) {
            top.push((key, value.clone()));
        }
    }
    top
}

/// Gives needs the names that jobs have here, and makes them possible.
fn connect(part: &mut Part, names: &BTreeMap<String, String>) {
    let others = part.jobs.iter().filter_map(|job| {
        let other = Other::of(job, names.get(&job.name)?);
        Some((job.name.clone(), other))
    });
    let others: BTreeMap<String, Other> = others.collect();
    let mut tasks = BTreeSet::new();
    for job in &mut part.jobs {
        let mut needs: Vec<(String, Option<&str>)> = Vec::new();
        for Need { name, is } in std::mem::take(&mut job.needs) {
            let Some(other) = others.get(&name) else {
                job.note(format!("It needs {name:?}, which is not in the file."));
                continue;
            };
            if other.is_timed {
                job.note(format!(
                    "It needs {name:?}, which runs only at the times of its schedule; that is left out."
                ));
                continue;
            }
            let is = other.possible(job, &name, is);
            if matches!(is, Some("ok" | "done")) {
                tasks.insert(name);
            }
            if !needs.iter().any(|(known, _)| *known == other.name) {
                needs.push((other.name.clone(), is));
            }
        }
        if !needs.is_empty() {
            job.set("needs", needs_value(needs));
        }
    }
    for job in &mut part.jobs {
        if tasks.contains(&job.name) && !job.has("kind") && !job.has("schedule") {
            job.keys.insert(0, ("kind", "task".into()));
        }
    }
}

/// What others have to know of a job that they need.
struct Other {
    /// Its name here.
    name: String,
    has_ready: bool,
    is_timed: bool,
    is_task: bool,
}

impl Other {
    fn of(job: &Sketch, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            has_ready: job.has("ready"),
            is_timed: job.is_timed(),
            is_task: job.is_task(),
        }
    }

    /// The level to which `job` can need it, with a note if that is another one than `is`. `name` is its name in the other
    /// file.
    fn possible(
        &self,
        job: &mut Sketch,
        name: &str,
        is: Option<&'static str>,
    ) -> Option<&'static str> {
        let own = &self.name;
        if is == Some("ready") && self.is_task {
            job.note(format!(
                "It needs {name:?} to be ready, but {own} is a task here, which has ended by then; so it needs \"ok\"."
            ));
            Some("ok")
        } else if is == Some("ready") && !self.has_ready {
            job.note(format!(
                "It needs {name:?} to be ready, but {own} has no check of that; so it needs \"started\"."
            ));
            Some("started")
        } else {
            is
        }
    }
}

/// The value of `needs`: a list, or with levels a table.
fn needs_value(needs: Vec<(String, Option<&str>)>) -> Toml {
    if needs.iter().all(|(_, is)| is.is_none()) {
        return needs.into_iter().map(|(name, _)| name).collect();
    }
    let levels = needs.into_iter();
    let levels = levels.map(|(name, is)| (name, is.unwrap_or("started").into()));
    Toml::Table(levels.collect())
}

fn written(job: &Sketch, name: &str) -> String {
    let mut text = "\n".to_owned();
    let mut origin = job.origin.clone();
    let own = format!("{:?}", job.name);
    // A script is said by its name already.
    if name != job.name && !origin.ends_with(&own) {
        origin.push_str(&format!(" ({own})"));
    }
    text.push_str(&toml_text::comment(&origin));
    for note in &job.notes {
        text.push_str(&toml_text::comment(note));
    }
    let name = toml_text::key(name);
    text.push_str(&format!("[jobs.{name}]\n"));
    for (key, value) in &job.keys {
        text.push_str(&format!("{key} = {}\n", value.written()));
    }
    let env = Toml::Table(job.env.clone());
    let line = format!("env = {}\n", env.written());
    match job.env.is_empty() {
        true => {}
        false if job.env.len() <= 3 && line.len() <= 100 => text.push_str(&line),
        false => text.push_str(&table(&format!("jobs.{name}.env"), &job.env)),
    }
    text
}

/// A table of its own.
fn table(name: &str, entries: &[(String, Toml)]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let lines = entries
        .iter()
        .map(|(name, value)| format!("{} = {}\n", toml_text::key(name), value.written()));
    format!("\n[{name}]\n{}", lines.collect::<String>())
}

/// A text without templates, as keys that expand `${…}` take it.
pub(super) fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

/// A number of seconds as a duration.
pub(super) fn seconds(number: u64) -> String {
    format!("{number}s")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_made_valid() {
        for (name, expected) in [
            ("web", "web"),
            ("@shop/web", "shop-web"),
            ("my  app (dev)", "my-app-dev"),
            ("müller", "m-ller"),
            ("服务", "job"),
            (".x", "x"),
            ("", "job"),
            ("dev:api", "dev-api"),
        ] {
            assert_eq!(cleaned(name), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn names_are_always_valid_and_differ(name in "\\PC{0,90}") {
            let mut taken = BTreeSet::new();
            for _ in 0..12 {
                let name = free(&cleaned(&name), &taken);
                prop_assert!(names::is_valid(&name), "{name}");
                prop_assert!(taken.insert(name));
            }
        }
    }
}
