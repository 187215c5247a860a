//! `env` and `env_file`, of a file and of a job.

use std::path::Path;

use super::job::{EnvFile, Places, Variables};
use super::node::Value;
use super::place::Place;
use super::section::{Section, Text};
use super::{names, template};

/// The name of the file that is read if a file has no `env_file`.
const USUAL: &str = ".env";

/// Reads a table of variables: strings and numbers are set, `false` removes. The places of templates are kept in
/// `places` under `list`, the lead of [`super::job::Job::templates`].
pub(super) fn read(section: &Section<'_>, list: &str, places: &mut Places) -> Variables {
    let mut variables = Variables::new();
    for entry in &section.table.entries {
        let name = &entry.key;
        if name.is_empty() || name.contains(|c: char| c == '=' || c.is_whitespace()) {
            let message = format!("{name:?} is not the name of a variable");
            section.faults.add(&entry.place, message);
            continue;
        }
        let value = match &entry.node.value {
            Value::String(text) => Some(text.clone()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Boolean(false) => None,
            Value::Boolean(true) => {
                let must = "a string, or false to remove it; write \"true\" or \"1\"";
                section.wrong(&entry.node.place, name, must);
                continue;
            }
            other => {
                let must = format!("a string, or false to remove it, not {}", other.kind());
                section.wrong(&entry.node.place, name, &must);
                continue;
            }
        };
        if value.as_deref().is_some_and(template::is_template) {
            let key = format!("{list}.{name}");
            places.0.insert(key, entry.node.place.clone());
        }
        variables.push((name.clone(), value));
    }
    variables
}

/// Lays variables over others: a name that is there already moves to the end, because a later value may refer to
/// an earlier one.
pub(super) fn lay(below: &Variables, above: &Variables) -> Variables {
    let kept = below
        .iter()
        .filter(|(name, _)| !above.iter().any(|(other, _)| other == name));
    kept.chain(above).cloned().collect()
}

/// Reads a list of `.env` files. A leading `?` marks one that may be missing.
pub(super) fn files(section: &Section<'_>, key: &str) -> Option<Vec<EnvFile>> {
    let texts = section.texts(key)?;
    Some(
        texts
            .into_iter()
            .filter_map(|text| file(section, key, text))
            .collect(),
    )
}

fn file(section: &Section<'_>, key: &str, text: Text) -> Option<EnvFile> {
    let (path, may_be_missing) = match text.text.strip_prefix('?') {
        Some(path) => (path, true),
        None => (text.text.as_str(), false),
    };
    if path.is_empty() {
        section.wrong(&text.place, key, "a list of paths");
        return None;
    }
    Some(EnvFile {
        path: names::without_dots(&text.place.dir().join(path)),
        may_be_missing,
        written: text.place,
    })
}

/// The `.env` file beside a project file, which may be missing.
pub(super) fn usual_file(path: &Path) -> EnvFile {
    let place = Place::of_file(path);
    EnvFile {
        path: place.dir().join(USUAL),
        may_be_missing: true,
        written: place,
    }
}
