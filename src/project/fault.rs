//! What is wrong with a project file, with its place.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::place::Place;

/// Maximum number of faults that are reported at once.
pub const MAX_FAULTS: usize = 20;

/// Maximum number of faults that are collected before the first ones are chosen.
const MAX_COLLECTED: usize = 200;

/// An error or a warning about a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 if it is about the file as a whole.
    pub line: u32,
    /// The column in characters, from 1.
    pub col: u32,
    /// What is wrong, where, and what would be correct.
    pub message: String,
    /// Further places that belong to it, such as the edges of a circle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Fault>,
}

impl Fault {
    /// A fault at a place.
    pub fn at(place: &Place, message: impl Into<String>) -> Self {
        Self {
            path: place.path.to_path_buf(),
            line: place.line,
            col: place.col,
            message: message.into(),
            also: Vec::new(),
        }
    }

    /// A fault of a file as a whole.
    pub fn of_file(path: &Path, message: impl Into<String>) -> Self {
        Self::at(&Place::of_file(path), message)
    }

    /// The same fault with its paths relative to `dir` where that is shorter.
    #[must_use]
    pub fn seen_from(&self, dir: &Path) -> Self {
        Self {
            path: shorter(&self.path, dir),
            also: self.also.iter().map(|fault| fault.seen_from(dir)).collect(),
            ..self.clone()
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.line {
            0 => write!(f, "{path}: {}", self.message)?,
            line => write!(f, "{path}:{line}:{}: {}", self.col, self.message)?,
        }
        for fault in &self.also {
            write!(f, "\n  {fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

/// `path` relative to `dir`, if that is shorter. Both are absolute. From `/` it would only lose its first character, and
/// seem to be relative to another directory.
fn shorter(path: &Path, dir: &Path) -> PathBuf {
    if !path.is_absolute() || !dir.is_absolute() || dir.parent().is_none() {
        return path.to_owned();
    }
    let common = path
        .components()
        .zip(dir.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = dir.components().skip(common).map(|_| "..");
    let mut relative: PathBuf = up.collect();
    relative.extend(path.components().skip(common));
    let length = |path: &Path| path.as_os_str().len();
    if !relative.as_os_str().is_empty() && length(&relative) < length(path) {
        relative
    } else {
        path.to_owned()
    }
}

/// Collects faults. One place has at most one fault, so that a mistake in `[defaults]` is not reported for every
/// job.
#[derive(Default)]
pub(super) struct Faults {
    found: RefCell<Vec<Fault>>,
    places: RefCell<BTreeSet<(PathBuf, u32, u32)>>,
    warnings: RefCell<Vec<Fault>>,
}

impl Faults {
    /// Adds a fault at a place.
    pub(super) fn add(&self, place: &Place, message: impl Into<String>) {
        self.push(Fault::at(place, message));
    }

    /// Adds a fault.
    pub(super) fn push(&self, fault: Fault) {
        let mut found = self.found.borrow_mut();
        let place = (fault.path.clone(), fault.line, fault.col);
        // Faults of whole files share line 0, and each of them counts.
        let is_new = self.places.borrow_mut().insert(place) || fault.line == 0;
        if is_new && found.len() < MAX_COLLECTED {
            found.push(fault);
        }
    }

    /// Adds a warning.
    pub(super) fn warn(&self, fault: Fault) {
        let mut warnings = self.warnings.borrow_mut();
        if warnings.len() < MAX_FAULTS && !warnings.contains(&fault) {
            warnings.push(fault);
        }
    }

    /// Whether there is none. Warnings do not count.
    pub(super) fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// Whether further faults are dropped, so that it is useless to look for them.
    pub(super) fn is_full(&self) -> bool {
        self.len() >= MAX_COLLECTED
    }

    /// The number of faults.
    pub(super) fn len(&self) -> usize {
        self.found.borrow().len()
    }

    /// The warnings, if there is no fault; else the first faults in the order of their places.
    pub(super) fn finish(self) -> Result<Vec<Fault>, Vec<Fault>> {
        let mut found = self.found.into_inner();
        if found.is_empty() {
            return Ok(self.warnings.into_inner());
        }
        found.sort_by(|one, other| {
            let key = |fault: &Fault| (fault.line, fault.col);
            one.path
                .cmp(&other.path)
                .then_with(|| key(one).cmp(&key(other)))
        });
        Err(first(found))
    }
}

/// The first faults, and how many more there are.
pub fn first(mut found: Vec<Fault>) -> Vec<Fault> {
    let more = found.len().saturating_sub(MAX_FAULTS);
    let next = found.get(MAX_FAULTS).map(|fault| fault.path.clone());
    found.truncate(MAX_FAULTS);
    found.extend(next.map(|path| match more {
        1 => Fault::of_file(&path, "1 more mistake is not shown"),
        _ => Fault::of_file(&path, format!("{more} more mistakes are not shown")),
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_from_the_directory_where_that_is_shorter() {
        let seen = |path: &str, dir: &str| shorter(Path::new(path), Path::new(dir));
        let same = |path: &str, dir: &str, shown: &str| {
            assert_eq!(seen(path, dir), Path::new(shown), "{path} from {dir}");
        };
        same("/home/u/shop/bgproc.toml", "/home/u/shop", "bgproc.toml");
        same(
            "/home/u/shop/bgproc.toml",
            "/home/u/shop/src",
            "../bgproc.toml",
        );
        same("/a/x", "/b/c/d/e", "/a/x");
        same("/a", "/a", "/a");
        same("x", "/a", "x");
        same("/home/u/shop", "/", "/home/u/shop");
    }

    #[test]
    fn shows_place_and_further_places() {
        let mut fault = Fault::of_file(Path::new("/p/a"), "is empty");
        assert_eq!(fault.to_string(), "/p/a: is empty");
        fault.line = 3;
        fault.col = 7;
        fault.also = vec![fault.clone()];
        let seen = fault.seen_from(Path::new("/p")).to_string();
        assert_eq!(seen, "a:3:7: is empty\n  a:3:7: is empty");
    }

    #[test]
    fn one_place_has_one_fault_and_the_first_twenty_are_reported() {
        let faults = Faults::default();
        for line in (1..=30).rev() {
            for message in ["one", "two"] {
                let mut fault = Fault::of_file(Path::new("/p/a"), message);
                fault.line = line;
                faults.push(fault);
            }
        }
        let found = faults.finish().err().unwrap_or_default();
        assert_eq!(found.len(), MAX_FAULTS + 1);
        let mut found = found.iter();
        let last = found.next_back().map(ToString::to_string);
        assert_eq!(
            last.as_deref(),
            Some("/p/a: 10 more mistakes are not shown")
        );
        assert!(found.clone().all(|fault| fault.message == "one"));
        let found: Vec<_> = found.collect();
        assert_eq!(found.first().map(|fault| fault.line), Some(1));
    }
}
