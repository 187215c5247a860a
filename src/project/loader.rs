//! Reads the files of a project: the root, what is laid over it, and what it includes.

use std::path::{Path, PathBuf};

use super::draft::{Draft, DraftGroup};
use super::fault::{Fault, Faults};
use super::files::{FileKind, Files};
use super::include::Included;
use super::load::{AgentAccess, MAX_FILE, Source, no_job, not_a_file, unreadable};
use super::merge::{self, Kind};
use super::node::{self, Table};
use super::reader::Common;
use super::trust::Trust;
use super::{document, find, foreman, include, names, procfile, short, worktree};

/// What only the root file says.
#[derive(Default)]
pub(super) struct Root {
    pub(super) name: Option<String>,
    pub(super) agents: Option<AgentAccess>,
}

/// A file that is being read, and where it is included.
pub(super) struct Open {
    /// The canonical path.
    pub(super) path: PathBuf,
    /// Where it is included; the file itself for the root.
    pub(super) place: super::Place,
}

/// Reads the files of a project one after the other.
pub(super) struct Loader<'a> {
    files: &'a dyn Files,
    source: &'a Source,
    trust: Trust<'a>,
    faults: &'a Faults,
    /// The files of the source, as absolute paths.
    pub(super) paths: Vec<PathBuf>,
    /// The jobs of all of them.
    pub(super) jobs: Vec<Draft>,
    /// The groups of all of them.
    pub(super) groups: Vec<DraftGroup>,
    /// Whether a part of them could not be read. What refers to it is no fault.
    pub(super) is_cut: bool,
    /// The least that an included file lets agents do, and where it says so.
    least: Option<(AgentAccess, super::Place)>,
    /// Included files, by canonical path, and where they are included.
    seen: Vec<(PathBuf, super::Place)>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(files: &'a dyn Files, source: &'a Source, faults: &'a Faults) -> Self {
        Self {
            files,
            source,
            trust: Trust::new(files),
            faults,
            paths: Vec::new(),
            jobs: Vec::new(),
            groups: Vec::new(),
            is_cut: false,
            least: None,
            seen: Vec::new(),
        }
    }

    /// Reads the root and all that it includes.
    pub(super) fn root(&mut self) -> Root {
        let dir = &self.source.dir;
        let paths = self.source.paths.iter();
        let paths: Vec<PathBuf> = paths.map(|path| self.absolute(path)).collect();
        self.paths.clone_from(&paths);
        let Some(first) = paths.first() else {
            self.faults.push(Fault::of_file(dir, "no file was given"));
            return Root::default();
        };
        if let Some(procfile) = paths.iter().find(|path| find::is_procfile(path)) {
            if paths.len() > 1 {
                let message = "a Procfile cannot be merged with other files";
                self.faults.push(Fault::of_file(procfile, message));
                return Root::default();
            }
            return self.procfile(&procfile.clone());
        }
        if self.source.procfile.is_asked() {
            let message = "--port and -m are for a Procfile, which this is not";
            self.faults.push(Fault::of_file(first, message));
            return Root::default();
        }
        let outer = Common {
            prefix: String::new(),
            shell: None,
            env: Vec::new(),
            env_places: super::Places::default(),
            env_files: Vec::new(),
            is_linked: worktree::checkout(self.files, dir)
                .is_some_and(|checkout| checkout.is_linked),
        };
        let root = Open {
            path: self
                .files
                .canonical(first)
                .unwrap_or_else(|_| first.clone()),
            place: super::Place::of_file(first),
        };
        let mut root = self.tree(&paths, &outer, &mut vec![root]);
        if let Some((least, place)) = self.least.take()
            && least < root.agents.unwrap_or_default()
        {
            // The jobs of a file that is closed to agents are not opened by the file that includes it.
            let message = "\"agents\" of this included file holds for the whole project";
            self.faults.warn(Fault::at(&place, message));
            root.agents = Some(least);
        }
        root
    }

    /// The path of a file of the source, with the canonical path of its directory: the directories of jobs are
    /// compared with that of the project. The name stays, because a link to a file is named by its owner.
    fn absolute(&self, path: &Path) -> PathBuf {
        let path = names::without_dots(&self.source.dir.join(path));
        let dir = path.parent().and_then(|dir| self.files.canonical(dir).ok());
        match (dir, path.file_name()) {
            (Some(dir), Some(name)) => dir.join(name),
            _ => path,
        }
    }

    fn procfile(&mut self, path: &Path) -> Root {
        if let Some(content) = self.read(path) {
            let options = &self.source.procfile;
            self.jobs = procfile::read(self.files, path, &content, options, self.faults);
            foreman::warn(self.files, path, options, self.faults);
        }
        Root::default()
    }

    /// The content of a file that is trusted.
    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        if let Some(why) = self.trust.refusal(path) {
            self.faults.push(Fault::of_file(path, why));
            return None;
        }
        if let Ok(Some(look)) = self.files.look(path)
            && look.kind != FileKind::File
        {
            self.faults.push(not_a_file(path));
            return None;
        }
        let content = self.files.read(path, MAX_FILE);
        content
            .map_err(|error| self.faults.push(unreadable(path, &error, MAX_FILE)))
            .ok()
    }

    /// Reads files that are laid over each other, and all that they include. `open` are the files from the root
    /// to this one.
    fn tree(&mut self, paths: &[PathBuf], outer: &Common, open: &mut Vec<Open>) -> Root {
        let mut table = Table::default();
        let before = self.faults.len();
        for path in paths {
            let Some(content) = self.read(path) else {
                continue;
            };
            let mut above = node::parse(path, &content, self.faults);
            short::spell_out(&mut above);
            merge::lay(&mut table, above, Kind::Document);
        }
        // What could not be read would be missing, which is not another fault.
        let Some(path) = paths.first().filter(|_| self.faults.len() == before) else {
            self.is_cut = true;
            return Root::default();
        };
        let document = document::read(path, &table, outer, self.faults);
        if let (Some((access, place)), false) = (&document.agents, outer.prefix.is_empty())
            && self.least.as_ref().is_none_or(|(least, _)| access < least)
        {
            self.least = Some((*access, place.clone()));
        }
        let is_empty = document.jobs.is_empty() && document.include.is_empty();
        if is_empty && self.faults.len() == before {
            self.faults.push(no_job(path));
        }
        self.is_cut |= !document.is_whole;
        self.jobs.extend(document.jobs);
        self.groups.extend(document.groups);
        let finder = include::Finder {
            files: self.files,
            dir: &self.source.dir,
            faults: self.faults,
        };
        let before = self.faults.len();
        let mut found = finder.all(&document.include, open);
        let mut prefixes: Vec<(String, PathBuf)> = Vec::new();
        found.retain(|included| self.is_new(included, &mut prefixes));
        self.is_cut |= self.faults.len() > before;
        for included in found {
            let inner = Common {
                prefix: format!("{}{}/", outer.prefix, included.name),
                shell: None,
                env: document.common.env.clone(),
                env_places: document.common.env_places.clone(),
                env_files: document.common.env_files.clone(),
                is_linked: outer.is_linked,
            };
            let mut paths = vec![included.path.clone()];
            paths.extend(find::local(self.files, &included.path));
            open.push(Open {
                path: included.canonical,
                place: included.place,
            });
            self.tree(&paths, &inner, open);
            open.pop();
        }
        Root {
            name: document.project,
            agents: document.agents.map(|(access, _)| access),
        }
    }

    /// Whether neither the file nor the names of its jobs are included already. `prefixes` are those of the other
    /// files that the same file includes.
    fn is_new(&mut self, file: &Included, prefixes: &mut Vec<(String, PathBuf)>) -> bool {
        let shown = file.path.display();
        if let Some((_, first)) = self.seen.iter().find(|(path, _)| *path == file.canonical) {
            let message = format!("{shown} is included twice");
            let mut fault = Fault::at(&file.place, message);
            fault.also = vec![Fault::at(first, "is the other place")];
            self.faults.push(fault);
            return false;
        }
        if let Some((_, other)) = prefixes.iter().find(|(name, _)| *name == file.name) {
            let message = format!(
                "the jobs of {} and {shown} would have the same names; one of the two directories needs another name",
                other.display(),
            );
            self.faults.add(&file.place, message);
            return false;
        }
        prefixes.push((file.name.clone(), file.path.clone()));
        self.seen.push((file.canonical.clone(), file.place.clone()));
        true
    }
}
