//! The form for a new job, and the form that edits a job.

use crate::protocol::shell::quote;
use crate::protocol::{Mode, SessionId};
use crate::term::sanitize::clean;
use crate::tui::line::Line;

/// Field index of the command.
pub const RUN: usize = 0;
/// Field index of the name.
pub const NAME: usize = 1;
/// Field index of the group.
pub const GROUP: usize = 2;
/// Field index of the directory of a new job.
pub const DIR: usize = 3;
/// Field index of `pin` of an edited job.
pub const PIN: usize = 3;
/// Field index of the restart policy of an edited job.
pub const RESTART: usize = 4;
/// Field index of what people are notified of, of an edited job.
pub const NOTIFY: usize = 5;

/// Field index of the host of a new job, if there are other hosts.
pub const ON: usize = 4;

/// Labels of the fields of a new job, in order.
const NEW: &[&str] = &["run", "name", "group", "dir"];
/// Labels of the fields of a new job if there are other hosts.
const NEW_SOMEWHERE: &[&str] = &["run", "name", "group", "dir", "on"];
/// Labels of the editable fields of a job, in order.
const EDIT: &[&str] = &["run", "name", "group", "pin", "restart", "notify"];

/// Everything that people can be notified of.
const EVERYTHING: &str = "failed,ready,input,done";

/// What the form is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A new job. `Some` if it copies another job.
    New(Option<Like>),
    /// Edits a job; holds the initial values of the fields.
    Edit(SessionId, Vec<String>),
}

/// A job that is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    /// Its id.
    pub id: SessionId,
    /// Its mode, which the copy has, too.
    pub mode: Mode,
    /// Its size (rows, columns), which the copy has, too.
    pub size: (u16, u16),
}

/// A command that one line cannot show unchanged, because it has several lines or control
/// characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The text in the field.
    pub shown: String,
    /// The real command.
    pub command: String,
}

/// A job of the project file that does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedJob {
    /// Its name.
    pub name: String,
    /// The command that brings it up, as the form offers it.
    pub command: String,
}

impl OfferedJob {
    /// The job of this name.
    pub fn new(name: String) -> Self {
        let command = format!("bgproc up {}", quote(&name));
        Self { name, command }
    }
}

/// The form and its current input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// What it is for.
    pub purpose: Purpose,
    /// The name of the job that it edits, as last known.
    pub edits: String,
    /// Whether that job was removed. The form stays open, as what is still typed would be commands in NORMAL.
    pub over: bool,
    /// Labels of the fields.
    pub labels: &'static [&'static str],
    /// One line per field, in the order of the labels.
    pub fields: Vec<Line>,
    /// What the fields held when it was opened.
    opened: Vec<String>,
    /// Index of the field with the cursor.
    pub focus: usize,
    /// The number of the pending request to the daemon. Only the reply with this number is its own.
    pub pending: Option<u64>,
    /// Commands of the existing jobs, newest first, those of this directory before the others.
    pub history: Vec<String>,
    /// Commands of the shell history, newest first.
    pub shell: Vec<String>,
    /// Jobs of the project file of the directory `read` that do not run.
    pub jobs: Vec<OfferedJob>,
    /// Commands defined by the project in the directory `read`.
    pub targets: Vec<String>,
    /// The directory from which `targets` were read.
    pub read: String,
    /// Whether it holds what was typed before, and left.
    pub is_draft: bool,
    /// Whether its directory is one of another machine, because it copies a job there.
    pub is_far: bool,
    /// Index of the picked command and what the field held before; `None` if the field holds what
    /// was typed.
    pub recalled: Option<(usize, String, Option<Whole>)>,
    /// The real command if the command field cannot show it unchanged.
    pub whole: Option<Whole>,
}

impl Form {
    /// An empty form for a job in `dir`.
    pub fn new(dir: &str, group: &str, history: Vec<String>) -> Self {
        let fields = ["", "", group, dir].map(Line::new);
        Self::with(Purpose::New(None), NEW, fields.into(), history)
    }

    /// Whether it takes what is typed: no request is pending, and there is something to change.
    pub fn is_open(&self) -> bool {
        self.pending.is_none() && !self.over
    }

    /// Whether something in it would be lost if it was dropped: a command for a new job, or a field that differs from the
    /// job which is copied or edited.
    pub fn is_begun(&self) -> bool {
        match self.purpose {
            Purpose::New(None) => !self.value(RUN).is_empty(),
            Purpose::New(Some(_)) | Purpose::Edit(..) => self.texts() != self.opened && !self.over,
        }
    }

    /// Call when it is opened: what it holds then is nothing that was typed.
    #[must_use]
    pub fn opened(mut self) -> Self {
        self.opened = self.texts();
        self
    }

    fn texts(&self) -> Vec<String> {
        self.fields.iter().map(Line::text).collect()
    }

    /// The form as it is opened again: what is offered may have changed. Its command is selected, so that another one that
    /// is typed is not added to it.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.is_draft = true;
        self.recalled = None;
        self.read.clear();
        self.focus = RUN;
        // One that the field cannot show unchanged takes no other text.
        if self.whole.is_none() {
            self.line().select();
        }
        self
    }

    /// Adds the field for the host of a new job.
    #[must_use]
    pub fn on_host(mut self, host: &str) -> Self {
        self.labels = NEW_SOMEWHERE;
        self.fields.push(Line::new(host));
        self
    }

    /// The host of a new job; empty for this machine.
    pub fn host(&self) -> String {
        match self.labels.get(ON) {
            Some(&"on") => self.value(ON),
            _ => String::new(),
        }
    }

    /// The form that edits a job, filled with its current command, name, group, pin, restart and notices.
    pub fn edit(id: SessionId, name: String, now: [String; 6]) -> Self {
        let command = now[RUN].clone();
        let now = now.map(|text| clean(&text));
        let fields = now.iter().map(|text| Line::new(text)).collect();
        let purpose = Purpose::Edit(id, now.into());
        let mut form = Self::with(purpose, EDIT, fields, Vec::new());
        form.put(RUN, &command);
        form.edits = name;
        form.opened()
    }

    fn with(
        purpose: Purpose,
        labels: &'static [&'static str],
        fields: Vec<Line>,
        history: Vec<String>,
    ) -> Self {
        Self {
            purpose,
            edits: String::new(),
            over: false,
            labels,
            fields,
            opened: Vec::new(),
            focus: 0,
            pending: None,
            history,
            shell: Vec::new(),
            jobs: Vec::new(),
            targets: Vec::new(),
            read: String::new(),
            is_draft: false,
            is_far: false,
            recalled: None,
            whole: None,
        }
    }

    /// Puts a command into a field as one line. If that changes the text, the real command is kept
    /// in `whole`.
    pub fn put(&mut self, field: usize, command: &str) {
        let shown = clean(command);
        self.fields[field] = Line::new(&shown);
        self.whole = (shown != command).then(|| Whole {
            shown,
            command: command.to_owned(),
        });
    }

    /// The command that the field stands for.
    ///
    /// # Errors
    /// The field shows a shortened form of a command and was edited, so the intended command is
    /// unknown.
    pub fn command(&self, field: usize) -> Result<String, &'static str> {
        match &self.whole {
            None => Ok(self.value(field)),
            Some(whole) if self.fields[field].text() == whole.shown => Ok(whole.command.clone()),
            Some(_) => Err(
                "Not in one line: this command has more than shows here. Empty the field to type another one.",
            ),
        }
    }

    /// Call after an edit. An emptied field no longer stands for the original command, only for
    /// what is typed from now on.
    pub fn edited(&mut self) {
        if self.whole.is_some() && self.fields[RUN].is_empty() {
            self.whole = None;
            // Drop the killed text too, so that yanking does not bring back the shortened command.
            self.fields[RUN] = Line::default();
        }
    }

    /// The field with the cursor.
    pub fn line(&mut self) -> &mut Line {
        let last = self.labels.len() - 1;
        &mut self.fields[self.focus.min(last)]
    }

    /// Moves the cursor to the next or previous field and wraps around.
    pub fn step(&mut self, forward: bool) {
        let n = self.labels.len();
        self.focus = (self.focus + if forward { 1 } else { n - 1 }) % n;
        if self.values().is_some() {
            self.line().select();
        }
    }

    /// Values that the focused field of an edited job takes; `None` if it takes any text.
    pub fn values(&self) -> Option<&'static [&'static str]> {
        match (&self.purpose, self.focus) {
            (Purpose::Edit(..), PIN) => Some(&["yes", "no"]),
            (Purpose::Edit(..), RESTART) => Some(&["no", "on-failure", "always", "always:3"]),
            (Purpose::Edit(..), NOTIFY) => Some(&["failed", "ready", "input", "done", EVERYTHING]),
            _ => None,
        }
    }

    /// Shows the next of these values in the focused field, or the one before. `false` if it takes any text.
    pub fn turn(&mut self, forward: bool) -> bool {
        let Some(values) = self.values() else {
            return false;
        };
        let now = self.value(self.focus);
        let at = values.iter().position(|value| *value == now);
        let (n, step) = (values.len(), if forward { 1 } else { values.len() - 1 });
        let next = match at {
            Some(at) => (at + step) % n,
            None if forward => 0,
            None => n - 1,
        };
        *self.line() = Line::new(values[next]);
        self.line().select();
        true
    }

    /// Whether the cursor is in the command field of a new job.
    pub fn is_at_command(&self) -> bool {
        matches!(self.purpose, Purpose::New(_)) && self.focus == RUN
    }

    /// Begins at the name of the job that it edits.
    #[must_use]
    pub fn at_name(mut self) -> Self {
        self.focus = NAME;
        self.line().select();
        self
    }

    /// The rest of a suggested command that starts with what is typed: a command of the project, or
    /// one used before. For an empty field, the first command of the project.
    pub fn suggestion(&self) -> Option<&str> {
        let line = self.fields.first().filter(|_| self.is_at_command())?;
        let typed = line.text();
        if typed != line.before_cursor() {
            return None;
        }
        let before = self.history.iter().chain(&self.shell);
        let before = before.filter(|_| !typed.is_empty());
        let one_line = |one: &&String| !one.contains(char::is_control);
        let mut all = self.targets.iter().chain(before).filter(one_line);
        all.find_map(|one| one.strip_prefix(&typed).filter(|rest| !rest.is_empty()))
    }

    /// Accepts the suggestion; `false` if there is none.
    pub fn accept(&mut self) -> bool {
        let Some(rest) = self.suggestion().map(str::to_owned) else {
            return false;
        };
        self.line().insert(&rest);
        true
    }

    /// The text of a field, trimmed.
    pub fn value(&self, field: usize) -> String {
        self.fields[field].text().trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_wraps_around() {
        let mut form = Form::new("~/shop", "", Vec::new());
        form.step(false);
        assert_eq!(form.focus, 3);
        form.step(true);
        assert_eq!(form.focus, 0);
    }
}
