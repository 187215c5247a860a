//! What the program of a session has reported of itself, and whether something newer is known.
//!
//! A report holds until newer evidence says something else: the kernel, that the program began to wait for input
//! or ceased to, or output. A program usually paints its screen right after it has reported, and echoes what is
//! typed; a program that draws its own screen also repaints it while it waits. None of this is evidence. Once
//! replaced, a report stays replaced.

use serde::{Deserialize, Serialize};

use super::Now;
use crate::protocol::report::{Activity, Evidence, Reported};

/// How long after a report, and after typing, output says nothing, in milliseconds. Programs draw a prompt within
/// some hundred milliseconds; one that works writes for longer.
const SETTLES_MS: u64 = 2000;

/// A report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// What the program does.
    pub state: Activity,
    /// Its words about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it reported.
    pub at: Now,
    /// What has replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<Evidence>,
}

/// The circumstances of output.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// When it was written, in boot-time milliseconds.
    pub at: u64,
    /// When something was last typed, in boot-time milliseconds.
    pub typed: Option<u64>,
    /// Whether the program draws its own screen, and therefore repaints it unasked.
    pub draws: bool,
}

impl Report {
    /// A report made now.
    pub fn new(state: Activity, message: Option<String>, at: Now) -> Self {
        Self {
            state,
            message,
            at,
            replaced_by: None,
        }
    }

    /// Whether it tells the reader something that `before` did not.
    pub fn is_news_after(&self, before: Option<&Self>) -> bool {
        let same = |before: &Self| {
            before.replaced_by.is_none()
                && (before.state, &before.message) == (self.state, &self.message)
        };
        !before.is_some_and(same)
    }

    /// Takes note of output. Returns true if it replaces the report.
    pub fn output(&mut self, written: Written) -> bool {
        // A program that works writes output: that agrees with the report.
        if self.replaced_by.is_some() || self.state == Activity::Working {
            return false;
        }
        let typed = written.typed.filter(|typed| *typed > self.at.boot);
        if typed.is_none() && written.draws {
            return false;
        }
        let settled = typed.unwrap_or(self.at.boot).saturating_add(SETTLES_MS);
        let counts = written.at >= settled;
        if counts {
            self.replaced_by = Some(Evidence::Output);
        }
        counts
    }

    /// Takes note that the program began to wait for input, or ceased to. Returns true if that replaces the
    /// report.
    pub fn input(&mut self) -> bool {
        let counts = self.replaced_by.is_none();
        if counts {
            self.replaced_by = Some(Evidence::Input);
        }
        counts
    }

    /// The report for clients.
    pub fn told(&self) -> Reported {
        Reported {
            state: self.state,
            message: self.message.clone(),
            at: self.at.wall,
            replaced_by: self.replaced_by,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::Timestamp;

    fn report(state: Activity) -> Report {
        let at = Now {
            boot: 10_000,
            wall: Timestamp(0),
        };
        Report::new(state, None, at)
    }

    fn written(at: u64, typed: Option<u64>, draws: bool) -> Written {
        Written { at, typed, draws }
    }

    #[test]
    fn the_screen_painted_after_a_report_does_not_replace_it() {
        let mut blocked = report(Activity::Blocked);
        assert!(!blocked.output(written(10_050, None, false)));
        assert!(!blocked.output(written(11_999, None, false)));
        assert!(blocked.output(written(12_000, None, false)));
        assert_eq!(blocked.replaced_by, Some(Evidence::Output));
        assert!(!blocked.input(), "it was replaced before");
    }

    #[test]
    fn a_program_that_draws_its_screen_replaces_it_only_after_typing() {
        let mut idle = report(Activity::Idle);
        assert!(!idle.output(written(60_000, None, true)), "a clock ticks");
        assert!(!idle.output(written(60_000, Some(9000), true)), "before");
        assert!(!idle.output(written(61_000, Some(60_000), true)), "echo");
        assert!(idle.output(written(62_000, Some(60_000), true)));
    }

    #[test]
    fn output_agrees_with_a_program_that_works() {
        let mut working = report(Activity::Working);
        assert!(!working.output(written(90_000, Some(20_000), false)));
        assert!(working.input());
        assert_eq!(working.told().replaced_by, Some(Evidence::Input));
    }

    #[test]
    fn a_report_repeated_is_no_news_unless_it_was_replaced() {
        let mut first = report(Activity::Idle);
        let again = report(Activity::Idle);
        assert!(again.is_news_after(None));
        assert!(!again.is_news_after(Some(&first)));
        assert!(report(Activity::Blocked).is_news_after(Some(&first)));
        first.input();
        assert!(again.is_news_after(Some(&first)));
    }

    proptest! {
            /// Whatever happens, a report is replaced once at most, and never by output within its first moments.
            #[test]
            fn a_report_is_replaced_once(
                events in prop::collection::vec((0u64..20_000, prop::option::of(0u64..20_000), any::<bool>(), any::<bool>()), 0..40),
            ) {
                let mut blocked = report(Activity::Blocked);
                let mut replaced = 0;
                for (at, typed, draws, is_input) in events {
                    let before = blocked.replaced_by;
                    let now = if is_input {
    blocked.input()
    } else {
    blocked.output(written(at, typed, draws))
    };
                    prop_assert!(!(now && !is_input && at < 12_000));
                    prop_assert_eq!(now, before != blocked.replaced_by);
                    replaced += usize::from(now);
                }
                prop_assert!(replaced <= 1);
            }
        }
}
