//! Binaries of a Cargo package or workspace.

use std::path::{Path, PathBuf};

use globset::Glob;

use super::sketch::{Part, Sketch, literal};
use super::source::Source;
use super::toml_text::Toml;
use crate::project::load::MAX_FILE;
use crate::project::{Fault, FileKind, Files};

/// Maximum number of packages.
const MAX_PACKAGES: usize = 500;

/// A package with its binaries, of which the first one is run if nothing is said.
struct Package {
    name: String,
    manifest: String,
    binaries: Vec<String>,
}

pub(super) fn read(source: &Source<'_>) -> Result<Part, Fault> {
    let table = toml::from_str::<toml::Table>(source.text).map_err(|error| {
        let message = format!("is not valid TOML: {}", error.message());
        let mut fault = Fault::of_file(source.path, message);
        let at = error.span().map_or(0, |span| span.start);
        let before = source.text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let col = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (fault.line, fault.col) = (number(line), number(col));
        fault
    })?;
    let dir = source.path.parent().unwrap_or(Path::new("/"));
    let mut packages = Vec::new();
    packages.extend(package(source.files, dir, source.shown.to_owned(), &table));
    for member in members(source.files, dir, &table) {
        let path = dir.join(&member).join("Cargo.toml");
        let Some(table) = manifest(source.files, &path) else {
            continue;
        };
        let shown = Path::new(source.dir).join(&member).join("Cargo.toml");
        let shown = shown.display().to_string();
        packages.extend(package(source.files, &dir.join(&member), shown, &table));
    }
    packages.retain(|package| !package.binaries.is_empty());
    let is_one = packages.len() == 1;
    let mut part = source.part();
    for package in &packages {
        for (at, binary) in package.binaries.iter().enumerate() {
            let mut job = Sketch::new(binary, format!("{}, binary {binary:?}", package.manifest));
            let mut words = vec!["cargo", "run"];
            if !is_one {
                words.extend(["--package", &package.name]);
            }
            if package.binaries.len() > 1 {
                words.extend(["--bin", binary]);
            }
            job.set("cmd", words.into_iter().map(literal).collect::<Toml>());
            if let Some(dir) = source.cwd(None) {
                job.set("cwd", dir);
            }
            if at > 0 {
                job.set("autostart", Toml::Bool(false));
            }
            part.jobs.push(job);
        }
    }
    Ok(part)
}

fn manifest(files: &dyn Files, path: &Path) -> Option<toml::Table> {
    let text = String::from_utf8(files.read(path, MAX_FILE).ok()?).ok()?;
    toml::from_str(&text).ok()
}

/// The package of a manifest: `[[bin]]`, `src/main.rs` and `src/bin`.
fn package(
    files: &dyn Files,
    dir: &Path,
    manifest: String,
    table: &toml::Table,
) -> Option<Package> {
    let package = table.get("package")?.as_table()?;
    let name = package.get("name")?.as_str()?.to_owned();
    let mut binaries: Vec<String> = Vec::new();
    let listed = table.get("bin").and_then(toml::Value::as_array);
    let listed = listed.into_iter().flatten();
    let mut paths: Vec<&str> = Vec::new();
    for bin in listed {
        binaries.extend(
            bin.get("name")
                .and_then(|name| Some(name.as_str()?.to_owned())),
        );
        paths.extend(bin.get("path").and_then(toml::Value::as_str));
    }
    let is_auto = package.get("autobins").and_then(toml::Value::as_bool) != Some(false);
    let is_file =
        |path: &Path| matches!(files.look(path), Ok(Some(look)) if look.kind == FileKind::File);
    if is_auto {
        let is_main = is_file(&dir.join("src/main.rs")) && !paths.contains(&"src/main.rs");
        binaries.extend(is_main.then(|| name.clone()));
        let mut names = files.names(&dir.join("src/bin")).unwrap_or_default();
        names.sort();
        for entry in names {
            let unit = entry.strip_suffix(".rs").map(str::to_owned).or_else(|| {
                let main = dir.join("src/bin").join(&entry).join("main.rs");
                is_file(&main).then(|| entry.clone())
            });
            let path = format!("src/bin/{entry}");
            binaries.extend(unit.filter(|_| !paths.contains(&path.as_str())));
        }
    }
    let mut unique: Vec<String> = Vec::new();
    for binary in binaries {
        if !unique.contains(&binary) {
            unique.push(binary);
        }
    }
    if let Some(first) = package.get("default-run").and_then(toml::Value::as_str) {
        unique.sort_by_key(|binary| binary != first);
    }
    Some(Package {
        name,
        manifest,
        binaries: unique,
    })
}

/// The directories of the members of a workspace, in the order of their names.
fn members(files: &dyn Files, dir: &Path, table: &toml::Table) -> Vec<PathBuf> {
    let workspace = table.get("workspace");
    let list = |key| {
        let list = workspace.and_then(|workspace| workspace.get(key)?.as_array());
        let texts = list.into_iter().flatten().filter_map(toml::Value::as_str);
        let found = texts.flat_map(|pattern| expanded(files, dir, pattern));
        found.collect::<Vec<PathBuf>>()
    };
    let excluded = list("exclude");
    let mut members = list("members");
    members.retain(|member| !excluded.contains(member) && *member != Path::new(""));
    members.sort();
    members.dedup();
    members.truncate(MAX_PACKAGES);
    members
}

/// The directories that a pattern such as `crates/*` means, relative to `dir`.
fn expanded(files: &dyn Files, dir: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if !part.contains(['*', '?', '[']) {
            for path in &mut found {
                path.push(part);
            }
            continue;
        }
        let Ok(glob) = Glob::new(part) else {
            return Vec::new();
        };
        let glob = glob.compile_matcher();
        let below = |path: PathBuf| {
            let names = files.names(&dir.join(&path)).unwrap_or_default();
            let names = names.into_iter().filter(|name| glob.is_match(name));
            names.map(|name| path.join(name)).collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(below).collect();
        found.truncate(MAX_PACKAGES * 4);
    }
    found
}
