//! Finds the files that a file includes.

use std::path::{Component, Path, PathBuf};

use globset::GlobSet;

use super::fault::{Fault, Faults};
use super::files::{FileKind, Files};
use super::loader::Open;
use super::place::Place;
use super::section::Text;
use super::{find, glob, names};

/// How deep files may include each other.
const MAX_DEPTH: usize = 16;

/// Maximum number of files that one pattern finds.
const MAX_FOUND: usize = 500;

/// A file that is included.
pub(super) struct Included {
    /// The name of its directory, which leads the names of its jobs.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) canonical: PathBuf,
    /// Where it is included.
    pub(super) place: Place,
}

/// Finds included files below the directory of the project.
pub(super) struct Finder<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) dir: &'a Path,
    pub(super) faults: &'a Faults,
}

impl Finder<'_> {
    /// The files that the patterns of one file mean, in order. `open` are the files from the root to this one.
    pub(super) fn all(&self, patterns: &[Text], open: &[Open]) -> Vec<Included> {
        let mut found: Vec<Included> = Vec::new();
        for pattern in patterns {
            for path in self.matches(pattern) {
                let included = self.included(path, &pattern.place, open);
                // A file that two patterns find is included once.
                let is_new =
                    |one: &Included| !found.iter().any(|two| two.canonical == one.canonical);
                found.extend(included.filter(is_new));
            }
        }
        found
    }

    fn included(&self, path: PathBuf, place: &Place, open: &[Open]) -> Option<Included> {
        let shown = path.display();
        let Ok(canonical) = self.files.canonical(&path) else {
            self.faults.add(place, format!("{shown} does not exist"));
            return None;
        };
        if !canonical.starts_with(self.dir) {
            let message = format!("{shown} is outside of the project {}", self.dir.display());
            self.faults.add(place, message);
            return None;
        }
        if find::is_procfile(&path) {
            let message = format!("{shown} is a Procfile; only TOML files can be included");
            self.faults.add(place, message);
            return None;
        }
        if let Some(start) = open.iter().position(|open| open.path == canonical) {
            self.faults
                .push(circle(open.get(start..).unwrap_or_default(), place));
            return None;
        }
        if open.len() >= MAX_DEPTH {
            self.faults.add(
                place,
                format!("more than {MAX_DEPTH} files include each other"),
            );
            return None;
        }
        let name = path
            .parent()?
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        if !names::is_valid(&name) {
            let message = format!(
                "the directory {name:?} of an included file leads the names of its jobs; {}",
                names::RULE
            );
            self.faults.add(place, message);
            return None;
        }
        Some(Included {
            name: name.into_owned(),
            place: place.clone(),
            path,
            canonical,
        })
    }

    /// The paths that a pattern means. A path without wildcards must exist.
    fn matches(&self, pattern: &Text) -> Vec<PathBuf> {
        let Some(parts) = self.parts(pattern) else {
            return Vec::new();
        };
        let is_glob = parts.iter().any(|part| matches!(part, Part::Glob(_)));
        let mut paths = vec![pattern.place.dir().to_owned()];
        for part in &parts {
            paths = paths
                .into_iter()
                .flat_map(|dir| self.below(&dir, part))
                .collect();
            if paths.len() > MAX_FOUND {
                let message = format!("{:?} finds more than {MAX_FOUND} files", pattern.text);
                self.faults.add(&pattern.place, message);
                return Vec::new();
            }
        }
        let is_file = |path: &PathBuf| {
            let look = self.files.look(path);
            matches!(look, Ok(Some(look)) if look.kind == FileKind::File)
        };
        if is_glob {
            paths.retain(is_file);
            if paths.is_empty() {
                let message = format!("{:?} finds no file", pattern.text);
                self.faults.warn(Fault::at(&pattern.place, message));
            }
        } else if !paths.iter().all(is_file) {
            let message = format!("{:?} is not a file", pattern.text);
            self.faults.add(&pattern.place, message);
            return Vec::new();
        }
        paths
    }

    /// The parts of a pattern; what is wrong with it is reported.
    fn parts(&self, pattern: &Text) -> Option<Vec<Part>> {
        let wrong = |message: String| self.faults.add(&pattern.place, message);
        let text = &pattern.text;
        let mut parts = Vec::new();
        for component in Path::new(text).components() {
            let name = match component {
                Component::CurDir => continue,
                Component::Normal(name) => name.to_string_lossy(),
                _ => {
                    wrong(format!(
                        "\"include\" leaves the directory of its file: {text:?}"
                    ));
                    return None;
                }
            };
            match Part::of(&name) {
                Ok(part) => parts.push(part),
                Err(why) => {
                    wrong(format!("\"include\" has a bad pattern {text:?}: {why}"));
                    return None;
                }
            }
        }
        if parts.is_empty() {
            wrong("\"include\" has an empty path".to_owned());
            return None;
        }
        Some(parts)
    }

    fn below(&self, dir: &Path, part: &Part) -> Vec<PathBuf> {
        match part {
            Part::Name(name) => vec![dir.join(name)],
            Part::Glob(glob) => {
                // A directory that cannot be read, or is none, has nothing to include.
                let mut names = self.files.names(dir).unwrap_or_default();
                names.retain(|name| !name.starts_with('.') && glob.is_match(name));
                names.sort();
                names.into_iter().map(|name| dir.join(name)).collect()
            }
        }
    }
}

/// A part of a pattern, between slashes.
enum Part {
    Name(String),
    Glob(GlobSet),
}

impl Part {
    fn of(name: &str) -> Result<Self, String> {
        if !name.contains(['*', '?', '[', '{']) {
            return Ok(Self::Name(name.to_owned()));
        }
        if name.contains("**") {
            return Err("`**` would search everything; write a `*` for each directory".to_owned());
        }
        glob::compile(name).map(Self::Glob)
    }
}

/// Whether a pattern of `include`, relative to `dir`, means the file `path`.
pub(super) fn is_match(dir: &Path, pattern: &str, path: &Path) -> bool {
    let Ok(rest) = path.strip_prefix(dir) else {
        return false;
    };
    let names = rest
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    let parts = Path::new(pattern)
        .components()
        .filter(|part| *part != Component::CurDir);
    let mut names = names.fuse();
    for part in parts {
        let (Component::Normal(part), Some(name)) = (part, names.next()) else {
            return false;
        };
        let is_match = match Part::of(&part.to_string_lossy()) {
            Ok(Part::Name(part)) => part == name,
            Ok(Part::Glob(glob)) => !name.starts_with('.') && glob.is_match(name.as_ref()),
            Err(_) => false,
        };
        if !is_match {
            return false;
        }
    }
    names.next().is_none()
}

fn circle(open: &[Open], place: &Place) -> Fault {
    let mut fault = Fault::at(place, "files include each other in a circle");
    let places = open.iter().skip(1).map(|open| &open.place);
    fault.also = places
        .map(|place| Fault::at(place, "is included from here"))
        .collect();
    fault
}
