//! The form for a new job, and the one that changes a job.

use super::line::Line;
use crate::protocol::{Mode, SessionId};
use crate::term::sanitize::clean;

/// The command of a new job; the first field.
pub const RUN: usize = 0;
/// The directory of a new job.
pub const DIR: usize = 3;
/// The command of a job that is changed.
pub const COMMAND: usize = 4;

/// Labels of the fields of a new job, in order.
const NEW: &[&str] = &["run", "name", "group", "dir"];
/// Labels of what can be changed of a job, in order.
const EDIT: &[&str] = &["name", "group", "keep", "restart", "run"];

/// What the form is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A new job; one like another has its mode and its size, rows and columns.
    New(Option<(Mode, u16, u16)>),
    /// Changing a job; what its fields said at first.
    Edit(SessionId, Vec<String>),
}

/// A command that one line cannot show as it is: it has several lines, or signs that would paint the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// How it shows in its field.
    pub shown: String,
    /// What it is.
    pub command: String,
}

/// The form as filled in so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// What it is for.
    pub purpose: Purpose,
    /// What the fields are called.
    pub labels: &'static [&'static str],
    /// One line a field, in the order of the labels.
    pub fields: Vec<Line>,
    /// The field with the cursor.
    pub focus: usize,
    /// Whether the daemon has been asked and has not answered.
    pub busy: bool,
    /// Commands used before, newest first.
    pub history: Vec<String>,
    /// Commands that the project of `read` has.
    pub targets: Vec<String>,
    /// The directory that targets were read of.
    pub read: String,
    /// Which command is shown, and what stood there before; `None`: what was typed.
    pub recalled: Option<(usize, String, Option<Whole>)>,
    /// What the field of the command stands for, where it cannot show that.
    pub whole: Option<Whole>,
}

impl Form {
    /// An empty form for a job in `dir`.
    pub fn new(dir: &str, group: &str, history: Vec<String>) -> Self {
        let fields = ["", "", group, dir].map(Line::new);
        Self::with(Purpose::New(None), NEW, fields.into(), history)
    }

    /// The form that changes a job; its fields as they are now: name, group, keep, restart, command.
    pub fn edit(id: SessionId, now: [String; 5]) -> Self {
        let command = now[COMMAND].clone();
        let now = now.map(|text| clean(&text));
        let fields = now.iter().map(|text| Line::new(text)).collect();
        let purpose = Purpose::Edit(id, now.into());
        let mut form = Self::with(purpose, EDIT, fields, Vec::new());
        form.put(COMMAND, &command);
        form
    }

    fn with(
        purpose: Purpose,
        labels: &'static [&'static str],
        fields: Vec<Line>,
        history: Vec<String>,
    ) -> Self {
        Self {
            purpose,
            labels,
            fields,
            focus: 0,
            busy: false,
            history,
            targets: Vec::new(),
            read: String::new(),
            recalled: None,
            whole: None,
        }
    }

    /// Puts a command into its field, in one line; what it is in truth is kept beside it.
    pub fn put(&mut self, field: usize, command: &str) {
        let shown = clean(command);
        self.fields[field] = Line::new(&shown);
        self.whole = (shown != command).then(|| Whole {
            shown,
            command: command.to_owned(),
        });
    }

    /// The command that its field stands for.
    ///
    /// # Errors
    /// One that does not show as it is was changed: what was meant by that cannot be known.
    pub fn command(&self, field: usize) -> Result<String, &'static str> {
        match &self.whole {
            None => Ok(self.value(field)),
            Some(whole) if self.fields[field].text() == whole.shown => Ok(whole.command.clone()),
            Some(_) => Err(
                "Not in one line: this command has more than shows here. Empty the field to type another one.",
            ),
        }
    }

    /// After a field was edited: one that was emptied stands for nothing but what is typed from here on.
    pub fn edited(&mut self) {
        let field = match self.purpose {
            Purpose::New(_) => RUN,
            Purpose::Edit(..) => COMMAND,
        };
        if self.whole.is_some() && self.fields[field].is_empty() {
            self.whole = None;
            // Nor does what was cut come back as if it were the command.
            self.fields[field] = Line::default();
        }
    }

    /// The field with the cursor.
    pub fn line(&mut self) -> &mut Line {
        let last = self.labels.len() - 1;
        &mut self.fields[self.focus.min(last)]
    }

    /// Moves the cursor to another field, around the ends.
    pub fn step(&mut self, forward: bool) {
        let n = self.labels.len();
        self.focus = (self.focus + if forward { 1 } else { n - 1 }) % n;
    }

    /// Whether the cursor is in the command of a new job.
    pub fn is_at_command(&self) -> bool {
        matches!(self.purpose, Purpose::New(_)) && self.focus == RUN
    }

    /// The rest of a command that begins as what is typed: of the project, or one used before. An empty field
    /// suggests the project's first.
    pub fn suggestion(&self) -> Option<&str> {
        let line = self.fields.first().filter(|_| self.is_at_command())?;
        let typed = line.text();
        if typed != line.before_cursor() {
            return None;
        }
        let before: &[String] = if typed.is_empty() { &[] } else { &self.history };
        let one_line = |one: &&String| !one.contains(char::is_control);
        let mut all = self.targets.iter().chain(before).filter(one_line);
        all.find_map(|one| one.strip_prefix(&typed).filter(|rest| !rest.is_empty()))
    }

    /// Takes what is suggested; `false` if nothing is.
    pub fn accept(&mut self) -> bool {
        let Some(rest) = self.suggestion().map(str::to_owned) else {
            return false;
        };
        self.line().insert(&rest);
        true
    }

    /// Shows an older (or newer) command in the first field, of those that begin as what was typed.
    pub fn recall(&mut self, older: bool) {
        let typed = match &self.recalled {
            Some((_, typed, _)) => typed.clone(),
            None => self.fields[RUN].text(),
        };
        let mut fitting = Vec::new();
        for one in self.history.iter().chain(&self.targets) {
            let shown = clean(one);
            if shown.starts_with(&typed) && shown != typed && !fitting.contains(one) {
                fitting.push(one.clone());
            }
        }
        let at = self.recalled.as_ref().map(|(at, ..)| *at);
        let next = match (at, older) {
            (None, true) => Some(0),
            (None | Some(0), false) => None,
            (Some(at), true) => Some(at + 1),
            (Some(at), false) => Some(at - 1),
        };
        match next {
            Some(at) => {
                if let Some(command) = fitting.get(at) {
                    let before = match self.recalled.take() {
                        Some((.., before)) => before,
                        None => self.whole.take(),
                    };
                    self.put(RUN, command);
                    self.recalled = Some((at, typed, before));
                }
            }
            None => {
                if let Some((_, typed, before)) = self.recalled.take() {
                    self.fields[RUN] = Line::new(&typed);
                    self.whole = before;
                }
            }
        }
    }

    /// What a field says, blanks at its ends cut.
    pub fn value(&self, field: usize) -> String {
        self.fields[field].text().trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_goes_around() {
        let mut form = Form::new("~/shop", "", Vec::new());
        form.step(false);
        assert_eq!(form.focus, 3);
        form.step(true);
        assert_eq!(form.focus, 0);
    }

    #[test]
    fn commands_come_back_and_go_again() {
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
    fn what_was_typed_chooses_among_the_commands() {
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
