//! The toasts about jobs that are not in view. Those of the same sort are one toast.

use super::Model;
use super::toast::{Kind, TOAST_MS, Toast};
use crate::protocol::SessionId;
use crate::term::sanitize::clean;

/// What a job is reported for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// It waits for input, in words.
    Input(String),
    /// An agent asks a person about it.
    Asked {
        /// The agent.
        by: String,
        /// The question.
        message: String,
    },
    /// It failed, in words.
    Failed(String),
    /// Its time limit has ended it.
    TimedOut,
    /// An agent ended it.
    Ended {
        /// The agent.
        by: String,
    },
    /// What its `notify` asks for, in words.
    Wanted(String),
}

impl What {
    /// Whether both belong into one toast.
    fn joins(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Input(_), Self::Input(_))
            | (Self::Failed(_), Self::Failed(_))
            | (Self::TimedOut, Self::TimedOut) => true,
            (Self::Asked { by, .. }, Self::Asked { by: other, .. })
            | (Self::Ended { by }, Self::Ended { by: other })
            | (Self::Wanted(by), Self::Wanted(other)) => by == other,
            _ => false,
        }
    }

    /// The text about these jobs.
    fn text(&self, names: &[String]) -> String {
        let (n, all) = (names.len(), names.join(", "));
        match (self, n) {
            (Self::Input(how), 1) => format!("{all} {how}"),
            (Self::Failed(how), 1) => format!("{all} {how}"),
            (Self::TimedOut, 1) => format!("{all} timed out"),
            (Self::TimedOut, _) => format!("{n} jobs timed out: {all}"),
            (Self::Asked { by, message }, 1) => format!("{by} asks about {all}: {message}"),
            (Self::Ended { by }, 1) => format!("{by} ended {all}"),
            (Self::Wanted(how), 1) => format!("{all} {how}"),
            (Self::Wanted(how), _) => format!("{all}: each {how}"),
            (Self::Input(_), _) => format!("{n} jobs need input: {all}"),
            (Self::Failed(_), _) => format!("{n} jobs failed: {all}"),
            (Self::Asked { by, .. }, _) => format!("{by} asks about {n} jobs: {all}"),
            (Self::Ended { by }, _) => format!("{by} ended {n} jobs: {all}"),
        }
    }
}

/// One toast.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Alert {
    what: What,
    /// The jobs that the toast names.
    named: Vec<SessionId>,
    /// Those that the person has not seen since.
    left: Vec<SessionId>,
    text: String,
}

/// The toasts on the screen that are about jobs, oldest first.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Alerts(Vec<Alert>);

impl Alerts {
    /// The jobs that the person has not seen since, those of the newest toast first.
    pub fn jobs(&self) -> impl Iterator<Item = &SessionId> {
        self.0.iter().rev().flat_map(|alert| &alert.left)
    }
}

impl Model {
    /// Whether the screen or log of this job is visible.
    pub fn is_in_view(&self, id: &SessionId) -> bool {
        if self.needs().window {
            return false;
        }
        let layout = self.layout();
        match layout.grid {
            Some(_) => self.tiles().iter().any(|(_, shown, _)| *shown == id),
            None => layout.pane.is_some() && self.current_id() == Some(id),
        }
    }

    /// Shows a toast about a job, joined with the present one of the same sort.
    pub fn alert(&mut self, id: &SessionId, what: What) {
        self.expire_alerts();
        let same = self
            .alerts
            .0
            .iter()
            .position(|alert| alert.what.joins(&what));
        let (mut named, mut left) = (Vec::new(), Vec::new());
        if let Some(at) = same {
            let alert = self.alerts.0.remove(at);
            self.toasts.retract(&alert.text);
            (named, left) = (alert.named, alert.left);
        }
        for ids in [&mut named, &mut left] {
            ids.retain(|one| one != id);
            ids.push(id.clone());
        }
        let names: Vec<String> = named.iter().map(|id| self.name_of(id)).collect();
        let text = clean(&what.text(&names));
        let until = self.now.ms + TOAST_MS;
        let toast = Toast {
            is_alert: true,
            ..Toast::new(Kind::Note, text.clone(), Some(until))
        };
        self.toasts.show(self.now.ms, toast);
        self.alerts.0.push(Alert {
            what,
            named,
            left,
            text,
        });
        self.dirty = true;
    }

    /// The person sees this job. A toast whose jobs are all seen disappears.
    pub fn answer_alert(&mut self, id: &SessionId) {
        for alert in &mut self.alerts.0 {
            let before = alert.left.len();
            alert.left.retain(|one| one != id);
            if alert.left.is_empty() && before > 0 {
                self.toasts.withdraw(&alert.text);
                self.dirty = true;
            }
        }
    }

    /// Forgets the toasts that have disappeared.
    pub fn expire_alerts(&mut self) {
        let shown = self.toasts.shown();
        let is_shown = |alert: &Alert| shown.iter().any(|toast| toast.text == alert.text);
        self.alerts.0.retain(is_shown);
    }
}
