//! The checks of `bgproc doctor`: whether bgproc can work here, and if not, why.
//!
//! Each file checks one subject and returns findings as text. A check changes and starts nothing; repairs are
//! offered ([`Repair`]). What the system does not report is not counted as a problem.

mod boot;
mod directories;
mod kernel;
mod limits;
mod processes;
mod repair;
mod state;
pub mod systemd;
mod terminal;

pub use repair::Repair;
use serde::Serialize;

use crate::sys::paths::Home;

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything works.
    Ok,
    /// It works, but not fully or not for long.
    Warning,
    /// Something does not work.
    Problem,
}

/// The result of one check, with its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The subject: `directories`, `limits`, …
    pub subject: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What was found.
    pub text: String,
    /// What the person can do about it.
    pub advice: Option<String>,
    /// What doctor can do about it.
    #[serde(skip)]
    pub repair: Option<Repair>,
}

/// Runs all checks, for as many running jobs as may run at once.
pub fn checkup(jobs: u32) -> Vec<Finding> {
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
    found.extend(limits::check(u64::from(jobs)));
    found.extend(kernel::check());
    found.extend(boot::check(|name| std::env::var(name).ok()));
    found.extend(terminal::check(|name| std::env::var(name).ok()));
    found
}

impl Finding {
    /// A finding without a problem.
    pub fn ok(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Ok, text)
    }

    /// A finding that is a warning.
    pub fn warning(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Warning, text)
    }

    /// A finding that is a problem.
    pub fn problem(subject: &'static str, text: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Problem, text)
    }

    fn new(subject: &'static str, verdict: Verdict, text: impl Into<String>) -> Self {
        Self {
            subject,
            verdict,
            text: text.into(),
            advice: None,
            repair: None,
        }
    }

    /// Adds a repair that doctor can make.
    #[must_use]
    pub fn with_repair(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }

    /// Adds advice for the person.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// Reads a number from a file in `/proc`.
fn number(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}
