//! A file that jobs are taken from, and what the readers of all kinds ask of it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use super::sketch::{Part, Sketch};
use super::yaml::{self, Node};
use crate::project::{Fault, Files};

/// A file that jobs are taken from.
pub(super) struct Source<'a> {
    pub(super) files: &'a dyn Files,
    /// Its absolute path.
    pub(super) path: &'a Path,
    /// Its path as it is named in comments.
    pub(super) shown: &'a str,
    /// Its directory, as seen from the new file; empty if they are in the same one.
    pub(super) dir: &'a str,
    pub(super) text: &'a str,
}

impl Source<'_> {
    /// An empty part of the new file.
    pub(super) fn part(&self) -> Part {
        Part {
            from: self.shown.to_owned(),
            ..Part::default()
        }
    }

    /// A job that is said at a line.
    pub(super) fn job(&self, name: &str, line: u32) -> Sketch {
        Sketch::new(name, format!("{}, line {line}", self.shown))
    }

    /// The directory of a job whose file says `own`; `None` if it is that of the new file.
    pub(super) fn cwd(&self, own: Option<&str>) -> Option<String> {
        let own = own.unwrap_or_default().trim_start_matches("./");
        let own = if own == "." { "" } else { own };
        match (self.dir, own) {
            ("", "") => None,
            ("", own) => Some(own.to_owned()),
            (dir, "") => Some(super::sketch::literal(dir)),
            (_, own) if Path::new(own).is_absolute() || own.starts_with("${") => {
                Some(own.to_owned())
            }
            (dir, own) => Some(format!("{}/{own}", super::sketch::literal(dir))),
        }
    }

    /// The file as YAML, with its map of jobs under `key`.
    pub(super) fn yaml(&self, key: &str) -> Result<Node, Fault> {
        let root = yaml::parse(self.path, self.text)?;
        if root.get(key).is_some_and(|jobs| jobs.entries().is_some()) {
            return Ok(root);
        }
        let at = root.get(key).unwrap_or(&root);
        Err(at.fault(self.path, format!("the file has no map {key:?}")))
    }

    pub(super) fn fault(&self, node: &Node, message: impl Into<String>) -> Fault {
        node.fault(self.path, message)
    }
}

/// The entries of a map, of which each one that nobody has asked for is named in the end.
pub(super) struct Fields<'a> {
    node: &'a Node,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(node: &'a Node) -> Self {
        Self {
            node,
            asked: RefCell::default(),
        }
    }

    /// A value that is not null.
    pub(super) fn get(&self, key: &'static str) -> Option<&'a Node> {
        self.asked.borrow_mut().insert(key);
        self.node.get(key).filter(|node| !node.is_null())
    }

    /// A text that is not empty.
    pub(super) fn text(&self, key: &'static str) -> Option<&'a str> {
        self.get(key)?.text().filter(|text| !text.trim().is_empty())
    }

    pub(super) fn flag(&self, key: &'static str) -> Option<bool> {
        self.get(key)?.flag()
    }

    pub(super) fn number(&self, key: &'static str) -> Option<u64> {
        self.get(key)?.text()?.parse().ok()
    }

    /// The texts of a list, or the one text.
    pub(super) fn texts(&self, key: &'static str) -> Option<Vec<&'a str>> {
        self.get(key)?.texts()
    }

    /// Keys that have a meaning only for the other program.
    pub(super) fn ignore(&self, keys: &[&'static str]) {
        self.asked.borrow_mut().extend(keys);
    }

    /// What has not been asked for, as a sentence.
    pub(super) fn rest(&self) -> Option<String> {
        let asked = self.asked.borrow();
        let entries = self.node.entries().unwrap_or_default().iter();
        let rest = entries.filter(|(key, node)| {
            !asked.contains(key.as_str()) && !key.starts_with("x-") && !node.is_null()
        });
        let rest: Vec<&str> = rest.map(|(key, _)| key.as_str()).collect();
        (!rest.is_empty()).then(|| format!("Not taken over: {}.", rest.join(", ")))
    }
}
