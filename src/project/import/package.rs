//! Scripts of `package.json`, run with the package manager of the project.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::sketch::{Part, literal};
use super::source::Source;
use super::toml_text::Toml;
use crate::project::{Fault, Files, worktree};

/// Names of scripts that run until they are stopped, the one to start first.
const SERVICES: [&str; 8] = [
    "dev",
    "start",
    "serve",
    "develop",
    "watch",
    "preview",
    "storybook",
    "worker",
];

/// Scripts that the package manager runs by itself.
const HOOKS: [&str; 10] = [
    "install",
    "preinstall",
    "postinstall",
    "prepare",
    "prepublish",
    "prepublishOnly",
    "prepack",
    "postpack",
    "dependencies",
    "uninstall",
];

/// Which file belongs to which package manager.
const LOCKS: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

#[derive(Deserialize)]
struct Package {
    /// `null` is no script, as for npm.
    #[serde(default)]
    scripts: Option<Scripts>,
    /// Such as `pnpm@9.1.0`.
    #[serde(default, rename = "packageManager")]
    manager: Option<String>,
    #[serde(default)]
    workspaces: Option<Value>,
}

/// Names and lines in the order of the file.
#[derive(Default)]
struct Scripts(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Scripts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Scripts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of scripts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scripts, A::Error> {
                let mut scripts = Scripts::default();
                while let Some((name, line)) = map.next_entry::<String, String>()? {
                    scripts.0.retain(|(known, _)| *known != name);
                    scripts.0.push((name, line));
                }
                Ok(scripts)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let text = source.text.trim_start_matches('\u{feff}');
    let package: Package = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        // The place is said before the message.
        let message = message.split(" at line ").next().unwrap_or_default();
        let mut fault = Fault::of_file(source.path, format!("is not valid: {message}"));
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (fault.line, fault.col) = (number(error.line()), number(error.column()));
        fault
    })?;
    let (manager, why) = manager(source, package.manager.as_deref());
    let mut part = source.part();
    let scripts = package.scripts.unwrap_or_default();
    let names: Vec<&str> = scripts.0.iter().map(|(name, _)| name.as_str()).collect();
    let first = SERVICES.iter().find(|name| names.contains(name)).copied();
    let mut hooks = Vec::new();
    for (name, line) in &scripts.0 {
        if is_hook(name, &names) {
            hooks.push(name.as_str());
            continue;
        }
        let mut job =
            super::sketch::Sketch::new(name, format!("{}, script {name:?}", source.shown));
        job.note(line.as_str());
        let words = [manager, "run", name.as_str()].map(literal);
        job.set("cmd", words.into_iter().collect::<Toml>());
        if let Some(dir) = source.cwd(None) {
            job.set("cwd", dir);
        }
        if !is_service(name) {
            job.set("kind", "task");
        }
        if first != Some(name.as_str()) {
            job.set("autostart", Toml::Bool(false));
        }
        part.jobs.push(job);
    }
    if !part.jobs.is_empty() {
        part.notes
            .push(format!("The scripts run with {manager} ({why})."));
        part.notes.push(
            "Jobs with autostart = false start when they are named: bgproc up NAME.".to_owned(),
        );
    }
    if !hooks.is_empty() {
        part.notes.push(format!(
            "{manager} runs these scripts itself: {}.",
            hooks.join(", ")
        ));
    }
    if let Some(workspaces) = &package.workspaces {
        part.notes.push(format!(
            "The packages of its workspaces are not read. Run bgproc init in them, and list them here: include = {}",
            included(source, workspaces).written()
        ));
    }
    Ok(part)
}

/// The project files of the workspaces: a list of patterns, or an object that has it as `packages`. A pattern that leaves
/// out packages says nothing about files.
fn included(source: &Source<'_>, workspaces: &Value) -> Toml {
    let patterns = workspaces.get("packages").unwrap_or(workspaces);
    let patterns = patterns.as_array().into_iter().flatten();
    let patterns = patterns.filter_map(Value::as_str).map(str::trim);
    let patterns = patterns.filter(|pattern| !pattern.is_empty() && !pattern.starts_with('!'));
    let file = |pattern: &str| {
        let dir = source.cwd(Some(pattern.trim_end_matches('/')));
        Some(format!("{}/bgproc.toml", dir?))
    };
    let mut files: Vec<String> = patterns.filter_map(file).collect();
    if files.is_empty() {
        files.push("packages/*/bgproc.toml".to_owned());
    }
    files.into_iter().collect()
}

/// The package manager, and how it is known: the file says it, or the nearest lock file.
pub(super) fn manager(source: &Source<'_>, said: Option<&str>) -> (&'static str, String) {
    let said = said.and_then(|said| said.split('@').next());
    let managers = ["npm", "pnpm", "yarn", "bun"];
    if let Some(manager) = managers.into_iter().find(|manager| said == Some(manager)) {
        return (manager, "packageManager".to_owned());
    }
    let dir = source.path.parent().unwrap_or(Path::new("/"));
    let top = worktree::git_root(source.files, dir).unwrap_or(dir);
    let dirs = dir.ancestors().take_while(|dir| dir.starts_with(top));
    for dir in dirs {
        if let Some((lock, manager)) = LOCKS
            .iter()
            .find(|(lock, _)| exists(source.files, dir, lock))
        {
            return (manager, (*lock).to_owned());
        }
    }
    ("npm", "there is no lock file".to_owned())
}

fn exists(files: &dyn Files, dir: &Path, name: &str) -> bool {
    matches!(files.look(&dir.join(name)), Ok(Some(_)))
}

/// Whether the package manager runs a script by itself: around its own work, or around another script.
fn is_hook(name: &str, names: &[&str]) -> bool {
    let around = ["pre", "post"].iter().any(|lead| {
        let other = name.strip_prefix(lead);
        other.is_some_and(|other| names.contains(&other))
    });
    HOOKS.contains(&name) || around
}

/// Whether a script runs until it is stopped, by its name: `dev`, `dev:api`, `api:watch`.
fn is_service(name: &str) -> bool {
    name.split([':', '-', '.'])
        .any(|part| SERVICES.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_may_have_no_scripts() {
        for text in ["{}", "{\"scripts\": null}", "{\"scripts\": {}}"] {
            let package = serde_json::from_str::<Package>(text);
            assert!(package.is_ok_and(|package| package.scripts.unwrap_or_default().0.is_empty()));
        }
    }
}
