//! What a session's program does with its input: when the kernel is asked, and
//! what its answer means.
//!
//! Nobody says when a program begins to wait, so it is looked for when its output
//! has been quiet for a moment, and again at doubling distances, at the same moments
//! for all: sessions at rest cost nothing in the end. Who asks for the state, or waits for it, has it looked
//! for more often.

use std::collections::HashSet;

use crate::protocol::Scope;
use crate::protocol::keeper::Sight;
use crate::protocol::record::InputState;

/// Output that has been quiet for so long, in milliseconds, is worth a look; what
/// is still waited for then is told to people.
const QUIET_MS: u64 = 100;

/// The same while somebody waits for just that.
const EAGER_QUIET_MS: u64 = 2;

/// Looks are not farther apart than this while somebody waits, in milliseconds.
const EAGER_PAUSE_MS: u64 = 500;

/// One that is never quiet is looked at after so many times its quiet.
const RESTLESS: u64 = 10;

/// An answer so young, in milliseconds, is as good as a new one.
const FRESH_MS: u64 = 2;

/// An answer so old, in milliseconds, is asked for again where many are shown.
const OLD_MS: u64 = 1000;

/// So many scopes are remembered as having been shown a prompt.
const SHOWN: usize = 64;

/// What else decides the state.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Its first process is there.
    pub alive: bool,
    /// Its standard input was closed.
    pub closed: bool,
    /// A full-screen program has the screen.
    pub alt_screen: bool,
}

/// What a session's program does with its input, as last seen.
#[derive(Debug, Default)]
pub struct InputWatch {
    seen: Option<Sight>,
    /// When that was, and when something was last written or typed, in boot-time
    /// milliseconds.
    seen_at: u64,
    stirred: u64,
    /// When it was last looked for.
    looked: u64,
    next: Option<u64>,
    pause: u64,
    /// What people were told it waits for, until it does not.
    told: Option<InputState>,
    /// Who has been shown that it waits, since something was last typed.
    shown: HashSet<Scope>,
    /// The last question that was asked before something was typed.
    void: u64,
}

impl InputWatch {
    /// A new run: nothing is known of it.
    pub fn begin(&mut self, now: u64) {
        *self = Self {
            looked: now,
            ..Self::default()
        };
        self.stir(now, false);
    }

    /// The program has ended.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// It wrote something. True if the next look is another one.
    pub fn stir(&mut self, now: u64, eager: bool) -> bool {
        self.stirred = now;
        self.pause = quiet(eager);
        let next = self.after(now, eager);
        // A look that comes earlier finds out that it is not quiet yet: moving it
        // with each piece of output would cost more.
        let sooner = self.next.is_none_or(|there| there > next);
        if sooner {
            self.next = Some(next);
        }
        sooner
    }

    /// Something was typed into it: what was known is true no longer, and neither is
    /// what will be answered to questions up to number `asked`.
    pub fn typed(&mut self, now: u64, eager: bool, asked: u64) {
        self.told = None;
        self.shown.clear();
        self.forget(now, eager, asked);
    }

    /// It was stopped or goes on: what was known of it, and what will be answered to
    /// questions up to number `asked`, is of before.
    pub fn forget(&mut self, now: u64, eager: bool, asked: u64) {
        self.void = asked;
        self.seen = None;
        self.next = None;
        self.stir(now, eager);
    }

    /// When to look again, in boot-time milliseconds.
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// The time for a look has come. False: it is not quiet yet.
    pub fn is_due(&mut self, now: u64, eager: bool) -> bool {
        let quiet = quiet(eager);
        if now < self.stirred + quiet && now < self.looked + quiet * RESTLESS {
            self.pause = quiet;
            self.next = Some(self.after(self.stirred, eager));
            return false;
        }
        self.looked = now;
        self.pause = match eager {
            true => (self.pause.max(EAGER_QUIET_MS) * 2).min(EAGER_PAUSE_MS),
            false => self.pause.max(QUIET_MS) * 2,
        };
        self.next = Some(self.after(now, eager));
        true
    }

    /// When the present pause after a moment is over.
    fn after(&self, moment: u64, eager: bool) -> u64 {
        match eager {
            true => moment + self.pause,
            // At the same moments for all sessions, so that a hundred that were started
            // one after the other do not wake us a hundred times.
            false => (moment + self.pause).next_multiple_of(self.pause),
        }
    }

    /// Somebody waits for it from now on.
    pub fn hurry(&mut self, now: u64) {
        self.pause = EAGER_QUIET_MS;
        self.next = Some(now + self.pause);
    }

    /// Whether the last answer is as good as a new one.
    pub fn is_fresh(&self, now: u64) -> bool {
        self.seen.is_some() && self.stirred < self.seen_at && now < self.seen_at + FRESH_MS
    }

    /// Whether something may have changed since the last answer.
    pub fn is_old(&self, now: u64) -> bool {
        self.seen.is_none() || self.seen_at <= self.stirred || now > self.seen_at + OLD_MS
    }

    /// Whether the answer to question number `ask` is of before something was typed.
    pub fn is_of_before(&self, ask: u64) -> bool {
        ask <= self.void
    }

    /// The kernel's answer.
    pub fn saw(&mut self, sight: Option<Sight>, now: u64) {
        self.seen = sight;
        self.seen_at = now;
    }

    /// Whether a look that found it busy is worth another one in a moment: it has just
    /// written something, or something was just typed into it, so it may be about to wait.
    pub fn is_stirring(&self, now: u64) -> bool {
        now <= self.stirred + FRESH_MS
    }

    /// Input that was not read when last looked at.
    pub fn unread(&self) -> Option<u64> {
        self.seen?.unread
    }

    /// What the program does with its input.
    pub fn state(&self, situation: Situation) -> InputState {
        if situation.closed || !situation.alive {
            return InputState::Closed;
        }
        let Some(seen) = self.seen else {
            return InputState::Unknown;
        };
        let password = seen.line.is_some_and(|line| line.canonical && !line.echo);
        match (seen.reading, seen.line) {
            (Some(true), _) if !is_waiting(seen) => InputState::None,
            (Some(false), _) => InputState::None,
            // Nobody turns echo off for anything else, so that is enough where the
            // program may not be looked at (sudo and its like).
            (_, Some(_)) if password => InputState::Password,
            (None, _) => InputState::Unknown,
            (Some(true), Some(line)) if line.canonical => InputState::Line,
            (Some(true), Some(_)) if situation.alt_screen => InputState::Tui,
            (Some(true), Some(_)) => InputState::Raw,
            (Some(true), None) => InputState::Line,
        }
    }

    /// Whether a scope does not know yet that the program needs input.
    pub fn is_news_to(&self, scope: &Scope, state: InputState) -> bool {
        needs(state) && !self.shown.contains(scope)
    }

    /// A scope has been shown the state.
    pub fn show(&mut self, scope: &Scope, state: InputState) {
        if needs(state) && !self.shown.contains(scope) {
            if self.shown.len() >= SHOWN {
                self.shown.clear();
            }
            self.shown.insert(scope.clone());
        }
    }

    /// What people are to be told now that `state` was seen: once for each time
    /// that it waits for a line or a password, and not for moments.
    pub fn news(&mut self, state: InputState, now: u64) -> Option<InputState> {
        match state {
            state if needs(state) => {
                let stays = now >= self.stirred + QUIET_MS;
                if !stays || self.told == Some(state) {
                    return None;
                }
                self.told = Some(state);
                self.told
            }
            InputState::Unknown => None,
            _ => {
                self.told = None;
                None
            }
        }
    }
}

/// Whether a program was seen to wait for input: one that has not come to what is
/// there does not.
pub fn is_waiting(sight: Sight) -> bool {
    sight.reading == Some(true) && sight.unread.is_none_or(|bytes| bytes == 0)
}

fn quiet(eager: bool) -> u64 {
    if eager { EAGER_QUIET_MS } else { QUIET_MS }
}

/// Whether the program waits for input, as `wait {"input":true}` means it.
pub fn waits(state: InputState) -> bool {
    use InputState::{Line, Password, Raw, Tui};
    matches!(state, Line | Password | Raw | Tui)
}

/// Whether it waits for what only somebody can give it. A shell or an editor at
/// rest is no cry for help.
pub fn needs(state: InputState) -> bool {
    matches!(state, InputState::Line | InputState::Password)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::keeper::Line;

    const ALIVE: Situation = Situation {
        alive: true,
        closed: false,
        alt_screen: false,
    };

    fn sight(reading: Option<bool>, canonical: bool, echo: bool) -> Sight {
        Sight {
            reading,
            line: Some(Line { canonical, echo }),
            unread: Some(0),
        }
    }

    fn state(sight: Sight, situation: Situation) -> InputState {
        let mut watch = InputWatch::default();
        watch.saw(Some(sight), 0);
        watch.state(situation)
    }

    #[test]
    fn the_terminals_mode_says_what_kind_of_input() {
        let alt = Situation {
            alt_screen: true,
            ..ALIVE
        };
        assert_eq!(
            state(sight(Some(true), true, true), ALIVE),
            InputState::Line
        );
        assert_eq!(
            state(sight(Some(true), true, false), ALIVE),
            InputState::Password
        );
        assert_eq!(
            state(sight(Some(true), false, false), ALIVE),
            InputState::Raw
        );
        assert_eq!(state(sight(Some(true), false, false), alt), InputState::Tui);
        assert_eq!(
            state(sight(Some(false), true, true), ALIVE),
            InputState::None
        );
    }

    #[test]
    fn who_may_not_be_looked_at_is_unknown_but_for_passwords() {
        assert_eq!(state(sight(None, true, true), ALIVE), InputState::Unknown);
        assert_eq!(state(sight(None, true, false), ALIVE), InputState::Password);
        assert_eq!(
            state(sight(Some(false), true, false), ALIVE),
            InputState::None
        );
    }

    #[test]
    fn who_has_not_read_what_is_there_does_not_wait() {
        let unread = Sight {
            unread: Some(3),
            ..sight(Some(true), true, true)
        };
        assert_eq!(state(unread, ALIVE), InputState::None);
        let closed = Situation {
            closed: true,
            ..ALIVE
        };
        assert_eq!(state(unread, closed), InputState::Closed);
    }

    #[test]
    fn looks_come_after_quiet_and_then_ever_more_seldom() {
        let mut watch = InputWatch::default();
        watch.begin(1000);
        assert_eq!(watch.next(), Some(1100));
        assert!(!watch.stir(1060, false), "it is not moved with each output");
        assert!(!watch.is_due(1100, false));
        assert_eq!(watch.next(), Some(1200));
        let mut looks = 0;
        let mut now = 1200;
        while now < 3_600_000 {
            assert!(watch.is_due(now, false));
            looks += 1;
            now = watch.next().unwrap_or(u64::MAX);
        }
        assert!(looks < 20, "{looks} in an hour");
    }

    #[test]
    fn sessions_at_rest_are_looked_at_together() {
        let mut moments = std::collections::BTreeSet::new();
        for started in (1000..2000).step_by(10) {
            let mut watch = InputWatch::default();
            watch.begin(started);
            while let Some(now) = watch.next().filter(|now| *now < 3_600_000) {
                assert!(watch.is_due(now, false));
                moments.insert(now);
            }
        }
        // A thousand milliseconds of starts, and then ever fewer.
        assert!(moments.len() < 40, "{moments:?}");
    }

    #[test]
    fn one_that_is_never_quiet_is_looked_at_all_the_same() {
        let mut watch = InputWatch::default();
        watch.begin(0);
        let mut looks = 0;
        for now in 0..10_000 {
            watch.stir(now, false);
            looks += u32::from(watch.next() == Some(now) && watch.is_due(now, false));
        }
        assert!((5..=12).contains(&looks), "{looks} in ten seconds");
    }

    #[test]
    fn an_answer_to_a_question_of_before_it_was_typed_says_nothing() {
        let mut watch = InputWatch::default();
        watch.begin(0);
        assert!(!watch.is_of_before(1));
        watch.typed(10, false, 3);
        assert!(watch.is_of_before(3));
        assert!(!watch.is_of_before(4));
    }

    #[test]
    fn people_are_told_once_until_something_is_typed() {
        let mut watch = InputWatch::default();
        watch.begin(0);
        assert_eq!(
            watch.news(InputState::Line, 50),
            None,
            "a moment is no cry for help"
        );
        assert_eq!(watch.news(InputState::Line, 100), Some(InputState::Line));
        assert_eq!(watch.news(InputState::Line, 200), None);
        watch.stir(300, false);
        assert_eq!(watch.news(InputState::Line, 500), None, "it only wrote");
        watch.typed(600, false, 7);
        assert_eq!(watch.news(InputState::Line, 700), Some(InputState::Line));
        assert_eq!(watch.news(InputState::Raw, 800), None);
    }
}
