//! What `bgproc doctor` looks at: whether bgproc can work here, and if not, why.
//!
//! Each file is one subject and returns findings in words. A look changes nothing and
//! starts nothing; what can be put right is offered ([`Mend`]), and a question that the system does not answer is not a
//! problem of its own.

mod directories;
mod kernel;
mod limits;
mod mend;
mod processes;
mod state;
mod terminal;

pub use mend::Mend;
use serde::Serialize;

use crate::sys::paths::Home;

/// How well it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is well.
    Ok,
    /// It works, but not everything or not for long.
    Warning,
    /// Something does not work.
    Problem,
}

/// One thing that was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// What it is about: `directories`, `limits`, …
    pub subject: &'static str,
    /// How well it is.
    pub verdict: Verdict,
    /// What was found.
    pub text: String,
    /// What to do about it.
    pub advice: Option<String>,
    /// What doctor can do about it.
    #[serde(skip)]
    pub mend: Option<Mend>,
}

/// Looks at everything.
pub fn checkup() -> Vec<Finding> {
    let mut found = Vec::new();
    match Home::locate() {
        Ok(home) => {
            found.extend(directories::check(&home));
            found.extend(processes::check(&home));
            found.extend(state::check(&home));
        }
        Err(error) => {
            found.push(Finding::problem("directories", error.to_string()).advise(error.advice()));
        }
    }
    found.extend(limits::check());
    found.extend(kernel::check());
    found.extend(terminal::check(|name| std::env::var(name).ok()));
    found
}

impl Finding {
    /// It is well.
    pub fn ok(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Ok, text)
    }

    /// It works, but.
    pub fn warning(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Warning, text)
    }

    /// It does not work.
    pub fn problem(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Problem, text)
    }

    fn new(subject: &'static str, verdict: Verdict, text: impl Into<String>) -> Self {
        Self {
            subject,
            verdict,
            text: text.into(),
            advice: None,
            mend: None,
        }
    }

    /// Adds what doctor can do about it.
    #[must_use]
    pub fn can_be_mended(mut self, mend: Mend) -> Self {
        self.mend = Some(mend);
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// A number in a file of `/proc`.
fn number(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}
