//! Why a run began or ended that nobody has asked for. Files, events and records have the text; this is its meaning.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How the text of a change of files begins.
const CHANGED: &str = "changed: ";

/// How the text of the restart of another job ends.
const RESTARTED: &str = " was restarted";

/// How files are named that are not known by name.
const MANY_FILES: &str = "many files";

/// Why a run was started that nobody has asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Cause {
    /// Files have changed that its job watches: `changed: src/main.rs and 3 more`.
    Changed(Files),
    /// Another job was restarted, which has this name: `db was restarted`.
    Restarted(String),
    /// Something else, in the words of another version.
    Said(String),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(files) => write!(f, "{CHANGED}{}", files.text),
            Self::Restarted(job) => write!(f, "{job}{RESTARTED}"),
            Self::Said(text) => f.write_str(text),
        }
    }
}

impl From<String> for Cause {
    fn from(text: String) -> Self {
        if let Some(files) = text.strip_prefix(CHANGED) {
            Self::Changed(files.to_owned().into())
        } else if let Some(job) = text.strip_suffix(RESTARTED) {
            Self::Restarted(job.to_owned())
        } else {
            Self::Said(text)
        }
    }
}

impl From<Cause> for String {
    fn from(cause: Cause) -> Self {
        cause.to_string()
    }
}

/// Files that have changed, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Files {
    text: String,
    several: bool,
}

impl Files {
    /// One file: `src/main.rs`.
    pub fn one(name: String) -> Self {
        Self {
            text: name,
            several: false,
        }
    }

    /// A file and others: `src/main.rs and 3 more`, or `and many more` if they were not counted.
    pub fn several(first: &str, more: Option<usize>) -> Self {
        let more = more.map_or_else(|| "many".to_owned(), |count| count.to_string());
        Self {
            text: format!("{first} and {more} more"),
            several: true,
        }
    }

    /// Files none of which is known: `many files`.
    pub fn many() -> Self {
        Self {
            text: MANY_FILES.to_owned(),
            several: true,
        }
    }

    /// `src/main.rs has changed`, `src/main.rs and 3 more have changed`.
    pub fn have_changed(&self) -> String {
        let has = if self.several { "have" } else { "has" };
        format!("{} {has} changed", self.text)
    }
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<String> for Files {
    fn from(text: String) -> Self {
        let others = text.strip_suffix(" more");
        let count = others.and_then(|text| Some(text.rsplit_once(" and ")?.1));
        let is_count = |count: &str| count == "many" || count.parse::<usize>().is_ok();
        Self {
            several: text == MANY_FILES || count.is_some_and(is_count),
            text,
        }
    }
}

impl From<Files> for String {
    fn from(files: Files) -> Self {
        files.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_the_same_after_it_was_stored() {
        for cause in [
            Cause::Changed(Files::one("src/a.rs".to_owned())),
            Cause::Changed(Files::one("no more.txt".to_owned())),
            Cause::Changed(Files::several("src/a.rs", Some(3))),
            Cause::Changed(Files::several("src/a.rs", None)),
            Cause::Changed(Files::many()),
            Cause::Restarted("db".to_owned()),
            Cause::Said("other words".to_owned()),
        ] {
            assert_eq!(Cause::from(String::from(cause.clone())), cause);
        }
    }

    #[test]
    fn only_several_files_have_changed() {
        let told = |files: Files| files.have_changed();
        let one = Files::one("no more.txt".to_owned());
        assert_eq!(told(one), "no more.txt has changed");
        let several = Files::several("a", Some(2));
        assert_eq!(told(several), "a and 2 more have changed");
        assert_eq!(told(Files::many()), "many files have changed");
    }
}
