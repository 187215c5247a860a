//! The commands that the form for a new job offers: what is typed narrows them, and arrows pick one.

use std::collections::HashSet;

use super::fields::{Form, RUN};
use crate::term::sanitize::clean;
use crate::tui::line::Line;

/// Number of commands of existing jobs that come before those of the project while nothing is typed.
const FIRST: usize = 3;

/// Where an offered command comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// An existing job runs it, or did.
    Job,
    /// A file of the project defines it.
    Project,
    /// The shell history.
    Shell,
}

impl Source {
    /// The source in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Project => "project",
            Self::Shell => "shell",
        }
    }
}

/// An offered command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick<'a> {
    /// The command.
    pub command: &'a str,
    /// Where it comes from.
    pub source: Source,
}

impl Form {
    /// The offered commands that match what was typed, best first. Without duplicates, and without
    /// what was typed itself.
    pub fn picks(&self) -> Vec<Pick<'_>> {
        let typed = self.typed();
        let mut picks: Vec<(u8, Pick<'_>)> = Vec::new();
        let mut known = HashSet::new();
        for (command, source) in self.offered(typed.is_empty()) {
            let shown = clean(command);
            if let Some(rank) = rank(&shown, &typed)
                && shown != typed
                && known.insert(command)
            {
                picks.push((rank, Pick { command, source }));
            }
        }
        // Stable: equally good matches stay in this order.
        picks.sort_by_key(|(rank, _)| *rank);
        picks.into_iter().map(|(_, pick)| pick).collect()
    }

    /// All commands: those that bring jobs of the project up, the newest of jobs, those of the project, and the rest. Once something is typed,
    /// all commands of jobs are before those of the project.
    fn offered(&self, is_empty: bool) -> impl Iterator<Item = (&str, Source)> {
        let first = if is_empty {
            FIRST.min(self.history.len())
        } else {
            self.history.len()
        };
        let (newest, others) = self.history.split_at(first);
        let newest = newest.iter().map(|one| (one.as_str(), Source::Job));
        let targets = self.targets.iter();
        let targets = targets.map(|one| (one.as_str(), Source::Project));
        let others = others.iter().map(|one| (one.as_str(), Source::Job));
        let shell = self.shell.iter().map(|one| (one.as_str(), Source::Shell));
        let jobs = self.jobs.iter();
        let jobs = jobs.map(|job| (job.command.as_str(), Source::Project));
        let newest = jobs.chain(newest);
        newest.chain(targets).chain(others).chain(shell)
    }

    /// What was typed into the command field, before a command was picked.
    fn typed(&self) -> String {
        match &self.recalled {
            Some((_, typed, _)) => typed.clone(),
            None => self.fields[RUN].text(),
        }
    }

    /// Picks the next command of the offered ones, or the one before it; before the first one is what
    /// was typed.
    pub fn recall(&mut self, next: bool) {
        let typed = self.typed();
        let at = self.recalled.as_ref().map(|(at, ..)| *at);
        let wanted = match (at, next) {
            (None, true) => Some(0),
            (None | Some(0), false) => None,
            (Some(at), true) => Some(at + 1),
            (Some(at), false) => Some(at - 1),
        };
        let Some(at) = wanted else {
            if let Some((_, typed, before)) = self.recalled.take() {
                self.fields[RUN] = Line::new(&typed);
                self.whole = before;
            }
            return;
        };
        let picked = self.picks().get(at).map(|pick| pick.command.to_owned());
        if let Some(command) = picked {
            let before = match self.recalled.take() {
                Some((.., before)) => before,
                None => self.whole.take(),
            };
            self.put(RUN, &command);
            self.recalled = Some((at, typed, before));
        }
    }
}

/// How well a command matches, 0 is best; `None` if a typed word does not occur in it.
fn rank(command: &str, typed: &str) -> Option<u8> {
    if command.starts_with(typed) {
        return Some(0);
    }
    let (command, typed) = (command.to_lowercase(), typed.to_lowercase());
    let begins = |word: &str| command.split_whitespace().any(|one| one.starts_with(word));
    if typed.split_whitespace().all(begins) {
        return Some(1);
    }
    let occurs = |word: &str| command.contains(word);
    typed.split_whitespace().all(occurs).then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(form: &Form) -> Vec<&str> {
        form.picks().into_iter().map(|pick| pick.command).collect()
    }

    fn form(history: &[&str], targets: &[&str], shell: &[&str]) -> Form {
        let words = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
        let mut form = Form::new("~/shop", "", words(history));
        form.targets = words(targets);
        form.shell = words(shell);
        form
    }

    #[test]
    fn offers_targets_among_the_commands_used_before() {
        let all = form(
            &["a", "b", "c", "d"],
            &["make all", "b"],
            &["make all", "ls"],
        );
        assert_eq!(commands(&all), ["a", "b", "c", "make all", "d", "ls"]);
        let sources: Vec<&str> = all.picks().iter().map(|pick| pick.source.word()).collect();
        assert_eq!(sources, ["job", "job", "job", "project", "job", "shell"]);
    }

    #[test]
    fn typed_words_narrow_them_in_any_order() {
        let history = ["cargo test --lib", "echo test", "cargo build"];
        let mut form = form(&history, &["npm run test", "make latest"], &[]);
        form.line().insert("test");
        assert_eq!(
            commands(&form),
            [
                "cargo test --lib",
                "echo test",
                "npm run test",
                "make latest"
            ]
        );
        form.line().insert(" car");
        assert_eq!(commands(&form), ["cargo test --lib"]);
        form.recall(true);
        assert_eq!(form.value(RUN), "cargo test --lib");
        assert_eq!(commands(&form), ["cargo test --lib"], "the list stays");
    }

    #[test]
    fn recalls_older_and_newer_commands() {
        let mut form = Form::new("/", "", vec!["new".to_owned(), "old".to_owned()]);
        form.recall(true);
        form.recall(true);
        form.recall(true);
        assert_eq!(form.value(0), "old");
        form.recall(false);
        assert_eq!(form.value(0), "new");
        form.recall(false);
        assert_eq!(form.value(0), "");
    }

    #[test]
    fn recall_filters_by_typed_prefix() {
        let history = ["make test", "npm run dev", "make build"].map(str::to_owned);
        let mut form = Form::new("~/shop", "", history.into());
        form.targets = vec!["npm run start".to_owned(), "make all".to_owned()];
        assert_eq!(form.suggestion(), Some("npm run start"), "the project's");
        form.line().insert("make ");
        assert_eq!(form.suggestion(), Some("all"));
        let mut seen = Vec::new();
        for _ in 0..4 {
            form.recall(true);
            seen.push(form.value(0));
        }
        assert_eq!(seen, ["make test", "make build", "make all", "make all"]);
        for _ in 0..3 {
            form.recall(false);
        }
        assert_eq!(form.fields[0].text(), "make ");
        assert!(form.accept());
        assert_eq!(form.value(0), "make all");
        assert!(!form.accept());
    }
}
