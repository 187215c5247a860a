//! The form for a new job: command, name, group, directory.

use super::line::Line;

/// Labels of the fields, in order.
pub const LABELS: [&str; 4] = ["run", "name", "group", "dir"];

/// The form as filled in so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// One line a field, in the order of [`LABELS`].
    pub fields: [Line; 4],
    /// The field with the cursor.
    pub focus: usize,
    /// Whether the daemon has been asked and has not answered.
    pub busy: bool,
    /// Commands used before, newest first.
    pub history: Vec<String>,
    /// Which of them is shown; `None`: what was typed.
    pub recalled: Option<usize>,
}

impl Form {
    /// An empty form for a job in `dir`.
    pub fn new(dir: &str, group: &str, history: Vec<String>) -> Self {
        Self {
            fields: [
                Line::default(),
                Line::default(),
                Line::new(group),
                Line::new(dir),
            ],
            focus: 0,
            busy: false,
            history,
            recalled: None,
        }
    }

    /// The field with the cursor.
    pub fn line(&mut self) -> &mut Line {
        &mut self.fields[self.focus.min(LABELS.len() - 1)]
    }

    /// Moves the cursor to another field, around the ends.
    pub fn step(&mut self, forward: bool) {
        let n = LABELS.len();
        self.focus = (self.focus + if forward { 1 } else { n - 1 }) % n;
    }

    /// Shows an older (or newer) command in the first field.
    pub fn recall(&mut self, older: bool) {
        let next = match (self.recalled, older) {
            (None, true) => Some(0),
            (None | Some(0), false) => None,
            (Some(at), true) => Some(at + 1),
            (Some(at), false) => Some(at - 1),
        };
        match next {
            Some(at) => {
                if let Some(command) = self.history.get(at) {
                    self.fields[0] = Line::new(command);
                    self.recalled = next;
                }
            }
            None if self.recalled.is_some() => {
                self.fields[0] = Line::default();
                self.recalled = None;
            }
            None => {}
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
}
